import { agentCreditFund } from './agent-credit-fund.ts'
import { agentCreditRead } from './agent-credit-read.ts'
import { agentPricing } from './agent-pricing.ts'
import { agentQuote } from './agent-quote.ts'
import { agentQuoteRead } from './agent-quote-read.ts'
import { createPaymentChallenge } from './create-payment-challenge.ts'
import { paymentRailRead } from './payment-rail-read.ts'
import { paymentReferenceCreate } from './payment-reference-create.ts'
import { providerEventReceive } from './provider-event-receive.ts'
import { agentPricingQuote, quoteRun } from './quote-run.ts'

/** Prices, quotes, payments and credit (endpoints §9, §11, §20). */
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
] as const
