import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import {
  allowedPayoutEvents,
  moneyMoved,
  nextPayoutState,
  type PayoutEvent,
  type PayoutFacts,
  payoutView,
  type TransferFacts,
  termsDigest,
} from '#domain/payouts/payout.ts'
import type { PayoutState } from '#domain/payouts/payout-state.ts'
import { verifies } from '../../../verifies.ts'

const states: (PayoutState | 'none')[] = ['none', 'created', 'authorized', 'executed']
const events: PayoutEvent[] = ['create', 'authorize', 'execute']
// The rows of the table in States and transitions; every pair that is not here is refused.
const table: Record<string, PayoutState> = {
  'none create': 'created',
  'created authorize': 'authorized',
  'authorized execute': 'executed',
}

verifies(
  'payout.state.table',
  'each of the twelve pairs of state and event follows the table',
  () => {
    for (const state of states) {
      for (const event of events)
        expect(nextPayoutState(state, event), `${state} ${event}`).toBe(table[`${state} ${event}`])
    }
  },
)

verifies('payout.state.table', 'the allowed events of a state are those that move it', () => {
  expect(allowedPayoutEvents('created')).toEqual(['authorize'])
  expect(allowedPayoutEvents('authorized')).toEqual(['execute'])
  expect(allowedPayoutEvents('executed')).toEqual([])
})

const terms = {
  recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amount_atomic: '1250000',
  memo: 'm',
  rail_reference: 'r',
  usage: 'unspecified' as const,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
}
// Written out by hand: keys sorted, addresses in lowercase.
const canonicalTerms =
  '{"amount_atomic":"1250000","asset":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","chain_id":8453,"memo":"m","rail_reference":"r","recipient":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","usage":"unspecified"}'

verifies(
  'payout.terms.digest',
  'the terms digest is the SHA-256 of the seven canonical terms',
  () => {
    const expected = createHash('sha256').update(canonicalTerms).digest('hex')
    expect(termsDigest(terms)).toBe(expected)
    const staged = { ...terms, creator: `0x${'1'.repeat(40)}`, idempotency_key: 'k' }
    expect(termsDigest(staged)).toBe(expected)
  },
)

verifies('payout.terms.digest', 'each term changes the digest', () => {
  const changed = [
    { recipient: `0x${'1'.repeat(40)}` },
    { amount_atomic: '1250001' },
    { memo: '' },
    { rail_reference: 's' },
    { usage: 'synthetic' as const },
    { asset: `0x${'2'.repeat(40)}` },
  ]
  const digests = new Set(
    [terms, ...changed.map((change) => ({ ...terms, ...change }))].map(termsDigest),
  )
  expect(digests.size).toBe(changed.length + 1)
})

const row: PayoutFacts = {
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
  state: 'authorized',
  created_at: new Date(1_795_248_310_000),
  authorized_at: new Date(1_795_248_320_000),
  executed_at: null,
  expires_at: '1795251910',
  mandate_ref: 'ref',
}
const transfer: TransferFacts = {
  nonce: `0x${'5'.repeat(64)}`,
  status: 'submitted',
  transaction_hash: null,
  block_number: null,
  confirmations: 0,
  parked: null,
  exception: null,
}
const members =
  'payout_id state recipient amount_usdc amount_atomic network asset payout_wallet memo rail_reference usage environment terms_sha256 creator created_at authorized_at executed_at expires_at mandate_ref payout_principal_is_fee money_moved next_action transfer'
const transferMembers =
  'status authorization_nonce transaction_hash block_number confirmations next_poll_ms'

verifies(
  'payout.answer.body',
  'a payout is shown with the documented members and shortest amount',
  () => {
    const view = payoutView(row, transfer, 'local')
    expect(Object.keys(view).sort()).toEqual(members.split(' ').sort())
    expect(Object.keys(view.transfer).sort()).toEqual(transferMembers.split(' ').sort())
    expect(view).toMatchObject({
      amount_usdc: '12.5',
      network: 'eip155:8453',
      payout_principal_is_fee: false,
      environment: 'local',
      created_at: '2026-11-21T08:05:10.000Z',
      expires_at: 1795251910,
    })
  },
)

verifies(
  'payout.answer.body',
  'money moved if included, not if dead, and is unknown in between',
  () => {
    const seen = (status: TransferFacts['status']) => moneyMoved({ ...transfer, status })
    expect(moneyMoved(undefined)).toBe('no')
    expect([seen('reserved'), seen('signed'), seen('submitted')]).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ])
    expect([seen('included'), seen('final'), seen('dead')]).toEqual(['yes', 'yes', 'no'])
  },
)
