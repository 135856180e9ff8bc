import { setTimeout as sleep } from 'node:timers/promises'

const ATTEMPTS_MAX = 5
// Serialization failure, deadlock, and a prepared statement that a migration has made out of date: nothing of it was done.
const undoneCodes = new Set(['40001', '40P01', '0A000'])

/** Runs a transaction, or a statement that is one by itself, again, at most five times, where Postgres gave it up undone. */
export async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !undoneCodes.has(codeOf(error))) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** SQLSTATE or the code of the socket; empty where there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
