import { eventsOf } from '#domain/core/state-table.ts'
import { listingTransitions } from '#domain/listings/listing.ts'
import {
  countWaitingListings,
  findListing,
  type ListingRow,
  listWaitingListings,
  lockListing,
  reviewListing,
} from '../../../activities/store/listings/listings.ts'
import { notAllowed, unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Listings of agents: approved to be shown to everyone, or rejected. An approval can be taken back. */
export const listingSubject: ReviewSubject = {
  kind: 'listing',
  list: async (tx, filter, most) =>
    (await listWaitingListings(tx, filter, most)).map((listing) => ({
      since: sinceOf(listing),
      describe: async () => listed(listing),
    })),
  count: countWaitingListings,
  evidence: async (tx, listingId) => {
    const listing = await findListing(tx, listingId)
    if (listing === undefined) return undefined
    const { display_name, summary, rails, checks, review_state, listed_at } = listing
    const content = {
      request: { display_name, summary, rails },
      agent: await agentEvidence(tx, listing.agent_id),
      checks,
      history: { state: review_state, listed_at: listed_at.toISOString() },
    }
    return { since: sinceOf(listing), content }
  },
  decide: async (tx, { subjectId: listingId, decision, decisionId }, assert) => {
    const listing = await lockListing(tx, listingId)
    if (listing === undefined) throw unknownSubject('no such listing')
    await assert.waitsSince(sinceOf(listing))
    const state = listingTransitions[listing.review_state][decision]
    if (state === undefined)
      throw notAllowed(
        `the listing is ${listing.review_state}`,
        eventsOf(listingTransitions, listing.review_state),
      )
    await assert.evidenceSeen()
    await reviewListing(tx, listingId, { state, decisionId })
    const view = { trust_listing_id: listingId, review_state: state }
    return { state, view, facts: { agent_id: listing.agent_id } }
  },
}

/** An approval that may be taken back waits since it was given. */
const sinceOf = ({ reviewed_at, listed_at }: ListingRow): Date => reviewed_at ?? listed_at

const listed = (listing: ListingRow): WaitingSubject => ({
  subject_kind: 'listing',
  subject_id: listing.trust_listing_id,
  state: listing.review_state,
  waiting_since: sinceOf(listing).toISOString(),
  rail: null,
  summary: `List ${listing.display_name}, on ${listing.checks.length} receipts`,
  amount_usd: null,
  evidence_links: listing.checks.map(({ receipt_id }) => ({
    host: 'base',
    path: `/api/verify-receipt?receipt_id=${receipt_id}`,
  })),
  allowed_decisions: eventsOf(listingTransitions, listing.review_state),
})
