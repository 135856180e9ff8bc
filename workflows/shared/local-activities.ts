import * as wf from '@temporalio/workflow'
import { retryOf } from './retry.ts'
import { timing } from './timing.ts'

/** Steps of one transaction each, run as local activities, which cost the history no task of their own. */
export const shortSteps =
  <Steps>() =>
  (summary: string) =>
    wf.proxyLocalActivities<Steps>({
      startToCloseTimeout: timing.step.startToClose,
      scheduleToCloseTimeout: timing.step.scheduleToClose,
      retry: retryOf(timing.step),
      summary,
    })
