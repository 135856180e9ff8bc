import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { move } from '#domain/core/state-table.ts'
import { feeUsd } from '#domain/credit/fees.ts'
import { BADGE_FEE } from '#domain/credit/pricing.ts'
import { badgeTransitions, checkEvidence, type EvidenceCheck } from '#domain/listings/listing.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { paymentOfPlan, quoteBadge } from '../../../activities/credit/badge.ts'
import { claimQuote, requirePayable, requireQuote } from '../../../activities/credit/quotes.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { agentOfReceipt } from '../../../activities/store/commerce/records.ts'
import {
  countListingsToday,
  type ListingFilter,
  type ListingRow,
  listings,
  listListings,
  type ShownListing,
} from '../../../activities/store/listings/listings.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { Page } from '../../../activities/store/postgres/rows.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import { Listing } from '../../shapes/listings.ts'
import { viewOf } from '../../view.ts'
import {
  assertApproved,
  type BadgeEventAsked,
  lapse,
  recordBadgeEvent,
} from '../agents/badge-events.ts'
import type { PaymentDeps } from '../credit/deps.ts'
import { verifyAndNotify } from '../credit/references.ts'
import { badgeQuoteView, challengeView } from '../credit/views.ts'
import type { ReceiptService } from '../receipts/verification.ts'
import { isDelivered } from '../tasks/outcome.ts'

type ListingDeps = PaymentDeps & { receipts: Pick<ReceiptService, 'verify'> }
type NewListing = {
  display_name: string
  summary: string
  rails: RailKey[]
  evidence_receipt_ids: string[]
}
type By = { agentId: string; callId: string }

/** Decision: how many listings an agent may make within a day. */
const LISTINGS_PER_DAY = 3

/** Listings of trusted agents, and the fees of their badges. */
export class TrustListingService {
  private readonly deps: ListingDeps

  constructor(deps: ListingDeps) {
    this.deps = deps
  }

  /** What a badge costs. */
  price() {
    const { fees } = this.deps
    const usd_by_months = Array.from({ length: 12 }, (_, index) =>
      feeUsd(fees, BADGE_FEE, { count: index + 1 }),
    )
    return { fee_item: BADGE_FEE, usd_by_months }
  }

  /** A page of what the reader may see. */
  async list(filter: ListingFilter, page: Page) {
    const { rows, total } = await listListings(this.deps.db, filter, page)
    return { items: rows.map(listingView), ...page, total }
  }

  /** 404 for one that the reader may not see. */
  async read(filter: ListingFilter & { listingId: string }) {
    return { listing: await seen(this.deps.db, filter) }
  }

