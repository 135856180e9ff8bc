import { agentCreditFund } from './agent-credit-fund.ts'
import { agentCreditRead } from './agent-credit-read.ts'
import { agentPricing } from './agent-pricing.ts'
import { agentQuote } from './agent-quote.ts'
import { agentQuoteRead } from './agent-quote-read.ts'
import { allowanceFund } from './allowance-fund.ts'
import { allowanceLimits } from './allowance-limits.ts'
import { allowanceWalletCreate } from './allowance-wallet-create.ts'
import { allowanceWalletRead } from './allowance-wallet-read.ts'
import { createPaymentChallenge } from './create-payment-challenge.ts'
import { creditBindingCreate } from './credit-binding-create.ts'
import { creditBindingRead } from './credit-binding-read.ts'
import { diligenceProductLinks } from './diligence-product-links.ts'
import { paymentAuthorityCheck } from './payment-authority-check.ts'
import { paymentAuthorityRead } from './payment-authority-read.ts'
import { paymentLinksRead } from './payment-links-read.ts'
import { paymentLinksSet } from './payment-links-set.ts'
import { paymentRailRead } from './payment-rail-read.ts'
import { paymentReferenceCreate } from './payment-reference-create.ts'
import { providerEventReceive } from './provider-event-receive.ts'
import { agentPricingQuote, quoteRun } from './quote-run.ts'
import { railCheckoutOpen } from './rail-checkout-open.ts'
import { railCheckoutRead } from './rail-checkout-read.ts'
import { usageLedgerRead } from './usage-ledger-read.ts'
import { usageLedgerRecord } from './usage-ledger-record.ts'

/** Prices, quotes, payments, credit, checkouts, wallets and usage (endpoints §8, §9, §11, §12, §20). */
export const money = [
  agentPricing,
  agentPricingQuote,
  agentQuoteRead,
  agentQuote,
  quoteRun,
  createPaymentChallenge,
  paymentRailRead,
  paymentReferenceCreate,
  agentCreditRead,
  agentCreditFund,
  providerEventReceive,
  allowanceWalletRead,
  allowanceWalletCreate,
  allowanceFund,
  allowanceLimits,
  paymentAuthorityRead,
  paymentAuthorityCheck,
  railCheckoutRead,
  railCheckoutOpen,
  creditBindingRead,
  creditBindingCreate,
  diligenceProductLinks,
  paymentLinksRead,
  paymentLinksSet,
  usageLedgerRead,
  usageLedgerRecord,
] as const
