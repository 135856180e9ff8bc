import { expect } from 'vitest'
import { verifies } from '../../verifies.ts'
import { batchFaults, describeRun, planBatch, runFaults, runsOfMissed } from './schedule.ts'

const activities = ['createPayout', 'loadPayout', 'submitPayment']
const plan = (seed: number, batch = 0) => planBatch(seed, batch, 0, 32, activities)

verifies('chaos.schedule', 'a seed gives one schedule, and another seed another', () => {
  expect(plan(7)).toEqual(plan(7))
  expect(plan(7)).not.toEqual(plan(8))
  expect(plan(7, 1)).not.toEqual(plan(7, 2))
})

verifies(
  'chaos.schedule',
  'a batch of 32 has each boundary of each activity and each fault',
  () => {
    const { runs, events } = plan(7)
    const struck = new Set(
      runs.map(({ activityFault: fault }) => `${fault?.boundary} ${fault?.activity}`),
    )
    for (const activity of activities)
      for (const boundary of ['before', 'during', 'after'])
        expect(struck).toContain(`${boundary} ${activity}`)
    expect(new Set(runs.map(({ fault }) => fault))).toEqual(new Set([...runFaults, null]))
    expect(events.map(({ fault }) => fault).sort()).toEqual([...batchFaults].sort())
    expect(
      runs
        .filter(({ activityFault }) => activityFault?.activity === 'submitPayment')
        .every(({ pays }) => pays),
    ).toBe(true)
  },
)

verifies('chaos.schedule', 'a fault that struck no run gets one more', () => {
  const [missed, ...others] = runFaults
  const struck = Object.fromEntries(others.map((fault) => [fault, 1]))
  const late = runsOfMissed(plan(7).runs, struck)
  expect(late.map(({ fault }) => fault)).toEqual([missed])
  expect(plan(7).runs.map(({ index }) => index)).not.toContain(late[0]?.index)
  expect(runsOfMissed(plan(7).runs, { ...struck, [missed]: 1 })).toEqual([])
})

verifies('chaos.schedule', 'a run says in words what befalls it', () => {
  const { runs, events } = plan(7)
  const words = describeRun(runs[0] as (typeof runs)[number], events).join('\n')
  expect(words).toMatch(/^starts at 0 ms/)
  for (const fault of batchFaults) expect(words).toContain(fault)
})