  /** A listing that waits for an operator. 409 `already_exists`, 422 `receipt_invalid`, 429 `rate_limited`. */
  async create({ evidence_receipt_ids, ...described }: NewListing, { agentId, callId }: By) {
    const receiptIds = [...new Set(evidence_receipt_ids)]
    const checks = await Promise.all(receiptIds.map((id) => this.#check(id, agentId)))
    if (checks.some(({ ok }) => !ok))
      throw refuse('receipt_invalid', {
        detail: 'a listing rests on verified receipts about its agent, of operational work',
        extra: { checks },
      })
    const trust_listing_id = `tl_${digestOf({ call: callId })}`
    const call = { callId, subject: trust_listing_id, status: 201 }
    return answerOnce(this.deps, call, async (tx) => {
      if ((await countListingsToday(tx, agentId)) >= LISTINGS_PER_DAY) throw tooMany()
      const listing = { trust_listing_id, agent_id: agentId, ...described }
      const row = await listings.insertNew(tx, { ...listing, checks: JSON.stringify(checks) })
      if (row === undefined)
        throw refuse('already_exists', { detail: 'the agent has a listing that is not rejected' })
      return { listing: await ownView(tx, trust_listing_id), checks }
    })
  }

  async #check(receipt_id: string, agentId: string): Promise<EvidenceCheck> {
    const { db, receipts } = this.deps
    if ((await findReceipt(db, { receipt_id })) === undefined)
      return checkEvidence(receipt_id, unknownReceipt)
    const { payload, ...found } = await receipts.verify({ receipt_id })
    const isOwn = (await agentOfReceipt(db, receipt_id)) === agentId
    const hasCompleted = await isDelivered(db, String(payload?.['task_id']))
    return checkEvidence(receipt_id, { ...found, isOwn, hasCompleted })
  }

  /** The price of a badge for an approved listing; a badge whose time ran out lapses here. 404, 409 `wrong_state`. */
  quote(agentId: string, listingId: string, months: number) {
    return transaction(this.deps.db, async (tx) => {
      const listing = await ownListing(tx, listingId, agentId)
      assertApproved(listing)
      const from = await lapse(this.deps, tx, listing)
      const trust_badge_state = move('the badge', badgeTransitions, from, 'quote')
      if (from === 'planned') await assertUnpaid(tx, listing)
      const quote = await quoteBadge(this.deps, tx, agentId, months)
      const set = { trust_badge_state, quote_id: quote.quote_id, commercial_plan_id: null }
      await listings.update(tx, listingId, set)
      return { quote: badgeQuoteView(quote), listing: await ownView(tx, listingId) }
    })
  }

  /** Plans the badge by its quote, with the challenge that pays it. 404, 409 `quote_mismatch`, `wrong_state`, 410 `quote_expired`. */
  async plan(agentId: string, listingId: string, quoteId: string) {
    return transaction(this.deps.db, async (tx) => {
      const listing = await ownListing(tx, listingId, agentId)
      if (listing.quote_id !== quoteId) throw otherQuote()
      assertApproved(listing)
      await claimQuote(tx, quoteId, { owner: agentId })
      if (listing.trust_badge_state !== 'planned') {
        const trust_badge_state = move(
          'the badge',
          badgeTransitions,
          listing.trust_badge_state,
          'plan',
        )
        const commercial_plan_id = `cpl_${digestOf({ listing: listingId, quote: quoteId })}`
        await listings.update(tx, listingId, { trust_badge_state, commercial_plan_id })
      }
      const challenge = await requirePayable(tx, quoteId)
      const view = { ...challengeView(this.deps, challenge), mandate: null }
      return { listing: await ownView(tx, listingId), challenge: view }
    })
  }

  /** Records an event of the fee; a payment that is not decided yet is checked first. */
  async record(asked: BadgeEventAsked & { callId: string }) {
    const { db } = this.deps
    const listing = await listings.find(db, asked.listingId)
    const payment =
      listing?.quote_id == null ? undefined : await paymentOfPlan(db, listing.quote_id)
    if (payment !== undefined && listing?.agent_id === (asked.agentId ?? listing?.agent_id))
      await verifyAndNotify(this.deps, payment)
    const call = { callId: asked.callId, subject: asked.listingId, status: 200 }
    return answerOnce(this.deps, call, async (tx) => {
      const row = await ownListing(tx, asked.listingId, asked.agentId)
      if (row.commercial_plan_id !== asked.planId) throw otherQuote()
      const receipt = await recordBadgeEvent(this.deps, tx, row, asked)
      return { listing: await ownView(tx, asked.listingId), receipt }
    })
  }
}

const unknownReceipt = {
  verified: false,
  kind: null,
  usage: null,
  isOwn: false,
  hasCompleted: false,
}

/** The locked listing of this agent, or of any agent where none is named; 404. */
async function ownListing(tx: Tx, listingId: string, agentId?: string): Promise<ListingRow> {
  const listing = await listings.requireLocked(tx, listingId)
  if (agentId !== undefined && listing.agent_id !== agentId) throw listings.unknown()
  return listing
}

async function seen(tx: Tx, filter: ListingFilter) {
  const [row] = (await listListings(tx, filter, { offset: 0, limit: 1 })).rows
  if (row === undefined) throw listings.unknown()
  return listingView(row)
}

const ownView = (tx: Tx, listingId: string) => seen(tx, { listingId, all: true, reader: undefined })

/** A plan may still be paid as long as its quote lives or a payment for it is open. */
async function assertUnpaid(tx: Tx, { quote_id }: ListingRow): Promise<void> {
  const quoteId = quote_id ?? ''
  const quote = await requireQuote(tx, quoteId)
  if (quote.expired && (await paymentOfPlan(tx, quoteId)) === undefined) return
  throw refuse('wrong_state', {
    detail: 'the badge is planned',
    next_action: 'Pay its plan, or ask again when the quote of the plan has ended.',
  })
}

const listingView = (row: ShownListing) =>
  viewOf(Listing, {
    ...row,
    trust_badge_state: row.badge_now,
    evidence: row.checks.map(({ receipt_id, kind }) => ({ receipt_id, kind })),
  })

const otherQuote = () =>
  refuse('quote_mismatch', {
    detail: 'the listing has another quote or plan now',
    next_action: 'Read the listing, and name what it has.',
  })
const tooMany = () =>
  refuse('rate_limited', {
    detail: `an agent makes at most ${LISTINGS_PER_DAY} listings within a day`,
    retry_after_ms: 3_600_000,
  })
