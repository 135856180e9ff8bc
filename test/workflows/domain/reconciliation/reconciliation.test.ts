import fc from 'fast-check'
import { expect } from 'vitest'
import { differenceCodes } from '#domain/core/difference.ts'
import { transferNonce } from '#domain/core/ids.ts'
import type {
  LoggedTransfer,
  PayoutFindings,
  SeenReceipt,
} from '#domain/reconciliation/findings.ts'
import { expectedReceipts } from '#domain/reconciliation/receipt-chain.ts'
import {
  attributed,
  compareGasWallet,
  comparePayment,
  comparePayout,
  type Explanation,
  type PaymentFindings,
  peakUse,
  unexplained,
} from '#domain/reconciliation/reconciliation.ts'
import { verifies } from '../../../verifies.ts'
import {
  address,
  call,
  hash,
  healthy,
  log,
  onChain,
  paid,
  receipts,
  steps,
  underWay,
} from './findings.ts'

const found = new Set<string>()
const codesOf = (differences: { code: string }[]) => {
  const codes = differences.map(({ code }) => code)
  for (const code of codes) found.add(code)
  return codes
}

verifies('reconcile.agreement', 'what agrees is no difference, in any state', () => {
  expect(comparePayout(healthy())).toEqual([])
  expect(comparePayout(underWay())).toEqual([])
  expect(comparePayout(underWay({ workflow: { status: 'RUNNING', view: undefined } }))).toEqual([])
  const vanished = underWay({
    payout: { payoutId: 'po_1', state: 'executed', facts: {} },
    receipts: receipts(['payout_created', 'payout_authorized', 'payout_executed']),
  })
  expect(comparePayout(vanished)).toEqual([])
  const dead = underWay({
    transfer: { ...paid, status: 'dead' },
    receipts: receipts(['payout_created', 'payout_authorized', 'payout_dead']),
    calls: steps.slice(0, 2),
    outcome: { kind: 'dead', reason: 'expired' },
    workflow: null,
  })
  expect(comparePayout(dead)).toEqual([])
})

verifies('reconcile.compares', 'a transfer and the chain', () => {
  const of = (more: Partial<PayoutFindings>) => codesOf(comparePayout(healthy(more)))
  expect(of({ transaction: null })).toEqual(['transfer_not_on_chain'])
  for (const wrong of [
    { to: address('c') },
    { from: address('c') },
    { amountAtomic: '6' },
    { nonce: hash('9') },
    { nonce: null },
  ])
    expect(of({ transaction: onChain(wrong) })).toEqual(['transfer_not_on_chain'])
  expect(of({ transfer: { ...paid, blockTime: 999 } })).toEqual(['transfer_not_on_chain'])
  expect(of({ transfer: { ...paid, blockHash: hash('8') } })).toEqual(['transfer_not_on_chain'])
  expect(of({ transfer: null, receipts: healthy().receipts.slice(0, 3) })).toEqual([
    'state_contradicts_transfer',
  ])
  const open = (more: Partial<PayoutFindings>) => codesOf(comparePayout(underWay(more)))
  expect(open({ outcome: { kind: 'paid', transactionHash: hash('2') } })).toEqual([
    'transfer_unrecorded',
  ])
  expect(open({ outcome: { kind: 'dead', reason: 'expired' } })).toEqual(['transfer_unrecorded'])
  expect(open({ outcome: { kind: 'conflict', transactionHash: hash('2') } })).toEqual([
    'transfer_conflict',
  ])
  const buried = {
    transfer: { ...paid, status: 'dead' as const },
    workflow: null,
    receipts: receipts(['payout_created', 'payout_authorized', 'payout_dead']),
  }
  for (const kind of ['open', 'paid'] as const)
    expect(open({ ...buried, outcome: { kind, transactionHash: hash('2') } })).toEqual([
      'transfer_unrecorded',
    ])
})

verifies('reconcile.compares', 'a transfer and its workflow', () => {
  const of = (workflow: PayoutFindings['workflow']) =>
    codesOf(comparePayout(underWay({ workflow })))
  for (const status of ['NONE', 'TERMINATED', 'COMPLETED', 'FAILED'])
    expect(of({ status, view: null })).toEqual(['transfer_without_workflow'])
  const believes = [
    null,
    { state: 'authorized', transfer: 'none' },
    { state: 'executed', transfer: 'included' },
    { state: 'authorized', transfer: 'dead' },
  ]
  for (const view of believes)
    expect(of({ status: 'RUNNING', view })).toEqual(['workflow_contradicts_row'])
})

