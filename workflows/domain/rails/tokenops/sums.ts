import { groupedBy } from '../../core/grouped-by.ts'
import { decimalText } from '../amounts.ts'
import { cite } from '../notes.ts'
import type { Citation } from '../rail.ts'
import { inOrder } from '../work.ts'
import type { AgentDay } from './anomalies.ts'
import { COST_PLACES, costOf, type Price, type Prices } from './prices.ts'
import type { TokenopsResult } from './schema.ts'
import type { Cell, Tokens } from './usage.ts'

export type PricedCell = Cell & { cost: bigint; price: Price }
export type Sum = Tokens & { key: string; cost: bigint; price: Price }

/** The key of usage without an agent; no name is empty. */
export const NO_AGENT = ''

export function pricedCells(cells: Cell[], prices: Prices): PricedCell[] {
  return cells.flatMap((cell) => {
    const price = prices.of(cell.model)
    return typeof price === 'string' ? [] : [{ ...cell, price, cost: costOf(cell, price) }]
  })
}

/** The cells of each key summed, in the order of keys. */
export function sumsBy(cells: PricedCell[], keyOf: (cell: PricedCell) => string): Sum[] {
  const sums = new Map<string, Sum>()
  for (const cell of cells) {
    const key = keyOf(cell)
    const { rows, input, output, first, cost, price } = cell
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { key, rows, input, output, first, cost, price })
    else {
      addTokens(sum, cell)
      sum.cost += cost
    }
  }
  return [...sums.values()].sort(inOrder(({ key }) => key))
}

export function daysOfAgents(cells: PricedCell[]): AgentDay[][] {
  const agents = groupedBy(cells, ({ agent }) => agent ?? NO_AGENT)
  return [...agents.values()].map((own) =>
    sumsBy(own, ({ day }) => day).map(({ key, cost, first }) => ({
      agent: own[0]?.agent ?? null,
      day: key,
      cost,
      first,
    })),
  )
}

export function costLine(sum: Sum, citations: Citation[] = []) {
  return {
    rows: sum.rows,
    input_tokens: sum.input,
    output_tokens: sum.output,
    cost_minor: decimalText(sum.cost, COST_PLACES),
    citations: [...citations, cite('usage', sum.first)],
  }
}

export function unpricedOf(cells: Cell[], prices: Prices): TokenopsResult['unpriced'] {
  const models = groupedBy(cells, ({ model }) => model)
  const lines = [...models].flatMap(([model, own]) => {
    const reason = prices.of(model)
    if (typeof reason !== 'string') return []
    const sum = { rows: 0, input: 0, output: 0, first: Number.POSITIVE_INFINITY }
    for (const cell of own) addTokens(sum, cell)
    const { rows, input: input_tokens, output: output_tokens, first } = sum
    return [{ model, reason, rows, input_tokens, output_tokens, citations: [cite('usage', first)] }]
  })
  return lines.sort(inOrder(({ model }) => model))
}

function addTokens(sum: Tokens, { rows, input, output, first }: Tokens): void {
  sum.rows += rows
  sum.input += input
  sum.output += output
  sum.first = Math.min(sum.first, first)
}
