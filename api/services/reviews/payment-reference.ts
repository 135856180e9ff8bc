import { refuse } from '#domain/core/errors.ts'
import { isByName, isConfirmedBy } from '#domain/payments/payment-reference.ts'
import { isRail } from '#domain/rails/rail.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { refundReference } from '../../../activities/credit/credit.ts'
import { decideReference, operatorDecisions } from '../../../activities/credit/decide-reference.ts'
import { lockBoth } from '../../../activities/credit/settlement.ts'
import { eventsAbout } from '../../../activities/store/credit/provider-events.ts'
import { findQuote, listCheckouts } from '../../../activities/store/credit/quotes.ts'
import { findChallenge } from '../../../activities/store/payments/challenges.ts'
import {
  countAwaiting,
  findReference,
  listAwaiting,
  listNamed,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { listTasksOn } from '../../../activities/store/tasks/task-credits.ts'
import { badgeQuoteView, quoteView, referenceView } from '../credit/views.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'

/** As many as a review shows, so that a customer cannot bury the evidence. */
const SHOWN = 10

/**
 * Invoices and plain references, which an operator confirms who has looked at the account, and payments of a wrong amount. What was
 * confirmed and is taken back since is revised, which refunds it.
 */
export const referenceSubject = (deps: ReceiptIssuer): ReviewSubject => ({
  kind: 'payment_reference',
  list: async (tx, filter, most) =>
    (await listAwaiting(tx, filter, most)).map((one) => ({
      since: waitsSince(one),
      describe: async () => listed(one),
    })),
  count: (tx, filter) => countAwaiting(tx, filter),
  tasksOf: async (tx, referenceId) => {
    const entitlementId = (await findReference(tx, referenceId))?.entitlement_id ?? null
    return entitlementId === null ? [] : listTasksOn(tx, entitlementId)
  },
  evidence: async (tx, referenceId) => {
    const reference = await findReference(tx, referenceId)
    if (reference === undefined) return undefined
    const { challenge_id, evidence_url } = reference
    const challenge = challenge_id === null ? undefined : await findChallenge(tx, challenge_id)
    const quote = challenge && (await findQuote(tx, challenge.quote_id))
    const content = {
      payment: { ...referenceView(reference), evidence_url },
      checkouts: challenge && (await checkoutsOf(tx, challenge.challenge_id)),
      also_presented: await othersOf(tx, reference),
      provider_events: await eventsOf(tx, reference),
      price: quote && (isRail(quote.rail) ? quoteView : badgeQuoteView)(quote),
    }
    return { since: waitsSince(reference), content }
  },
  decide: async (tx, { subjectId: referenceId, decision, note, operator }, assert) => {
    const before = (await lockBoth(tx, referenceId))?.reference
    if (before === undefined)
      throw refuse('not_found', {
        detail: 'no such payment reference',
        next_action: 'Take the id from the console.',
      })
    await assert.waitsSince(waitsSince(before))
    if (decision === 'hold' || (decision === 'revise' && !isConfirmed(before)))
      throw refuse('wrong_state', {
        detail: `a ${before.state} payment is not decided by ${decision}`,
        next_action: 'Approve or reject it.',
        extra: { allowed_decisions: decisionsOn(before) },
      })
    await assert.evidenceSeen()
    const decidedBy = `operator:${operator.operatorId}`
    const decided =
      decision === 'revise'
        ? (await refundReference(deps, tx, { referenceId, decidedBy, reason: note })).reference
        : await decideReference(deps, tx, {
            referenceId,
            approve: decision === 'approve',
            decidedBy,
            note,
          })
    return { state: decided.state, view: referenceView(decided) }
  },
})

/** Who else presented a payment under this name, of which one at most is confirmed; undefined without. */
async function othersOf(
  tx: Tx,
  { payment_reference_id, external_reference, method }: ReferenceRow,
) {
  if (!isByName(method)) return undefined
  const named = await listNamed(tx, external_reference, SHOWN)
  const others = named.filter((one) => one.payment_reference_id !== payment_reference_id)
  return others.length === 0
    ? undefined
    : others.map((one) => ({ ...referenceView(one), agent_id: one.agent_id }))
}

/** What providers said of it, the latest last; undefined without. */
async function eventsOf(tx: Tx, reference: ReferenceRow) {
  if (!isByName(reference.method)) return undefined
  const events = (await eventsAbout(tx, reference)).slice(-SHOWN)
  if (events.length === 0) return undefined
  return events.map(({ provider, event_id, type, amount_cents, currency, ...event }) => {
    const { challenge_id, wallet_id } = event
    return { provider, event_id, type, amount_cents, currency, challenge_id, wallet_id }
  })
}

/** The customers who opened the page of a challenge, by whom an invoice or a purchase order is recognised; undefined without. */
async function checkoutsOf(tx: Tx, challengeId: string) {
  const rows = await listCheckouts(tx, challengeId, SHOWN)
  if (rows.length === 0) return undefined
  return rows.map((row) => ({ ...row, opened_at: row.opened_at.toISOString() }))
}

function listed(one: ReferenceRow & { rail: string | null }): WaitingSubject {
  const { amount_usd, method, external_reference, reason } = one
  return {
    subject_kind: 'payment_reference',
    subject_id: one.payment_reference_id,
    state: one.state,
    waiting_since: waitsSince(one).toISOString(),
    rail: one.rail,
    summary: `${amount_usd} usd by ${method} ${external_reference}${reason === null ? '' : `: ${reason}`}`,
    evidence_links: one.evidence_url === null ? [] : [{ url: one.evidence_url }],
    amount_usd,
    allowed_decisions: decisionsOn(one),
  }
}

const waitsSince = ({ state, created_at, changed_at }: ReferenceRow): Date =>
  state === 'verified' ? changed_at : created_at

/** Confirmed by an operator, who can then revise it. */
const isConfirmed = ({ state, method }: ReferenceRow): boolean =>
  state === 'verified' && isConfirmedBy(method, 'operator')

/** A refund has a decision of its own, so that a late approval or rejection never causes one. */
const decisionsOn = (reference: ReferenceRow): Decision[] =>
  isConfirmed(reference) ? ['revise'] : operatorDecisions(reference)
