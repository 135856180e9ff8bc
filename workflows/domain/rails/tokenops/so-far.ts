import type { Amount } from './amount.ts'
import { type ModelRows, modelRows } from './anomalies.ts'
import { type Counts, inputOf, type Meter, meterNames, outputOf } from './meters.ts'
import type { NamedBy } from './model-names.ts'
import { type Place, placeOf } from './places.ts'
import { type Found, type Price, type Prices, type Reason, readPrices } from './prices.ts'
import { costOf, type Rates, type Use, unpricedOf } from './rates.ts'
import { requestIds } from './request-ids.ts'
import type { TokenopsHead } from './schema.ts'
import { namedSums, type Sums, sums } from './sums.ts'
import type { Uncounted, Usage, UsageList } from './usage.ts'

/** The key of usage without an agent; no name is empty. */
export const NO_AGENT = ''

/** What was counted of a model at the same rates, for what it would have cost otherwise. */
export type Cell = { model: string; day: string; use: Use; counts: Counts; rates: Rates }
type UnpricedCount = {
  model: string
  meter: Meter
  service: string
  rows: number
  count: number
  first: Place
}
type Unpriced = {
  model: string
  reason: Reason
  rows: number
  input: number
  output: number
  first: Place
}
type Renamed = { name: string; model: string; by: NamedBy; rows: number; first: Place }
/** What is billed for a model; `apart` where there are charges that no counts stand next to. */
export type Billed = {
  model: string | null
  rows: number
  billed: bigint
  cost: bigint
  apart: boolean
  first: Place
}
/** The rows of a day, and what its agents cost. */
type Day = { rows: number; unpriced: number; agents: Sums }
/** What a row costs by the prices of a model; null for a charge without counts. */
type Costing = { model: string | null; cost: Amount | null }
/** How often something was noted, and where it was first. */
export type Count = { rows: number; first: Place }

type Noted =
  | 'duplicates'
  | 'differing_ids'
  | 'repeated_rows'
  | 'parts'
  | 'prompt_lengths'
  | 'cache_hits'
  | 'tags'
  | Uncounted['reason']
  | 'no_billed_rate'
type Dimension = 'model' | 'agent' | 'day' | 'task' | 'customer' | 'tag'
export type SoFar = ReturnType<typeof usageSoFar>

/** Usage as it is kept while rows come in: sums, never the rows, but for eight bytes of each and sixteen for its id. */
export function usageSoFar(head: TokenopsHead) {
  const prices = readPrices(head)
  const ids = requestIds()
  const noted = new Map<Noted, Count>()
  const { unit } = prices
  const by = {
    model: sums(unit),
    agent: sums(unit),
    day: sums(unit),
    task: namedSums(unit),
    customer: namedSums(unit),
    tag: namedSums(unit),
  }
  const priced = pricedParts(prices, by)
  const days = new Map<string, Day>()
  const note = (what: Noted, place: Place) => {
    const count = noted.get(what)
    if (count === undefined) noted.set(what, { rows: 1, first: place })
    else {
      count.rows += 1
      count.first = Math.min(count.first, place)
    }
  }
  /** Whether the row came before; without an id, a row that says what another says counts. */
  const isDuplicate = (usage: Usage, place: Place): boolean => {
    const says = contentOf(usage)
    if (usage.id === undefined) {
      if (ids.note(says, says) === 'repeated') note('repeated_rows', place)
      return false
    }
    const seen = ids.note([usage.id], says)
    if (seen === 'repeated') note('duplicates', place)
    if (seen === 'differs') note('differing_ids', place)
    return seen === 'repeated'
  }
  const takeNew = (usage: Usage, place: Place): void => {
    const found = prices.of(usage.model, usage.day)
    const day = days.get(usage.day) ?? { rows: 0, unpriced: 0, agents: sums(unit) }
    if (day.rows === 0) days.set(usage.day, day)
    day.rows += 1
    if (usage.parts) note('parts', place)
    if (usage.tags === null) note('tags', place)
    if (typeof found === 'string') {
      day.unpriced += 1
      priced.without(usage, found, place)
      return
    }
    if (usage.free) note('cache_hits', place)
    const { price } = found
    if (isBetweenLengths(usage, price)) note('prompt_lengths', place)
    const cost = priced.add(usage, { ...found, day }, place)
    bill(usage, { model: price.model, cost }, place)
  }
  const bill = (row: Pick<Usage, 'billed' | 'day'>, costing: Costing, place: Place) => {
    if (row.billed !== null && !priced.compare(row, costing, place)) note('no_billed_rate', place)
  }
  /** What was billed counts, though its tokens have no cost. */
  const takeUncounted = (charge: Uncounted, place: Place) => {
    note(charge.reason, place)
    const { model = null, day } = charge
    const found = model === null ? null : prices.of(model, day)
    const isPriced = found !== null && typeof found !== 'string'
    bill(charge, { model: isPriced ? found.price.model : model, cost: null }, place)
  }
  return {
    prices,
    by,
    ...priced.kept,
    days,
    noted: (what: Noted): Count => noted.get(what) ?? { rows: 0, first: 0 },
    take(list: UsageList, usage: Usage | Uncounted, index: number): void {
      const place = placeOf(list, index)
      if ('reason' in usage) takeUncounted(usage, place)
      else if (!isDuplicate(usage, place)) takeNew(usage, place)
    },
  }
}

