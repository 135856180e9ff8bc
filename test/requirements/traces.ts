/** Requirements on traces: id → source and behavior. */
export const traceRequirements = {
  'trace.id': {
    source: 'calls § Traces',
    behavior:
      'Every call has a trace id, from a well-formed traceparent or new. Any other traceparent is ignored. The header X-Trace-Id and the member trace_id of problems name it.',
  },
  'trace.one': {
    source: 'calls § Traces',
    behavior:
      'With an exporter, a call is one trace: the HTTP call, the update of its workflow, the steps, their SQL, and the transaction with its hash.',
  },
  'trace.found': {
    source: 'calls § Traces',
    behavior:
      'The trace id is in the log lines of the call and in the search attribute TraceIds of the workflow that worked for it.',
  },
  'trace.explained': {
    source: 'calls § Traces',
    behavior:
      'Operators see the trace ids of a payout or task, and of the run of a task, by `recover explain` and `work-read`.',
  },
  'trace.private': {
    source: 'calls § Traces',
    behavior:
      'Spans hold ids, names of steps and hashes, and never bodies, credentials or personal data.',
  },
  'trace.off': {
    source: 'calls § Traces',
    behavior: 'Without an exporter nothing is recorded, and every call still has its trace id.',
  },
  'trace.replay': {
    source: 'decision',
    behavior:
      'Traces add no commands to a workflow that its history does not have, so a history replays with and without them.',
  },
} as const
