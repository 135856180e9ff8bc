import { createTrustListing } from './create.ts'
import { readTrustListings } from './list.ts'
import { createTrustBadgePlan } from './plan-badge.ts'
import { quoteTrustBadgeFee } from './quote-badge.ts'
import { trustListingRead } from './read.ts'
import { recordTrustBadgeFeeEvent } from './record-fee.ts'

/** Listings of agents, and the fees of their badges. */
export const listings = [
  trustListingRead,
  createTrustListing,
  quoteTrustBadgeFee,
  createTrustBadgePlan,
  recordTrustBadgeFeeEvent,
  readTrustListings,
] as const
