import type { WorkflowClientInterceptor } from '@temporalio/client'
import { defaultPayloadConverter, type Headers, TypedSearchAttributes } from '@temporalio/common'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { parseTraceparent } from '#domain/core/traceparent.ts'
import {
  continueTrace,
  currentTraceId,
  currentTraceparent,
  traced,
} from '../activities/tracing/spans.ts'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'

type StartOptions = { readonly typedSearchAttributes?: unknown }

/** Sends the trace of the caller with each start, update and signal; a new run shows it in the search attribute `TraceIds`. */
export const traceCalls: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    inSpan(`start ${input.workflowType}`, input.options.workflowId, () =>
      next({ ...input, headers: withTrace(input.headers), options: showTrace(input.options) }),
    ),
  startUpdate: (input, next) =>
    inSpan(`update ${input.updateName}`, input.workflowExecution.workflowId, () =>
      next({ ...input, headers: withTrace(input.headers) }),
    ),
  startUpdateWithStart: (input, next) =>
    inSpan(`update ${input.updateName}`, input.workflowStartOptions.workflowId, () =>
      next({
        ...input,
        updateHeaders: withTrace(input.updateHeaders),
        workflowStartHeaders: withTrace(input.workflowStartHeaders),
        workflowStartOptions: showTrace(input.workflowStartOptions),
      }),
    ),
  signal: (input, next) =>
    inSpan(`signal ${input.signalName}`, input.workflowExecution.workflowId, () =>
      next({ ...input, headers: withTrace(input.headers) }),
    ),
  signalWithStart: (input, next) =>
    inSpan(`signal ${input.signalName}`, input.options.workflowId, () =>
      next({ ...input, headers: withTrace(input.headers), options: showTrace(input.options) }),
    ),
}

/** The `traceparent` in the headers of an activity. */
function traceparentIn(headers: Headers): unknown {
  const header = headers['traceparent']
  try {
    return header && defaultPayloadConverter.fromPayload(header)
  } catch {
    return undefined
  }
}

function inSpan<T>(name: string, workflowId: string | undefined, send: () => Promise<T>) {
  const attributes = { 'temporal.workflow.id': workflowId ?? '' }
  return traced({ name, kind: 'client', attributes }, send)
}

function withTrace(headers: Headers): Headers {
  const traceparent = currentTraceparent()
  if (parseTraceparent(traceparent) === undefined) return headers
  return { ...headers, traceparent: defaultPayloadConverter.toPayload(traceparent) }
}

function showTrace<Options extends StartOptions>(options: Options): Options {
  const traceId = currentTraceId()
  if (traceId === undefined) return options
  const { typedSearchAttributes: given } = options
  const attributes = given instanceof TypedSearchAttributes ? given : new TypedSearchAttributes([])
  const typedSearchAttributes = attributes.updateCopy([
    { key: searchAttributes.TraceIds, value: [traceId] },
  ])
  return { ...options, typedSearchAttributes }
}

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
