import { expect } from 'vitest'
import {
  type Cadence,
  calendarOf,
  firingDueAt,
  intervalSecondsMin,
} from '#domain/production/customer-workflow.ts'
import { verifies } from '../../../verifies.ts'

const made = new Date('2026-01-31T10:20:30.500Z')
const due = (cadence: Cadence, now: string) =>
  firingDueAt(cadence, made, new Date(now)).toISOString()

verifies('workflow.due', 'a firing is due at the newest time of its calendar', () => {
  const now = '2026-03-04T10:21:07.000Z'
  expect(due('on_demand', now)).toBe(now)
  // The schedule's clock may be ahead of the database's.
  expect(due('daily', now)).toBe('2026-03-04T10:20:00.000Z')
  expect(due('daily', '2026-03-04T10:18:00.000Z')).toBe('2026-03-04T10:20:00.000Z')
  expect(due('daily', '2026-03-04T10:14:59.000Z')).toBe('2026-03-03T10:20:00.000Z')
  expect(due('weekly', now)).toBe('2026-02-28T10:20:00.000Z')
  expect(due('monthly', now)).toBe('2026-02-28T10:20:00.000Z')
  expect(due('monthly', '2026-03-28T10:20:00.000Z')).toBe('2026-03-28T10:20:00.000Z')
})

verifies('workflow.due', 'times of one calendar lie apart by more than its interval', () => {
  for (const cadence of ['daily', 'weekly', 'monthly'] as const) {
    const times = new Set<number>()
    for (let hour = 0; hour < 24 * 400; hour++)
      times.add(firingDueAt(cadence, made, new Date(made.getTime() + hour * 3_600_000)).getTime())
    const sorted = [...times]
    expect(calendarOf(cadence, made)).not.toBeNull()
    for (const [at, time] of sorted.entries())
      if (at > 0) expect(time - sorted[at - 1]!).toBeGreaterThan(intervalSecondsMin[cadence] * 1000)
  }
})
