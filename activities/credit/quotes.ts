import { randomBytes } from 'node:crypto'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { move } from '#domain/core/state-table.ts'
import {
  BADGE_FEE,
  challengeLifeSeconds,
  discoveryPrice,
  priceOf,
  quoteLifeSeconds,
  type Sold,
} from '#domain/credit/pricing.ts'
import { challengeTransitions } from '#domain/payments/payment-reference.ts'
import { railOf } from '#domain/rails/index.ts'
import type { Tier } from '#domain/rails/rail.ts'
import { serviceOf } from '#domain/rails/scout/index.ts'
import { assertAccountAllows } from '../accounts/controls.ts'
import { assertNotPaused } from '../accounts/pauses.ts'
import { secretSha256 } from '../keys/derived-tokens.ts'
import {
  type EntitlementRow,
  ensureEntitlement,
  findEntitlement,
  findEntitlementOf,
} from '../store/credit/entitlements.ts'
import { bindQuote, findQuote, insertQuote, type QuoteRow } from '../store/credit/quotes.ts'
import { isPlanned } from '../store/listings/listings.ts'
import {
  type ChallengeRow,
  insertChallenge,
  lockChallenge,
  lockLiveChallenge,
  updateChallenge,
} from '../store/payments/challenges.ts'
import { findPresented, type ReferenceRow } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'

/** Whose a quote is: its owner's, an agent or a task, or that of the first who presents the token of this digest. */
type QuoteFor = { owner: string } | { tokenSha256: string }
/** `taskId`: the digest of the token of the task it is for, which may have what is not sold as a `discovery`. */
export type QuoteRequest = {
  by: QuoteFor
  rail: Sold
  tier: Tier
  units?: number
  taskId?: string
  discovery?: boolean
}

/** A quote is judged as its payment will be. */
export const anyPayment = { kind: 'payment', subject: '' } as const

export const newId = (prefix: string): string => `${prefix}_${randomBytes(32).toString('hex')}`

/**
 * A new quote for 24 hours; a call that may be repeated stores which one is its own. 400 `unsupported_request`, 403
 * `control_denied`, 503 `paused`.
 */
export async function issueQuote(
  { issuer }: Pick<ReceiptIssuer, 'issuer'>,
  tx: Tx,
  request: QuoteRequest,
): Promise<QuoteRow> {
  const { by, rail, tier, units = 1, taskId = null, discovery = false } = request
  const { lines: _lines, ...price } = discovery ? discoveryPrice(rail) : priceOf(rail, tier, units)
  if (price.total_usd === 0 && units > 1)
    throw refuse('unsupported_request', {
      detail: `${rail.key} is free, one run at a time`,
      next_action: 'Ask for one unit.',
    })
  const owner = 'owner' in by ? by.owner : null
  await assertNotPaused(tx, { rail: rail.key, agentId: owner })
  if (owner !== null) {
    const spending = { rail: rail.key, usd: price.total_usd, units }
    await assertAccountAllows(tx, { agentId: owner }, spending, anyPayment)
  }
  const asked = { rail: rail.key, tier, units, task_id: taskId }
  const { service_id } = serviceOf(railOf(rail.key))
  const whose = 'owner' in by ? { bound_to: by.owner } : { token_sha256: by.tokenSha256 }
  const quote = {
    quote_id: newId('qt'),
    ...whose,
    ...asked,
    ...price,
    provider_route: routeOf(rail.key, issuer, service_id),
  }
  return insertQuote(tx, quote, quoteLifeSeconds)
}

/** What is quoted is done by the issuer whose receipts prove it. */
export const routeOf = (key: string, provider: string, service_id: string): string =>
  JSON.stringify({ route_id: `route_${key}`, provider, service_id })

/** Who claims a quote, with the token that it was issued with where it is not bound yet. */
export type QuoteClaimer = { owner: string; token?: string | undefined }

/**
 * The quote, bound to `owner`: it was issued for this owner, or `token` is the one that it was issued with and no other owner
 * presented it first. 404, 403 `not_owner`.
 */
export async function claimQuote(
  tx: Tx,
  quoteId: string,
  { owner, token }: QuoteClaimer,
): Promise<QuoteRow> {
  const quote = await requireQuote(tx, quoteId)
  if (quote.bound_to === null && token !== undefined) {
    await bindQuote(tx, quoteId, secretSha256(token), owner)
    return assertOwnQuote(await requireQuote(tx, quoteId), owner)
  }
  return assertOwnQuote(quote, owner)
}

