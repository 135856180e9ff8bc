import * as wf from '@temporalio/workflow'
import { retryOf } from './retry.ts'
import { timing } from './timing.ts'

/** Temporal allows 2,000 updates in one run; a renewed run starts the count again. */
export const UPDATES_PER_RUN_MAX = 1_500

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
