import { setTimeout as sleep } from 'node:timers/promises'

const ATTEMPTS_MAX = 5
// Serialization failure, deadlock, and a prepared statement that a migration made invalid. Postgres undid all of it.
const undoneCodes = new Set(['40001', '40P01', '0A000'])

/** Runs a transaction or a single statement, at most five times, until Postgres does not undo it. */
export async function retry<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !undoneCodes.has(codeOf(error))) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** The SQLSTATE or socket code of an error, or an empty string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