/** Whether prompts of several requests may be above a length from which others prices hold. */
function isBetweenLengths({ prompt, counts, service }: Usage, price: Price): boolean {
  const whole = inputOf(counts)
  return prompt === null && price.lengths(service).some((length) => whole > length)
}

/** What is kept of rows whose model has a price, and of those without. */
function pricedParts(prices: Prices, by: Record<Dimension, Sums>) {
  const models = new Map<string, { rows: ModelRows; prices: Set<number> }>()
  const cells = new Map<Rates, Cell>()
  const unpricedCounts = new Map<string, UnpricedCount>()
  const unpriced = new Map<string, Unpriced>()
  const renamed = new Map<string, Renamed>()
  const billed = new Map<string | null, Billed>()
  return {
    kept: { models, cells, unpriced, unpricedCounts, renamed, billed },
    add(
      usage: Usage,
      { price, by: named, day: ofDay }: Found & { day: Day },
      place: Place,
    ): Amount {
      const { service, region, prompt } = usage
      const use = { service, region, above: prices.above(prompt ?? 0) }
      const rates = price.rates(use)
      const cost = usage.free ? 0 : costOf(usage.counts, rates)
      const without = usage.free ? [] : unpricedOf(usage.counts, rates)
      if (without.length > 0) ofDay.unpriced += 1
      for (const meter of without) addUnpriced(unpricedCounts, price.model, meter, usage, place)
      const { day, agent = NO_AGENT, task, customer, tags } = usage
      by.model.add(price.model, usage, cost, place)
      by.agent.add(agent, usage, cost, place)
      by.day.add(day, usage, cost, place)
      ofDay.agents.add(agent, usage, cost, place)
      if (task !== undefined) by.task.add(task, usage, cost, place)
      if (customer !== undefined) by.customer.add(customer, usage, cost, place)
      for (const [name, value] of tags ?? []) by.tag.add(`${name}\n${value}`, usage, cost, place)
      const model = models.get(price.model) ?? { rows: modelRows(prices.unit), prices: new Set() }
      if (model.prices.size === 0) models.set(price.model, model)
      model.prices.add(price.index)
      // What a row cost in part says nothing of what is usual.
      if (without.length === 0) model.rows.push(cost, place)
      if (!usage.free) addCell(cells, { model: price.model, day, use, rates, counts: usage.counts })
      if (named !== 'name') addRenamed(renamed, usage.model, price.model, named, place)
      return cost
    },
    without(usage: Usage, reason: Reason, place: Place): void {
      const key = `${usage.model}\n${reason}`
      const none = { model: usage.model, reason, rows: 0, input: 0, output: 0, first: place }
      const line = unpriced.get(key) ?? none
      line.rows += 1
      line.input += inputOf(usage.counts)
      line.output += outputOf(usage.counts)
      line.first = Math.min(line.first, place)
      unpriced.set(key, line)
    },
    /** Sets the billed amount of a row next to its cost; false without an exchange rate. */
    compare(
      { billed: stated, day }: Pick<Usage, 'billed' | 'day'>,
      { model, cost }: Costing,
      place: Place,
    ): boolean {
      const amount = stated === null ? null : prices.billed(stated.amount, stated.currency, day)
      if (amount === null) return false
      const line = billed.get(model) ?? noneBilled(model, place)
      line.rows += 1
      line.billed += amount
      line.cost += BigInt(cost ?? 0) * prices.unit
      line.apart ||= cost === null
      line.first = Math.min(line.first, place)
      billed.set(model, line)
      return true
    },
  }
}

const noneBilled = (model: string | null, first: Place): Billed => ({
  model,
  rows: 0,
  billed: 0n,
  cost: 0n,
  apart: false,
  first,
})

function addCell(cells: Map<Rates, Cell>, cell: Cell): void {
  const known = cells.get(cell.rates)
  if (known === undefined) cells.set(cell.rates, { ...cell, counts: { ...cell.counts } })
  else for (const meter of meterNames) known.counts[meter] += cell.counts[meter]
}

function addUnpriced(
  lines: Map<string, UnpricedCount>,
  model: string,
  meter: Meter,
  { service, counts }: Usage,
  place: Place,
): void {
  const key = `${model}\n${meter}\n${service}`
  const line = lines.get(key) ?? { model, meter, service, rows: 0, count: 0, first: place }
  line.rows += 1
  line.count += counts[meter]
  line.first = Math.min(line.first, place)
  lines.set(key, line)
}

function addRenamed(
  renamed: Map<string, Renamed>,
  name: string,
  model: string,
  by: NamedBy,
  place: Place,
): void {
  const line = renamed.get(name) ?? { name, model, by, rows: 0, first: place }
  line.rows += 1
  line.first = Math.min(line.first, place)
  renamed.set(name, line)
}

/** What a row says, for a comparison with others; more than one value, so that it is never only an id. */
function contentOf({ at, model, counts, service, agent, task, customer, tags }: Usage) {
  const says = [at, model, agent ?? '', task ?? '', customer ?? '', service]
  const counted = meterNames.map((meter) => counts[meter])
  return [...says, ...counted, ...(tags ?? []).flat()]
}
