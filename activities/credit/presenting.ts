import { sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import type { Account } from '#domain/credit/credit.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import type { StrictPayment } from '#domain/payments/payment.ts'
import {
  atomicOf,
  mandateRequestSha256,
  type Payable,
  payerText,
} from '#domain/payments/payment-reference.ts'
import { searchFrom } from '../chain/outcome.ts'
import { challengeSigners, issueChallenge } from '../keys/challenge.ts'
import type { Order } from '../keys/checkout.ts'
import { consumed, readAuthorityKeyStatus } from '../payouts/authorization.ts'
import { findConsumed, type ReplayKey } from '../store/calls/replay-ledger.ts'
import { keepSignature, type PaymentClaim } from '../store/payments/payments.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import { type Ap2Use, readAp2 } from './ap2.ts'
import type { MoneyDeps } from './deps.ts'

/** A payment as the caller presents it; the method decides which member of `proof` is needed. */
export type Presented = {
  method: PaymentMethod
  /** Of the provider's session, the invoice, or the transaction; the other methods have a name of their own. */
  externalReference: string
  /** The wallet that pays, where one does: an address, or `aw_…`. */
  payer?: string
  proof?: { signature?: string; payment?: string; challenge_token?: string }
  evidence?: {
    sha256?: string
    url?: string
    /** Chains of AP2 mandates, for the payment and for its checkout. */
    presentation?: string
    checkout_presentation?: string
  }
}

/** A presented payment as it is stored, with the facts that are already proven. */
export type Prepared = {
  external_reference: string
  payer: string | null
  proof: Record<string, string> | null
  claim?: PaymentClaim
  /** Recorded under the lock of its mandate when the payment is stored. */
  ap2?: Ap2Use
  /** Already proven: the payment settles in the transaction that presents it. */
  proven?: {
    decidedBy: string
    evidence: Record<string, unknown>
    source?: Account
    keys?: ReplayKey[]
  }
}

/** Checks every available proof before anything is stored, so that a false reference cannot block the payment of another agent. */
export async function prepare(
  deps: MoneyDeps,
  payable: Payable,
  presented: Presented,
): Promise<Prepared> {
  switch (presented.method) {
    case 'hosted_checkout':
    case 'payment_reference':
    case 'invoice_reference':
      return {
        external_reference: presented.externalReference,
        payer: presented.payer ?? null,
        proof: null,
      }
    case 'agent_allowance':
      return fromWallet(payable, presented)
    case 'stablecoin_reference':
      return signedTransaction(deps, payable, presented)
    case 'x402_reference':
      return paymentByAuthorization(deps, payable, presented)
    case 'ap2_mandate_reference':
      return ap2Mandate(deps, payable, presented)
  }
}

/** A wallet payment needs no further proof. Throws 400 without the wallet. */
export function fromWallet(
  { id }: Pick<Payable, 'id'>,
  { payer = '' }: Pick<Presented, 'payer'>,
): Prepared {
  if (payer === '')
    throw refuse('invalid_request', {
      detail: 'payer names the allowance wallet (aw_…) that pays',
      next_action: 'Give payer, the wallet_id of your allowance wallet.',
      errors: [{ pointer: '/payer', message: 'names the wallet (aw_…) for agent_allowance' }],
    })
  const proven = {
    decidedBy: 'wallet',
    evidence: { wallet_id: payer },
    source: walletAccount(payer),
  }
  return { external_reference: `${payer}:${id}`, payer, proof: null, proven }
}

async function signedTransaction(
  deps: MoneyDeps,
  payable: Payable,
  presented: Presented,
): Promise<Prepared> {
  const transactionHash = presented.externalReference.toLowerCase()
  const payer = (presented.payer ?? '').toLowerCase()
  const signature = presented.proof?.signature ?? ''
  if (!/^0x[0-9a-f]{64}$/.test(transactionHash) || !/^0x[0-9a-f]{40}$/.test(payer))
    throw refuse('invalid_request', {
      detail: 'a stablecoin reference is a transaction hash and the payer’s address',
      next_action: 'Give both.',
    })
  const text = payerText({ origin: deps.authority.origin, paysFor: payable.id, transactionHash })
  if (!(await deps.authority.verifyWalletMessage(payer as Hex, text, signature as Hex)))
    throw refuse('proof_invalid', {
      detail: 'the payer did not sign for this payment',
      next_action: `Sign with personal_sign: ${JSON.stringify(text)}`,
    })
  return { external_reference: transactionHash, payer, proof: { signature } }
}

/** How a challenge is offered by x402: for exactly its amount. */
export const offeredAs = ({ amount_usd }: Pick<Payable, 'amount_usd'>) => ({
  summary: 'Credit for a rail run',
  price: BigInt(atomicOf(amount_usd)),
  http: { path: '/api/agent-payment-rail' },
})

async function paymentByAuthorization(
  deps: MoneyDeps,
  payable: Payable,
  { proof }: Presented,
): Promise<Prepared> {
  const offer = offeredAs(payable)
  const payment = deps.offers.readPayment({ 'payment-signature': proof?.payment }, offer)
  if (payment === undefined)
    throw refuse('invalid_request', {
      detail: 'an x402 reference needs the signed payment',
      next_action: 'Sign one of the challenge’s accepts.',
    })
  await deps.offers.verify(payment, Math.floor(await clockSeconds(deps.db)), offer)
  const fromBlock = searchFrom(await deps.chain.head())
  const claim = claimOf(payment, deps.offers.asset, fromBlock)
  await keepSignature(deps.db, claim)
  return { external_reference: payment.paymentId, payer: payment.payer, proof: null, claim }
}

const claimOf = (
  { raw: _raw, accepted, ...payment }: StrictPayment,
  asset: Hex,
  fromBlock: bigint,
): PaymentClaim => ({
  ...payment,
  asset,
  requirements: accepted,
  proofWallet: payment.payer,
  fromBlock,
})

/** The order in the checkout of a mandate: the full amount of the payment, in cents. */
const orderOf = ({ amount_usd }: Payable): Order => ({ kind: 'payment', cents: amount_usd * 100 })

/** What a holder presents a mandate for: a signed checkout over this payment, and the challenge that names it. */
export async function mandateChallenge(
  { db, authority }: Pick<MoneyDeps, 'db' | 'authority'>,
  payable: Payable,
  ttlSeconds: number,
) {
  const { origin, treasuryHolder } = authority
  const signing = challengeSigners(await readAuthorityKeyStatus(authority, db))
  const facts = { ...signing, origin, treasuryHolder, ttlSeconds, holder: treasuryHolder }
  return issueChallenge({
    ...facts,
    requestSha256: mandateRequestSha256(payable),
    order: orderOf(payable),
  })
}

/**
 * An AP2 payment mandate moves no money itself: the wallet that it names is debited, or the x402 payment of the address that it names
 * is settled. Any other instrument settles nothing here.
 */
async function ap2Mandate(
  deps: MoneyDeps,
  payable: Payable,
  presented: Presented,
): Promise<Prepared> {
  const { proof, evidence } = presented
  const { presentation, checkout_presentation } = evidence ?? {}
  if (presentation === undefined || checkout_presentation === undefined)
    throw refuse('invalid_request', {
      detail: 'a mandate needs evidence.presentation and evidence.checkout_presentation',
      next_action: 'Close both open mandates for a challenge of this payment, and send both.',
    })
  const ap2 = await readAp2(
    deps,
    { ...payable, order: orderOf(payable) },
    {
      presentation,
      checkoutPresentation: checkout_presentation,
      challengeToken: proof?.challenge_token ?? '',
    },
  )
  const stored = { external_reference: sha256Hex(presentation), proof: null, ap2 }
  if (ap2.rail.kind === 'none') return { ...stored, payer: null }
  if (ap2.rail.kind === 'x402') {
    const paid = await paymentByAuthorization(deps, payable, presented)
    if (paid.payer === ap2.rail.payer) return { ...paid, ap2 }
    throw refuse('authority_denied', {
      detail: 'the payment is signed by another address than payment_instrument names',
      next_action: 'Sign the payment with the wallet that the mandate names.',
    })
  }
  const { walletId } = ap2.rail
  const evidenceOf = {
    wallet_id: walletId,
    mandate_sha256: ap2.payment.mandateKey,
    closed_mandate: ap2.payment.closedHash,
  }
  const keys: ReplayKey[] = [
    { kind: 'challenge_jti', key: ap2.challengeJti },
    { kind: 'kb_nonce', key: ap2.nonce },
  ]
  const source = walletAccount(walletId)
  return {
    ...stored,
    payer: walletId,
    proven: { decidedBy: 'wallet', evidence: evidenceOf, source, keys },
  }
}

/** Throws 409 where another payout or payment consumed one of the keys. */
export async function assertUnused(
  tx: Tx,
  keys: readonly ReplayKey[],
  subject: string,
): Promise<void> {
  const used = await findConsumed(tx, keys, subject)
  if (used !== undefined) throw consumed(used)
}
