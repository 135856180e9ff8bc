import type { TaskExceptionCode } from './exception.ts'

/** The controlled loop of every run, in its order. */
export const loopSteps = [
  'intake',
  'planner',
  'worker',
  'validator',
  'exception_agent',
  'revision_loop',
  'review_step',
  'return_package',
  'attestation',
] as const
export type LoopStep = (typeof loopSteps)[number]

/** Beyond the first pass, the worker may go over the same input this many times. */
export const REVISION_ROUNDS_MAX = 3

/** Where a run stands: the step to take next. Round 0 is the first pass. */
export type LoopPlace = { step: LoopStep; round: number }

/**
 * How a step ended: `refused` by the intake, by the worker for a row of an uploaded list, or by the revision loop for a fault that
 * another pass does not change, `too_complex` where the work went
 * over a limit, `gaps` that the caller wants to be asked about, `revise` from the revision loop
 * or the reviewer, `reject` by the reviewer; anything else is `done`.
 */
export type StepVerdict = 'done' | 'refused' | 'too_complex' | 'gaps' | 'revise' | 'reject'

export type LoopMove =
  | { go: LoopPlace }
  | { stop: 'evidence_missing' | 'attested' }
  | { stop: 'exception'; code: TaskExceptionCode }

/** What follows a step; throws where the step cannot end so. */
export function afterStep({ step, round }: LoopPlace, verdict: StepVerdict): LoopMove {
  if (verdict === 'done') {
    const next = loopSteps[loopSteps.indexOf(step) + 1]
    return next === undefined ? { stop: 'attested' } : { go: { step: next, round } }
  }
  if ((step === 'intake' || step === 'worker') && verdict === 'refused')
    return { stop: 'exception', code: 'input_invalid' }
  if (step === 'revision_loop' && verdict === 'refused')
    return { stop: 'exception', code: 'validator_failed' }
  if ((step === 'worker' || step === 'validator') && verdict === 'too_complex')
    return { stop: 'exception', code: 'input_too_complex' }
  if (step === 'exception_agent' && verdict === 'gaps') return { stop: 'evidence_missing' }
  if (step === 'review_step' && verdict === 'reject')
    return { stop: 'exception', code: 'operator_hold' }
  if ((step === 'revision_loop' || step === 'review_step') && verdict === 'revise') {
    if (round === REVISION_ROUNDS_MAX) return { stop: 'exception', code: 'validator_failed' }
    return { go: { step: 'worker', round: round + 1 } }
  }
  throw new Error(`the step ${step} cannot end as ${verdict}`)
}
