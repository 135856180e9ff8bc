import { eventsOf } from '#domain/core/state-table.ts'
import { listingTransitions } from '#domain/listings/listing.ts'
import { listings } from '../../../activities/store/listings/listings.ts'
import { reviewedAs } from '../../../activities/store/reviews/review-decisions.ts'
import { reviewOf } from './record-subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Listings of agents: approved to be shown to everyone, or rejected. An approval can be taken back. */
export const listingSubject = reviewOf({
  kind: 'listing',
  name: 'listing',
  rows: listings,
  // An approval that may be taken back waits since it was given.
  since: ({ reviewed_at, listed_at }) => reviewed_at ?? listed_at,
  state: ({ review_state }) => review_state,
  allowed: ({ review_state }) => eventsOf(listingTransitions, review_state),
  line: ({ trust_listing_id, display_name, checks }) => ({
    subject_id: trust_listing_id,
    summary: `List ${display_name}, on ${checks.length} receipts`,
    evidence_links: checks.map(({ receipt_id }) => ({
      host: 'base',
      path: `/api/verify-receipt?receipt_id=${receipt_id}`,
    })),
  }),
  content: async (tx, listing) => {
    const { agent_id, display_name, summary, rails, checks, review_state, listed_at } = listing
    return {
      request: { display_name, summary, rails },
      agent: await agentEvidence(tx, agent_id),
      checks,
      history: { state: review_state, listed_at: listed_at.toISOString() },
    }
  },
  decide: async (tx, { trust_listing_id, agent_id }, { decision, decisionId }) => {
    const state = decision === 'approve' ? 'approved' : 'rejected'
    await listings.update(tx, trust_listing_id, reviewedAs({ state, decisionId }))
    return { state, view: { trust_listing_id, review_state: state }, facts: { agent_id } }
  },
})
