import { type Selectable, sql } from 'kysely'
import type { BadgeState } from '#domain/listings/listing.ts'
import type { Tx } from '../postgres/db.ts'
import { record } from '../postgres/record.ts'
import {
  COUNTED_MAX,
  countOf,
  insertRow,
  isGiven,
  type NewRow,
  type Page,
  type Row,
  readPage,
} from '../postgres/rows.ts'
import { waitingRows } from '../reviews/waiting.ts'
import type { Database } from '../schema/schema.ts'

export type ListingRow = Row<'trust_listings'>
/** A listing with the state in which its badge is now. */
export type ShownListing = ListingRow & Selectable<Database['trust_listings_shown']>

/** An agent has one listing that is not rejected: another one is not stored. */
export const listings = {
  ...record('trust_listings', 'trust_listing_id', 'listing'),
  waiting: waitingRows('trust_listings', {
    key: 'trust_listing_id',
    state: ['review_state', 'waiting'],
    since: 'listed_at',
    rail: (rail) => sql`${rail} = any(rails)`,
  }),
}

/** How many listings this agent made within a day. */
export async function countListingsToday(tx: Tx, agentId: string): Promise<number> {
  return countOf(
    tx
      .selectFrom('trust_listings')
      .where('agent_id', '=', agentId)
      .where('listed_at', '>', sql<Date>`clock_timestamp() - interval '1 day'`),
  )
}

type BadgeQuote = { quote_id: string; bound_to: string | null }

/** Whether an approved listing of the agent has a plan by this quote. */
export async function isPlanned(tx: Tx, { quote_id, bound_to }: BadgeQuote): Promise<boolean> {
  const { rows } = await sql`select from trust_listings where agent_id = ${bound_to}
    and quote_id = ${quote_id} and trust_badge_state = 'planned' and review_state = 'approved'`.execute(
    tx,
  )
  return rows.length > 0
}

export type ListingFilter = {
  /** The agent that reads, which also sees its own listings. */
  reader: string | undefined
  /** An operator sees all. */
  all: boolean
  listingId?: string | undefined
  agentId?: string | undefined
  badge?: BadgeState | undefined
}

/** What may be shown: of the newest approved listings and the reader's own, by index and before anything is joined. */
function seenBy({ reader = '', all, listingId, agentId, badge }: ListingFilter) {
  const named = sql`${isGiven('trust_listing_id', listingId)} and ${isGiven('agent_id', agentId)}`
  const newest = (whose: unknown) => sql`(select trust_listing_id from trust_listings
    where ${whose} and ${named} order by listed_at desc limit ${COUNTED_MAX})`
  const own = sql`agent_id = ${reader}`
  const seen = sql`(is_public or ${own}) and trust_listing_id in
    (${newest(sql`review_state = 'approved'`)} union ${newest(own)})`
  return sql`from trust_listings join trust_listings_shown using (trust_listing_id)
    where ${named} and ${isGiven('badge_now', badge)} and ${all ? sql`true` : seen}`
}

/** A page of what the reader may see, the newest first. */
export function listListings(tx: Tx, filter: ListingFilter, page: Page) {
  const columns = sql`trust_listings.*, badge_now, is_public`
  const order = sql`listed_at desc, trust_listing_id`
  const listed = { columns, from: seenBy(filter), order }
  return readPage<ShownListing>(tx, listed, { ...page, most: COUNTED_MAX })
}

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
export async function findBadgeEvent(tx: Tx, feeEventId: string) {
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
