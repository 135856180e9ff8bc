import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import { pino } from 'pino'
import { findOpenRow } from '../../activities/store/recovery/late-rows.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { wakeLate } from '../../temporal/late-rows.ts'

/** The worker's round that wakes late rows, where every open row is late after this time. */
export const wakeOlderThan = (client: Client, db: Kysely<Database>, ms = 0): Promise<void> =>
  wakeLate({
    client,
    db,
    log: pino({ level: 'silent' }),
    config: { LATE_AFTER_MS: ms, ENVIRONMENT: 'local', SWEEP_EVERY_MS: 10_000 },
  })

/** Whether the row of this id is open and late, where rows are late after this time. */
export async function isLate(db: Kysely<Database>, id: string, unitMs: number): Promise<boolean> {
  return (await findOpenRow(db, { unitMs, finalMs: unitMs }, id))?.late === true
}
