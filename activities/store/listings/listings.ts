import { type Selectable, sql, type UpdateObject } from 'kysely'
import type { BadgeState, ListingReview } from '#domain/listings/listing.ts'
import type { Tx } from '../postgres/db.ts'
import {
  COUNTED_MAX,
  countOf,
  countUpTo,
  findRow,
  insertNew,
  insertRow,
  lockRow,
  type NewRow,
  now,
  updateRows,
} from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { noAmount, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'

export type ListingRow = Selectable<Database['trust_listings']>
/** A listing with the state in which its badge is now. */
export type ShownListing = ListingRow & Selectable<Database['trust_listings_shown']>
type Changes = UpdateObject<Database, 'trust_listings'>
type BadgeEventRow = Selectable<Database['trust_badge_events']>

/** Creates a listing. Returns undefined if the agent has one that is not rejected. */
export const insertListing = (tx: Tx, listing: NewRow<'trust_listings'>) =>
  insertNew(tx, 'trust_listings', listing)

/** How many listings this agent made within a day. */
export async function countListingsToday(tx: Tx, agentId: string): Promise<number> {
  return countOf(
    tx
      .selectFrom('trust_listings')
      .where('agent_id', '=', agentId)
      .where('listed_at', '>', sql<Date>`clock_timestamp() - interval '1 day'`),
  )
}

export const findListing = (tx: Tx, listingId: string) =>
  findRow(tx, 'trust_listings', { trust_listing_id: listingId })

/** The row, locked for the rest of the transaction. */
export const lockListing = (tx: Tx, listingId: string) =>
  lockRow(tx, 'trust_listings', { trust_listing_id: listingId })

type BadgeQuote = { quote_id: string; bound_to: string | null }

/** Whether an approved listing of the agent has a plan by this quote. */
export async function isPlanned(tx: Tx, { quote_id, bound_to }: BadgeQuote): Promise<boolean> {
  const planned = await tx
    .selectFrom('trust_listings')
    .select('trust_listing_id')
    .where('agent_id', '=', bound_to)
    .where('quote_id', '=', quote_id)
    .where('trust_badge_state', '=', 'planned')
    .where('review_state', '=', 'approved')
    .executeTakeFirst()
  return planned !== undefined
}

export const updateListing = (tx: Tx, listingId: string, changes: Changes) =>
  updateRows(tx, 'trust_listings', { trust_listing_id: listingId }, changes)

/** Stores what an operator decided about a locked listing. */
export const reviewListing = (
  tx: Tx,
  listingId: string,
  { state, decisionId }: { state: ListingReview; decisionId: string },
): Promise<void> =>
  updateListing(tx, listingId, {
    review_state: state,
    review_decision_id: decisionId,
    reviewed_at: now,
  })

export type ListingFilter = {
  /** The agent that reads, which also sees its own listings. */
  reader: string | undefined
  /** An operator sees all. */
  all: boolean
  listingId?: string | undefined
  agentId?: string | undefined
  badge?: BadgeState | undefined
}

/** The newest listings that may be shown, by index and before anything is joined: the approved ones, and the reader's own. */
function newest(tx: Tx, { reader, listingId, agentId }: ListingFilter) {
  const listings = tx
    .selectFrom('trust_listings')
    .select('trust_listing_id')
    .$if(listingId !== undefined, (query) =>
      query.where('trust_listing_id', '=', String(listingId)),
    )
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', String(agentId)))
    .orderBy('listed_at', 'desc')
    .limit(COUNTED_MAX)
  const approved = listings.where('review_state', '=', 'approved')
  const own = listings.where('agent_id', '=', reader ?? '')
  return tx
    .selectFrom(approved.as('approved'))
    .selectAll()
    .union(tx.selectFrom(own.as('own')).selectAll())
}

const shown = (tx: Tx, filter: ListingFilter) => {
  const { reader, all, listingId, agentId, badge } = filter
  return tx
    .selectFrom('trust_listings')
    .innerJoin('trust_listings_shown as shown', (join) =>
      join.onRef('shown.trust_listing_id', '=', 'trust_listings.trust_listing_id'),
    )
    .where(sql<boolean>`(${all} or is_public or agent_id = ${reader ?? null})`)
    .$if(!all, (query) => query.where('trust_listings.trust_listing_id', 'in', newest(tx, filter)))
    .$if(listingId !== undefined, (query) =>
      query.where('trust_listings.trust_listing_id', '=', String(listingId)),
    )
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', String(agentId)))
    .$if(badge !== undefined, (query) => query.where('badge_now', '=', badge as BadgeState))
}

/** A page of what the reader may see, the newest first. */
export async function listListings(
  tx: Tx,
  filter: ListingFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<ShownListing[]> {
  return shown(tx, filter)
    .selectAll('trust_listings')
    .select(['badge_now', 'is_public'])
    .orderBy('listed_at', 'desc')
    .orderBy('trust_listings.trust_listing_id')
    .offset(offset)
    .limit(limit)
    .execute()
}

export const countListings = (tx: Tx, filter: ListingFilter): Promise<number> =>
  countUpTo(tx, shown(tx, filter))

/** The public listings by the state of their badge, counted up to so many of the approved ones, the newest first. */
export async function countBadges(tx: Tx): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`
    select badge_now as state, count(*)::int as count from (select trust_listing_id from trust_listings
      where review_state = 'approved' order by listed_at desc, trust_listing_id limit ${COUNTED_MAX}) newest
      join trust_listings_shown using (trust_listing_id) where is_public group by 1 order by 1`.execute(
    tx,
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** An event of a plan; a payment has each event once. */
export async function findBadgeEvent(
  tx: Tx,
  feeEventId: string,
): Promise<(BadgeEventRow & { jws: string }) | undefined> {
  return tx
    .selectFrom('trust_badge_events')
    .innerJoin('receipts', 'receipts.receipt_id', 'trust_badge_events.receipt_id')
    .selectAll('trust_badge_events')
    .select('receipts.jws')
    .where('fee_event_id', '=', feeEventId)
    .executeTakeFirst()
}

export const insertBadgeEvent = (tx: Tx, event: NewRow<'trust_badge_events'>) =>
  insertRow(tx, 'trust_badge_events', event)

/** Adds months to a time as the calendar does, by Postgres. */
export const monthsFromNow = (months: number) =>
  sql<Date>`clock_timestamp() + ${months} * interval '1 month'`

const waiting = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  tx
    .selectFrom('trust_listings')
    .where(sql<boolean>`review_state = ${state ?? 'waiting'}`)
    .where(waitingAs(waits, { since: 'listed_at', amount: noAmount }))
    .$if(subjectId !== undefined, (query) =>
      query.where('trust_listing_id', '=', String(subjectId)),
    )
    .$if(rail !== undefined, (query) => query.where(sql<boolean>`${rail ?? ''} = any(rails)`))

/** Listings that wait for a decision, the longest waiting first. */
export async function listWaitingListings(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<ListingRow[]> {
  return waiting(tx, filter)
    .selectAll()
    .orderBy('listed_at')
    .orderBy('trust_listing_id')
    .limit(most)
    .execute()
}

export const countWaitingListings = (tx: Tx, filter: ReviewFilter): Promise<number> =>
  countOf(waiting(tx, filter))

/** The badges of agents with a public listing; any other agent has none. */
export async function badgesOf(
  tx: Tx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, BadgeState>> {
  const { rows } = await sql<{ agent_id: string; badge: BadgeState }>`
    select agent_id, badge_now as badge from trust_listings join trust_listings_shown using (trust_listing_id)
    where is_public and agent_id = any(${agentIds})`.execute(tx)
  return new Map(rows.map(({ agent_id, badge }) => [agent_id, badge]))
}
