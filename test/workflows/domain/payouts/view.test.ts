import { expect, test } from 'vitest'
import {
  EXECUTE_PATH,
  type PayoutFacts,
  payoutTerms,
  payoutView,
  type TransferFacts,
} from '#domain/payouts/payout.ts'
import { shownTransferStatuses, transferStatuses } from '#domain/payouts/transfer-status.ts'
import { verifies } from '../../../verifies.ts'

const created: PayoutFacts = {
  payout_id: `po_${'ab'.repeat(32)}`,
  creator: `0x${'1'.repeat(40)}`,
  recipient: `0x${'2'.repeat(40)}`,
  amount_atomic: '12500000',
  memo: 'm',
  rail_reference: 'r',
  usage: 'synthetic',
  asset: `0x${'3'.repeat(40)}`,
  payout_wallet: `0x${'4'.repeat(40)}`,
  terms_sha256: 'c'.repeat(64),
  state: 'created',
  created_at: new Date(1_795_248_310_000),
  authorized_at: null,
  executed_at: null,
  expires_at: null,
  mandate_ref: null,
}
const executed: PayoutFacts = {
  ...created,
  state: 'executed',
  authorized_at: new Date(1_795_248_320_000),
  executed_at: new Date(1_795_248_330_000),
  expires_at: '1795251910',
}
const final: TransferFacts = {
  nonce: `0x${'5'.repeat(64)}`,
  status: 'final',
  transaction_hash: `0x${'6'.repeat(64)}`,
  block_number: '77',
  confirmations: 12,
  parked: null,
  exception: null,
}
const nextAction = (row: PayoutFacts, transfer?: TransferFacts) =>
  payoutView(row, transfer, 'live').next_action

verifies('payout.answer.body', 'a payout without a transfer shows no transfer facts', () => {
  const view = payoutView(created, undefined, 'live')
  expect(view).toMatchObject({ authorized_at: null, executed_at: null, expires_at: null })
  expect(view.transfer).toEqual({
    status: 'none',
    authorization_nonce: null,
    transaction_hash: null,
    block_number: null,
    confirmations: 0,
    next_poll_ms: null,
  })
})

verifies('payout.answer.body', 'a final transfer is shown with its block and its times', () => {
  const view = payoutView(executed, final, 'live')
  expect(view).toMatchObject({
    authorized_at: '2026-11-21T08:05:20.000Z',
    executed_at: '2026-11-21T08:05:30.000Z',
    expires_at: 1_795_251_910,
    environment: 'live',
  })
  expect(view.transfer).toEqual({
    status: 'final',
    authorization_nonce: final.nonce,
    transaction_hash: final.transaction_hash,
    block_number: 77,
    confirmations: 12,
    next_poll_ms: null,
  })
})

verifies('payout.answer.body', 'only an open transfer has a time for the next poll', () => {
  const shown = transferStatuses.map((status) => {
    const { transfer } = payoutView(executed, { ...final, status, block_number: null }, 'live')
    expect(transfer.block_number).toBeNull()
    return [transfer.status, transfer.next_poll_ms]
  })
  expect(shown).toEqual([
    ['none', 1000],
    ['signed', 1000],
    ['submitted', 1000],
    ['included', 1000],
    ['final', null],
    ['dead', null],
  ])
  expect(shown.map(([status]) => status)).toEqual([...shownTransferStatuses])
})

verifies('payout.answer.body', 'the next action follows the state of payout and transfer', () => {
  expect(nextAction(created)).toBe('Authorize the payout.')
  expect(nextAction({ ...created, state: 'authorized' })).toBe('Execute the payout.')
  expect(nextAction(executed, final)).toBe('No action is needed. Keep the receipt.')
  expect(nextAction(executed, { ...final, status: 'dead' })).toMatch(/create a new payout/)
  expect(nextAction(executed, { ...final, exception: 'nonce_used' })).toBe(
    'Waiting for an operator to resolve nonce_used. No action is needed from the creator.',
  )
  const open = nextAction({ ...created, state: 'authorized' }, { ...final, status: 'submitted' })
  expect(open).toMatch(/^Waiting for the transfer to be confirmed on chain\. .*payout-status/)
  expect(open).toMatch(/it never pays twice\.$/)
})

verifies('payout.answer.body', 'an expired payout is no longer one to execute', () => {
  const authorized: PayoutFacts = { ...executed, state: 'authorized', executed_at: null }
  const until = Number(executed.expires_at) * 1000
  const nextAt = (nowMs: number, transfer?: TransferFacts) =>
    payoutView(authorized, transfer, 'live', nowMs).next_action
  expect(nextAt(until - 1)).toBe('Execute the payout.')
  expect(nextAt(until)).toMatch(/expired .*Create and authorize a new payout/)
  expect(nextAt(until, { ...final, status: 'submitted' })).toMatch(/expired, waiting for finality/)
})

test('terms have the amount in atomic units and a lowercase recipient', () => {
  const input = {
    recipient: `0x${'aB'.repeat(20)}`,
    amount_usdc: '1.250',
    memo: 'm',
    rail_reference: 'r',
    usage: 'operational' as const,
  }
  expect(payoutTerms(input)).toEqual({
    recipient: `0x${'ab'.repeat(20)}`,
    amount_atomic: '1250000',
    memo: 'm',
    rail_reference: 'r',
    usage: 'operational',
  })
  expect(payoutTerms({ ...input, amount_usdc: '1.25' })).toEqual(payoutTerms(input))
})

test('wallet proofs for execute sign the path of the execute call', () => {
  expect(EXECUTE_PATH).toBe('/api/payout-execute')
})
