import { defaultPayloadConverter, type Headers, type SearchAttributePair } from '@temporalio/common'
import * as wf from '@temporalio/workflow'
import { parseTraceparent } from '../domain/core/traceparent.ts'
import { searchAttributes } from './search-attributes.ts'

/** How many traces a run shows; the oldest are dropped. */
const TRACES_MAX = 8
const HEADER = 'traceparent'

type Trace = { readonly id: string; readonly header: Headers[string] }
/** The traces that reached a run; its own steps belong to the newest one. */
type RunTraces = { ids: string[]; newest: Trace | undefined }
type Current = { readonly run: RunTraces; readonly trace: Trace | undefined }

const storage = new wf.AsyncLocalStorage<Current>()

/**
 * Hands the trace of a call to the steps that its update runs, and to the later steps of the run. It makes no commands, draws no random
 * numbers and adds no waits, so histories with and without traces replay the same way.
 */
export const interceptors: wf.WorkflowInterceptorsFactory = () => {
  const run: RunTraces = { ids: [], newest: undefined }
  const join = (headers: Headers): Current => {
    const trace = traceIn(headers)
    if (trace !== undefined) {
      run.newest = trace
      run.ids = [...run.ids.filter((id) => id !== trace.id), trace.id].slice(-TRACES_MAX)
    }
    return { run, trace }
  }
  const onward = <Input extends { readonly headers: Headers }>(input: Input): Input => {
    const trace = storage.getStore()?.trace ?? run.newest
    return trace === undefined
      ? input
      : { ...input, headers: { ...input.headers, [HEADER]: trace.header } }
  }
  return {
    inbound: [
      {
        execute: (input, next) => {
          join(input.headers)
          return storage.run({ run, trace: undefined }, () => next(input))
        },
        handleUpdate: (input, next) => storage.run(join(input.headers), () => next(input)),
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(onward(input)),
        scheduleLocalActivity: (input, next) => next(onward(input)),
        startChildWorkflowExecution: (input, next) => next(onward(input)),
        continueAsNew: (input, next) => next(onward(input)),
      },
    ],
  }
}

/** The attribute with the traces that reached this run; empty if the run shows them already. */
export function newTraces(): SearchAttributePair[] {
  const ids = storage.getStore()?.run.ids ?? []
  const key = searchAttributes.TraceIds
  const shown = wf.workflowInfo().typedSearchAttributes.get(key) ?? []
  const missing = ids.filter((id) => !shown.includes(id))
  if (missing.length === 0) return []
  return [{ key, value: [...shown, ...missing].slice(-TRACES_MAX) }]
}

/** A header that cannot be read is ignored: it must not stop a run. */
function traceIn(headers: Headers): Trace | undefined {
  const header = headers[HEADER]
  if (header === undefined) return undefined
  try {
    const context = parseTraceparent(defaultPayloadConverter.fromPayload(header))
    return context && { id: context.traceId, header }
  } catch {
    return undefined
  }
}
