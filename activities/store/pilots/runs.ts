import type { Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

export type PilotRunRow = Selectable<Database['pilot_runs']>

export function findPilotRun(
  tx: Tx,
  by: { task_id: string } | { pilot_id: string },
): Promise<PilotRunRow | undefined> {
  return tx
    .selectFrom('pilot_runs')
    .selectAll()
    .where((eb) => eb.and(by))
    .executeTakeFirst()
}

export async function insertPilotRun(tx: Tx, run: Omit<PilotRunRow, 'started_at'>): Promise<void> {
  await tx.insertInto('pilot_runs').values(run).execute()
}
