import { groupedBy } from '../../core/grouped-by.ts'
import { scaled } from '../values/amounts.ts'
import { exchangeRates, minorPlaces, RATE_PLACES } from '../values/exchange.ts'
import { inOrder, leading } from '../work/work.ts'
import { type Amount, EXACT_MAX } from './amount.ts'
import { modelNames, type NamedBy } from './model-names.ts'
import { PER_TOKEN_PLACES, type TokenopsHead, type TokenopsResult } from './schema.ts'
import { BILLED_PLACES, type TokenKind, type Tokens, tokenKinds } from './usage.ts'

/** Most places by which the minor units of two currencies differ. */
const MINOR_PLACES_MAX = 3
/** Costs have the places of a price for one token, of an exchange rate, and of the minor units of two currencies. */
export const COST_PLACES = PER_TOKEN_PLACES + RATE_PLACES + MINOR_PLACES_MAX
const ONE_RATE = 10n ** BigInt(RATE_PLACES)

type Row = TokenopsHead['price_table'][number]
type PerToken = Record<TokenKind, bigint>
type Fast = Record<TokenKind, number>
/**
 * What a token of each kind costs in the currency of the result, alone and in a batch, and where the price stands. Prices are
 * whole numbers of the unit that all prices of the table share, which is small enough for most costs to be exact as a `number`.
 */
export type Price = {
  model: string
  index: number
  single: PerToken
  batch: PerToken
  fast: { single: Fast; batch: Fast }
  /** Prices that the row leaves out, so that the full price is taken. */
  noCached: boolean
  noWrite: boolean
  noBatch: boolean
}
export type Reason = TokenopsResult['unpriced'][number]['reason']
export type Found = { price: Price; by: NamedBy }
export type Prices = ReturnType<typeof readPrices>
type Dated = Omit<Price, 'model' | 'fast'> & { from: string; to: string; currency: string | null }

export function readPrices(head: TokenopsHead) {
  const currency = currencyOf(head)
  const rates = exchangeRates(head.exchange_rates ?? [])
  const rows = head.price_table.map((row, index) => ({ model: row.model, ...read(row, index) }))
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
    return rate === null ? 'no_exchange_rate' : exchanged(model, first, rate)
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
    onDay: onDayOnce,
    /** The price of a name in the usage on a day. */
    of(name: string, day: string): Found | Reason {
      const is = namedOnce(name)
      if (typeof is === 'string') return is
      const price = onDayOnce(is.model, day)
      return typeof price === 'string' ? price : { price, by: is.by }
    },
    /** A billed amount in the currency and places of costs; null without a rate. */
    billed(amount: bigint, from: string, day: string): bigint | null {
      const rate = rateOf(from, day)
      return rate === null ? null : exchange(amount, rate, from, currency, BILLED_PLACES)
    },
    ...repeatsOf([...models.values()]),
  }

  function exchanged(model: string, row: Dated, rate: bigint): Price {
    const { index, noCached, noWrite, noBatch } = row
    const each = (prices: PerToken) =>
      kindsOf((kind) => {
        const price = exchange(prices[kind], rate, row.currency, currency, PER_TOKEN_PLACES)
        return price / unit
      })
    const [single, batch] = [each(row.single), each(row.batch)]
    const fast = { single: fastOf(single), batch: fastOf(batch) }
    return { model, index, single, batch, fast, noCached, noWrite, noBatch }
  }
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
  const prices = rows.flatMap(({ single, batch }) => [
    ...Object.values(single),
    ...Object.values(batch),
  ])
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
function currencyOf({ currency, price_table }: TokenopsHead): string | null {
  if (currency !== undefined) return currency
  const [first, another] = new Set(price_table.flatMap((row) => row.currency ?? []))
  return another === undefined ? (first ?? null) : null
}

/** What tokens cost, in units of the price table. */
export function costOf(tokens: Tokens, { single, batch, fast }: Price, inBatch: boolean): Amount {
  const quick = inBatch ? fast.batch : fast.single
  const cost =
    tokens.input * quick.input +
    tokens.cached * quick.cached +
    tokens.write * quick.write +
    tokens.image * quick.image +
    tokens.output * quick.output +
    tokens.reasoning * quick.reasoning
  // A product that a number does not hold exactly is above this maximum, and so is the sum.
  if (cost <= EXACT_MAX) return cost
  const prices = inBatch ? batch : single
  return tokenKinds.reduce((sum, kind) => sum + BigInt(tokens[kind]) * prices[kind], 0n)
}

function fastOf(prices: PerToken): Fast {
  const { input, cached, write, image, output, reasoning } = prices
  return {
    input: Number(input),
    cached: Number(cached),
    write: Number(write),
    image: Number(image),
    output: Number(output),
    reasoning: Number(reasoning),
  }
}

function read(row: Row, index: number): Dated {
  const places = minorPlaces(row.currency ?? null)
  const price = (million: number | string | undefined, token: number | string | undefined) => {
    if (million !== undefined) return scaled(million, PER_TOKEN_PLACES - 6) ?? 0n
    return token === undefined ? null : (scaled(token, PER_TOKEN_PLACES + places) ?? 0n)
  }
  const input = price(row.input_per_million_minor, row.input_cost_per_token) ?? 0n
  const output = price(row.output_per_million_minor, row.output_cost_per_token) ?? 0n
  const cached = price(row.cached_input_per_million_minor, row.cache_read_input_token_cost)
  const write = price(row.cache_write_per_million_minor, row.cache_creation_input_token_cost)
  const image = price(row.image_per_million_minor, row.input_cost_per_image_token)
  const reasoning = price(row.reasoning_per_million_minor, row.output_cost_per_reasoning_token)
  const batchIn = price(row.batch_input_per_million_minor, row.input_cost_per_token_batches)
  const batchOut = price(row.batch_output_per_million_minor, row.output_cost_per_token_batches)
  const prices = (plainIn: bigint, plainOut: bigint): PerToken => ({
    input: plainIn,
    cached: cached ?? plainIn,
    write: write ?? plainIn,
    image: image ?? plainIn,
    output: plainOut,
    reasoning: reasoning ?? plainOut,
  })
  return {
    index,
    from: row.from ?? '',
    to: row.to ?? '9999-12-31',
    currency: row.currency ?? null,
    single: prices(input, output),
    batch: prices(batchIn ?? input, batchOut ?? output),
    noCached: cached === null,
    noWrite: write === null,
    noBatch: batchIn === null || batchOut === null,
  }
}

function kindsOf(priceOf: (kind: TokenKind) => bigint): PerToken {
  return {
    input: priceOf('input'),
    cached: priceOf('cached'),
    write: priceOf('write'),
    image: priceOf('image'),
    output: priceOf('output'),
    reasoning: priceOf('reasoning'),
  }
}

function samePrice(one: Dated, other: Dated): boolean {
  return (
    one.currency === other.currency &&
    tokenKinds.every(
      (kind) => one.single[kind] === other.single[kind] && one.batch[kind] === other.batch[kind],
    )
  )
}

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
