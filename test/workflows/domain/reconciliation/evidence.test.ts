import { expect } from 'vitest'
import type { Difference } from '#domain/core/difference.ts'
import type { PayoutFindings } from '#domain/reconciliation/findings.ts'
import {
  compareGasWallet,
  comparePayment,
  comparePayout,
  type PaymentFindings,
  peakUse,
  unexplained,
} from '#domain/reconciliation/reconciliation.ts'
import { verifies } from '../../../verifies.ts'
import { call, hash, healthy, log, onChain, paid, receipts, steps, underWay } from './findings.ts'

const subject = 'po_1'
const difference = (
  code: Difference['code'],
  evidence: { stored: unknown; found: unknown },
): unknown => ({ code, subject, evidence })

verifies('reconcile.compares', 'a difference holds what is stored and what the chain has', () => {
  const moved = { ...paid, blockHash: hash('8') }
  expect(comparePayout(healthy({ transfer: moved }))).toEqual([
    difference('transfer_not_on_chain', { stored: moved, found: onChain() }),
  ])
  const outcome = { kind: 'paid', transactionHash: hash('2') } as const
  expect(comparePayout(underWay({ outcome }))).toEqual([
    difference('transfer_unrecorded', {
      stored: { ...paid, status: 'submitted' },
      found: outcome,
    }),
  ])
  const executed = receipts(['payout_created', 'payout_authorized', 'payout_executed'])
  expect(comparePayout(healthy({ transfer: null, receipts: executed }))).toEqual([
    difference('state_contradicts_transfer', {
      stored: { state: 'executed' },
      found: { transfer: 'none' },
    }),
  ])
})

verifies('reconcile.compares', 'a payout that is not executed has no final transfer', () => {
  const payout = { ...healthy().payout, state: 'authorized' }
  const early = receipts(['payout_created', 'payout_authorized'])
  const seen = { payout, receipts: early, workflow: null, outcome: null, transaction: onChain() }
  const transfer = { ...paid, status: 'included' as const }
  expect(comparePayout(underWay({ ...seen, transfer }))).toEqual([
    difference('state_contradicts_transfer', {
      stored: { state: 'authorized' },
      found: { transfer: 'included' },
    }),
  ])
})

verifies(
  'reconcile.compares',
  'an outcome that proves nothing agrees with an open transfer',
  () => {
    const outcome = { kind: 'unproven', reason: 'the nodes disagree' } as const
    expect(comparePayout(underWay({ outcome }))).toEqual([])
    const dead = underWay({
      transfer: { ...paid, status: 'dead' },
      receipts: receipts(['payout_created', 'payout_authorized', 'payout_dead']),
      outcome: { kind: 'conflict', transactionHash: hash('2') },
      workflow: null,
    })
    expect(comparePayout(dead).map(({ code }) => code)).toEqual(['transfer_conflict'])
  },
)

verifies('reconcile.compares', 'one log of a transaction with several proves the transfer', () => {
  const fee = log({ logIndex: 2, nonce: hash('9'), amountAtomic: '1' })
  const transaction = { blockHash: hash('3'), blockTime: 1_000, transfers: [fee, log()] }
  expect(comparePayout(healthy({ transaction }))).toEqual([])
  expect(
    comparePayout(healthy({ transaction: onChain({ blockNumber: '8' }) })).map(({ code }) => code),
  ).toEqual(['transfer_not_on_chain'])
  expect(comparePayment({ ...payment(), transaction })).toEqual([])
})

verifies('reconcile.compares', 'a difference of a workflow holds its state and the row', () => {
  const stored = { state: 'authorized', transfer: 'submitted' }
  const of = (workflow: PayoutFindings['workflow']) => comparePayout(underWay({ workflow }))
  expect(of({ status: 'FAILED', view: null })).toEqual([
    difference('transfer_without_workflow', { stored, found: { status: 'FAILED' } }),
  ])
  for (const view of [
    { state: 'authorized', transfer: 'final' },
    { state: 'authorized', transfer: 'dead' },
    { state: 'executed', transfer: 'submitted' },
  ])
    expect(of({ status: 'RUNNING', view })).toEqual([
      difference('workflow_contradicts_row', { stored, found: { view } }),
    ])
  const withoutTransfer = healthy({
    payout: { ...healthy().payout, state: 'created' },
    transfer: null,
    receipts: receipts(['payout_created']),
    calls: steps.slice(0, 1),
    workflow: { status: 'FAILED', view: null },
  })
  expect(comparePayout(withoutTransfer)).toEqual([])
})

verifies('reconcile.compares', 'a difference of calls names the steps without a charge', () => {
  for (const [index, missing] of [
    'payout-create',
    'payout-authorize',
    'payout-execute',
  ].entries()) {
    const calls = steps.filter((_, at) => at !== index)
    expect(comparePayout(healthy({ calls }))).toEqual([
      difference('effect_without_charge', { stored: { steps: [missing] }, found: { calls } }),
    ])
  }
  const created = healthy({
    payout: { ...healthy().payout, state: 'created' },
    transfer: null,
    receipts: receipts(['payout_created']),
  })
  expect(comparePayout({ ...created, calls: steps.slice(0, 1) })).toEqual([])
  expect(comparePayout({ ...created, calls: [] })).toMatchObject([
    { evidence: { stored: { steps: ['payout-create'] } } },
  ])
})

