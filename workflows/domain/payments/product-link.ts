import { priceOf, type Sold } from '../credit/pricing.ts'
import { type RailKey, type Tier, tiers } from '../rails/rail.ts'

/** How the hosted page of one rail and tier stands. */
export const linkStates = ['missing', 'unchecked', 'live', 'broken', 'price_differs'] as const
export type LinkState = (typeof linkStates)[number]

/** What was set for a rail and tier: the provider’s price in whole usd, and what the last look at its page found. */
export type ProductLink = {
  url: string | null
  provider_price_usd: number
  outcome: 'live' | 'broken' | null
}

/** Only a live page at the price that a quote has now may be shown; a price that changed since says so before anything else. */
export function linkStateOf(link: ProductLink | undefined, totalUsd: number): LinkState {
  if (link === undefined || link.url === null) return 'missing'
  if (link.provider_price_usd !== totalUsd) return 'price_differs'
  return link.outcome ?? 'unchecked'
}

/** Every rail and tier that has a price above nothing, with the total that one run costs. */
export function soldCells(
  rails: readonly Sold[],
): { rail: RailKey; tier: Tier; total_usd: number }[] {
  return rails.flatMap((rail) =>
    tiers.flatMap((tier) => {
      const total_usd = rail.prices === null ? 0 : priceOf(rail, tier).total_usd
      return total_usd === 0 ? [] : [{ rail: rail.key, tier, total_usd }]
    }),
  )
}
