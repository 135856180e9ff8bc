import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { continueTrace } from '../activities/tracing/spans.ts'
import { traceparentIn } from './trace-calls.ts'

/** Runs each step in the trace of the call that its workflow works for. */
export const traceActivity: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => {
      const attributes = {
        'temporal.workflow.id': info.workflowExecution?.workflowId ?? '',
        'temporal.activity.attempt': info.attempt,
      }
      const facts = { name: `activity ${info.activityType}`, kind: 'consumer', attributes } as const
      return continueTrace(traceparentIn(input.headers), facts, () => next(input))
    },
  },
})