verifies('reconcile.compares', 'a payout and its receipts', () => {
  const all = healthy().receipts
  const of = (changed: SeenReceipt[]) => codesOf(comparePayout(healthy({ receipts: changed })))
  const at = (index: number, more: Partial<SeenReceipt>) =>
    all.map((receipt, position) => (position === index ? { ...receipt, ...more } : receipt))
  expect(of(all.slice(0, 3))).toEqual(['receipt_missing'])
  expect(of(all.slice(1)).sort()).toEqual(['receipt_chain_broken', 'receipt_missing'])
  expect(of(at(2, { prev: 'f'.repeat(64) }))).toEqual(['receipt_chain_broken'])
  expect(of(at(3, { receiptId: `rc_${'0'.repeat(64)}` }))).toEqual(['receipt_chain_broken'])
  expect(of(at(1, { payload: null }))).toEqual(['receipt_invalid'])
  const says = (index: number, more: object) =>
    at(index, { payload: { ...all[index]?.payload, ...more } })
  expect(of(says(0, { amount_atomic: '6' }))).toEqual(['receipt_contradicts_row'])
  expect(of(says(3, { transaction_hash: hash('9') }))).toEqual(['receipt_contradicts_row'])
  expect(of(says(2, { transaction_hash: hash('9') }))).toEqual([])
})

verifies('reconcile.compares', 'a payout and the calls behind its steps', () => {
  const of = (calls: PayoutFindings['calls']) => codesOf(comparePayout(healthy({ calls })))
  for (const missing of [0, 1, 2])
    expect(of(steps.filter((_, index) => index !== missing))).toEqual(['effect_without_charge'])
  expect(of([...steps, call('payout-create')])).toEqual(['effect_without_charge'])
  expect(of(steps.map((step) => ({ ...step, funding: 'none' })))).toEqual(['effect_without_charge'])
  expect(of(steps.map((step) => ({ ...step, grant: 'released' })))).toEqual([
    'effect_without_charge',
  ])
})

verifies('reconcile.compares', 'no call pays for a payout of the service itself', () => {
  expect(comparePayout(healthy({ calls: null }))).toEqual([])
})

verifies('reconcile.compares', 'a fee, the chain and the one call that it pays for', () => {
  const payment = {
    paymentId: 'f',
    state: 'settled',
    credit: 'none',
    from: address('a'),
    to: address('b'),
    amountAtomic: '5',
    nonce: hash('1'),
    transactionHash: hash('2'),
    blockHash: hash('3'),
  }
  const paying = call('payout-create', { funding: 'payment' })
  const seen: PaymentFindings = { payment, calls: [paying], transaction: onChain(), outcome: null }
  const of = (more: Partial<PaymentFindings>, row = {}) =>
    codesOf(comparePayment({ ...seen, ...more, payment: { ...payment, ...row } }))
  expect(of({})).toEqual([])
  expect(of({ calls: [] }, { credit: 'available' })).toEqual([])
  expect(of({ transaction: null, calls: [] }, { state: 'released' })).toEqual([])
  expect(
    of({ transaction: null, calls: [{ ...paying, answer: 'done' }] }, { state: 'failed' }),
  ).toEqual([])
  expect(of({ transaction: null })).toEqual(['payment_not_on_chain'])
  expect(of({ transaction: onChain({ nonce: hash('9') }) })).toEqual(['payment_not_on_chain'])
  expect(
    of(
      {
        transaction: null,
        outcome: { kind: 'paid', transactionHash: hash('2') },
        calls: [{ ...paying, answer: 'done' }],
      },
      { state: 'failed' },
    ),
  ).toEqual(['payment_unrecorded'])
  expect(of({ calls: [paying, paying] })).toEqual(['charge_with_two_effects'])
  expect(of({ calls: [] })).toEqual(['charge_without_effect'])
  expect(of({ transaction: null }, { state: 'pending' })).toEqual(['answer_without_charge'])
})

