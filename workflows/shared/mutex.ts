import * as wf from '@temporalio/workflow'
import { timing } from './timing.ts'

/**
 * Runs the short steps of one run one at a time, each queued step in a workflow task of its own. Concurrent local activities, and
 * consecutive ones during which their workflow task is renewed, replay in a different order than they ended in.
 */
export function createMutex(): <T>(step: () => Promise<T>) => Promise<T> {
  let busy = false
  return async (step) => {
    const queued = busy
    while (busy) await wf.condition(() => !busy)
    busy = true
    try {
      if (queued) await wf.sleep(1, { summary: 'the next of a queue' })
      return await untilItEnds(step)
    } finally {
      busy = false
    }
  }
}

/** Retries a step until it ends; between two attempts the workflow task is closed. */
async function untilItEnds<T>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      // A timeout was an ActivityFailure when it happened, and replays as a bare TimeoutFailure: catch both.
      if (!(error instanceof wf.TemporalFailure) || wf.isCancellation(error)) throw error
      await wf.sleep(timing.step.again, { summary: 'the database does not answer' })
    }
  }
}
