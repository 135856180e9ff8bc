import fc from 'fast-check'
import { expect } from 'vitest'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { seriesOf } from '../../../api/console/src/parts/series.ts'
import { dollars, standing, withShortIds } from '../../../api/console/src/parts/words.ts'
import { paths } from '../../../api/console/src/paths.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

verifies('console.pages', 'the console calls operators’ operations, by their paths', () => {
  for (const [id, path] of Object.entries(paths)) {
    const operation = operations.find((one) => one.id === id)
    expect(`${operation?.http.method} ${operation?.http.path}`).toBe(path)
    expect([operation?.access].flat(), id).toContain('operator')
  }
})

verifies('console.charts', 'lists with times or labels and a known number are charts', () => {
  const days = ['2026-11-01', '2026-11-02']
  const cost_by_day = days.flatMap((day) => [
    { day, rows: 3, model: 'large', cost: '1.5' },
    { day, rows: 4, model: 'small', cost: '0.5' },
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
  const places = [
    { quote: 'a', from: 1, to: 2 },
    { quote: 'b', from: 3, to: 4 },
  ]
  expect(seriesOf({ text: 'a', list: ['a', 'b'], one: [cost_by_day[0]], places })).toEqual([])
})

const chartsOf = (key: RailKey, part: 'input' | 'result') => {
  const { sandboxInput, work } = railOf(key)
  return seriesOf(part === 'input' ? sandboxInput : work(sandboxInput).result)
}

verifies('console.charts', 'cost, load, ageing and coverage of the rails are charts', () => {
  const titles = (key: RailKey, part: 'input' | 'result') =>
    chartsOf(key, part).map(({ title }) => title)
  expect(titles('tokenops', 'result')).toEqual(
    expect.arrayContaining(['cost by day: cost minor', 'cost by model: cost minor']),
  )
  expect(titles('energyops', 'result')).toContain('energy by band: energy')
  expect(titles('energyops', 'input')).toContain('readings: value')
  expect(titles('diligenceops', 'result')).toContain('coverage')
  expect(titles('packetops', 'result')).toContain('section coverage: points')
  const ageing = chartsOf('financeops', 'result').find(({ title }) => title === 'ageing EUR')
  expect(ageing?.labels).toEqual(['not due', 'days 1 30', 'days 31 60', 'days 61 90', 'over 90'])
  expect(ageing?.lines).toEqual([{ name: 'minor', values: [15_990, 50_000, 0, 0, 64_000] }])
})

verifies('console.charts', 'any document gives at most six charts with equal lengths', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const charts = seriesOf(value)
      expect(charts.length).toBeLessThanOrEqual(6)
      for (const { labels, times, lines } of charts) {
        expect(times?.length ?? labels.length).toBe(labels.length)
        for (const { values } of lines) expect(values).toHaveLength(labels.length)
      }
    }),
  )
})

verifies('console.pages', 'money has two decimals, or all that it has', () => {
  expect(['0', '107', '2.5', '0.000001', 1234567].map(dollars)).toEqual([
    '0.00',
    '107.00',
    '2.50',
    '0.000001',
    '1,234,567.00',
  ])
  expect(withShortIds(`run of task-${'a1'.repeat(32)}: x`)).toBe('run of task-a1a1a1a1a…: x')
})

verifies('console.progress', 'a run that ended early is not said to be done', () => {
  expect(standing('review_step', 6, 9)).toBe('Step 7 of 9: review step')
  expect(standing(null, 9, 9)).toBe('All steps are done')
  expect(standing(null, 5, 9)).toBe('It ended after 5 of 9 steps')
})
