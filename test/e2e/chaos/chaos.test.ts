import { beforeAll, expect } from 'vitest'
import { within } from '../../support/slowness.ts'
import { verifies } from '../../verifies.ts'
import { type BatchReport, runBatch } from './batch.ts'
import { compilePrograms } from './compile.ts'
import { batchFaults, runFaults } from './schedule.ts'
import { summarize } from './summary.ts'
import { Tally } from './tally.ts'

const SEED = 20
const RUNS = 60
/** It takes four to six minutes; a slow machine is no fault. */
const SLOWEST_MS = within(900_000)
const tally = new Tally()
let report: BatchReport

beforeAll(async () => {
  const programs = await compilePrograms()
  report = await runBatch({
    seed: SEED,
    batch: 0,
    first: 0,
    size: RUNS,
    programs,
    tally,
    log: () => undefined,
  })
}, SLOWEST_MS)

verifies('chaos.boundaries', 'under every fault no payout is paid twice, lost or stuck', () => {
  expect(summarize(report.findings, report.records)).toEqual([])
  expect(report.records.length).toBeGreaterThanOrEqual(RUNS)
})

verifies('chaos.boundaries', 'each activity was struck before, during and after its work', () => {
  const struck = Object.keys(tally.counts).map((kind) => kind.split(':')[0])
  const cells = report.activities.flatMap((activity) =>
    ['before', 'during', 'after'].map((boundary) => `${boundary} ${activity}`),
  )
  expect(cells.length).toBeGreaterThanOrEqual(24)
  expect(cells.filter((cell) => !struck.includes(cell))).toEqual([])
})

verifies('chaos.boundaries', 'every other kind of fault has struck', () => {
  expect(
    [...runFaults, ...batchFaults].filter((fault) => tally.counts[fault] === undefined),
  ).toEqual([])
})
