import { paymentAuthorityCheck, paymentAuthorityRead } from './authority.ts'
import {
  diligenceProductLinks,
  paymentLinksRead,
  paymentLinksSet,
  railCheckoutOpen,
  railCheckoutRead,
} from './checkouts.ts'
import {
  createPaymentChallenge,
  paymentRailRead,
  paymentReferenceCreate,
  providerEventReceive,
} from './references.ts'

/** Challenges, payment references, provider events, checkouts and product links. */
export const payments = [
  createPaymentChallenge,
  paymentRailRead,
  paymentReferenceCreate,
  providerEventReceive,
  paymentAuthorityRead,
  paymentAuthorityCheck,
  railCheckoutRead,
  railCheckoutOpen,
  diligenceProductLinks,
  paymentLinksRead,
  paymentLinksSet,
] as const
