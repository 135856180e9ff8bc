import { isUnavailable } from '../../activities/store/postgres/db.ts'

/** Runs the work of one key one after the other within this process. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * The calls of one caller wait here without a connection, instead of each holding one while it waits for the same lock in
 * Postgres. Correctness over all processes comes from that lock alone. When Postgres is down, waiting work fails at once.
 */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, (error: unknown) => {
      if (isUnavailable(error)) throw error
      return work()
    })
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}