verifies(
  'reconcile.compares',
  'money in the logs and the rows that explain it, each one transfer',
  () => {
    const row: Explanation = {
      from: address('a'),
      to: address('b'),
      amountAtomic: '5',
      nonce: hash('1'),
      transactionHash: null,
      open: false,
    }
    const out = (logs: LoggedTransfer[], rows: Explanation[]) =>
      unexplained('unexplained_outgoing', logs, rows)
    expect(out([log()], [row])).toEqual([])
    for (const wrong of [
      { nonce: null },
      { nonce: hash('9') },
      { to: address('c') },
      { amountAtomic: '6' },
    ])
      expect(codesOf(out([log(wrong)], [row]))).toEqual(['unexplained_outgoing'])
    expect(out([log(), log({ logIndex: 4 })], [row])).toMatchObject([
      { subject: `${hash('2')}:4`, blockNumber: '7' },
    ])
    const fee = { ...row, nonce: null, transactionHash: hash('2') }
    const into = (rows: Explanation[]) =>
      codesOf(unexplained('unexplained_incoming', [log({ nonce: null })], rows))
    expect(into([fee])).toEqual([])
    expect(into([{ ...fee, transactionHash: null, open: true }])).toEqual([])
    expect(into([{ ...fee, transactionHash: hash('9') }])).toEqual(['unexplained_incoming'])
  },
)

verifies(
  'reconcile.restored',
  'a transfer whose row was lost is known by its nonce and terms',
  () => {
    const asset = address('d')
    const payout = {
      payoutId: `po_${'1'.repeat(64)}`,
      from: address('a'),
      to: address('b'),
      amountAtomic: '5',
      state: 'authorized',
    }
    const nonce = transferNonce(asset, payout.payoutId)
    const named = (found: LoggedTransfer) =>
      attributed(unexplained('unexplained_outgoing', [found], []), asset, [payout])
    expect(named(log({ nonce }))).toEqual([
      {
        code: 'transfer_unrecorded',
        subject: payout.payoutId,
        evidence: { stored: { state: 'authorized', transfer: null }, found: log({ nonce }) },
      },
    ])
    for (const wrong of [{ nonce: null }, { nonce: hash('9') }, { nonce, amountAtomic: '6' }])
      expect(codesOf(named(log(wrong)))).toEqual(['unexplained_outgoing'])
  },
)

verifies('reconcile.compares', 'the nonces of a gas wallet', () => {
  const gasWalletQueue = { wallet: address('a'), chainNonce: '9', unsettled: [], foreign: [] }
  expect(compareGasWallet(gasWalletQueue)).toEqual([])
  expect(
    codesOf(compareGasWallet({ ...gasWalletQueue, unsettled: ['7'], foreign: ['8'] })),
  ).toEqual(['lane_unsettled', 'lane_foreign_transaction'])
})

verifies('reconcile.compares', 'the peak of a day is the largest sum of all its windows', () => {
  const spending = fc.array(
    fc.record({
      blockTime: fc.integer({ min: 0, max: 50 }),
      amount: fc.bigInt({ min: 1n, max: 30n }),
    }),
  )
  fc.assert(
    fc.property(spending, fc.integer({ min: 1, max: 30 }), (made, window) => {
      const spent = made
        .map(({ blockTime, amount }) => ({ payoutId: 'po', blockTime, amountAtomic: amount }))
        .sort((a, b) => a.blockTime - b.blockTime)
      const within = (end: number) =>
        spent
          .filter(({ blockTime }) => blockTime > end - window && blockTime <= end)
          .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)
      const most =
        spent
          .map(({ blockTime }) => within(blockTime))
          .sort((a, b) => Number(a - b))
          .at(-1) ?? 0n
      expect(peakUse(spent, window).atomic).toBe(most)
    }),
  )
})

verifies('reconcile.compares', 'every code of a comparison of this page has been planted', () => {
  const elsewhere = ['daily_cap_exceeded', 'workflow_failed']
  const ofBooks = Object.entries(differenceCodes).flatMap(([code, { section }]) =>
    section === 'provider_events' ? [] : [code],
  )
  expect([...found, ...elsewhere].sort()).toEqual(ofBooks.sort())
  expect(expectedReceipts('executed', 'dead').at(-1)).toBe('payout_voided')
})
