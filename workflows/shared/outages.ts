import * as wf from '@temporalio/workflow'
import { OUTAGE } from './outage-type.ts'
import { timing } from './timing.ts'

/** Repeats a step whose attempts ended during an outage; every other failure is that of the step. */
export async function throughOutages<Result>(step: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isOutage(error)) throw error
      await wf.sleep(timing.outage, { summary: 'retry: a dependency does not answer' })
    }
  }
}

const isOutage = (error: unknown): boolean =>
  error instanceof wf.ActivityFailure &&
  error.cause instanceof wf.ApplicationFailure &&
  error.cause.type === OUTAGE
