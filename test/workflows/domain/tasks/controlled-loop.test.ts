import fc from 'fast-check'
import { expect } from 'vitest'
import {
  afterStep,
  type LoopMove,
  type LoopPlace,
  loopSteps,
  type StepVerdict,
} from '#domain/tasks/controlled-loop.ts'
import {
  allowedRecoveries,
  type TaskExceptionCode,
  taskExceptions,
} from '#domain/tasks/exception.ts'
import { verifies } from '../../../verifies.ts'

const firstPlace: LoopPlace = { step: 'intake', round: 0 }
const verdicts: StepVerdict[] = ['done', 'refused', 'too_complex', 'gaps', 'revise', 'reject']
/** The verdicts of a step other than `done`. */
const others: Record<string, StepVerdict[]> = {
  intake: ['refused'],
  worker: ['refused', 'too_complex'],
  validator: ['too_complex'],
  exception_agent: ['gaps'],
  revision_loop: ['refused', 'revise'],
  review_step: ['revise', 'reject'],
}

verifies('run.loop.order', 'nine steps follow each other in the documented order', () => {
  const taken: string[] = []
  for (let move: LoopMove = { go: firstPlace }; 'go' in move; move = afterStep(move.go, 'done'))
    taken.push(move.go.step)
  const documented =
    'intake, planner, worker, validator, exception_agent, revision_loop, review_step, return_package, attestation'
  expect(taken.join(', ')).toBe(documented)
  expect(afterStep({ step: 'attestation', round: 0 }, 'done')).toEqual({ stop: 'attested' })
})

verifies(
  'run.loop.order',
  'a step that stops a run names why; an impossible end is an error',
  () => {
    for (const step of ['intake', 'worker'] as const)
      expect(afterStep({ step, round: 0 }, 'refused')).toEqual({
        stop: 'exception',
        code: 'input_invalid',
      })
    for (const step of ['worker', 'validator'] as const)
      expect(afterStep({ step, round: 0 }, 'too_complex')).toEqual({
        stop: 'exception',
        code: 'input_too_complex',
      })
    expect(afterStep({ step: 'revision_loop', round: 1 }, 'refused')).toEqual({
      stop: 'exception',
      code: 'validator_failed',
    })
    expect(afterStep({ step: 'exception_agent', round: 1 }, 'gaps')).toEqual({
      stop: 'evidence_missing',
    })
    expect(afterStep({ step: 'review_step', round: 0 }, 'reject')).toEqual({
      stop: 'exception',
      code: 'operator_hold',
    })
    for (const step of loopSteps) {
      for (const verdict of verdicts) {
        const may = verdict === 'done' || others[step]?.includes(verdict) === true
        const run = () => afterStep({ step, round: 0 }, verdict)
        if (may) expect(run, `${step} ${verdict}`).not.toThrow()
        else expect(run, `${step} ${verdict}`).toThrow()
      }
    }
  },
)

verifies(
  'run.loop.rounds',
  'whatever its steps end with, a run does its work at most four times',
  () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), (choices) => {
        let worked = 0
        let move: LoopMove = { go: firstPlace }
        for (const choice of choices) {
          if (!('go' in move)) break
          const place: LoopPlace = move.go
          if (place.step === 'worker') worked += 1
          const possible: StepVerdict[] = ['done', ...(others[place.step] ?? [])]
          move = afterStep(place, possible[choice % possible.length] as StepVerdict)
        }
        expect(worked).toBeLessThanOrEqual(4)
        expect('stop' in move).toBe(true)
      }),
    )
  },
)

verifies('run.loop.rounds', 'a fourth revision is an exception', () => {
  for (const step of ['revision_loop', 'review_step'] as const) {
    for (const round of [0, 1, 2])
      expect(afterStep({ step, round }, 'revise')).toEqual({
        go: { step: 'worker', round: round + 1 },
      })
    expect(afterStep({ step, round: 3 }, 'revise')).toEqual({
      stop: 'exception',
      code: 'validator_failed',
    })
  }
})

verifies(
  'task.exception.codes',
  'each of eleven codes names its recoveries, including abandon',
  () => {
    const documented =
      'evidence_gap, input_invalid, input_too_complex, worker_failed, validator_failed, payment_reversed, credit_mismatch, callback_failed, deadline_passed, operator_hold, caller_dispute'
    expect(Object.keys(taskExceptions).join(', ')).toBe(documented)
    const actions = [
      'supply_evidence',
      'correct_input',
      'retry_step',
      'redeliver_callback',
      'replay',
      'abandon',
    ]
    for (const code of Object.keys(taskExceptions) as TaskExceptionCode[]) {
      expect(actions).toEqual(expect.arrayContaining([...allowedRecoveries(code)]))
      expect(allowedRecoveries(code)).toContain('abandon')
      expect(allowedRecoveries(code).length).toBeGreaterThan(1)
    }
    expect([...new Set(Object.values(taskExceptions).flat())].sort()).toEqual([...actions].sort())
  },
)
