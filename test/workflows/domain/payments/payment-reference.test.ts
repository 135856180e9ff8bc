import { expect } from 'vitest'
import { paymentMethods } from '#domain/core/payment-methods.ts'
import {
  agree,
  atomicOf,
  checkTransaction,
  confirmedBy,
  isConfirmedBy,
  mandateRequestSha256,
  payerText,
  type SeenTransaction,
  type Verdict,
} from '#domain/payments/payment-reference.ts'
import { verifies } from '../../../verifies.ts'

const terms = {
  payer: `0x${'a'.repeat(40)}`,
  payTo: `0x${'b'.repeat(40)}`,
  amountAtomic: atomicOf(107),
}
const transfer = { from: terms.payer, to: terms.payTo, amountAtomic: '107000000', nonce: null }
const mined = (more: Partial<SeenTransaction> = {}): SeenTransaction => ({
  success: true,
  finalized: true,
  transfers: [transfer],
  ...more,
})

verifies(
  'money.methods',
  'all seven methods are accepted, and each has a party that confirms it',
  () => {
    expect(paymentMethods).toHaveLength(7)
    expect(Object.keys(confirmedBy).sort()).toEqual([...paymentMethods].sort())
    expect(paymentMethods.filter((method) => isConfirmedBy(method, 'operator'))).toEqual([
      'payment_reference',
      'invoice_reference',
    ])
  },
)

verifies(
  'money.stablecoin',
  'only one exact plain final transfer pays; every doubt is pending',
  () => {
    const checked: [SeenTransaction | undefined, Verdict['kind']][] = [
      [mined(), 'verified'],
      [undefined, 'pending'],
      [mined({ finalized: false }), 'pending'],
      [mined({ finalized: false, success: false }), 'pending'],
      [mined({ success: false, transfers: [] }), 'rejected'],
      [mined({ transfers: [] }), 'rejected'],
      [mined({ transfers: [{ ...transfer, amountAtomic: '106999999' }] }), 'rejected'],
      [mined({ transfers: [{ ...transfer, amountAtomic: '107000001' }] }), 'rejected'],
      [mined({ transfers: [{ ...transfer, to: terms.payer }] }), 'rejected'],
      [mined({ transfers: [{ ...transfer, from: terms.payTo }] }), 'rejected'],
      [mined({ transfers: [{ ...transfer, nonce: `0x${'1'.repeat(64)}` }] }), 'rejected'],
      [mined({ transfers: [transfer, transfer] }), 'rejected'],
      [mined({ transfers: [{ ...transfer, to: `0x${'c'.repeat(40)}` }, transfer] }), 'verified'],
    ]
    for (const [seen, kind] of checked)
      expect(checkTransaction(seen, terms).kind, JSON.stringify(seen)).toBe(kind)
  },
)

verifies('money.stablecoin', 'proof needs all nodes; absent is only what all nodes lack', () => {
  const yes = checkTransaction(mined(), terms)
  const no: Verdict = { kind: 'rejected', reason: 'reverted' }
  const absent = checkTransaction(undefined, terms)
  const early = checkTransaction(mined({ finalized: false }), terms)
  expect(agree([yes, yes])).toEqual(yes)
  expect(agree([no, no])).toEqual(no)
  expect(agree([yes, no])).toMatchObject({ kind: 'pending' })
  expect(agree([no, absent])).toMatchObject({ kind: 'pending', absent: false })
  expect(agree([early, absent])).toMatchObject({ kind: 'pending', absent: false })
  expect(agree([absent, absent])).toMatchObject({ kind: 'pending', absent: true })
  expect(agree([])).toMatchObject({ kind: 'pending' })
})

verifies('money.stablecoin', 'the payer signs these four lines', () => {
  const facts = { origin: 'https://svc.example', paysFor: 'ch_1', transactionHash: '0xAB' }
  expect(payerText(facts)).toBe(
    'service-payment-reference-v1\norigin: https://svc.example\npays-for: ch_1\ntransaction: 0xab',
  )
})

verifies('money.ap2', 'a mandate commits to what it pays for and to the amount', () => {
  const challenge = { id: 'ch_1', amount_usd: 107 }
  expect(mandateRequestSha256({ ...challenge, amount_usd: 108 })).not.toBe(
    mandateRequestSha256(challenge),
  )
  expect(mandateRequestSha256({ ...challenge, id: 'ch_2' })).not.toBe(
    mandateRequestSha256(challenge),
  )
  // python3: sha256 of the sorted, compact JSON of these four members.
  expect(mandateRequestSha256(challenge)).toBe(
    '6f879aa5290ff20385966d99ca2d19e720bd76f65b5d8056d75fc08f2d37941b',
  )
})
