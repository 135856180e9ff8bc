import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  afterAttempt,
  type CallbackEvent,
  callbackAttemptsMax,
  callbackDelayMs,
  callbackDeliveryId,
  callbackOutcome,
  callbackScheduleMs,
  callbackStates,
  callbackTransitions,
  isCallbackOpen,
} from '#domain/callbacks/callback.ts'
import { echoesNonce } from '#domain/callbacks/callback-body.ts'
import { verifies } from '../../../verifies.ts'

const events: CallbackEvent[] = ['taken', 'failed', 'gone', 'exhausted']
const lastStates = { taken: 'delivered', gone: 'disabled', failed: 'gave_up' } as const

function documented(status: number) {
  if (status >= 200 && status < 300) return 'taken'
  return status === 410 ? 'gone' : 'failed'
}

const outcomes = fc.constantFrom('taken' as const, 'failed' as const, 'gone' as const)

verifies('callback.states', 'every pair of state and event follows the table', () => {
  const moves = callbackStates.flatMap((state) =>
    events.flatMap((event) =>
      callbackTransitions[state][event] === undefined
        ? []
        : [`${state} ${event} ${callbackTransitions[state][event]}`],
    ),
  )
  expect(moves).toEqual([
    'pending taken delivered',
    'pending failed retrying',
    'pending gone disabled',
    'retrying taken delivered',
    'retrying failed retrying',
    'retrying gone disabled',
    'retrying exhausted gave_up',
  ])
  expect(callbackStates.filter(isCallbackOpen)).toEqual(['pending', 'retrying'])
})

verifies(
  'callback.states',
  '2xx is delivered, 410 is gone, a redirect or no response failed',
  () => {
    for (let status = 100; status < 600; status++)
      expect(callbackOutcome(status), String(status)).toBe(documented(status))
    expect(callbackOutcome(null)).toBe('failed')
  },
)

verifies(
  'callback.states',
  'outcomes end with the first delivered or gone, or the eighth failure',
  () => {
    fc.assert(
      fc.property(fc.array(outcomes, { minLength: 8, maxLength: 20 }), (run) => {
        let state: (typeof callbackStates)[number] = 'pending'
        let failures = 0
        for (const outcome of run) {
          const open = isCallbackOpen(state)
          state = afterAttempt(state, outcome, failures)
          if (open && outcome === 'failed') failures += 1
        }
        const decided = run.slice(0, 8).find((outcome) => outcome !== 'failed')
        expect(state).toBe(lastStates[decided ?? 'failed'])
        expect(failures).toBe(
          Math.min(
            8,
            run.findIndex((outcome) => outcome !== 'failed') === -1
              ? 8
              : run.findIndex((outcome) => outcome !== 'failed'),
          ),
        )
      }),
    )
  },
)

verifies(
  'callback.schedule',
  'eight attempts at the documented times, each up to a tenth later',
  () => {
    expect(callbackScheduleMs.map((ms) => ms / 1_000)).toEqual([
      0, 5, 300, 1_800, 7_200, 18_000, 36_000, 86_400,
    ])
    fc.assert(
      fc.property(fc.string(), fc.nat(callbackAttemptsMax - 1), (subject, failures) => {
        const id = callbackDeliveryId(subject, 'task_updated', 0)
        const delay = callbackDelayMs(id, failures)
        const planned = callbackScheduleMs[failures] as number
        expect(delay).toBe(callbackDelayMs(id, failures))
        expect(delay).toBeGreaterThanOrEqual(planned)
        expect(delay).toBeLessThanOrEqual(Math.round(planned * 1.1))
      }),
    )
    const delays = Array.from({ length: 50 }, (_, ordinal) =>
      callbackDelayMs(callbackDeliveryId('s', 'task_updated', ordinal), 2),
    )
    expect(new Set(delays).size).toBeGreaterThan(45)
  },
)

verifies(
  'callback.host-proof',
  'an answer echoes a nonce only as the member of a JSON object',
  () => {
    expect(echoesNonce('{"nonce":"n-1","ok":true}', 'n-1')).toBe(true)
    for (const answer of [
      '',
      'n-1',
      '"n-1"',
      '["n-1"]',
      '{"nonce":"n-2"}',
      '{"echo":"n-1"}',
      '{"nonce":["n-1"]}',
      'null',
      '{"nonce":"n-1"',
    ])
      expect(echoesNonce(answer, 'n-1'), answer).toBe(false)
  },
)

verifies('callback.states', 'the eighth failure is the last, and no earlier one is', () => {
  const after = [1, 2, 3, 4, 5, 6].map((failures) => afterAttempt('retrying', 'failed', failures))
  expect(new Set(after)).toEqual(new Set(['retrying']))
  expect(afterAttempt('retrying', 'failed', 7)).toBe('gave_up')
  expect(afterAttempt('retrying', 'taken', 7)).toBe('delivered')
  expect(afterAttempt('retrying', 'gone', 7)).toBe('disabled')
  expect(afterAttempt('gave_up', 'taken', 7)).toBe('gave_up')
})

verifies('callback.schedule', 'the id of a delivery commits to subject, event and ordinal', () => {
  const digest = createHash('sha256')
    .update('{"event":"e","ordinal":2,"subject":"s","type":"service.callback.v1"}')
    .digest('hex')
  expect(callbackDeliveryId('s', 'e', 2)).toBe(`cb_${digest}`)
})
