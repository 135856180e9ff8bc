import { groupedBy } from '../../core/grouped-by.ts'
import type { Amount } from './amount.ts'
import type { Counts } from './meters.ts'
import { familyOf } from './model-names.ts'
import type { Prices } from './prices.ts'
import { costOf, type Rates, unpricedOf } from './rates.ts'
import type { TokenopsHead, TokenopsResult } from './schema.ts'
import type { Cell } from './so-far.ts'
import { costText } from './sums.ts'

type Saving = TokenopsResult['savings'][number]
type Compared = { cost: bigint; otherwise: bigint }
const CACHEABLE_PERCENT = 50
/** Models that each model is compared with, where none are stated. */
const COMPARED_MAX = 5

/** What a cheaper model or a cache would have saved on the same usage, the largest saving first. */
export function savingsOf(head: TokenopsHead, prices: Prices, cells: Cell[]): Saving[] {
  const models = [...groupedBy(cells, ({ model }) => model)]
  const percent = head.cacheable_percent ?? CACHEABLE_PERCENT
  const alternativesOf = head.alternatives === undefined ? nextCheaper(prices, cells) : stated(head)
  const found = models.flatMap(([model, own]) => {
    const cached = compared(own, prices.unit, ({ counts, rates }) =>
      costOf(partlyCached(counts, rates, percent), rates),
    )
    const caching = savingOf('caching', model, null, cached)
    const swaps = alternativesOf(model).flatMap((other) => swapped(prices, model, other, own))
    return [...caching, ...(head.alternatives ? swaps : swaps.sort(largestFirst).slice(-1))]
  })
  return found.sort(largestFirst).map(({ saving, line }) => {
    const assumption =
      line.kind === 'caching'
        ? `${percent} percent of the uncached input tokens are read from the cache; writes to it are not counted`
        : 'the other model does the same work with the same numbers of tokens'
    return { ...line, saving_minor: costText(saving), assumption }
  })
}

type Ranked = { saving: bigint; line: Omit<Saving, 'saving_minor' | 'assumption'> }

function largestFirst(one: Ranked, other: Ranked): number {
  if (one.saving !== other.saving) return one.saving > other.saving ? -1 : 1
  const keyOf = ({ line }: Ranked) => `${line.model}\n${line.kind}\n${line.instead ?? ''}`
  return keyOf(one) < keyOf(other) ? -1 : 1
}

function stated({ alternatives = [] }: TokenopsHead): (model: string) => string[] {
  const models = groupedBy(alternatives, ({ model }) => model)
  return (model) => [...new Set(models.get(model)?.map(({ instead }) => instead))]
}

/** The few models of the same family whose list prices are the next below, on the last day with usage. */
function nextCheaper(prices: Prices, cells: Cell[]): (model: string) => string[] {
  const last = [...new Set(cells.map(({ day }) => day))].sort().at(-1) ?? ''
  const listed = prices.models.flatMap((model) => {
    const price = prices.onDay(model, last)
    return typeof price === 'string' ? [] : [{ model, both: listPrice(price.rates(standard)) }]
  })
  const families = groupedBy(listed.sort(cheapestFirst), ({ model }) => vendorOf(model))
  const cheaper = [...families.values()].flatMap((own) =>
    own.map(({ model }, at) => {
      const below = own.slice(Math.max(0, at - COMPARED_MAX), at)
      return [model, below.map((one) => one.model)] as const
    }),
  )
  const of = new Map(cheaper)
  return (model) => of.get(model) ?? []
}

type Listed = { model: string; both: bigint }
const standard = { service: '', above: 0, region: '' }
const listPrice = ({ exact }: Rates) => (exact.input ?? 0n) + (exact.output ?? 0n)

function cheapestFirst(one: Listed, other: Listed): number {
  if (one.both !== other.both) return one.both < other.both ? -1 : 1
  return one.model < other.model ? -1 : 1
}

function swapped(prices: Prices, model: string, instead: string, own: Cell[]): Ranked[] {
  const cost = compared(own, prices.unit, ({ counts, day, use }) => {
    const price = prices.onDay(instead, day)
    if (typeof price === 'string') return null
    const rates = price.rates(use)
    return unpricedOf(counts, rates).length > 0 ? null : costOf(counts, rates)
  })
  return savingOf('cheaper_model', model, instead, cost)
}

/** `claude-3-5-sonnet` → `claude`. */
function vendorOf(model: string): string {
  return familyOf(model).split('-')[0] ?? ''
}

/** The cost of cells and what they would have cost, of those that can be compared. */
function compared(
  cells: Cell[],
  unit: bigint,
  otherwiseOf: (cell: Cell) => Amount | null,
): Compared {
  const sum = { cost: 0n, otherwise: 0n }
  for (const cell of cells) {
    const otherwise = otherwiseOf(cell)
    if (otherwise === null) continue
    sum.cost += BigInt(costOf(cell.counts, cell.rates)) * unit
    sum.otherwise += BigInt(otherwise) * unit
  }
  return sum
}

function savingOf(
  kind: Saving['kind'],
  model: string,
  instead: string | null,
  { cost, otherwise }: Compared,
): Ranked[] {
  if (otherwise >= cost) return []
  const texts = { cost_minor: costText(cost), would_cost_minor: costText(otherwise) }
  return [{ saving: cost - otherwise, line: { kind, model, instead, ...texts } }]
}

/** Whole tokens, rounded down; nothing moves where the price states no cheaper cached tokens. */
function partlyCached(counts: Counts, { exact }: Rates, percent: number): Counts {
  const { cached, input } = exact
  if (cached === null || input === null || cached >= input) return counts
  const moved = Math.floor((counts.input * percent) / 100)
  return { ...counts, input: counts.input - moved, cached: counts.cached + moved }
}
