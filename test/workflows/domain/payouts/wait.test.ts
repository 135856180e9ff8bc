import { expect, test } from 'vitest'
import { payoutWait, type WaitingPayout } from '#domain/payouts/wait.ts'
import { verifies } from '../../../verifies.ts'

const payoutId = `po_${'b'.repeat(64)}`
const payout: WaitingPayout = {
  payoutId,
  state: 'authorized',
  transfer: 'submitted',
  parked: null,
  exception: null,
}
const rest = { since: null, gaps: [] }
const byOperator = (command: string) => ({
  by: 'operator',
  call: null,
  arguments: {},
  choices: [],
  command,
})

verifies('views.wait', 'an open exception of a payout waits for an operator', () => {
  expect(payoutWait({ ...payout, exception: 'nonce_used', parked: 'x' })).toEqual({
    ...rest,
    what: 'an operator to resolve nonce_used',
    waiting_for: ['review'],
    action: byOperator(`agent-rails recover explain ${payoutId}`),
  })
  expect(payoutWait({ ...payout, difference: 'amount_differs', parked: 'x' })).toEqual({
    ...rest,
    what: 'an operator to resolve amount_differs',
    waiting_for: ['review'],
    action: byOperator('agent-rails recover exceptions'),
  })
})

verifies('views.wait', 'a parked transfer names its reason and the command', () => {
  const command = `agent-rails recover act ${payoutId} wake --operator NAME --reason WHY`
  expect(payoutWait({ ...payout, parked: 'the token is paused' })).toEqual({
    ...rest,
    what: 'its transfer, which is blocked: the token is paused',
    waiting_for: [],
    action: byOperator(command),
  })
})

test.each([
  ['reserved', /confirmed on chain/],
  ['signed', /confirmed on chain/],
  ['submitted', /confirmed on chain/],
  ['included', /become final/],
  ['final', /^nothing: .*final/],
  ['dead', /^nothing: .*never/],
] as const)('a payout with a transfer that is %s needs no action', (transfer, what) => {
  const wait = payoutWait({ ...payout, transfer })
  expect(wait).toEqual({ ...rest, what: wait.what, waiting_for: [], action: null })
  expect(wait.what).toMatch(what)
})

verifies('views.wait', 'a payout without a transfer waits for its creator', () => {
  const byCreator = (call: string, args: object) => ({
    by: 'agent',
    call,
    arguments: { payout_id: payoutId, idempotency_key: '<new key>', ...args },
    choices: [],
    command: null,
  })
  expect(payoutWait({ ...payout, state: 'created', transfer: 'none' })).toEqual({
    ...rest,
    what: 'its creator to authorize it',
    waiting_for: [],
    action: byCreator('POST /api/payout-authorize', {
      presentation: '<of the mandate>',
      challenge_token: '<of the challenge>',
      expires_at: '<unix seconds>',
      principal_signature: '<EIP-712>',
    }),
  })
  expect(payoutWait({ ...payout, transfer: 'none' })).toEqual({
    ...rest,
    what: 'its creator to execute it',
    waiting_for: [],
    action: byCreator('POST /api/payout-execute', {}),
  })
})

verifies('views.wait', 'an expired payout waits for nothing', () => {
  const wait = payoutWait({ ...payout, transfer: 'none', expired: true })
  expect(wait).toMatchObject({ what: 'nothing: it expired before it was executed', action: null })
  for (const parked of [null, 'the chain does not answer'])
    expect(payoutWait({ ...payout, parked, expired: true }).what).toMatch(
      /expired, waiting for finality/,
    )
})