verifies('reconcile.compares', 'a difference of a payment holds its row and its calls', () => {
  const transaction = { blockHash: hash('3'), blockTime: 1_000, transfers: [] }
  const seen = payment()
  const of = (code: Difference['code'], found: unknown, stored: unknown = seen.payment) => ({
    code,
    subject: 'payment/f',
    evidence: { stored, found },
  })
  expect(comparePayment({ ...seen, transaction })).toEqual([
    of('payment_not_on_chain', transaction),
  ])
  const twice = [...seen.calls, ...seen.calls]
  expect(comparePayment({ ...seen, calls: twice })).toEqual([
    of('charge_with_two_effects', { calls: twice }),
  ])
  expect(comparePayment({ ...seen, calls: [] })).toEqual([
    of('charge_without_effect', { calls: [] }),
  ])
  const pending = { ...seen.payment, state: 'pending' }
  expect(comparePayment({ ...seen, payment: pending, transaction: null })).toEqual([
    of('answer_without_charge', { calls: seen.calls }, pending),
  ])
  const failed = { ...seen.payment, state: 'failed' }
  expect(comparePayment({ ...seen, payment: failed, calls: [], transaction: null })).toEqual([])
})

verifies('reconcile.compares', 'a difference of a log or a gas wallet holds what was found', () => {
  expect(unexplained('unexplained_outgoing', [log()], [])).toEqual([
    {
      code: 'unexplained_outgoing',
      subject: `${hash('2')}:1`,
      blockNumber: '7',
      evidence: { stored: null, found: log() },
    },
  ])
  const wallet = { wallet: '0xa', chainNonce: '9', unsettled: ['7'], foreign: ['8'] }
  expect(compareGasWallet(wallet).map(({ evidence }) => evidence)).toEqual([
    { stored: { nonces: ['7'] }, found: { chain_nonce: '9' } },
    { stored: { nonces: ['8'] }, found: { chain_nonce: '9' } },
  ])
})

verifies('reconcile.compares', 'the peak names its window and counts only from a time on', () => {
  const at = (blockTime: number, amountAtomic: bigint) => ({
    payoutId: 'po',
    blockTime,
    amountAtomic,
  })
  const spent = [at(10, 9n), at(100, 4n), at(105, 3n), at(200, 7n)]
  expect(peakUse(spent, 20)).toEqual({ atomic: 9n, from: 10, to: 10 })
  expect(peakUse(spent, 20, 11)).toEqual({ atomic: 7n, from: 100, to: 105 })
  expect(peakUse(spent, 20, 10)).toEqual({ atomic: 9n, from: 10, to: 10 })
  expect(peakUse(spent, 20, 300)).toEqual({ atomic: 0n, from: 0, to: 0 })
})

verifies('reconcile.compares', 'a difference of receipts holds their members and the row', () => {
  const all = healthy().receipts
  const last = all[3]
  const wrong = all.map((receipt) =>
    receipt === last
      ? { ...receipt, payload: { ...receipt.payload, block_number: 9, amount_atomic: undefined } }
      : receipt,
  )
  expect(comparePayout(healthy({ receipts: wrong }))).toEqual([
    difference('receipt_contradicts_row', {
      stored: { amount_atomic: '5', block_number: 7 },
      found: { kind: 'payout_final', amount_atomic: null, block_number: 9 },
    }),
  ])
  const unsigned = all.map((receipt, at) => (at < 2 ? { ...receipt, payload: null } : receipt))
  expect(comparePayout(healthy({ receipts: unsigned }))).toEqual([
    difference('receipt_invalid', {
      stored: all.slice(0, 2).map(({ seq, kind, receiptId }) => ({
        seq,
        kind,
        receipt_id: receiptId,
      })),
      found: 'no signature of a receipt key of ours',
    }),
  ])
})

verifies('reconcile.compares', 'each link of a receipt chain is checked, and reported once', () => {
  const all = healthy().receipts
  const codes = (changed: typeof all) =>
    comparePayout(healthy({ receipts: changed })).map(({ code }) => code)
  const last = (more: object) =>
    all.map((receipt, at) => (at === 3 ? { ...receipt, ...more } : receipt))
  const prev = 'f'.repeat(64)
  expect(codes(last({ seq: 9 }))).toEqual(['receipt_chain_broken'])
  expect(codes(last({ prev, payload: { ...all[3]?.payload, prev } }))).toEqual([
    'receipt_chain_broken',
  ])
  expect(codes(last({ payload: { ...all[3]?.payload, prev } }))).toEqual(['receipt_chain_broken'])
  const contradicting = all.map((receipt) => ({
    ...receipt,
    payload: { ...receipt.payload, amount_atomic: '6' },
  }))
  expect(codes(contradicting)).toEqual(['receipt_contradicts_row'])
})

function payment(): PaymentFindings {
  const { from, to, amountAtomic, nonce, transactionHash, blockHash } = paid
  return {
    payment: {
      paymentId: 'f',
      state: 'settled',
      credit: 'none',
      from,
      to,
      amountAtomic,
      nonce,
      transactionHash,
      blockHash,
    },
    calls: [call('payout-create', { funding: 'payment' })],
    transaction: onChain(),
    outcome: null,
  }
}
