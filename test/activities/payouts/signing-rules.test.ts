import fc from 'fast-check'
import { expect } from 'vitest'
import { withheldBecause } from '../../../activities/payouts/signing-rules.ts'
import { newWallet } from '../../support/chain.ts'
import { type Order, signingPolicy as policy, signedOrder } from '../../support/signing-order.ts'
import { verifies } from '../../verifies.ts'

const order: Order = await signedOrder()
const other = newWallet().address
const now = Date.now() / 1000

/** Each leaves a row that the principal did not sign, or that is not the transfer of its payout. */
const payoutChanges = {
  payout_id: `po_${'0'.repeat(64)}`,
  creator: other,
  idempotency_key: 'another',
  recipient: other,
  amount_atomic: '6000000',
  memo: 'another',
  rail_reference: 'another',
  usage: 'operational',
  asset: other,
  payout_wallet: other,
  terms_sha256: '0'.repeat(64),
  state: 'executed',
  expires_at: '4000000001',
  authorize_idempotency_key: 'another',
  principal_signature: `0x${'11'.repeat(64)}1b`,
} as const
const transferChanges = {
  payout_id: `po_${'0'.repeat(64)}`,
  recipient: other,
  amount_atomic: '6000000',
  wallet: other,
  nonce: `0x${'0'.repeat(64)}`,
  valid_after: '1',
  valid_before: '4000000001',
} as const

verifies(
  ['signer.verifies', 'stolen.role-worker', 'stolen.process-worker'],
  'only a row with the values that the principal signed is signed',
  () => {
    expect(withheldBecause(order, policy, now)).toBeUndefined()
    for (const [name, value] of Object.entries(payoutChanges)) {
      const payout = { ...order.payout, [name]: value }
      expect(withheldBecause({ ...order, payout }, policy, now), name).toEqual(expect.any(String))
    }
    for (const [name, value] of Object.entries(transferChanges)) {
      const transfer = { ...order.transfer, [name]: value }
      expect(withheldBecause({ ...order, transfer }, policy, now), name).toEqual(expect.any(String))
    }
  },
)

verifies(
  'signer.verifies',
  'a changed payout, transfer and digest need a new principal signature',
  () => {
    const amounts = fc
      .bigInt({ min: 1n, max: 25_000_000n })
      .filter((atomic) => atomic !== 5_000_000n)
    fc.assert(
      fc.property(amounts, fc.constantFrom(newWallet().address, other), (atomic, recipient) => {
        const changed = { amount_atomic: atomic.toString(), recipient }
        const forged = order.again(changed)
        expect(withheldBecause({ ...order, ...forged }, policy, now)).toContain(
          'treasury principal',
        )
      }),
      { numRuns: 30 },
    )
  },
)

verifies('signer.verifies', 'asset, wallet, principal and limits are the signer’s own', () => {
  for (const change of [
    { asset: other },
    { payoutWallet: other },
    { principal: other },
    { payoutMaxAtomic: 4_999_999n },
    { dailyCapAtomic: 4_999_999n },
  ] as const)
    expect(
      withheldBecause(order, { ...policy, ...change }, now),
      JSON.stringify(Object.keys(change)),
    ).toEqual(expect.any(String))
  expect(withheldBecause(order, policy, 4_000_000_000)).toBe('the authorization has expired')
})

verifies('signer.verifies', 'only today’s configured canary is signed without a principal', () => {
  const day = new Date().toISOString().slice(0, 10)
  const canary = {
    recipient: order.payout.recipient as `0x${string}`,
    amountAtomic: 5_000_000n,
    lifeSeconds: 60,
  }
  const made = (key: string) =>
    order.again({ creator: policy.payoutWallet, idempotency_key: key, principal_signature: null })
  const check = (key: string, configured: typeof canary | undefined) =>
    withheldBecause({ ...order, ...made(key) }, { ...policy, canary: configured }, now)
  expect(check(`canary-${day}`, canary)).toBeUndefined()
  const refused = 'no signature of the treasury principal is stored with the payout'
  expect(check(`canary-${day}`, undefined)).toBe(refused)
  expect(check('canary-2020-01-01', canary)).toBe(refused)
  expect(check(`canary-${day}`, { ...canary, recipient: other })).toBe(refused)
  expect(check(`canary-${day}`, { ...canary, amountAtomic: 4_999_999n })).toBe(refused)
})
