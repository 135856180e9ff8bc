import { digestOf } from '../core/canonical-json.ts'
import { type PaymentMethod, paymentMethods } from '../core/payment-methods.ts'
import type { StateTable } from '../core/state-table.ts'
import { CURRENCY } from '../credit/pricing.ts'

export const paymentPaths = [
  'hosted_checkout_link',
  'invoice_or_purchase_order',
  'agent_credit',
  'manual_operator_verified_reference',
] as const
export type PaymentPath = (typeof paymentPaths)[number]
export const authorityTypes = [
  'checkout',
  'stablecoin_checkout',
  'agent_allowance_reference',
  'wallet_reference',
] as const
export type AuthorityType = (typeof authorityTypes)[number]

/** A challenge is bound to one entitlement for good, so that a binding has the number of its challenge. */
export const bindingId = (challengeId: string): string => challengeId.replace(/^ch_/, 'bd_')
export const challengeOfBinding = (id: string): string => id.replace(/^bd_/, 'ch_')

/** How the payer pays a challenge by one of the four paths, in words. */
export function instructionsFor(
  path: PaymentPath,
  {
    challengeId,
    amountUsd,
    checkoutUrl,
  }: { challengeId: string; amountUsd: number; checkoutUrl: string | null },
): string {
  const exactly = `exactly ${amountUsd} ${CURRENCY}`
  const present = (method: PaymentMethod, name: string) =>
    `then present ${name} as ${method} at POST /api/agent-payment-rail.`
  const words: Record<PaymentPath, string> = {
    hosted_checkout_link:
      checkoutUrl === null
        ? `No hosted page takes this amount: pay ${exactly} in another of the accepted ways, naming ${challengeId}.`
        : `Pay at checkout_url; the provider’s own word settles it, and nothing has to be presented.`,
    invoice_or_purchase_order: `Pay ${exactly} by invoice or purchase order, naming ${challengeId}; ${present('invoice_reference', 'its number')}`,
    agent_credit: `Present an allowance wallet that holds ${amountUsd} ${CURRENCY} as agent_allowance at POST /api/agent-payment-rail.`,
    manual_operator_verified_reference: `Pay ${exactly}, naming ${challengeId}; ${present('payment_reference', 'what your bank calls it')} An operator confirms it.`,
  }
  return words[path]
}

/** How a challenge is paid by a method, in words. */
export function instructionsBy(
  method: PaymentMethod,
  due: { challengeId: string; amountUsd: number; payTo: string },
): string {
  const along = (path: PaymentPath) => instructionsFor(path, { ...due, checkoutUrl: null })
  const words: Record<PaymentMethod, string> = {
    hosted_checkout:
      'Open a hosted page with POST /api/agent-rail-checkout and payment_path hosted_checkout_link.',
    agent_allowance: along('agent_credit'),
    payment_reference: along('manual_operator_verified_reference'),
    invoice_reference: along('invoice_or_purchase_order'),
    stablecoin_reference: `Transfer exactly ${due.amountUsd} USDC to ${due.payTo}; then present the hash of the transaction as stablecoin_reference at POST /api/agent-payment-rail.`,
    x402_reference:
      'Sign a payment for one of accepts, and repeat the start of the run with it in PAYMENT-SIGNATURE.',
    ap2_mandate_reference:
      'Present the mandate that its holder signed as ap2_mandate_reference at POST /api/agent-payment-rail.',
  }
  return words[method]
}

/** The parties that can confirm a payment by each method. */
export const confirmedBy = {
  hosted_checkout: ['provider'],
  agent_allowance: ['wallet'],
  payment_reference: ['operator', 'provider'],
  invoice_reference: ['operator', 'provider'],
  stablecoin_reference: ['chain'],
  x402_reference: ['payment'],
  ap2_mandate_reference: ['wallet', 'payment'],
} as const satisfies Record<PaymentMethod, readonly string[]>

/** The methods that a payment is taken by here: a hosted checkout only where a provider is configured that confirms it. */
export const acceptedMethods = (providers: readonly string[]): PaymentMethod[] =>
  paymentMethods.filter((method) => method !== 'hosted_checkout' || providers.length > 0)

export const isConfirmedBy = (method: PaymentMethod, who: 'provider' | 'operator'): boolean =>
  (confirmedBy[method] as readonly string[]).includes(who)

export type ChallengeState = 'open' | 'pending' | 'settled' | 'expired'
export type ChallengeEvent = 'present' | 'settle' | 'fail' | 'expire'

/** The state table of a payment challenge; `fail` needs proof that the reference brought no money. */
export const challengeTransitions: StateTable<ChallengeState, ChallengeEvent> = {
  open: { present: 'pending', expire: 'expired' },
  pending: { settle: 'settled', fail: 'open' },
  settled: {},
  expired: {},
}

export const referenceStates = [
  'presented',
  'pending',
  'verified',
  'disputed',
  'rejected',
  'expired',
  'refunded',
] as const
export type ReferenceState = (typeof referenceStates)[number]
export type ReferenceEvent =
  | 'check'
  | 'verify'
  | 'reject'
  | 'expire'
  | 'dispute'
  | 'uphold'
  | 'refund'
  | 'restore'

