import type { Adapters } from '../../adapters.ts'
import type { InputServices } from '../inputs/open.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { TrustListingService } from './listings.ts'

/** Listings of agents. */
export const openListings = (
  adapters: Adapters,
  { uploadChecks, receipts }: InputServices & ReceiptServices,
) => ({
  listings: new TrustListingService({ ...adapters, uploadChecks, receipts }),
})
