import { expect } from 'vitest'
import { seriesOf } from '../../../api/console/src/parts/series.ts'
import { paths } from '../../../api/console/src/paths.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

verifies('console.pages', 'the console calls operators’ operations, by their paths', () => {
  for (const [id, path] of Object.entries(paths)) {
    const operation = operations.find((one) => one.id === id)
    expect(`${operation?.http.method} ${operation?.http.path}`).toBe(path)
    expect(operation?.access, id).toBe('operator')
  }
})

verifies('console.pages', 'lists of a result with times or labels, and numbers, are charts', () => {
  const days = ['2026-11-01', '2026-11-02']
  const cost_by_day = days.flatMap((day) => [
    { day, model: 'large', cost: '1.5' },
    { day, model: 'small', cost: '0.5' },
  ])
  expect(seriesOf({ cost_by_day })).toEqual([
    {
      title: 'cost by day: cost',
      labels: days,
      times: days.map((day) => Date.parse(day) / 1000),
      lines: [
        { name: 'large', values: [1.5, 1.5] },
        { name: 'small', values: [0.5, 0.5] },
      ],
    },
  ])
  const ageing = [
    { bucket: '0–30 days', total: 5 },
    { bucket: '31–60 days', total: 2 },
  ]
  expect(seriesOf({ ageing })).toMatchObject([
    { times: null, lines: [{ name: 'total', values: [5, 2] }] },
  ])
  expect(seriesOf({ text: 'a', list: ['a', 'b'], one: [{ day: '2026-11-01', n: 1 }] })).toEqual([])
})