/** The state table of a payment reference; the credit of a disputed payment is not used, and a refund that fails restores it. */
export const referenceTransitions: StateTable<ReferenceState, ReferenceEvent> = {
  presented: { check: 'pending', reject: 'rejected', expire: 'expired' },
  pending: { verify: 'verified', reject: 'rejected', expire: 'expired' },
  verified: { dispute: 'disputed', refund: 'refunded' },
  disputed: { uphold: 'verified', refund: 'refunded' },
  rejected: {},
  expired: {},
  refunded: { restore: 'verified' },
}

/** Why a payment waits for an operator: it has another amount than was owed, or does not clearly pay this. */
export type ReasonCode = 'amount_mismatch' | 'unclear_payment'

/** The methods by which a payment is presented under a name only, that anyone may know. */
export const namedMethods = ['hosted_checkout', 'payment_reference', 'invoice_reference'] as const
export const isByName = (method: PaymentMethod): boolean =>
  (namedMethods as readonly string[]).includes(method)

/** The methods whose presentation moves the money; by the others it was moved elsewhere. */
export const isMovedHere = (method: PaymentMethod): boolean =>
  method === 'agent_allowance' || method === 'x402_reference' || method === 'ap2_mandate_reference'

/** The result of checking a reference. Only `verified` funds, `rejected` is proven, and any doubt is `pending`. */
export type Verdict =
  | { kind: 'verified'; evidence: Record<string, unknown> }
  | { kind: 'rejected'; reason: string }
  | { kind: 'pending'; reason: string; code?: ReasonCode; absent?: boolean }

/** A stablecoin has six decimals, credit whole usd. */
export const atomicOf = (amountUsd: number): string => `${amountUsd}000000`

/** What a payment is for: a challenge, or the wallet that it tops up; the amount in whole usd. */
export type Payable = { id: string; amount_usd: number }

/** A plain transfer does not say what it is for, so its payer signs that (personal_sign): LF-joined, without a trailing LF. */
export const payerText = (facts: {
  origin: string
  paysFor: string
  transactionHash: string
}): string =>
  [
    'service-payment-reference-v1',
    `origin: ${facts.origin}`,
    `pays-for: ${facts.paysFor}`,
    `transaction: ${facts.transactionHash.toLowerCase()}`,
  ].join('\n')

export const MANDATE_REQUEST_TYPE = 'service.payment-reference.v1'

/** What a mandate for this payment commits to: SHA-256 of the canonical terms. */
export const mandateRequestSha256 = ({ id, amount_usd }: Payable): string =>
  digestOf({ type: MANDATE_REQUEST_TYPE, pays_for: id, amount_usd, currency: CURRENCY })

/** A mined transaction as one node shows it; `nonce` of a transfer is that of the EIP-3009 authorization behind it. */
export type SeenTransaction = {
  success: boolean
  finalized: boolean
  transfers: { from: string; to: string; amountAtomic: string; nonce: string | null }[]
}

/**
 * Whether a transaction pays these terms by one plain transfer of exactly the amount. A transfer by authorization does not
 * count: it is an x402 payment, and counted there. Nothing is judged before its block is final.
 */
export function checkTransaction(
  seen: SeenTransaction | undefined,
  terms: { payer: string; payTo: string; amountAtomic: string },
): Verdict {
  if (seen === undefined)
    return { kind: 'pending', reason: 'no node knows the transaction', absent: true }
  if (!seen.finalized)
    return { kind: 'pending', reason: 'the block of the transaction is not final' }
  if (!seen.success) return { kind: 'rejected', reason: 'the transaction was reverted' }
  const paid = seen.transfers.filter(({ from, to }) => from === terms.payer && to === terms.payTo)
  const [first] = paid
  if (first === undefined)
    return { kind: 'rejected', reason: 'the transaction holds no transfer from the payer to us' }
  if (paid.length > 1) return { kind: 'rejected', reason: 'the transaction pays us more than once' }
  if (first.nonce !== null)
    return {
      kind: 'rejected',
      reason: 'the transfer was made by an authorization: present it as x402_reference',
    }
  if (first.amountAtomic !== terms.amountAtomic)
    return {
      kind: 'rejected',
      reason: `it pays ${first.amountAtomic} atomic units, not ${terms.amountAtomic}`,
    }
  return { kind: 'verified', evidence: terms }
}

/** One verdict of several independent nodes: proof takes all of them. */
export function agree(verdicts: readonly Verdict[]): Verdict {
  const [first = { kind: 'pending', reason: 'no node was asked' } as const, ...others] = verdicts
  const doubt = verdicts.find(({ kind }) => kind === 'pending')
  if (doubt?.kind === 'pending')
    return {
      ...doubt,
      absent: verdicts.every((one) => one.kind === 'pending' && one.absent === true),
    }
  return others.every(({ kind }) => kind === first.kind)
    ? first
    : { kind: 'pending', reason: 'the nodes disagree' }
}
