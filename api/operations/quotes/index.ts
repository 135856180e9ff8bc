import { agentPricing } from './agent-pricing.ts'
import { agentQuote } from './agent-quote.ts'
import { agentQuoteRead } from './agent-quote-read.ts'
import { agentPricingQuote, quoteRun } from './quote-run.ts'

/** Prices and quotes. */
export const quotes = [
  agentPricing,
  agentPricingQuote,
  agentQuoteRead,
  agentQuote,
  quoteRun,
] as const
