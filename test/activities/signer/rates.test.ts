import fc from 'fast-check'
import { expect } from 'vitest'
import { createRates } from '../../../activities/signer/rates.ts'
import { verifies } from '../../verifies.ts'

verifies('signer.budgets', 'a kind that is used up leaves the budgets of the others', () => {
  let now = 0
  const rates = createRates({ receipts: 2, samples: 1 }, () => now)
  const taken = (name: 'receipts' | 'samples', times: number) =>
    Array.from({ length: times }, () => rates.take(name)).filter(Boolean).length
  expect(taken('samples', 10)).toBe(2)
  expect(taken('receipts', 10)).toBe(4)
  now += 1
  expect([taken('samples', 10), taken('receipts', 10)]).toEqual([1, 2])
  now += 1_000
  expect([taken('samples', 10), taken('receipts', 10)]).toEqual([2, 4])
})

verifies('signer.budgets', 'no stretch of time gets more than its rate and two seconds', () => {
  const waits = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { maxLength: 60 })
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 5 }), (steps, rate) => {
      let now = 0
      const rates = createRates({ one: rate }, () => now)
      const times: number[] = []
      for (const step of steps) {
        now += step
        if (rates.take('one')) times.push(now)
      }
      times.forEach((from, first) => {
        times.slice(first).forEach((to, more) => {
          expect(more + 1).toBeLessThanOrEqual(rate * (to - from) + 2 * rate + 1e-6)
        })
      })
    }),
  )
})
