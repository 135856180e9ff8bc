import { expect, test } from 'vitest'
import {
  TokenopsHead,
  type TokenopsInput,
  tokenops,
  UsageRow,
} from '#domain/rails/tokenops/index.ts'
import { hasPython, judged } from './truths.ts'

type Sums = Record<'model' | 'agent' | 'day' | 'task' | 'customer' | 'team', Record<string, string>>
type Truth = {
  total: string
  duplicates: number
  unpriced: number
  planted: string[]
  sums: Sums
}

const costs = <Line extends { cost_minor: string }>(lines: Line[], keyOf: (line: Line) => string) =>
  Object.fromEntries(lines.map((line) => [keyOf(line), line.cost_minor]))

for (const seed of [1, 2, 3])
  test.skipIf(!hasPython)(`tokenops finds what Python planted with seed ${seed}`, () => {
    const { input, truth } = judged<{ input: TokenopsInput; truth: Truth }>('tokenops', seed)
    const { usage, ...head } = input
    TokenopsHead.parse(head)
    for (const row of usage) UsageRow.parse(row)
    const { result } = tokenops.work(input)
    expect(result.total_cost_minor).toBe(truth.total)
    expect(costs(result.cost_by_model, ({ model }) => model)).toEqual(truth.sums.model)
    expect(costs(result.cost_by_agent, ({ agent }) => agent ?? '')).toEqual(truth.sums.agent)
    expect(costs(result.cost_by_day, ({ day }) => day)).toEqual(truth.sums.day)
    expect(costs(result.cost_by_task, ({ task }) => task)).toEqual(truth.sums.task)
    expect(costs(result.cost_by_customer, ({ customer }) => customer)).toEqual(truth.sums.customer)
    expect(costs(result.cost_by_tag, ({ value }) => value)).toEqual(truth.sums.team)
    expect(result.duplicates.rows).toBe(truth.duplicates)
    expect(result.unpriced.reduce((sum, { rows }) => sum + rows, 0)).toBe(truth.unpriced)
    expect(result.budget_state.state).toBe('unknown')

    const rowAt = (pointer = '') => usage[Number(pointer.split('/')[2])]
    const found = result.anomalies
      .filter(({ kind }) => kind === 'row')
      .map(({ citations }) => rowAt(citations[0]?.pointer)?.request_id ?? '')
    const right = found.filter((id) => truth.planted.includes(id)).length
    const [precision, recall] = [right / found.length, right / truth.planted.length]
    console.log(`seed ${seed}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`)
    expect(truth.planted.length).toBeGreaterThan(20)
    expect(precision).toBeGreaterThanOrEqual(0.8)
    expect(recall).toBeGreaterThanOrEqual(0.8)
  })
