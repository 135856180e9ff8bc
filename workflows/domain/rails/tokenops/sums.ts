import { detached } from '../../core/plain-text.ts'
import type { Citation } from '../rail.ts'
import { decimalText, divideRounded } from '../values/amounts.ts'
import { inOrder } from '../work/work.ts'
import { type Amount, addTo, type ExactSum, exactOf } from './amount.ts'
import { inputOf, outputOf } from './meters.ts'
import { citeRow, type Place } from './places.ts'
import { COST_PLACES } from './prices.ts'
import type { Usage } from './usage.ts'

/** More tasks, customers or tags than these are not told apart. */
const KEYS_MAX = 100_000
/** How many tasks, customers and tags are shown, the dearest first. */
const SHOWN_MAX = 1_000
const UNIT_PLACES = 6

export type Sum = {
  key: string
  rows: number
  input: number
  cached: number
  output: number
  reasoning: number
  cost: bigint
  first: Place
}
type Adding = Omit<Sum, 'cost'> & ExactSum
export type Sums = ReturnType<typeof sums>

/** Sums by a key; where there are more keys than are told apart, they are given up, whatever the order of rows. */
export function sums(unit: bigint, keysMax = Number.POSITIVE_INFINITY) {
  const known = new Map<string, Adding>()
  let tooMany = false
  const all = (): Sum[] => [...known.values()].map((sum) => ({ ...sum, cost: exactOf(sum) * unit }))
  return {
    add(key: string, { counts }: Usage, cost: Amount, place: Place): void {
      if (tooMany) return
      let sum = known.get(key)
      if (sum === undefined) {
        tooMany = known.size === keysMax
        if (tooMany) known.clear()
        sum = emptySum(key, place)
        if (!tooMany) known.set(sum.key, sum)
      }
      sum.rows += 1
      sum.input += inputOf(counts)
      sum.cached += counts.cached
      sum.output += outputOf(counts)
      sum.reasoning += counts.reasoning
      addTo(sum, cost)
      if (place < sum.first) sum.first = place
    },
    tooMany: () => tooMany,
    all,
    byKey: (): Sum[] => all().sort(inOrder(({ key }) => key)),
    dearest: (): Sum[] => all().sort(dearestFirst).slice(0, SHOWN_MAX),
  }
}

function emptySum(key: string, first: Place): Adding {
  return {
    key: detached(key),
    rows: 0,
    input: 0,
    cached: 0,
    output: 0,
    reasoning: 0,
    low: 0,
    high: 0n,
    first,
  }
}

/** Sums by the tasks, customers or tags that rows name. */
export const namedSums = (unit: bigint) => sums(unit, KEYS_MAX)

function dearestFirst(one: Sum, other: Sum): number {
  if (one.cost !== other.cost) return one.cost > other.cost ? -1 : 1
  return one.key < other.key ? -1 : 1
}

export function costText(cost: bigint): string {
  return decimalText(cost, COST_PLACES)
}

/** A cost for each of so many units, six places. */
export function perUnit(cost: bigint, units: number): string {
  const scale = 10n ** BigInt(COST_PLACES - UNIT_PLACES)
  return decimalText(divideRounded(cost, BigInt(units) * scale), UNIT_PLACES)
}

export function costLine(sum: Sum, citations: Citation[] = []) {
  return {
    rows: sum.rows,
    input_tokens: sum.input,
    cached_input_tokens: sum.cached,
    output_tokens: sum.output,
    reasoning_tokens: sum.reasoning,
    cost_minor: costText(sum.cost),
    cost_per_row_minor: perUnit(sum.cost, sum.rows),
    citations: [...citations, citeRow(sum.first)],
  }
}
