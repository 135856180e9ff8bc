/** Requirements on the listings of agents and their badges: id → source and behavior. */
export const listingRequirements = {
  'listing.review': {
    source: 'listings § Listing',
    behavior:
      'A listing is shown to everyone while an operator’s approval stands and its agent is trusted; its agent always sees it.',
  },
  'listing.evidence': {
    source: 'listings § Listing',
    behavior:
      'A listing rests on receipts that verify, are about its agent and are of operational work: usage receipts, and attestations of completed tasks; each agent has one that is not rejected.',
  },
  'listing.plan': {
    source: 'decision',
    behavior:
      'A badge is quoted for an approved listing, 49 usd a year by months rounded up; its plan is of that quote and has its challenge. It is paid only by its plan and while the approval stands.',
  },
  'listing.charge': {
    source: 'listings § Badge fee',
    behavior:
      'The fee is charged once, in one transaction that reads pauses, trust and limits and moves the money; refused, it moves nothing.',
  },
  'listing.settled': {
    source: 'listings § Badge fee',
    behavior:
      'A fee is settled, lapsed or refunded only when ledger and clock say so, also when operators record it; a badge whose payment is gone is none.',
  },
  'listing.lapse': {
    source: 'decision',
    behavior:
      'A badge is active for its months and lapsed after them, also while no one has recorded that; then it is quoted again.',
  },
  'listing.bounds': {
    source: 'decision',
    behavior:
      'A read counts at most 1000 listings, in its total and by the state of their badge, and leaves out at most 1000.',
  },
  'listing.sql': {
    source: 'decision',
    behavior:
      'The store refuses a badge that is active without the event of a verified payment that its fee has used.',
  },
} as const
