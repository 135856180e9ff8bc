import { scaled } from '../values/amounts.ts'
import { minorPlaces } from '../values/exchange.ts'
import { type Amount, EXACT_MAX } from './amount.ts'
import { listedPrices } from './listed/index.ts'
import { byMeter, type Counts, type Meter, meterNames, priceFields } from './meters.ts'
import { PER_TOKEN_PLACES, type TokenopsHead } from './schema.ts'

export type PriceRow = TokenopsHead['price_table'][number]

/** The rows of the price table, and those of the list for models that it does not have. */
export function priceRows({ price_table, listed_prices }: TokenopsHead): PriceRow[] {
  const own = new Set(price_table.map(({ model }) => model))
  const listed = listedPrices(listed_prices).filter(({ model }) => !own.has(model))
  return [...price_table, ...(listed as PriceRow[])]
}

/** What decides which prices of a model hold: the service, the length above which its prompts are, and its region. */
export type Use = { service: string; above: number; region: string }
/** Minor units with `PER_TOKEN_PLACES` places by meter, length and service. */
type Stated = ReadonlyMap<string, bigint>
export type PriceList = {
  stated: Stated
  uplifts: ReadonlyMap<string, bigint>
  /** The lengths above which prompts have prices of their own, by service. */
  lengths: ReadonlyMap<string, readonly number[]>
  /** All that it says, as one text. */
  says: string
}
type Exact = Record<Meter, bigint | null>
/** What one of each meter costs, in units of the price table; null where the table has no price for it. */
export type Rates = { exact: Exact; fast: Record<Meter, number>; without: readonly Meter[] }

const UPLIFT_PLACES = 2
const UPLIFT_ONE = 10n ** BigInt(UPLIFT_PLACES)
const keyOf = (meter: Meter, above: number, service: string) => `${meter} ${above} ${service}`

export function readPriceRow(row: PriceRow): PriceList {
  const places = minorPlaces(row.currency ?? null)
  const stated = new Map<string, bigint>()
  const lengths = new Map<string, number[]>()
  for (const [name, value] of Object.entries(row)) {
    const field = priceFields.get(name)
    if (field === undefined || value === undefined) continue
    const { meter, above, service, unit } = field
    const one = onlyOne(value)
    if (one === null) continue
    const ofMany = meter === 'searches' ? PER_TOKEN_PLACES - 3 : PER_TOKEN_PLACES - 6
    const price = scaled(one, unit === 'minor' ? ofMany : PER_TOKEN_PLACES + places)
    if (price === null) throw new RangeError(`${name} has too many places`)
    stated.set(keyOf(meter, above, service), price)
    if (above > 0 && (meter === 'input' || meter === 'output'))
      lengths.set(service, [...(lengths.get(service) ?? []), above])
  }
  const uplifts = upliftsOf(row)
  const says = JSON.stringify([[...stated].map(String).sort(), [...uplifts].map(String).sort()])
  return { stated, uplifts, lengths, says }
}

/** A price, or the one that all sizes of a search have. */
function onlyOne(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string') return value
  const [price, another] = new Set(Object.values(value as Record<string, number | string>))
  return price === undefined || another !== undefined ? null : price
}

function upliftsOf({ regional_uplift = {} }: PriceRow): Map<string, bigint> {
  return new Map(
    Object.entries(regional_uplift).map(([region, by]) => [
      region,
      scaled(by, UPLIFT_PLACES) ?? UPLIFT_ONE,
    ]),
  )
}

/** The prices of a list for a use; reasoning is output where it has no price of its own. */
export function pricesFor(
  { stated, uplifts, lengths }: PriceList,
  { service, above, region }: Use,
): Exact {
  const lengthIn = (name: string) =>
    Math.max(0, ...(lengths.get(name) ?? []).filter((own) => own <= above))
  const length = lengthIn(service)
  // Where long prompts have a price of their own, one of a service for short prompts does not hold for them.
  const isKnown = length >= lengthIn('')
  const uplift = uplifts.get(region) ?? UPLIFT_ONE
  const tokenPrice = (meter: Meter) => {
    const price = isKnown ? stated.get(keyOf(meter, length, service)) : undefined
    const lifted = price === undefined ? null : price * uplift
    return lifted !== null && lifted % UPLIFT_ONE === 0n ? lifted / UPLIFT_ONE : null
  }
  return byMeter((meter) => {
    if (meter === 'searches') return stated.get(keyOf(meter, 0, '')) ?? null
    return tokenPrice(meter) ?? (meter === 'reasoning' ? tokenPrice('output') : null)
  })
}

/** Every price that a use of the list can have. */
export function allPrices({ stated, uplifts }: PriceList): bigint[] {
  const factors = [UPLIFT_ONE, ...uplifts.values()]
  return [...stated.values()].flatMap((price) => factors.map((by) => (price * by) / UPLIFT_ONE))
}

export function ratesOf(exact: Exact): Rates {
  return {
    exact,
    fast: byMeter((meter) => Number(exact[meter] ?? 0n)),
    without: meterNames.filter((meter) => exact[meter] === null),
  }
}

/** What was counted and has no price. */
export const unpricedOf = (counts: Counts, { without }: Rates): Meter[] =>
  without.filter((meter) => counts[meter] > 0)

/** What counts cost, in units of the price table, but for those without a price. */
export function costOf(counts: Counts, { exact, fast }: Rates): Amount {
  let cost = 0
  for (const meter of meterNames) cost += counts[meter] * fast[meter]
  // A product that a number does not hold exactly is above this maximum, and so is the sum.
  if (cost <= EXACT_MAX) return cost
  return meterNames.reduce((sum, meter) => sum + BigInt(counts[meter]) * (exact[meter] ?? 0n), 0n)
}