/** 403 `not_owner` for a quote that is not bound to `owner`. */
export function assertOwnQuote(quote: QuoteRow, owner: string): QuoteRow {
  if (quote.bound_to === owner) return quote
  if (quote.bound_to === null)
    throw refuse('not_owner', {
      detail: 'the quote is not bound to you',
      next_action: 'Send its quote_token with quote_id.',
    })
  throw refuse('not_owner', {
    detail: 'the quote belongs to another agent',
    next_action: 'Ask for a quote of your own.',
  })
}

export async function requireQuote(tx: Tx, quoteId: string): Promise<QuoteRow> {
  const quote = await findQuote(tx, quoteId)
  if (quote !== undefined) return quote
  throw refuse('not_found', { detail: 'no such quote', next_action: 'Ask for a quote first.' })
}

/** A quote that can still be paid; 404, 410 `quote_expired`. */
export async function liveQuote(tx: Tx, quoteId: string): Promise<QuoteRow> {
  const quote = await requireQuote(tx, quoteId)
  if (quote.expired) throw quoteExpired(quote)
  return quote
}

/** The entitlement that this quote pays for, pending until it is funded; 403 `not_owner` where the quote is not the agent's. */
export async function openEntitlement(
  tx: Tx,
  quote: QuoteRow,
  agentId: string,
): Promise<EntitlementRow> {
  assertOwnQuote(quote, agentId)
  const entitlement = await ensureEntitlement(tx, {
    entitlement_id: `en_${digestOf({ quote_id: quote.quote_id })}`,
    quote_id: quote.quote_id,
    agent_id: agentId,
    rail: quote.rail,
    tier: quote.tier,
    granted_units: quote.total_usd,
    fee_units: quote.rail_fee_usd,
  })
  if (entitlement.agent_id === agentId) return entitlement
  throw refuse('not_owner', {
    detail: 'the quote pays for the credit of another agent',
    next_action: 'Ask for a quote of your own.',
  })
}

/**
 * The one challenge of a quote, for an hour and no longer than the quote lives: the open one, or a new one. 410 `quote_expired`,
 * 409 `payment_pending` naming the reference to read, 409 `already_funded`, 409 `wrong_state` for a badge that is not planned.
 */
export async function openChallenge(
  tx: Tx,
  quoteId: string,
  challengeId = newId('ch'),
): Promise<ChallengeRow> {
  const quote = await liveQuote(tx, quoteId)
  if (quote.total_usd === 0)
    throw refuse('unsupported_request', {
      detail: 'there is nothing to be paid',
      next_action: 'Accept its contract with this quote.',
    })
  if (quote.rail === BADGE_FEE && !(await isPlanned(tx, quote)))
    throw refuse('wrong_state', {
      detail: 'a badge is paid by its plan',
      next_action: 'Plan it by create_trust_badge_plan, for a listing that is approved.',
    })
  const live = await lockLiveChallenge(tx, quoteId)
  if (live !== undefined && !(live.state === 'open' && live.lapsed)) return unpaid(tx, live)
  const entitlement = await findEntitlementOf(tx, quoteId)
  if (entitlement !== undefined && entitlement.state !== 'pending') throw alreadyFunded(entitlement)
  if (live !== undefined) await expireChallenge(tx, live)
  const entitlement_id = entitlement?.entitlement_id ?? null
  const fresh = {
    challenge_id: challengeId,
    quote_id: quoteId,
    entitlement_id,
    amount_usd: quote.total_usd,
  }
  const opened = await insertChallenge(tx, fresh, challengeLifeSeconds)
  // A concurrent call opened a challenge first. It is returned if it is still open.
  return opened ?? unpaid(tx, await lockLiveChallenge(tx, quoteId))
}

/** The challenge by which a quote is paid or being paid, the open one or a new one; undefined where it is paid. 410 `quote_expired`. */
export async function payableChallenge(
  tx: Tx,
  quoteId: string,
  challengeId?: string,
): Promise<ChallengeRow | undefined> {
  const live = await lockLiveChallenge(tx, quoteId)
  if (live?.state === 'settled') return undefined
  return live?.state === 'pending' ? live : openChallenge(tx, quoteId, challengeId)
}

/** As `payableChallenge`; 409 `already_funded` where the quote is paid. */
export async function requirePayable(
  tx: Tx,
  quoteId: string,
  challengeId?: string,
): Promise<ChallengeRow> {
  const challenge = await payableChallenge(tx, quoteId, challengeId)
  if (challenge !== undefined) return challenge
  throw alreadyFunded({
    entitlement_id: (await findEntitlementOf(tx, quoteId))?.entitlement_id ?? null,
  })
}

