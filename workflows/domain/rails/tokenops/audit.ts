import { detached } from '../../core/plain-text.ts'
import type { Audit } from '../rail.ts'
import { scaled } from '../values/amounts.ts'
import { minorPlaces, RATE_PLACES } from '../values/exchange.ts'
import { differs, exact, firstOfAll, firstWrong, planned, sumOf } from '../work/audit.ts'
import { type Counts, type Meter, meterNames } from './meters.ts'
import { type PriceRow, priceRows } from './rates.ts'
import type { FocusRow, LitellmRow, TokenopsHead, TokenopsResult, UsageRow } from './schema.ts'
import { ofFocus, ofLitellm, ofUsage, type Uncounted, type Usage } from './usage.ts'

const checks = {
  rows_counted: 'the rows of the result, against all rows of the input and those in no sum',
  sums_agree: 'the total, against its sums by model, by agent and by day',
  duplicates_counted: 'the duplicates, against the request ids sorted by what their rows say',
  costs_recomputed: 'the cost of each model, against its tokens summed first and priced then',
}
const budget = { budget_recomputed: 'what is spent of the budget, against the days of its period' }

/** Places in which costs are compared: those of a price for a token, of a rate, and of minor units. */
const PLACES = 30
type Cell = Pick<Usage, 'day' | 'service' | 'region' | 'free' | 'counts'> & { above: number }
type Cells = Map<string, Map<string, Cell>>

/** Sums tokens by name, day and kind of call, and prices the sums; the work prices each row. */
export const tokenopsAudit: Audit<TokenopsResult> = {
  plan: (input) => {
    const { budget_minor } = (input ?? {}) as TokenopsHead
    return planned(budget_minor === undefined ? checks : { ...checks, ...budget })
  },
  open(input) {
    const given = input as TokenopsHead
    const head = { ...given, price_table: priceRows(given) }
    const cells: Cells = new Map()
    const lengths = lengthsIn(head)
    const ids = sortedIds()
    let [rows, charges] = [0, 0]
    const read = (list: string, row: unknown): Usage | Uncounted => {
      if (list === 'usage') return ofUsage(row as UsageRow, { ...head, currency: null })
      return list === 'litellm' ? ofLitellm(row as LitellmRow) : ofFocus(row as FocusRow)
    }
    return {
      take(list, row) {
        const usage = read(list, row)
        rows += 1
        if ('reason' in usage) charges += 1
        else {
          if (usage.id !== undefined) ids.add(usage)
          addTo(
            cells,
            usage,
            lengths.filter((length) => length < (usage.prompt ?? 0)),
          )
        }
      },
      close: ({ result }) => ({
        rows_counted: rowsFault(result, rows - charges),
        sums_agree: sumsFault(result),
        duplicates_counted: differs('the number', result.duplicates.rows, ids.repeated()),
        costs_recomputed: costsFault(head, result, cells),
        ...(head.budget_minor === undefined
          ? {}
          : { budget_recomputed: budgetFault(head, result) }),
      }),
    }
  },
}

function addTo(cells: Cells, usage: Usage, passed: readonly number[]) {
  const { model, day, service, region, free, counts } = usage
  const above = Math.max(0, ...passed)
  const own = cells.get(model) ?? new Map<string, Cell>()
  if (own.size === 0) cells.set(detached(model), own)
  const key = JSON.stringify([day, service, region, free, above])
  const cell = own.get(key)
  if (cell !== undefined) for (const meter of meterNames) cell.counts[meter] += counts[meter]
  else {
    const kept = { day: detached(day), service: detached(service), region: detached(region) }
    own.set(key, { ...kept, free, above, counts: { ...counts } })
  }
}

/** The lengths of prompts that any field of the price table names. */
function lengthsIn({ price_table }: TokenopsHead): number[] {
  const named = price_table.flatMap((row) => Object.keys(row).map(lengthIn))
  return [...new Set(named.filter((length) => length > 0))]
}

const lengthIn = (field: string) => 1_000 * Number(/_above_(\d+)k_tokens/.exec(field)?.[1] ?? 0)

const rowsIn = (lines: readonly { rows: number }[]) =>
  lines.reduce((sum, { rows }) => sum + rows, 0)
const costsIn = (lines: readonly { cost_minor: string }[]) =>
  sumOf(lines.map(({ cost_minor }) => exact(cost_minor, PLACES)))

