import type { Kysely } from 'kysely'
import { clockSeconds } from './db.ts'
import type { Database } from './schema.ts'

export type DatabaseClock = { nowSeconds(): Promise<number> }

/**
 * Postgres' clock without a query for each call: a sample at most a second old plus the monotonic time since, so that
 * this process's own clock decides nothing.
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
