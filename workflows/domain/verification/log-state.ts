import type { LogState } from '../receipts/receipt.ts'
import { type Reason, reasons } from './reasons.ts'
import type { Verdict } from './verdict.ts'

/** A verdict with the place of the receipt in the log; null for what is no receipt. */
export type LoggedVerdict = Verdict & { log_state: LogState | null }
/** What a log answered about a receipt: the verdict on its proof, or that it has none, or none yet. */
export type LogAnswer = Verdict | 'absent' | 'pending' | 'unavailable'

/** What a file alone shows: a valid bundle proves the place of its receipt, and a sample has none. */
export function withLogState(verdict: Verdict): LoggedVerdict {
  const { kind, claims } = verdict
  if (kind === 'receipt_bundle')
    return { ...verdict, log_state: verdict.verdict === 'valid' ? 'included' : 'not_checked' }
  if (kind !== 'receipt' && kind !== 'attestation') return { ...verdict, log_state: null }
  return { ...verdict, log_state: claims?.['kind'] === 'sample' ? 'exempt' : 'not_checked' }
}

/** What a file and a log show together; a proof is not believed before its checkpoint and path are verified. */
export function withLogAnswer(verdict: Verdict, answer: LogAnswer): LoggedVerdict {
  if (answer === 'absent') return unproven(verdict, answer, 'the log does not have it')
  if (answer === 'pending') return unproven(verdict, answer, 'it waits for its place in the log')
  if (answer === 'unavailable') return unproven(verdict, 'not_checked', 'the log does not answer')
  const check = answer.checks.at(-1)
  if (answer.verdict === 'valid' && check !== undefined)
    return { ...verdict, checks: [...verdict.checks, check], log_state: 'included' }
  const [reason = 'not_included'] = answer.reasons
  return unproven(verdict, undecided.includes(reason) ? 'not_checked' : 'absent', reasons[reason])
}

const undecided: readonly Reason[] = ['log_key_unknown', 'log_key_revoked', 'key_revoked']

function unproven(verdict: Verdict, log_state: LogState, detail: string): LoggedVerdict {
  return { ...verdict, checks: [...verdict.checks, { check: 'log', ok: false, detail }], log_state }
}

/** How a program ends: 0 for what is valid and, where it is a receipt, in the log; 1 for invalid or absent; 3 for undecided. */
export function exitCodeOf({ verdict, log_state }: LoggedVerdict): 0 | 1 | 3 {
  if (verdict === 'invalid' || log_state === 'absent') return 1
  const isOpen = log_state === 'pending' || log_state === 'not_checked'
  return verdict === 'indeterminate' || isOpen ? 3 : 0
}
