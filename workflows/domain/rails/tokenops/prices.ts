import { groupedBy } from '../../core/grouped-by.ts'
import { scaled } from '../values/amounts.ts'
import { exchangeRates, minorPlaces, RATE_PLACES } from '../values/exchange.ts'
import { inOrder, leading } from '../work/work.ts'
import { byMeter } from './meters.ts'
import { modelNames, type NamedBy } from './model-names.ts'
import {
  allPrices,
  type PriceList,
  type PriceRow,
  priceRows,
  pricesFor,
  type Rates,
  ratesOf,
  readPriceRow,
  type Use,
} from './rates.ts'
import { PER_TOKEN_PLACES, type TokenopsHead, type TokenopsResult } from './schema.ts'
import { BILLED_PLACES } from './usage.ts'

/** Most places by which the minor units of two currencies differ. */
const MINOR_PLACES_MAX = 3
/** Costs have the places of a price for one token, of an exchange rate, and of the minor units of two currencies. */
export const COST_PLACES = PER_TOKEN_PLACES + RATE_PLACES + MINOR_PLACES_MAX
const ONE_RATE = 10n ** BigInt(RATE_PLACES)

/** What a model costs on a day in the currency of the result, and where the price stands. */
export type Price = {
  model: string
  index: number
  rates(use: Use): Rates
  lengths(service: string): readonly number[]
}
export type Reason = TokenopsResult['unpriced'][number]['reason']
export type Found = { price: Price; by: NamedBy }
export type Prices = ReturnType<typeof readPrices>
type Dated = PriceList & { index: number; from: string; to: string; currency: string | null }

export function readPrices(head: TokenopsHead) {
  const table = priceRows(head)
  const currency = currencyOf(head.currency, table)
  const rates = exchangeRates(head.exchange_rates ?? [])
  const rows = table.map(datedRow)
  const lengths = [...new Set(rows.flatMap((row) => [...row.lengths.values()].flat()))].sort(
    (a, b) => b - a,
  )
  const models = new Map(
    [...groupedBy(rows, ({ model }) => model)].map(([model, own]) => [
      model,
      own.sort(
        inOrder(
          ({ from }) => from,
          ({ index }) => index,
        ),
      ),
    ]),
  )
  const unit = sharedUnit(rows, head, currency)
  const named = modelNames([...models.keys()], head.aliases)
  const rateOf = (from: string | null, day: string): bigint | null => {
    if (from === null || from === currency) return ONE_RATE
    return currency === null ? null : (rates.of(from, currency, day)?.scaled ?? null)
  }
  const onDay = (model: string, day: string): Price | Reason => {
    const own = models.get(model)
    if (own === undefined) return 'not_in_price_table'
    const latest = latestOn(own, day)
    const [first] = latest
    if (first === undefined) return 'no_price_on_day'
    if (latest.some((row) => !samePrice(row, first))) return 'prices_differ'
    const rate = rateOf(first.currency, day)
    if (rate === null) return 'no_exchange_rate'
    return priceOf(
      model,
      first,
      (price) => exchange(price, rate, first.currency, currency, PER_TOKEN_PLACES) / unit,
    )
  }
  const names = new Map<string, ReturnType<typeof named>>()
  const days = new Map<string, Map<string, Price | Reason>>()
  const namedOnce = (name: string) => {
    const known = names.get(name) ?? named(name)
    if (!names.has(name)) names.set(name, known)
    return known
  }
  const onDayOnce = (model: string, day: string): Price | Reason => {
    const own = days.get(model) ?? new Map<string, Price | Reason>()
    if (own.size === 0) days.set(model, own)
    const price = own.get(day) ?? onDay(model, day)
    if (!own.has(day)) own.set(day, price)
    return price
  }
  return {
    currency,
    /** How many of the places of costs one unit is. */
    unit,
    models: [...models.keys()].sort(),
    /** The greatest length of the table that a prompt is above; 0 for none. */
    above: (prompt: number): number => lengths.find((length) => prompt > length) ?? 0,
    onDay: onDayOnce,
    /** The price of a name in the usage on a day. */
    of(name: string, day: string): Found | Reason {
      const is = namedOnce(name)
      if (typeof is === 'string') return is
      const price = onDayOnce(is.model, day)
      return typeof price === 'string' ? price : { price, by: is.by }
    },
    /** A billed amount in the currency and places of costs; null without a rate. */
    billed(amount: bigint, from: string | null, day: string): bigint | null {
      const rate = rateOf(from, day)
      return rate === null ? null : exchange(amount, rate, from, currency, BILLED_PLACES)
    },
    ...repeatsOf([...models.values()]),
  }
}

