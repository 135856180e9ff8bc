import { type TaskState, taskStates } from '../tasks/lifecycle.ts'

/** The outcome of a run for a client that waits for its result: `refused` and `cancelled` have none and never will. */
export const runOutcomes = ['working', 'completed', 'refused', 'cancelled'] as const
export type RunOutcome = (typeof runOutcomes)[number]

/**
 * The outcome of a run by the state of its task and by what its ledger holds. It never changes once it is not `working`: entries
 * stay, and `failed` only leads to `closed`.
 */
export function runOutcome(
  state: TaskState,
  ledger: { readonly receiptsIssued: boolean; readonly abandoned: boolean },
): RunOutcome {
  if (ledger.receiptsIssued) return 'completed'
  if (state !== 'failed' && state !== 'closed') return 'working'
  return ledger.abandoned ? 'cancelled' : 'refused'
}

/** Whether a run can still be cancelled by its agent alone: once its result is made, it is charged. */
export function mayCancel(state: TaskState, resumeState: TaskState | null): boolean {
  const at = state === 'exception_open' || state === 'replay_ready' ? resumeState : state
  return at !== null && taskStates.indexOf(at) < taskStates.indexOf('result_ready')
}
