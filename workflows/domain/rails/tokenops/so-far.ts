import type { Amount } from './amount.ts'
import { type ModelRows, modelRows } from './anomalies.ts'
import type { NamedBy } from './model-names.ts'
import { type Place, placeOf } from './places.ts'
import { costOf, type Found, type Price, type Prices, type Reason, readPrices } from './prices.ts'
import { requestIds } from './request-ids.ts'
import type { TokenopsHead } from './schema.ts'
import { namedSums, type Sums, sums } from './sums.ts'
import {
  inputOf,
  outputOf,
  type Tokens,
  tokenKinds,
  type Uncounted,
  type Usage,
  type UsageList,
} from './usage.ts'

/** The key of usage without an agent; no name is empty. */
export const NO_AGENT = ''

/** The tokens of a model on a day, alone or in batches, for what they would have cost otherwise. */
export type Cell = { model: string; day: string; batch: boolean; tokens: Tokens; price: Price }
type Unpriced = {
  model: string
  reason: Reason
  rows: number
  input: number
  output: number
  first: Place
}
type Renamed = { name: string; model: string; by: NamedBy; rows: number; first: Place }
type Billed = { model: string; rows: number; billed: bigint; cost: bigint; first: Place }
/** The rows of a day, and what its agents cost. */
type Day = { rows: number; unpriced: number; agents: Sums }
/** What a row costs by the prices of a model. */
type Costing = { model: string; cost: Amount }
/** How often something was noted, and where it was first. */
export type Count = { rows: number; first: Place }

type Noted =
  | 'duplicates'
  | 'differing_ids'
  | 'repeated_rows'
  | 'parts'
  | 'no_cached_price'
  | 'no_batch_price'
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
    const { cached, write } = usage.tokens
    if ((price.noCached && cached > 0) || (price.noWrite && write > 0))
      note('no_cached_price', place)
    if (price.noBatch && usage.batch) note('no_batch_price', place)
    const cost = priced.add(usage, found, day.agents, place)
    bill(usage, { model: price.model, cost }, place)
  }
  const bill = (row: Pick<Usage, 'billed' | 'day'>, costing: Costing, place: Place) => {
    if (row.billed !== null && !priced.compare(row, costing, place)) note('no_billed_rate', place)
  }
  /** What was billed counts, though its tokens have no cost. */
  const takeUncounted = (charge: Uncounted, place: Place) => {
    note(charge.reason, place)
    if (charge.model === undefined) return
    const found = prices.of(charge.model, charge.day)
    const model = typeof found === 'string' ? charge.model : found.price.model
    bill(charge, { model, cost: 0 }, place)
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

/** What is kept of rows whose model has a price, and of those without. */
function pricedParts(prices: Prices, by: Record<Dimension, Sums>) {
  const models = new Map<string, { rows: ModelRows; prices: Set<number> }>()
  const cells = { single: new Map<Price, Cell>(), batch: new Map<Price, Cell>() }
  const unpriced = new Map<string, Unpriced>()
  const renamed = new Map<string, Renamed>()
  const billed = new Map<string, Billed>()
  return {
    kept: { models, cells, unpriced, renamed, billed },
    add(usage: Usage, { price, by: named }: Found, agents: Sums, place: Place): Amount {
      const cost = usage.free ? 0 : costOf(usage.tokens, price, usage.batch)
      const { day, agent = NO_AGENT, task, customer, tags } = usage
      by.model.add(price.model, usage, cost, place)
      by.agent.add(agent, usage, cost, place)
      by.day.add(day, usage, cost, place)
      agents.add(agent, usage, cost, place)
      if (task !== undefined) by.task.add(task, usage, cost, place)
      if (customer !== undefined) by.customer.add(customer, usage, cost, place)
      for (const [name, value] of tags ?? []) by.tag.add(`${name}\n${value}`, usage, cost, place)
      const model = models.get(price.model) ?? { rows: modelRows(prices.unit), prices: new Set() }
      if (model.prices.size === 0) models.set(price.model, model)
      model.prices.add(price.index)
      model.rows.push(cost, place)
      if (!usage.free) addCell(usage.batch ? cells.batch : cells.single, usage, price)
      if (named !== 'name') addRenamed(renamed, usage.model, price.model, named, place)
      return cost
    },
    without(usage: Usage, reason: Reason, place: Place): void {
      const key = `${usage.model}\n${reason}`
      const none = { model: usage.model, reason, rows: 0, input: 0, output: 0, first: place }
      const line = unpriced.get(key) ?? none
      line.rows += 1
      line.input += inputOf(usage.tokens)
      line.output += outputOf(usage.tokens)
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
      const line = billed.get(model) ?? { model, rows: 0, billed: 0n, cost: 0n, first: place }
      line.rows += 1
      line.billed += amount
      line.cost += BigInt(cost) * prices.unit
      line.first = Math.min(line.first, place)
      billed.set(model, line)
      return true
    },
  }
}

function addCell(cells: Map<Price, Cell>, { day, batch, tokens }: Usage, price: Price): void {
  const cell = cells.get(price)
  if (cell === undefined)
    cells.set(price, { model: price.model, day, batch, tokens: { ...tokens }, price })
  else for (const kind of tokenKinds) cell.tokens[kind] += tokens[kind]
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
function contentOf({ at, model, tokens, batch, agent, task, customer, tags }: Usage) {
  const { input, cached, write, image, output, reasoning } = tokens
  const says = [at, model, agent ?? '', task ?? '', customer ?? '', input, cached, write, image]
  says.push(output, reasoning, batch ? 1 : 0)
  for (const [name, value] of tags ?? []) says.push(name, value)
  return says
}
