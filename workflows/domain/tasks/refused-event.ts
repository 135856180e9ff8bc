import { type DomainError, refuse } from '../core/errors.ts'
import { nextCallOf } from './calls.ts'
import { type TaskEvent, type TaskState, taskStanding } from './lifecycle.ts'

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
