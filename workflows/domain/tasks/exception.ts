import type { EntitlementState } from '../credit/credit.ts'
import type { ReferenceState } from '../payments/payment-reference.ts'
import { type TaskState, taskStates } from './lifecycle.ts'

/** The reasons that stop a task, each with the recoveries that resolve it. */
export const taskExceptions = {
  evidence_gap: ['supply_evidence', 'replay', 'abandon'],
  input_invalid: ['correct_input', 'abandon'],
  input_too_complex: ['correct_input', 'abandon'],
  worker_failed: ['retry_step', 'replay', 'abandon'],
  validator_failed: ['correct_input', 'retry_step', 'abandon'],
  payment_reversed: ['replay', 'abandon'],
  credit_mismatch: ['replay', 'abandon'],
  callback_failed: ['redeliver_callback', 'abandon'],
  deadline_passed: ['replay', 'abandon'],
  operator_hold: ['correct_input', 'replay', 'abandon'],
  caller_dispute: ['supply_evidence', 'correct_input', 'replay', 'abandon'],
} as const satisfies Record<string, readonly string[]>

/** The reasons that the holder of a task may state; the others are findings of the service, its operators and providers. */
export const holdersReasons: readonly TaskExceptionCode[] = ['caller_dispute', 'evidence_gap']

export type TaskExceptionCode = keyof typeof taskExceptions
export type RecoveryAction = (typeof taskExceptions)[TaskExceptionCode][number]
export const recoveryActions = [
  'supply_evidence',
  'correct_input',
  'retry_step',
  'redeliver_callback',
  'replay',
  'abandon',
] as const satisfies readonly RecoveryAction[]

/** The states of an exception. */
export type TaskExceptionState =
  | 'open'
  | 'recovery_requested'
  | 'replay_ready'
  | 'resolved'
  | 'abandoned'

export function allowedRecoveries(code: TaskExceptionCode): readonly RecoveryAction[] {
  return taskExceptions[code]
}

/** What recovers a task. One without a state to return to stops nothing: gaps are supplied, and the dispute of a closed task is ended. */
export function recoveriesOf({
  code,
  resume_state,
}: {
  code: TaskExceptionCode
  resume_state: TaskState | null
}): readonly RecoveryAction[] {
  if (resume_state !== null) return allowedRecoveries(code)
  return code === 'evidence_gap' ? ['supply_evidence'] : ['abandon']
}

/** Whether money has moved for a task that was interrupted in this state, by what is known of the credit set aside for it. */
export function moneyMovedAt(
  state: TaskState,
  credit?: { entitlement_state: EntitlementState; reference_state: ReferenceState | null },
): 'no' | 'yes' | 'unknown' {
  if (credit !== undefined && credit.entitlement_state !== 'pending') return 'yes'
  if (credit !== undefined) return credit.reference_state === null ? 'no' : 'unknown'
  if (state === 'credit_pending') return 'unknown'
  return taskStates.indexOf(state) < taskStates.indexOf('credit_pending') ? 'no' : 'yes'
}

/** Commands of an operator on a stuck payout or task: `wake` makes its workflow read its row, the others recover a task. */
export const recoverCommands = ['wake', ...recoveryActions] as const
export type RecoverAct = (typeof recoverCommands)[number]

/** An operator's act on a payout or task as it is typed; `act` may name several, of which one is chosen. */
export const recoverCommand = (id: string, act: string): string =>
  `agent-rails recover act ${id} ${act} --operator NAME --reason WHY`
