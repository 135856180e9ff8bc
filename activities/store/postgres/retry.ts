import { setTimeout as sleep } from 'node:timers/promises'

const ATTEMPTS_MAX = 5
// Serialization failure, deadlock, and a prepared statement that a migration invalidated. Postgres has rolled all of
// it back.
const undoneCodes = new Set(['40001', '40P01', '0A000'])

/** Runs a transaction or a single statement again while Postgres rolls it back, at most five times. */
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
