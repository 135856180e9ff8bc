import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'
import { clockSeconds, type Tx } from './db.ts'

/** The UTC day by the clock of Postgres, such as `2026-11-21`. */
export async function utcDay(tx: Tx): Promise<string> {
  const { rows } = await sql<{ day: string }>`
    select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD') as day`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('Postgres returned no day')
  return row.day
}

export type DatabaseClock = { nowSeconds(): Promise<number> }

/**
 * The clock of Postgres without a query for each call: a sample of at most one second of age plus the monotonic time
 * since. The clock of this process decides nothing.
 */
export function createDatabaseClock(db: Kysely<Database>, sampleMs = 1000): DatabaseClock {
  let sample: { seconds: number; at: number } | undefined
  let sampling: Promise<void> | undefined
  const take = async (): Promise<void> => {
    const at = performance.now()
    sample = { seconds: await clockSeconds(db), at }
  }
  return {
    nowSeconds: async () => {
      if (sample === undefined || performance.now() - sample.at > sampleMs) {
        sampling ??= take().finally(() => {
          sampling = undefined
        })
        await sampling
      }
      if (sample === undefined) throw new Error('the clock was not sampled')
      return Math.floor(sample.seconds + (performance.now() - sample.at) / 1000)
    },
  }
}