function rowsFault(result: TokenopsResult, rows: number): string | null {
  const { cost_by_model, cost_by_agent, cost_by_day, unpriced, duplicates } = result
  const priced = rowsIn(cost_by_model)
  return firstOfAll(
    differs('the number of rows', priced + rowsIn(unpriced) + duplicates.rows, rows),
    differs('the number of rows by agent', rowsIn(cost_by_agent), priced),
    differs('the number of rows by day', rowsIn(cost_by_day), priced),
  )
}

function sumsFault(result: TokenopsResult): string | null {
  const total = exact(result.total_cost_minor, PLACES)
  return firstOfAll(
    differs('the sum by model', costsIn(result.cost_by_model), total),
    differs('the sum by agent', costsIn(result.cost_by_agent), total),
    differs('the sum by day', costsIn(result.cost_by_day), total),
  )
}

/** Rows of a request id that are in no sum make the tokens of all rows a bound of the cost. */
function costsFault(
  head: TokenopsHead,
  { cost_by_model, model_names, duplicates }: TokenopsResult,
  cells: Cells,
): string | null {
  const named = new Map(model_names.map(({ name, priced_as }) => [name, priced_as]))
  const costs = new Map<string, bigint>()
  for (const [name, own] of cells) {
    const model = named.get(name) ?? name
    for (const cell of own.values()) {
      const price = priceOn(head, model, cell)
      if (price === null) continue
      const cost = cell.free ? 0n : costOf(cell.counts, price)
      costs.set(model, (costs.get(model) ?? 0n) + cost)
    }
  }
  return firstWrong(cost_by_model, ({ model, cost_minor }) => {
    const [is, should] = [exact(cost_minor, PLACES), costs.get(model)]
    if (should === undefined) return `${model} has no price`
    const holds = duplicates.rows === 0 ? is === should : is <= should
    return holds ? null : `the cost of ${model} is ${cost_minor}, not ${should} of 10^-${PLACES}`
  })
}

const costOf = (counts: Counts, price: (meter: Meter) => bigint) =>
  sumOf(meterNames.map((meter) => BigInt(counts[meter]) * price(meter)))

/** What each meter costs in a cell, in minor units of the result; null without a price. */
function priceOn(head: TokenopsHead, model: string, cell: Cell) {
  const { day } = cell
  const held = head.price_table.filter(
    ({ model: name, from = '', to = '9' }) => name === model && from <= day && day <= to,
  )
  const begun =
    held
      .map(({ from = '' }) => from)
      .sort()
      .at(-1) ?? ''
  const row = held.find(({ from = '' }) => from === begun)
  if (row === undefined) return null
  const currency = currencyOf(head)
  const rate = rateOn(head, row.currency ?? currency, day)
  if (rate === null) return null
  const shift = minorPlaces(currency) - minorPlaces(row.currency ?? currency)
  const priceOf = pricesIn(row, cell)
  return (meter: Meter): bigint => {
    const minor = priceOf(meter) * rate
    const units = shift < 0 ? minor / 10n ** BigInt(-shift) : minor * 10n ** BigInt(shift)
    return units / 10n ** BigInt(RATE_PLACES)
  }
}

/** Fields in minor units with their number of places, then fields in whole units by what they begin with. */
const fields: Record<Meter, readonly [string, string]> = {
  input: ['input_per_million_minor', 'input_cost_per_token'],
  cached: ['cached_input_per_million_minor', 'cache_read_input_token_cost'],
  write: ['cache_write_per_million_minor', 'cache_creation_input_token_cost'],
  write_1h: ['cache_write_1h_per_million_minor', 'cache_creation_input_token_cost_above_1hr'],
  image: ['image_per_million_minor', 'input_cost_per_image_token'],
  audio: ['audio_input_per_million_minor', 'input_cost_per_audio_token'],
  output: ['output_per_million_minor', 'output_cost_per_token'],
  reasoning: ['reasoning_per_million_minor', 'output_cost_per_reasoning_token'],
  image_output: ['image_output_per_million_minor', 'output_cost_per_image_token'],
  audio_output: ['audio_output_per_million_minor', 'output_cost_per_audio_token'],
  searches: ['searches_per_thousand_minor', 'search_context_cost_per_query'],
}

