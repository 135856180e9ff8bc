import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { COUNTERPART_STEP } from '#domain/harness/suites.ts'
import { exchangeDigests, transcriptHash } from '#domain/harness/transcript.ts'
import {
  beginHarness,
  endHarnessRun,
  keepHarnessStep,
  listHarnessSteps,
} from '../../../../activities/store/harness/runs.ts'
import { type OwnReport, Regressions } from '../../../../api/services/harness/regressions.ts'
import { registeredAgent } from '../../../support/agent-rows.ts'
import { startDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

const suite = 'external-agent-agent-test'
let database: Awaited<ReturnType<typeof startDatabase>>
let regressions: Regressions
beforeAll(async () => {
  database = await startDatabase()
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  regressions = new Regressions({
    db: database.db,
    issuer: 'https://api.rails.example/api/trust-contract',
    environment: 'local',
    signReceipt: async () => async (claims) => ({
      jws: `${encode({ kid: 'k1' })}.${encode(claims)}.${encode('signature')}`,
      kid: 'k1',
    }),
  })
})
afterAll(() => database?.stop())
beforeEach(async () => {
  await sql`truncate harness_runs, regression_reports cascade`.execute(database.db)
})

/** A test of two steps and failing ones, of which the second went as it is said; without `ok` it runs still. */
async function storedTest(ok?: boolean, failing: readonly string[] = []) {
  const { db } = database
  const test_run_id = `tr_${randomBytes(32).toString('hex')}`
  const asked = { suite, rail: 'packetops', counterpart_mcp_url: null, code_version: '1' } as const
  const steps = ['hand over', 'run', ...failing]
  const caller_sha256 = randomBytes(32).toString('hex')
  const bounds = { callerHourMax: 9, callerDayMax: 99, dayMax: 99, openMax: 9 }
  await beginHarness(db, { ...asked, test_run_id, steps, caller_sha256 }, bounds)
  if (ok === undefined) return test_run_id
  for (const [step, good] of [
    ['hand over', true],
    ['run', ok],
    ...failing.map((step) => [step, false] as const),
  ] as const) {
    const outcome = { step, ok: good, expected: '200', detail: 'd', status: 200, ms: 1 }
    await keepHarnessStep(db, test_run_id, { ...outcome, ...exchangeDigests([]), exchanges: [] })
  }
  const transcript_hash = transcriptHash(suite, await listHarnessSteps(db, test_run_id))
  await endHarnessRun(db, test_run_id, { passed: 1, failed: 1, transcript_hash })
  return test_run_id
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: { refusal?: { code: string } }) => error.refusal?.code ?? String(error),
  )
const all = { kind: undefined, failed: undefined, since: undefined, agentId: undefined }
const page = { offset: 0, limit: 25 }

verifies('regression.persist', 'a completed test has one report, a running one none', async () => {
  const test = await storedTest(true)
  const first = await regressions.persist(test, 'seen')
  expect(first).toMatchObject({
    report: { origin: 'service', verified: true, passed: 2, failed: 0, note: 'seen' },
    receipt: { kind: 'regression', usage: 'synthetic', payload: { test_run_id: test } },
  })
  const again = await Promise.all([1, 2, 3].map(() => regressions.persist(test, 'other')))
  expect(again).toEqual([first, first, first])
  expect(await refusalOf(regressions.persist(await storedTest(), null))).toBe('not_ready')
  const unknown = `tr_${'0'.repeat(64)}`
  expect(await refusalOf(regressions.persist(unknown, null))).toBe('not_found')
})

verifies('regression.persist', 'a server of someone else fails no report', async () => {
  const { db } = database
  const test_run_id = await storedTest(true, [COUNTERPART_STEP])
  const { report } = await regressions.persist(test_run_id, null)
  expect(report).toMatchObject({ passed: 2, failed: 0 })
  expect((await listHarnessSteps(db, test_run_id)).map(({ step }) => step)).toEqual([
    'hand over',
    'run',
    COUNTERPART_STEP,
  ])
})

