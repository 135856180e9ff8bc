import * as wf from '@temporalio/workflow'
import { timing } from './timing.ts'

/**
 * Runs the short steps of one run one at a time, each queued step in a separate workflow task. Otherwise local activities that are
 * concurrent, or that cross the renewal of their workflow task, replay in a different order than they ended.
 */
export function createMutex(): <T>(step: () => Promise<T>) => Promise<T> {
  let busy = false
  return async (step) => {
    const queued = busy
    while (busy) await wf.condition(() => !busy)
    busy = true
    try {
      if (queued) await wf.sleep(1, { summary: 'next queued step' })
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
      // A timeout is an ActivityFailure when it happens but a TimeoutFailure on replay: catch both.
      if (!(error instanceof wf.TemporalFailure) || wf.isCancellation(error)) throw error
      await wf.sleep(timing.step.retryDelay, { summary: 'retry: the database does not answer' })
    }
  }
}
