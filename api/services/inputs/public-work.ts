import { refuse } from '#domain/core/errors.ts'
import type { Job } from '../../../activities/runs/isolation/job.ts'
import { ChildDied, NotBegun, type RailPool } from '../../../activities/runs/isolation/rail-pool.ts'
import {
  assertComputeLeft,
  type ComputeNetwork,
  countingCompute,
} from '../../../activities/store/calls/compute.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'

/** Does a job in a process of a pool with small limits; its processor time counts for the network. */
export type PublicWork = (job: Job, network: ComputeNetwork) => Promise<unknown>
export type PublicWorkDeps = { db: Tx; pool: Pick<RailPool, 'queue'> }

/** Calls of one kind that may wait for the pool of this process. */
const WAITING_MAX = 32

/**
 * Work on the input of any caller. Throws 422 `input_too_complex` at the limits of the pool, and 429 while too many calls wait or
 * the network has used its processor time.
 */
export function publicWork(
  { db, pool }: PublicWorkDeps,
  name: string,
  { queue = name, most = WAITING_MAX }: { queue?: string; most?: number } = {},
): PublicWork {
  let waiting = 0
  return async (job, network) => {
    if (waiting >= most)
      throw refuse('rate_limited', {
        detail: `too many calls wait for a ${name}`,
        retry_after_ms: 1_000,
      })
    waiting += 1
    try {
      await assertComputeLeft(db, network)
      return await countingCompute(db, network, (spend) => pool.queue(queue, spend).run(job))
    } catch (error) {
      if (!(error instanceof ChildDied || error instanceof NotBegun)) throw error
      throw refuse('unavailable', { detail: `the ${name} was interrupted`, retry_after_ms: 1_000 })
    } finally {
      waiting -= 1
    }
  }
}
