import { expect } from 'vitest'
import { verifies } from '../../verifies.ts'
import { medianInterval } from './median-interval.ts'

verifies('bench.paired', 'nine pairs leave one value out at each end: 96.1 % (sign test)', () => {
  const values = [9, 1, 8, 2, 7, 3, 6, 4, 5]
  const { low, high, coverage } = medianInterval(values, 0.95)
  expect([low, high]).toEqual([2, 8])
  expect(coverage).toBeCloseTo(0.9609, 4)
})

verifies(
  'bench.paired',
  'fifteen pairs leave three values out at each end, and five are too few',
  () => {
    const fifteen = Array.from({ length: 15 }, (_, index) => index + 1)
    expect(medianInterval(fifteen, 0.95)).toMatchObject({ low: 4, high: 12 })
    expect(() => medianInterval([1, 2, 3, 4, 5], 0.95)).toThrow('too few')
  },
)
