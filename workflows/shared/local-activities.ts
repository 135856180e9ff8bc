import * as wf from '@temporalio/workflow'
import { retryOf } from './retry.ts'
import { timing } from './timing.ts'

/** Steps of one transaction each. As local activities they add no task of their own to the history. */
export const shortSteps =
  <Steps>() =>
  (summary: string) =>
    wf.proxyLocalActivities<Steps>({
      startToCloseTimeout: timing.step.startToClose,
      scheduleToCloseTimeout: timing.step.scheduleToClose,
      retry: retryOf(timing.step),
      summary,
    })
