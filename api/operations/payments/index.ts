import { createPaymentChallenge } from './create-payment-challenge.ts'
import { diligenceProductLinks } from './diligence-product-links.ts'
import { paymentAuthorityCheck } from './payment-authority-check.ts'
import { paymentAuthorityRead } from './payment-authority-read.ts'
import { paymentLinksRead } from './payment-links-read.ts'
import { paymentLinksSet } from './payment-links-set.ts'
import { paymentRailRead } from './payment-rail-read.ts'
import { paymentReferenceCreate } from './payment-reference-create.ts'
import { providerEventReceive } from './provider-event-receive.ts'
import { railCheckoutOpen } from './rail-checkout-open.ts'
import { railCheckoutRead } from './rail-checkout-read.ts'

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
