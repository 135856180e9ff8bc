import { type DomainError, refuse } from '../core/errors.ts'
import { type TaskEvent, type TaskState, taskStanding } from './lifecycle.ts'

const recover = 'Recover the task: POST /api/agents/tasks/{token}/recover.'

/** The call that advances a task from a state; in the other states it advances by itself. */
const calls: Partial<Record<TaskState, string>> = {
  preflight_checked: 'Prepare the contract: POST /api/agents/contracts.',
  contract_ready: 'Accept the contract: POST /api/agents/contracts/{contract_id}.',
  trust_pending: 'Wait for an operator to trust the agent.',
  trusted: 'Request a quote with the task_token: POST /api/agents/quote.',
  quoted: 'Request a payment challenge: POST /api/agent-use, mode create_payment_challenge.',
  credit_pending: 'Pay the challenge, then POST /api/agents/credits/{entitlement_id}.',
  credit_funded:
    'Submit the input: POST /api/agent-self-serve-rail-loop; an operator approves an operational start.',
  evidence_partial: 'Supply the evidence: POST /api/agents/tasks/{token}/recover.',
  exception_open: recover,
  replay_ready: recover,
  closed: 'The task is closed; begin a new one with preflight.',
}

const nextCallOf = (state: TaskState): string =>
  calls[state] ?? 'Read the task until its state changes.'

/** 409 `wrong_state`, naming the events allowed now; 404 where there is no task. */
export function refuseTaskEvent(state: TaskState | 'none', event: TaskEvent): DomainError {
  if (state === 'none') return refuse('not_found', { detail: 'no such task' })
  const extra = taskStanding(state)
  return refuse('wrong_state', {
    detail: `the task is ${state}, which does not allow ${event}`,
    next_action: nextCallOf(state),
    extra,
  })
}
