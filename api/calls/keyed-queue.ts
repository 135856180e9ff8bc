import { isUnavailable } from '../../activities/store/postgres/db.ts'

/** Runs the work of one key one after the other within this process. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * A burst of one caller queues here, holding nothing, instead of holding a connection each while it waits for the same lock
 * in Postgres; nothing is decided by it, the lock in Postgres still is what counts over all processes. What waits behind work
 * that could not reach Postgres fails with it, rather than find that out for itself when its own turn comes.
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
