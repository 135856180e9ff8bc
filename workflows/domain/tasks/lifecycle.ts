/** The canonical states of a task, in their order. */
export const taskStates = [
  'created',
  'preflight_checked',
  'contract_ready',
  'contract_accepted',
  'trust_pending',
  'trusted',
  'quoted',
  'credit_pending',
  'credit_funded',
  'queued',
  'operating',
  'evidence_partial',
  'result_ready',
  'attested',
  'receipt_issued',
  'callback_pending',
  'callback_delivered',
  'exception_open',
  'replay_ready',
  'failed',
  'closed',
] as const
export type TaskState = (typeof taskStates)[number]

export const taskEvents = [
  'submit',
  'preflight_passed',
  'preflight_rejected',
  'contract_prepared',
  'contract_accepted',
  'contract_declined',
  'contract_lapsed',
  'trust_requested',
  'trust_granted',
  'trust_denied',
  'quote_issued',
  'credit_requested',
  'quote_lapsed',
  'credit_funded',
  'credit_lapsed',
  'enqueued',
  'review_rejected',
  'started',
  'evidence_missing',
  'result_produced',
  'evidence_supplied',
  'evidence_waived',
  'result_attested',
  'receipts_issued',
  'callback_scheduled',
  'callback_delivered',
  'closed',
  'exception_raised',
  'input_proposed',
  'input_declined',
  'replay_prepared',
  'replayed',
  'abandoned',
] as const
export type TaskEvent = (typeof taskEvents)[number]

/** The target of a transition; `resume_state` is the state in which the exception was opened. */
type Target = TaskState | 'resume_state'
const raises = { exception_raised: 'exception_open' } as const

/** The state table: (state, event) → state. Every other pair is refused. */
export const taskTransitions: Record<TaskState | 'none', Partial<Record<TaskEvent, Target>>> = {
  none: { submit: 'created' },
  created: { preflight_passed: 'preflight_checked', preflight_rejected: 'failed', ...raises },
  preflight_checked: { contract_prepared: 'contract_ready', ...raises },
  contract_ready: {
    contract_accepted: 'contract_accepted',
    contract_declined: 'failed',
    contract_lapsed: 'failed',
    ...raises,
  },
  contract_accepted: { trust_requested: 'trust_pending', ...raises },
  trust_pending: { trust_granted: 'trusted', trust_denied: 'failed', ...raises },
  trusted: { quote_issued: 'quoted', ...raises },
  quoted: { credit_requested: 'credit_pending', quote_lapsed: 'exception_open', ...raises },
  credit_pending: { credit_funded: 'credit_funded', credit_lapsed: 'exception_open', ...raises },
  credit_funded: { enqueued: 'queued', review_rejected: 'failed', ...raises },
  queued: { started: 'operating', ...raises },
  operating: { evidence_missing: 'evidence_partial', result_produced: 'result_ready', ...raises },
  evidence_partial: { evidence_supplied: 'operating', evidence_waived: 'result_ready', ...raises },
  result_ready: { result_attested: 'attested', ...raises },
  attested: { receipts_issued: 'receipt_issued', ...raises },
  receipt_issued: { callback_scheduled: 'callback_pending', closed: 'closed', ...raises },
  callback_pending: { callback_delivered: 'callback_delivered', ...raises },
  callback_delivered: { closed: 'closed', ...raises },
  exception_open: {
    input_proposed: 'exception_open',
    input_declined: 'exception_open',
    replay_prepared: 'replay_ready',
    abandoned: 'failed',
  },
  replay_ready: { replayed: 'resume_state', abandoned: 'failed' },
  failed: { closed: 'closed' },
  closed: {},
}

/** The state that an event leads to, undefined when it is not allowed; `resumeState` is what an open exception keeps. */
export function nextTaskState(
  from: TaskState | 'none',
  event: TaskEvent,
  resumeState: TaskState | null = null,
): TaskState | undefined {
  const to = taskTransitions[from][event]
  return to === 'resume_state' ? (resumeState ?? undefined) : to
}

export function allowedTaskEvents(state: TaskState): TaskEvent[] {
  return Object.keys(taskTransitions[state]) as TaskEvent[]
}

/**
 * What `resume_state` is after a move. A lapse goes back one step, where a new quote or a new challenge is available: the state
 * that lapsed would only lapse again.
 */
export function resumeStateAfter(
  from: TaskState,
  event: TaskEvent,
  resumeState: TaskState | null,
): TaskState | null {
  if (event === 'quote_lapsed') return 'trusted'
  if (event === 'credit_lapsed') return 'quoted'
  if (event === 'exception_raised') return from
  return keepsResumeState.includes(event) ? resumeState : null
}

const keepsResumeState: readonly TaskEvent[] = [
  'input_proposed',
  'input_declined',
  'replay_prepared',
]

/** States that a task can come back to from an exception. */
export const resumableStates: readonly TaskState[] = taskStates.filter(
  (state) => taskTransitions[state].exception_raised !== undefined,
)

/** The facts of a refused event: the state of the task and the events that it allows. */
export const taskStanding = (state: TaskState) => ({
  state,
  allowed_events: allowedTaskEvents(state),
})