/** Ends the open challenge of a quote that is paid in no other way any more; 409 `payment_pending` while a payment may be under way. */
export async function withdrawChallenge(tx: Tx, quoteId: string): Promise<void> {
  const live = await lockLiveChallenge(tx, quoteId)
  if (live !== undefined) await expireChallenge(tx, await unpaid(tx, live))
}

/** `open → expired`, of a locked challenge. */
async function expireChallenge(tx: Tx, { challenge_id, state }: ChallengeRow): Promise<void> {
  await updateChallenge(tx, challenge_id, {
    state: move('the challenge', challengeTransitions, state, 'expire'),
  })
}

async function unpaid(tx: Tx, challenge: ChallengeRow | undefined): Promise<ChallengeRow> {
  if (challenge?.state === 'open') return challenge
  if (challenge?.state === 'settled') throw alreadyFunded(challenge)
  throw paymentPending(challenge === undefined ? undefined : await findPresented(tx, challenge))
}

/** From now on, what pays this challenge funds exactly this entitlement. 404, 403, 409 `already_bound`, 422 `amount_mismatch`. */
export async function bindChallenge(
  tx: Tx,
  ids: { agentId: string; entitlementId: string; challengeId: string },
): Promise<{ challenge: ChallengeRow; entitlement: EntitlementRow }> {
  const challenge = await lockChallenge(tx, ids.challengeId)
  const entitlement = await findEntitlement(tx, ids.entitlementId)
  if (challenge === undefined || entitlement === undefined)
    throw refuse('not_found', {
      detail: 'no such challenge or entitlement',
    })
  if (entitlement.agent_id !== ids.agentId)
    throw refuse('not_owner', {
      detail: 'the entitlement belongs to another agent',
    })
  if (
    challenge.amount_usd !== entitlement.granted_units ||
    challenge.quote_id !== entitlement.quote_id
  )
    throw refuse('amount_mismatch', {
      detail: 'the challenge is for another quote or amount',
      next_action: 'Open a challenge of the same quote.',
    })
  if ((challenge.entitlement_id ?? ids.entitlementId) !== ids.entitlementId)
    throw refuse('already_bound', {
      detail: 'the challenge is bound to another entitlement',
    })
  if (challenge.state === 'expired' || (challenge.state === 'open' && challenge.lapsed))
    throw refuse('challenge_expired', {
      detail: 'the challenge has ended',
      next_action: 'Open a new challenge for the quote.',
    })
  await updateChallenge(tx, challenge.challenge_id, { entitlement_id: ids.entitlementId })
  return { challenge: { ...challenge, entitlement_id: ids.entitlementId }, entitlement }
}

export const unknownChallenge = () =>
  refuse('not_found', {
    detail: 'no such challenge',
    next_action: 'Open a challenge for a quote first.',
  })

export const quoteExpired = ({ expires_at }: Pick<QuoteRow, 'expires_at'>) =>
  refuse('quote_expired', {
    detail: `the quote ended at ${expires_at.toISOString()}`,
  })

export const alreadyFunded = ({ entitlement_id }: { entitlement_id: string | null }) =>
  refuse('already_funded', {
    detail: 'the quote is paid',
    extra: { entitlement_id },
  })

type Check = Pick<ReferenceRow, 'is_only_checked' | 'state' | 'reason_code' | 'method' | 'provider'>

/** Whether a reference was only checked, and nothing has come by it. */
export const isUnpaidCheck = (reference: Check): boolean =>
  reference.is_only_checked && hasNothing(reference)

const hasNothing = ({ state, reason_code }: Check): boolean =>
  (state === 'presented' || state === 'pending') && reason_code === null

/** Whether a hosted checkout was presented by a name that no provider has spoken of, which may be mistyped. */
export const isUnknownSession = (reference: Check): boolean =>
  reference.method === 'hosted_checkout' && reference.provider === null && hasNothing(reference)

/** Whether a reference keeps no other payment out. */
export const isReplaceable = (reference: Check): boolean =>
  isUnpaidCheck(reference) || isUnknownSession(reference)

export const paymentPending = (reference: ReferenceRow | undefined) => {
  const { payment_reference_id = null, challenge_id = null } = reference ?? {}
  if (reference === undefined || !isReplaceable(reference))
    return refuse('payment_pending', {
      detail: 'a payment for this is pending',
      money_moved: 'unknown',
      extra: { payment_reference_id },
    })
  return refuse('payment_pending', {
    detail: reference.is_only_checked
      ? 'a way to pay this was checked, and nothing is paid'
      : 'no provider has spoken of the session that was presented',
    next_action: 'Present a payment for the challenge that is named, in any way.',
    money_moved: reference.is_only_checked ? 'no' : 'unknown',
    extra: { payment_reference_id, challenge_id },
  })
}
