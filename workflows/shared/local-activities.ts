import * as wf from '@temporalio/workflow'
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

/** Temporal's retry policy of a step; the interval doubles each time. */
export const retryOf = ({
  retryFirst,
  retryLongest,
}: {
  retryFirst: number
  retryLongest: number
}) => ({
  initialInterval: retryFirst,
  backoffCoefficient: 2,
  maximumInterval: retryLongest,
})