/** What a meter costs in a cell, in minor units of the row with `PLACES` places; zero where the row has no price. */
function pricesIn(row: PriceRow, { service, above, region }: Cell): (meter: Meter) => bigint {
  const lengths = Object.keys(row).map(lengthIn)
  const passed = [...new Set(lengths)].filter((own) => own > 0 && own <= above)
  const at = (meter: Meter, length: number, name = service) =>
    stated(row, namesOf(meter, length, name))
  const longest = (name: string) => {
    const priced = passed.filter(
      (own) => at('input', own, name) !== null || at('output', own, name) !== null,
    )
    return Math.max(0, ...priced)
  }
  const length = longest(service)
  const isKnown = length >= longest('')
  const percent = BigInt(Math.round(100 * Number(row.regional_uplift?.[region] ?? 1)))
  return (meter) => {
    if (meter === 'searches') return stated(row, fields.searches) ?? 0n
    if (!isKnown) return 0n
    const other = meter === 'reasoning' ? at('output', length) : null
    return ((at(meter, length) ?? other ?? 0n) * percent) / 100n
  }
}

/** The fields of a meter for long prompts and a service. */
function namesOf(meter: Meter, length: number, service: string): [string, string] {
  const [minor, whole] = fields[meter]
  const suffix = length === 0 ? '' : `_above_${length / 1_000}k_tokens`
  if (service === '') return [`${minor}${suffix}`, `${whole}${suffix}`]
  const plural = service === 'batch' ? 'batches' : service
  return [`${service}_${minor}${suffix}`, `${whole}${suffix}_${plural}`]
}

function stated(row: PriceRow, [minor, whole]: readonly [string, string]): bigint | null {
  const read = row as Record<string, string | number | Record<string, string | number> | undefined>
  const [many, one] = [read[minor], read[whole]]
  if (typeof many === 'object') return null
  if (many !== undefined) return scaled(many, PLACES - (minor.includes('million') ? 6 : 3))
  const sizes = typeof one === 'object' ? [...new Set(Object.values(one))] : [one]
  const [price] = sizes
  if (sizes.length !== 1 || price === undefined) return null
  return scaled(price, PLACES + minorPlaces(row.currency ?? null))
}

function currencyOf({ currency, price_table }: TokenopsHead): string | null {
  const priced = new Set(price_table.flatMap((row) => row.currency ?? []))
  return currency ?? (priced.size === 1 ? ([...priced][0] ?? null) : null)
}

function rateOn(head: TokenopsHead, from: string | null, day: string): bigint | null {
  const to = currencyOf(head)
  if (from === to) return 10n ** BigInt(RATE_PLACES)
  const known = (head.exchange_rates ?? []).filter(
    (rate) => rate.from === from && rate.to === to && (rate.day ?? '') <= day,
  )
  const latest =
    known
      .map(({ day = '' }) => day)
      .sort()
      .at(-1) ?? ''
  const values = new Set(
    known.flatMap((rate) => ((rate.day ?? '') === latest ? [scaled(rate.rate, RATE_PLACES)] : [])),
  )
  return values.size === 1 ? ([...values][0] ?? null) : null
}

function budgetFault({ budget_minor = 0, period }: TokenopsHead, result: TokenopsResult) {
  const { spent_minor, remaining_minor, state } = result.budget_state
  const counted = result.cost_by_day.filter(
    ({ day }) => period === undefined || (period.from <= day && day <= period.to),
  )
  const spent = costsIn(counted)
  const whole = BigInt(budget_minor) * 10n ** BigInt(PLACES)
  return firstOfAll(
    differs('what is spent', exact(spent_minor, PLACES), spent),
    differs('what is left', exact(remaining_minor ?? '0', PLACES), whole - spent),
    differs('whether it is exceeded', state === 'exceeded', spent > whole),
  )
}

/** 64 bits of each request id with what its row says, sorted at the end: equal neighbours are repetitions. */
function sortedIds() {
  let hashes = new BigUint64Array(1024)
  let count = 0
  return {
    add(usage: Usage) {
      const { id = '', at, model, counts, service, agent = '', task = '', customer = '' } = usage
      if (count === hashes.length) {
        const larger = new BigUint64Array(count * 2)
        larger.set(hashes)
        hashes = larger
      }
      const counted = meterNames.map((meter) => counts[meter])
      const who = [agent, task, customer, usage.tags]
      const says = JSON.stringify([id, at, model, counted, service, ...who])
      hashes[count] = (BigInt(fnv(says, 2_166_136_261)) << 32n) | BigInt(fnv(says, 84_696_351))
      count += 1
    },
    repeated(): number {
      const sorted = hashes.subarray(0, count).sort()
      let repeated = 0
      for (let at = 1; at < count; at++) if (sorted[at] === sorted[at - 1]) repeated += 1
      return repeated
    },
  }
}

/** FNV-1a over UTF-16 units, from a basis, with a last mix. */
function fnv(text: string, basis: number): number {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507)
  return (hash ^ (hash >>> 13)) >>> 0
}
