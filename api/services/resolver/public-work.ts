import { refuse } from '#domain/core/errors.ts'
import type { Job } from '../../../activities/runs/isolation/job.ts'
import { ChildDied, NotBegun, type RailPool } from '../../../activities/runs/isolation/rail-pool.ts'

/** Does a job in a process of a pool with small limits. */
export type PublicWork = (job: Job) => Promise<unknown>

/** Calls of one kind that may wait for the pool of this process. */
const WAITING_MAX = 32

/** Work on the input of any caller. Throws 422 `input_too_complex` at the limits of the pool, and 429 while too many calls wait. */
export function publicWork(
  pool: Pick<RailPool, 'run'>,
  name: string,
  most = WAITING_MAX,
): PublicWork {
  let waiting = 0
  return async (job) => {
    if (waiting >= most)
      throw refuse('rate_limited', {
        detail: `too many calls wait for a ${name}`,
        retry_after_ms: 1_000,
      })
    waiting += 1
    try {
      return await pool.run(job)
    } catch (error) {
      if (!(error instanceof ChildDied || error instanceof NotBegun)) throw error
      throw refuse('unavailable', { detail: `the ${name} was interrupted`, retry_after_ms: 1_000 })
    } finally {
      waiting -= 1
    }
  }
}