verifies('regression.persist', 'a transcript with another hash makes no report', async () => {
  const test = await storedTest(true)
  await sql`alter table harness_steps disable trigger harness_steps_kept`.execute(database.db)
  await sql`update harness_steps set played = jsonb_set(played::jsonb, '{ok}', 'false')::json where step = 'run'`.execute(
    database.db,
  )
  await sql`alter table harness_steps enable trigger harness_steps_kept`.execute(database.db)
  await expect(regressions.persist(test, null)).rejects.toThrow('another hash')
  expect((await regressions.list(all, page)).total).toBe(0)
})

verifies(
  'regression.diff',
  'reports of a suite say what newly fails and what is fixed',
  async () => {
    const diffs = []
    for (const ok of [true, false, false, true])
      diffs.push((await regressions.persist(await storedTest(ok), null)).diff)
    expect(diffs).toEqual([
      { newly_failing: [], fixed: [] },
      { newly_failing: ['run'], fixed: [] },
      { newly_failing: [], fixed: [] },
      { newly_failing: [], fixed: ['run'] },
    ])
    const { items, trend } = await regressions.list({ ...all, failed: true }, page)
    expect(items.map(({ failed }) => failed)).toEqual([1, 1])
    expect(trend).toEqual({
      reports: 2,
      with_failures: 2,
      steps_passed: 2,
      steps_failed: 2,
      failed_then_now: [1, 1],
    })
    const later = { ...all, kind: suite, since: new Date(Date.now() + 60_000) }
    expect(await regressions.list(later, page)).toMatchObject({
      items: [],
      trend: { reports: 0, failed_then_now: null },
    })
  },
)

const own = (ok: boolean): OwnReport => ({
  suite: 'my shop',
  passed: 1,
  failed: 1,
  steps: [{ step: 'pay', ok }],
  transcript_hash: 'cd'.repeat(32),
  code_version: '7',
})

verifies('regression.store', 'an agent’s report is not verified and its own alone', async () => {
  const [one, other] = await Promise.all([
    registeredAgent(database.db),
    registeredAgent(database.db),
  ])
  const first = await regressions.store(one.agent_id, own(true), 'call_1')
  expect(first.report).toMatchObject({ origin: 'caller', verified: false, test_run_id: null })
  expect(await regressions.store(one.agent_id, own(true), 'call_1')).toEqual(first)
  const theirs = await regressions.store(other.agent_id, own(false), 'call_2')
  expect(theirs.diff).toEqual({ newly_failing: ['pay'], fixed: [] })
  const next = await regressions.store(one.agent_id, own(false), 'call_3')
  expect(next.diff).toEqual({ newly_failing: ['pay'], fixed: [] })
  const seenBy = async (agentId?: string) =>
    (await regressions.list({ ...all, agentId }, page)).items.map(({ report_id }) => report_id)
  expect(await seenBy()).toEqual([])
  expect(await seenBy(one.agent_id)).toEqual([next.report.report_id, first.report.report_id])
  expect(await seenBy(other.agent_id)).toEqual([theirs.report.report_id])
})

verifies('regression.store', 'an agent stores a hundred reports a day', async () => {
  const { agent_id } = await registeredAgent(database.db)
  await sql`insert into regression_reports (report_id, origin, agent_id, suite, steps, passed, failed, transcript_hash, code_version)
    select 'rg_' || lpad(n::text, 64, '0'), 'caller', ${agent_id}, 's', '[]', 0, 0, repeat('ab', 32), '1' from generate_series(1, 99) n`.execute(
    database.db,
  )
  const store = (name: string) => refusalOf(regressions.store(agent_id, own(true), name))
  expect((await Promise.all([store('call_a'), store('call_b')])).sort()).toEqual([
    'none',
    'rate_limited',
  ])
})