/** A price with its rates for each use, made once. */
function priceOf(model: string, row: Dated, exchanged: (price: bigint) => bigint): Price {
  const known = new Map<string, Rates>()
  return {
    model,
    index: row.index,
    lengths: (service) => ['', service].flatMap((name) => row.lengths.get(name) ?? []),
    rates(use) {
      const key = `${use.above} ${use.service} ${use.region}`
      const read = known.get(key)
      if (read !== undefined) return read
      const exact = pricesFor(row, use)
      const rates = ratesOf(
        byMeter((meter) => {
          const price = exact[meter]
          return price === null ? null : exchanged(price)
        }),
      )
      known.set(key, rates)
      return rates
    },
  }
}

function datedRow(row: PriceRow, index: number): Dated & { model: string } {
  const days = { from: row.from ?? '', to: row.to ?? '9999-12-31' }
  const { model, currency = null } = row
  return { model, index, ...days, currency, ...readPriceRow(row) }
}

/** The rows that hold on a day and began last, of rows in the order of their first days. */
function latestOn(rows: Dated[], day: string): Dated[] {
  const latest: Dated[] = []
  for (let at = leading(rows, ({ from }) => from <= day) - 1; at >= 0; at--) {
    const row = rows[at]
    if (row === undefined || (latest[0] !== undefined && row.from !== latest[0].from)) break
    if (day <= row.to) latest.push(row)
  }
  return latest
}

/** The largest power of ten that divides every price of the table in the currency of the result. */
function sharedUnit(rows: Dated[], head: TokenopsHead, currency: string | null): bigint {
  const prices = rows.flatMap(allPrices)
  const rates = (head.exchange_rates ?? []).map(({ rate }) => scaled(rate, RATE_PLACES) ?? 0n)
  const shifts = rows.map((row) => shiftOf(row.currency, currency, PER_TOKEN_PLACES))
  const zeros = fewestZeros(prices) + fewestZeros([...rates, ONE_RATE]) + Math.min(3, ...shifts)
  return 10n ** BigInt(zeros)
}

function fewestZeros(numbers: bigint[]): number {
  return numbers
    .filter((number) => number !== 0n)
    .reduce((fewest, number) => Math.min(fewest, /0*$/.exec(String(number))?.[0].length ?? 0), 30)
}

function shiftOf(from: string | null, to: string | null, places: number): number {
  return COST_PLACES - places - RATE_PLACES + minorPlaces(to) - minorPlaces(from ?? to)
}

/** Minor units of one currency with some places as those of another with the places of costs. */
function exchange(
  amount: bigint,
  rate: bigint,
  from: string | null,
  to: string | null,
  places: number,
): bigint {
  return amount * rate * 10n ** BigInt(shiftOf(from, to, places))
}

/** The currency of the result: the stated one, or the only one of the price table. */
function currencyOf(stated: string | undefined, table: PriceRow[]): string | null {
  if (stated !== undefined) return stated
  const [first, another] = new Set(table.flatMap((row) => row.currency ?? []))
  return another === undefined ? (first ?? null) : null
}

const samePrice = (one: Dated, other: Dated): boolean =>
  one.says === other.says && one.currency === other.currency

/** Rows of the table that say again what another says, and those of a model and a first day with more than one price. */
function repeatsOf(models: Dated[][]): { repeated: number[]; differing: number[] } {
  const groups = models.flatMap((own) => [
    ...groupedBy(own, ({ from, to }) => `${from} ${to}`).values(),
  ])
  const [repeated, differing]: [number[], number[]] = [[], []]
  for (const own of groups) {
    const differ = own.some((row) => row !== own[0] && !samePrice(row, own[0] as Dated))
    const places = own.map(({ index }) => index)
    if (differ) differing.push(...places)
    else repeated.push(...places.slice(1))
  }
  return { repeated, differing }
}
