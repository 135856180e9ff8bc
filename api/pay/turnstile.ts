/** Runs the work of one key one after the other within this process. */
export type Turnstile = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * A burst of one caller queues here, holding nothing, instead of holding a connection each while it waits for the same lock
 * in Postgres; nothing is decided by it, the lock in Postgres still is what counts over all processes.
 */
export function createTurnstile(): Turnstile {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const mine = (tails.get(key) ?? Promise.resolve()).then(work, work)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}
