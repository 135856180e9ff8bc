import { refuse } from '../core/errors.ts'
import { type RailKey, type Tier, tiers } from '../rails/rail.ts'

/** The only name that the documents give to a price list. */
export const PRICING_MODEL = 'free_tools_movement_fee' as const
export const CURRENCY = 'usd' as const

export const quoteUnitsMax = 1000
/** Decision: seconds that a quote and a challenge live; a challenge never outlives its quote. */
export const quoteLifeSeconds = 24 * 3600
export const challengeLifeSeconds = 3600

/** What a rail declares of itself for its price: whole usd before the fee, null where it is not sold. */
export type Sold = { readonly key: RailKey; readonly prices: Readonly<Record<Tier, number>> | null }

/** What a quote and credit are for: runs of a rail, or the badge of a listing. */
export type Bought = RailKey | typeof BADGE_FEE
export const BADGE_FEE = 'trust_badge_fee' as const

/** Where paid runs begin, each with the rails that it takes: those that agents buy by themselves, or all that have a price. */
export const takenBy = {
  agent_use: 'paid_agent_use',
  mcp: 'paid_agent_use',
  first_paid_production_run: 'paid_agent_use',
  wallet_bound_run: 'priced',
  customer_production_run: 'priced',
  customer_workflow: 'priced',
  first_pilot_run: 'priced',
} as const
export type PaidSurface = keyof typeof takenBy
export const paidSurfaces = Object.keys(takenBy) as [PaidSurface, ...PaidSurface[]]

/** One line of a quote in whole usd; the fee's line has the name of its fee item. */
export type QuoteLine = { item: string; usd: number }
export type Price = {
  base_usd: number
  rail_fee_usd: number
  total_usd: number
  pricing_model: string
  lines: QuoteLine[]
}

/** 8 % of the tier price, rounded half up to whole usd, on standard and pro; none on entry. */
export function railFee(tier: Tier, base: number): number {
  return tier === 'entry' ? 0 : Math.floor((base * 8 + 50) / 100)
}

/** The price of `units` runs in whole usd, the fee rounded for each run; 400 `unsupported_request` for a rail that is not sold. */
export function priceOf({ key, prices }: Sold, tier: Tier, units = 1): Price {
  if (prices === null)
    throw refuse('unsupported_request', {
      detail: `${key} is not sold`,
      next_action: 'Choose a rail that GET /api/agent-pricing has a price for.',
    })
  const base_usd = prices[tier] * units
  const rail_fee_usd = railFee(tier, prices[tier]) * units
  const lines = [{ item: `${key} ${tier}${units === 1 ? '' : ` × ${units}`}`, usd: base_usd }]
  if (rail_fee_usd > 0) lines.push({ item: 'micro_routing_fee', usd: rail_fee_usd })
  return {
    base_usd,
    rail_fee_usd,
    total_usd: base_usd + rail_fee_usd,
    pricing_model: PRICING_MODEL,
    lines,
  }
}

/** Nothing, for a synthetic run of a rail that is never sold. */
export function discoveryPrice(rail: Sold): Price {
  return {
    base_usd: 0,
    rail_fee_usd: 0,
    total_usd: 0,
    pricing_model: pricingModelOf(rail),
    lines: [],
  }
}

/** The name of the price list that a rail stands on. */
export const pricingModelOf = ({ key, prices }: Sold): string =>
  prices === null ? `${key}_discovery` : PRICING_MODEL

export type PriceCard = {
  entry: number
  standard: number
  pro: number
  /** The fee on standard, as the agent pricing surface shows it. */
  rail_fee: number
  totals: Record<Tier, number>
}

/** Both tables of the document for one rail: bases with the standard fee, and the totals of the movement fee schedule. */
export function priceCard(rail: Sold & { prices: NonNullable<Sold['prices']> }): PriceCard {
  const total = (tier: Tier) => priceOf(rail, tier).total_usd
  const [entry, standard, pro] = tiers.map((tier) => rail.prices[tier]) as [number, number, number]
  const totals = { entry: total('entry'), standard: total('standard'), pro: total('pro') }
  return { entry, standard, pro, rail_fee: railFee('standard', standard), totals }
}
