import type { Hex } from 'viem'
import { expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { payoutId as payoutIdOf } from '#domain/core/ids.ts'
import type { PayoutFacts } from '#domain/payouts/payout.ts'
import { payoutReceiptFacts, RECEIPT_TYP, type SignProof } from '#domain/receipts/receipt.ts'
import { signCompact, verifyCompact } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { receiptRefusal, type Side } from '../../../activities/signer/receipt-rules.ts'
import { newWallet } from '../../support/chain.ts'
import { payoutWallet, signedOrder, signingPolicy } from '../../support/signing-order.ts'
import { verifies } from '../../verifies.ts'

const iss = 'https://svc.example/api/trust-contract'
const now = 1_795_255_200
const key = keyRings(generateSigningKeys(new Date())).receipt.active
const stranger = keyRings(generateSigningKeys(new Date())).receipt.active
const canary = {
  recipient: newWallet().address.toLowerCase() as Hex,
  amountAtomic: 10_000n,
  lifeSeconds: 3600,
}
const payouts = { ...signingPolicy, canary }

type Claims = Record<string, unknown>
const claimsOfOurs = (jws: string): Claims | undefined => {
  try {
    return verifyCompact(jws, { typ: RECEIPT_TYP, alg: key.alg, publicJwk: key.publicJwk })
  } catch {
    return undefined
  }
}
const sign = (payload: Claims, by = key) => signCompact(by, { typ: RECEIPT_TYP, payload })
const judge = (claims: Claims, proof: SignProof = {}, side: Side = 'worker') =>
  receiptRefusal(claims, { side, nowSeconds: now, proof, claimsOfOurs, payouts })

/** The receipts of one payout that the principal signed, each after the one before. */
async function chain() {
  const { payout, transfer } = await signedOrder()
  const times = { created_at: new Date(), authorized_at: null, executed_at: null }
  const row: PayoutFacts = { ...payout, ...times, mandate_ref: null }
  const created: PayoutFacts = { ...row, state: 'created', expires_at: null }
  const principal = {
    signature: String(payout.principal_signature),
    idempotency_key: String(payout.authorize_idempotency_key),
  }
  const said = { iss, sub: payout.payout_id, usage: payout.usage, environment: 'local' }
  const link = async (kind: Parameters<typeof payoutReceiptFacts>[0], previous?: string) => {
    const facts = payoutReceiptFacts(kind, previous === undefined ? created : row, undefined)
    const prev = previous === undefined ? null : sha256Hex(previous)
    const claims: Claims = { ...said, iat: now, kind, prev, ...facts }
    const proof = previous === undefined ? {} : { previous }
    return { claims, proof: { ...proof, principal }, jws: await sign(claims) }
  }
  const first = await link('payout_created')
  const second = await link('payout_authorized', first.jws)
  const third = await link('payout_executed', second.jws)
  const final = await link('payout_final', third.jws)
  const dead = await link('payout_dead', second.jws)
  const voided = await link('payout_voided', third.jws)
  return { first, second, third, final, dead, voided, principal, transfer }
}

verifies(
  ['signer.receipts-verified', 'stolen.socket-api'],
  'the receipts of a payout follow each other',
  async () => {
    const { first, second, third, final, dead, voided } = await chain()
    for (const { claims, proof } of [first, second, third, final, dead, voided]) {
      expect(judge(claims, proof), String(claims['kind'])).toBeUndefined()
      expect(judge(claims, proof, 'api')).toContain('this socket gets no payout_')
    }
    for (const { claims, proof } of [second, third, final, dead, voided]) {
      const { previous: _previous, ...alone } = proof as { previous: string }
      expect(judge(claims, alone)).toContain('does not come with it')
      expect(judge({ ...claims, prev: null }, alone)).toContain('it comes after payout_')
    }
    // What was only created is not executed, and what was not executed is not final.
    for (const [claims, before] of [
      [third, first],
      [final, second],
      [dead, first],
      [voided, second],
      [second, second],
    ] as const)
      expect(
        judge(
          { ...claims.claims, prev: sha256Hex(before.jws) },
          { ...claims.proof, previous: before.jws },
        ),
      ).toContain('it comes after')
    const forged = await sign(second.claims, stranger)
    const other = await chain()
    for (const [previous, why] of [
      [forged, 'none of this subject'],
      [other.second.jws, 'none of this subject'],
      ['e30.e30.AAAA', 'none of this subject'],
      [await sign({ ...second.claims, iat: now + 1 }), 'none of this subject'],
      [await sign({ ...second.claims, amount_atomic: '1' }), 'says something else'],
      [await sign({ ...second.claims, recipient: newWallet().address }), 'says something else'],
    ] as const)
      expect(
        judge({ ...third.claims, prev: sha256Hex(previous) }, { ...third.proof, previous }),
      ).toContain(why)
  },
)

verifies(
  ['signer.receipts-verified', 'stolen.socket-worker', 'stolen.process-worker'],
  'without the principal no payout is authorized',
  async () => {
    const { second, third, principal } = await chain()
    const unsigned = 'the treasury principal has not signed these terms'
    const other = (await chain()).principal
    for (const { claims, proof } of [second, third]) {
      const { previous } = proof as { previous: string }
      for (const given of [
        { previous },
        { previous, principal: other },
        { previous, principal: { ...principal, idempotency_key: 'other' } },
        { previous, principal: { ...principal, signature: '0x' } },
      ])
        expect(judge(claims, given)).toBe(unsigned)
      expect(judge({ ...claims, expires_at: 4_000_000_001 }, proof)).toBe(unsigned)
      for (const expires_at of [undefined, '4000000000', 1.5])
        expect(judge({ ...claims, expires_at }, proof)).toContain(
          'not about a payout of this wallet',
        )
    }
    for (const change of [
      { asset: newWallet().address.toLowerCase() },
      { payout_wallet: newWallet().address.toLowerCase() },
      { chain_id: 1 },
      { payout_id: `po_${'1'.repeat(64)}` },
    ]) {
      const before = await sign({ ...second.claims, ...change, kind: 'payout_created' })
      const claims = { ...second.claims, ...change, prev: sha256Hex(before) }
      expect(judge(claims, { ...second.proof, previous: before })).toContain('of this wallet')
    }
  },
)

verifies('signer.receipts-verified', 'the configured canary needs no principal', async () => {
  const creator = payoutWallet.address.toLowerCase()
  const day = new Date(now * 1000).toISOString().slice(0, 10)
  const of = async (change: Claims, name = `canary-${day}`) => {
    const sub = payoutIdOf(creator as Hex, name)
    const { second } = await chain()
    const canaryClaims = {
      payout_id: sub,
      sub,
      creator,
      recipient: canary.recipient,
      amount_atomic: '10000',
      ...change,
    }
    const previous = await sign({ ...second.claims, ...canaryClaims, kind: 'payout_created' })
    return judge({ ...second.claims, ...canaryClaims, prev: sha256Hex(previous) }, { previous })
  }
  expect(await of({})).toBeUndefined()
  const unsigned = 'the treasury principal has not signed these terms'
  expect(await of({ amount_atomic: '10001' })).toBe(unsigned)
  expect(await of({ recipient: newWallet().address.toLowerCase() })).toBe(unsigned)
  expect(await of({ creator: newWallet().address.toLowerCase() })).toBe(unsigned)
  expect(await of({}, 'canary-2020-01-01')).toBe(unsigned)
})

verifies('signer.sockets', 'kinds have their subjects, and subjects their kinds', async () => {
  const said = { iss, iat: now, prev: null }
  const hash = 'a'.repeat(64)
  for (const [kind, sub, api, worker] of [
    ['attestation', `run_${hash}`, true, true],
    ['attestation', `po_${hash}`, false, false],
    ['delegated_action', `da_${hash}`, false, true],
    ['authority_decision', `dec_${hash}`, true, false],
    ['review_decision', `dec_${hash}`, true, false],
    ['review_decision', `task-${hash}`, false, false],
    ['usage_receipt', `ue_${hash}`, true, true],
    ['usage_receipt', `po_${hash}`, false, false],
    ['note', `run_${hash}`, false, false],
    ['payout_created', `task-${hash}`, false, false],
    ['toString', `ue_${hash}`, true, true],
  ] as const)
    expect(
      (['api', 'worker'] as const).map(
        (side) => judge({ ...said, kind, sub }, {}, side) === undefined,
      ),
      `${kind} ${sub}`,
    ).toEqual([api, worker])
  // A record that follows another comes with it.
  const claims = { ...said, kind: 'refund', sub: `ue_${hash}` }
  const previous = await sign({ ...claims, kind: 'usage_receipt' })
  const next = { ...claims, prev: sha256Hex(previous) }
  expect(judge(next, { previous })).toBeUndefined()
  expect(judge(next)).toContain('does not come with it')
  expect(judge({ ...next, sub: `ue_${'b'.repeat(64)}` }, { previous })).toContain('none of this')
})
