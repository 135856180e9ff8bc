import {
  checkoutViolations,
  isSameMerchant,
  paymentViolations,
  tightest,
} from '#domain/ap2/constraints.ts'
import {
  CheckoutMandate,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentMandate,
  type PaymentRail,
  railOf,
} from '#domain/ap2/mandates.ts'
import { refuse } from '#domain/core/errors.ts'
import { mandateRequestSha256, type Payable } from '#domain/payments/payment-reference.ts'
import { authorizeAudience, sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { type VerifiedChain, verifyAp2Chain } from '../keys/ap2-chain.ts'
import { type ChallengeClaims, verifyChallengeToken } from '../keys/challenge.ts'
import { type CheckoutClaims, type Order, readCheckout } from '../keys/checkout.ts'
import { currentAnchors, type KeyStatus } from '../keys/key-status.ts'
import { readAuthorityKeyStatus } from '../payouts/authorization.ts'
import {
  insertAp2Mandate,
  insertAp2Payment,
  lockAp2Mandate,
  readAp2History,
} from '../store/payments/ap2.ts'
import type { ReferenceRow } from '../store/payments/payment-references.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import type { MoneyDeps } from './deps.ts'

/** Two chains of AP2 mandates: for the payment, and for the checkout that it pays. */
export type Ap2Presentation = {
  presentation: string
  checkoutPresentation: string
  challengeToken: string
}

type PaymentChain = VerifiedChain<OpenPaymentMandate, PaymentMandate>

/** A verified presentation; its constraints are judged under the lock of the mandate. */
export type Ap2Use = {
  readonly payment: PaymentChain
  readonly checkoutHash: string
  readonly nonce: string
  readonly challengeJti: string
  readonly rail: PaymentRail
  /** Whether this service issued the open mandate, and so has stored it. */
  readonly ownIssue: boolean
}

const denied = (detail: string) =>
  refuse('authority_denied', {
    detail,
    next_action: 'Close a mandate that permits this payment for a new challenge.',
  })

/**
 * Verifies both chains against the challenge and the payment, and judges the checkout. Writes nothing. 403 as `verifyAp2Chain`,
 * `authority_denied`, `request_digest_mismatch`; 410 `challenge_expired`, 422 `amount_mismatch`.
 */
export async function readAp2(
  { authority, db }: Pick<MoneyDeps, 'authority' | 'db'>,
  payable: Payable & { order: Order },
  presented: Ap2Presentation,
): Promise<Ap2Use> {
  const { anchors, origin, treasuryHolder } = authority
  const keyStatus = await readAuthorityKeyStatus(authority, db)
  const { nowSeconds } = keyStatus
  const challenge = verifyChallengeToken(presented.challengeToken, {
    authorityKeys: keyStatus.verifiers('authority'),
    origin,
    nowSeconds,
    treasuryHolder,
  })
  const context = {
    anchors: currentAnchors(anchors, origin, keyStatus),
    nowSeconds,
    audience: authorizeAudience(origin),
    nonce: challenge.nonce,
  }
  const payment = verifyAp2Chain(
    presented.presentation,
    { open: OpenPaymentMandate, closed: PaymentMandate },
    context,
  )
  const agreed = verifyAp2Chain(
    presented.checkoutPresentation,
    { open: OpenCheckoutMandate, closed: CheckoutMandate },
    context,
  )
  const checkout = checkoutOf(agreed.closed, { keyStatus, challenge, payable })
  assertPays(payment.closed, { challenge, checkout, payable })
  const items = checkout.line_items.map(({ item, quantity }) => ({ id: item.id, quantity }))
  const [broken] = checkoutViolations(agreed.open, { merchant: checkout.merchant, items })
  if (broken !== undefined) throw denied(`${broken.constraint}: ${broken.detail}`)
  return {
    payment,
    checkoutHash: agreed.openHash,
    nonce: challenge.nonce,
    challengeJti: challenge.jti,
    rail: railOf(payment.closed.payment_instrument),
    ownIssue: payment.issuer === origin,
  }
}

type Agreed = {
  keyStatus: KeyStatus
  challenge: ChallengeClaims
  payable: Payable & { order: Order }
}

const mismatch = (detail: string) =>
  refuse('request_digest_mismatch', {
    detail,
    next_action: 'Close the mandates for the checkout of a challenge for this payment.',
  })

/** The checkout of this payment, which this service signed and the closed mandate holds. */
function checkoutOf(
  { checkout_jwt, checkout_hash }: CheckoutMandate,
  { keyStatus, challenge, payable }: Agreed,
): CheckoutClaims {
  if (sha256Base64url(checkout_jwt) !== checkout_hash)
    throw mismatch('checkout_hash is not that of checkout_jwt')
  if (checkout_hash !== challenge.checkout_hash)
    throw mismatch('the checkout is that of another challenge')
  const committed = mandateRequestSha256(payable)
  if (challenge.request_sha256 !== committed) throw mismatch('the challenge is for another payment')
  try {
    return readCheckout(checkout_jwt, {
      keys: keyStatus.verifiers('checkout'),
      origin: challenge.iss,
      order: payable.order,
    })
  } catch {
    throw mismatch('the checkout is not one that this service signed')
  }
}

type Due = {
  challenge: ChallengeClaims
  checkout: CheckoutClaims
  payable: Payable & { order: Order }
}

function assertPays(closed: PaymentMandate, { challenge, checkout, payable }: Due): void {
  const { transaction_id, payee, payment_amount } = closed
  if (transaction_id !== challenge.checkout_hash)
    throw mismatch('transaction_id is not the hash of the checkout')
  if (!isSameMerchant(checkout.merchant, payee))
    throw denied('the payee is not the merchant of the checkout')
  const { cents } = payable.order
  if (payment_amount.currency !== checkout.currency || payment_amount.amount !== cents)
    throw refuse('amount_mismatch', {
      detail: `the mandate pays ${payment_amount.amount} ${payment_amount.currency}, owed are ${cents} ${checkout.currency} in minor units`,
    })
}

/**
 * Judges the constraints under the lock of the mandate and records the payment, in the transaction that presents it.
 * 403 `authority_denied`, `mandate_invalid`; 409 `presentation_consumed`.
 */
export async function recordAp2(tx: Tx, reference: ReferenceRow, use: Ap2Use): Promise<void> {
  const { open, closed, mandateKey, closedHash } = use.payment
  if (!use.ownIssue) await insertAp2Mandate(tx, foreignRow(use))
  const mandate = await lockAp2Mandate(tx, { mandate_key: mandateKey })
  if (mandate === undefined)
    throw refuse('mandate_invalid', { detail: 'the open mandate was not issued here' })
  if (mandate.agent_id !== null && mandate.agent_id !== reference.agent_id)
    throw denied('the mandate is for another agent')
  const nowSeconds = await clockSeconds(tx)
  if (mandate.revoked_at !== null) throw denied('the mandate is revoked')
  if (mandate.expires_at !== null && nowSeconds * 1000 >= mandate.expires_at.getTime())
    throw denied('the mandate has expired')
  const { amount, currency } = closed.payment_amount
  const history = await readAp2History(tx, { mandateKey, currency })
  const [broken] = paymentViolations(open, closed, {
    nowSeconds,
    openCheckoutHash: use.checkoutHash,
    history,
  })
  if (broken !== undefined) throw denied(`${broken.constraint}: ${broken.detail}`)
  const isNew = await insertAp2Payment(tx, {
    payment_reference_id: reference.payment_reference_id,
    mandate_key: mandateKey,
    nonce: use.nonce,
    closed_hash: closedHash,
    transaction_id: closed.transaction_id,
    amount_minor: String(amount),
    currency,
    instrument_type: closed.payment_instrument.type,
    instrument_id: closed.payment_instrument.id,
  })
  if (isNew) return
  throw refuse('presentation_consumed', {
    detail: 'the nonce was used before',
    next_action: 'Close the mandates for a new challenge.',
  })
}

/** A mandate of another issuer is stored when it is used first. */
function foreignRow({ payment: { open, mandateKey, issuer } }: Ap2Use) {
  return {
    mandate_key: mandateKey,
    issuer,
    ...tightest(open.constraints),
    expires_at: open.exp === undefined ? null : new Date(open.exp * 1000),
  }
}
