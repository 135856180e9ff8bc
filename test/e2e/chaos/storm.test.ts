import { expect } from 'vitest'
import { within } from '../../support/slowness.ts'
import { verifies } from '../../verifies.ts'
import { runStorm } from './storm.ts'
import { partsOf, planStorm } from './storm-schedule.ts'

const SEED = 41
/** At least one round over all parts, each killed once the one before is back. */
const shape = { apis: 1, workers: 1, payouts: 12, runs: 6, customers: 2, lastsMs: 27_500 }
const SLOWEST_MS = 600_000

verifies('chaos.storm', 'a seed gives one storm, which strikes every part', () => {
  const plan = planStorm(SEED, shape)
  expect(planStorm(SEED, shape)).toEqual(plan)
  expect(planStorm(SEED + 1, shape)).not.toEqual(plan)
  const struck = new Set(plan.kills.map(({ part }) => part))
  expect([...struck].sort()).toEqual(partsOf(shape).sort())
  expect(plan.payouts.some(({ leaves }) => leaves)).toBe(true)
  const larger = planStorm(SEED, { ...shape, apis: 2, workers: 3, lastsMs: 90_000 })
  expect(new Set(larger.kills.map(({ part }) => part)).size).toBe(11)
})

verifies(
  'chaos.storm',
  'after kills of every part no payout and no run is stuck',
  async () => {
    const log = () => undefined
    const quietMs = within(240_000)
    const report = await runStorm({ seed: SEED, shape, quietMs, pace: 'recovery', log })
    expect(report.violations).toEqual([])
    expect(report.doneAfterS).not.toBeNull()
    expect(Object.keys(report.kills).sort()).toEqual(partsOf(shape).sort())
  },
  SLOWEST_MS,
)
