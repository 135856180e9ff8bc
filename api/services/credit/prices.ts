import { refuse } from '#domain/core/errors.ts'
import {
  CURRENCY,
  type PaidSurface,
  PRICING_MODEL,
  paidSurfaces,
  priceCard,
  type Sold,
  takenBy,
} from '#domain/credit/pricing.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import type { Rail, RailKey } from '#domain/rails/rail.ts'

type Priced = Rail & { prices: NonNullable<Sold['prices']> }

const isPriced = (rail: Rail): rail is Priced => rail.prices !== null

/** The two lists of the document, and all that is sold. */
const onSurface = {
  agent: ({ takes }: Rail) => takes.paidAgentUse,
  movement_fee: ({ takes }: Rail) => takes.pricingModelV2,
  all: () => true,
}
export type PriceSurface = keyof typeof onSurface

/** Where a run of the rail is paid for; nowhere what is free. */
function paidSurfacesOf({ prices, takes }: Priced): PaidSurface[] {
  if (prices.pro === 0) return []
  return paidSurfaces.filter((surface) => takes.paidAgentUse || takenBy[surface] === 'priced')
}

/** The movement fee schedule shows what is paid in all; the other lists show bases, and the totals as a member. */
function priced(rail: Priced, surface: PriceSurface, isPaused: boolean) {
  const card = priceCard(rail)
  return {
    rail: rail.key,
    status: isPaused ? ('paused' as const) : statusOf(rail),
    ...card,
    ...(surface === 'movement_fee' ? card.totals : {}),
    paid_surfaces: paidSurfacesOf(rail),
    tiers: { ...rail.tiers },
  }
}

const feeRule = '8 % of the tier price, rounded to whole usd, on standard and pro; none on entry'

function statusOf({ prices, takes }: Priced): 'free' | 'active' | 'offered' {
  if (prices.pro === 0) return 'free'
  return takes.pricingModelV2 ? 'active' : 'offered'
}

export type PricesAsked = { rail?: RailKey | undefined; surface: PriceSurface }

/** Both price tables, computed from what the rails declare and from their switches; whole usd. */
export function listPrices({ rail, surface }: PricesAsked, paused: ReadonlySet<string>) {
  const listed = rails.filter(
    (one) => onSurface[surface](one) && (rail === undefined || one.key === rail),
  )
  return {
    currency: CURRENCY,
    // The document names a model for the movement fee schedule only.
    pricing_model: surface === 'agent' ? null : PRICING_MODEL,
    rails: listed.filter(isPriced).map((one) => priced(one, surface, paused.has(one.key))),
    fee_rule: surface === 'movement_fee' ? `included: ${feeRule}` : feeRule,
    quote_how:
      'Ask for a quote before a payment reference or a run: only a quote fixes a price, for 24 hours.',
  }
}

/** What a rail is sold as; 400 `unsupported_request` where agents cannot buy it by themselves. */
export function soldToAgents(key: RailKey): Sold {
  const rail = railOf(key)
  if (rail.takes.paidAgentUse) return rail
  const bought = rails.flatMap((one) => (one.takes.paidAgentUse ? one.key : []))
  const next =
    rail.prices === null
      ? ''
      : ` POST /api/agents/quote sells a run of ${key}; it begins with POST /api/agents/preflight.`
  throw refuse('unsupported_request', {
    detail: `${key} is not sold here`,
    next_action: `Use one of ${bought.join(', ')}.${next}`,
  })
}
