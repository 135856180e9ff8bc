import * as wf from '@temporalio/workflow'
import { timing } from './timing.ts'

/**
 * Short steps of one run, one at a time and each of a queue in a workflow task of its own: local activities that run beside
 * each other, or one after the other until their task is renewed, are replayed in another order than they ended in.
 */
export function takeTurns(): <T>(step: () => Promise<T>) => Promise<T> {
  let busy = false
  return async (step) => {
    const queued = busy
    while (busy) await wf.condition(() => !busy)
    busy = true
    try {
      if (queued) await wf.sleep(1, { summary: 'the next of a queue' })
      // A step is tried until it ends; between its tries the workflow task is closed.
      for (;;) {
        try {
          return await step()
        } catch (error) {
          // A replay hands the bare timeout over that was an ActivityFailure around it when it happened: both are caught.
          if (!(error instanceof wf.TemporalFailure) || wf.isCancellation(error)) throw error
          await wf.sleep(timing.step.again, { summary: 'the database does not answer' })
        }
      }
    } finally {
      busy = false
    }
  }
}
