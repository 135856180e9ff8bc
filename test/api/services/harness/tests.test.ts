import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { exchangeDigests } from '#domain/harness/transcript.ts'
import {
  endHarnessRun,
  type HarnessRunRow,
  keepHarnessFact,
  keepHarnessStep,
} from '../../../../activities/store/harness/runs.ts'
import { HarnessTests, type TestAsked } from '../../../../api/services/harness/tests.ts'
import { startDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())
beforeEach(async () => {
  await sql`truncate harness_runs cascade`.execute(database.db)
})

const NEVER = '203.0.113.9'
const suite = 'external-agent-agent-test'

/** Tests whose workflow is played here at once: a step, then the end. */
function openTests({ plays = true, resolve = async () => ['93.184.215.14'] } = {}) {
  const { db } = database
  const notified: HarnessRunRow[] = []
  const tests = new HarnessTests({
    db,
    changes: { wait: (_id, ms) => sleep(Math.min(ms, 20), true) },
    outside: { ownHosts: ['api.rails.example'], resolve },
    runsMax: { hour: 2, day: 20 },
    waitMs: 200,
    notify: async (run) => {
      notified.push(run)
      if (plays) await playAll(run)
    },
  })
  const run = (
    callId: string,
    { address = NEVER, ...asked }: Partial<TestAsked> & { address?: string } = {},
  ) => tests.run(suite, { rail: 'packetops', ...asked }, { callId, address })
  return { tests, run, notified }
}

async function playAll({ test_run_id, steps }: HarnessRunRow) {
  const { db } = database
  for (const step of steps) {
    const outcome = { step, expected: '200', ok: true, detail: 'as expected', status: 200, ms: 1 }
    const played = { ...outcome, ...exchangeDigests([]), exchanges: [] }
    await keepHarnessStep(db, test_run_id, played)
  }
  const totals = { passed: steps.length, failed: 0, transcript_hash: 'ab'.repeat(32) }
  await endHarnessRun(db, test_run_id, totals)
}

const call = () => randomBytes(8).toString('hex')
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: { refusal?: { code: string } }) => error.refusal?.code ?? String(error),
  )
const countRuns = async () =>
  (await database.db.selectFrom('harness_runs').selectAll().execute()).length

verifies(
  'harness.limits',
  'an address begins two tests an hour, also at the same time',
  async () => {
    const { run } = openTests()
    const codes = await Promise.all([1, 2, 3, 4].map(() => codeOf(run(call()))))
    expect(codes.sort()).toEqual(['none', 'none', 'rate_limited', 'rate_limited'])
    expect(await codeOf(run(call(), { address: '203.0.113.10' }))).toBe('none')
    expect(await countRuns()).toBe(3)
  },
)

verifies('harness.limits', 'a repeat is the same test and counts as none', async () => {
  const { run, notified } = openTests()
  const first = call()
  const answers = [await run(first), await run(first), await run(first)]
  expect(new Set(answers.map(({ body }) => body.test_run_id)).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(notified).toHaveLength(1)
  expect(await codeOf(run(call()))).toBe('none')
})

verifies('harness.limits', 'two are open at once, and twenty a day are begun', async () => {
  const { tests, run } = openTests()
  await sql`insert into harness_runs (test_run_id, suite, rail, steps, caller_sha256, code_version)
    select 'tr_' || lpad(n::text, 64, '0'), ${suite}, 'packetops', '[]', repeat('cd', 32), '1' from generate_series(1, 2) n`.execute(
    database.db,
  )
  expect(await codeOf(run(call()))).toBe('rate_limited')
  await sql`update harness_runs set ended_at = clock_timestamp(), passed = 0, failed = 0, transcript_hash = repeat('ab', 32)`.execute(
    database.db,
  )
  await sql`insert into harness_runs (test_run_id, suite, rail, steps, caller_sha256, code_version, created_at)
    select 'tr_' || lpad(n::text, 64, '0'), ${suite}, 'packetops', '[]', repeat('cd', 32), '1', clock_timestamp() - interval '1 hour'
    from generate_series(3, 19) n`.execute(database.db)
  expect(await codeOf(run(call()))).toBe('none')
  expect(await codeOf(run(call()))).toBe('rate_limited')
  expect(await codeOf(tests.read(suite, `tr_${'f'.repeat(64)}`))).toBe('not_found')
})

verifies('harness.limits', 'an address begins a fifth of the tests of a day', async () => {
  const { run } = openTests()
  await sql`insert into harness_runs (test_run_id, suite, rail, steps, caller_sha256, code_version, created_at)
    select 'tr_' || lpad(n::text, 64, '0'), ${suite}, 'packetops', '[]', ${sha256Hex(NEVER)}, '1', clock_timestamp() - interval '2 hours'
    from generate_series(1, 3) n`.execute(database.db)
  expect(await codeOf(run(call()))).toBe('none')
  expect(await codeOf(run(call()))).toBe('rate_limited')
  expect(await codeOf(run(call(), { address: '203.0.113.10' }))).toBe('none')
})

verifies(
  'harness.wait',
  'a test that does not end in time is a 202 that says what is left',
  async () => {
    const { run, tests } = openTests({ plays: false })
    const begun = run('waiting')
    const { status, body } = await begun
    expect([status, body.state, body.transcript_hash]).toEqual([202, 'running', null])
    expect(body.pending).toEqual(['hand over', 'run', 'verify'])
    const { test_run_id } = body
    const stored = await database.db
      .selectFrom('harness_runs')
      .selectAll()
      .executeTakeFirstOrThrow()
    await playAll(stored)
    expect(await run('waiting')).toMatchObject({ status: 200, body: { state: 'completed' } })
    expect(await tests.read(suite, test_run_id)).toMatchObject({ passed: 3, pending: [] })
    expect(await codeOf(tests.read('agent-to-agent-test-harness', test_run_id))).toBe('not_found')
  },
)

verifies('harness.counterpart', 'a URL that leads to no public address is refused', async () => {
  const refused = [
    'http://tools.example/mcp',
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://2130706433/mcp',
    'https://0x7f.1/mcp',
    'https://localhost/mcp',
    'https://tools.example:8443/mcp',
    'https://user@tools.example/mcp',
    'https://api.rails.example/api/mcp',
    'https://tools.example./mcp',
    'https://tools.example\\@127.0.0.1/mcp',
    'ftp://tools.example/mcp',
    'https://ⓔxample.com/mcp',
  ]
  const { run } = openTests()
  for (const counterpart_mcp_url of refused)
    expect(await codeOf(run(call(), { counterpart_mcp_url })), counterpart_mcp_url).toBe(
      'callback_refused',
    )
  for (const address of [
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '::1',
    'fc00::1',
    '100.64.0.1',
  ]) {
    const inside = openTests({ resolve: async () => ['93.184.215.14', address] })
    const asked = { counterpart_mcp_url: 'https://tools.example/mcp' }
    expect(await codeOf(inside.run(call(), asked)), address).toBe('callback_refused')
  }
  expect(await countRuns()).toBe(0)
  const asked = { counterpart_mcp_url: 'https://tools.example/mcp' }
  const { body } = await run(call(), asked)
  expect(body.steps.at(-1)?.step).toBe('counterpart tools')
  expect(await codeOf(run(call(), { scenarios: ['counterpart tools'] }))).toBe('invalid_request')
})

verifies('harness.transcript', 'SQL refuses every change of what a test holds', async () => {
  const { run } = openTests()
  const { test_run_id } = (await run(call())).body
  const { db } = database
  await keepHarnessFact(db, test_run_id, 'nonce', async () => 'first')
  expect(await keepHarnessFact(db, test_run_id, 'nonce', async () => 'second')).toBe('first')
  for (const statement of [
    sql`update harness_steps set played = '{}'`,
    sql`update harness_facts set fact = 'x'`,
    sql`update harness_runs set passed = 7`,
    sql`update harness_runs set ended_at = null, passed = null, failed = null, transcript_hash = null`,
    sql`delete from harness_runs`,
    sql`insert into harness_runs (test_run_id, suite, rail, steps, caller_sha256, code_version, ended_at, passed, failed, transcript_hash)
      values ('tr_' || repeat('1', 64), ${suite}, 'packetops', '[]', repeat('cd', 32), '1', clock_timestamp(), 0, 0, repeat('ab', 32))`,
  ])
    await expect(statement.execute(db)).rejects.toMatchObject({ code: '23514' })
})

verifies('harness.repeat', 'the first outcome of a step is kept', async () => {
  const { run } = openTests()
  const { test_run_id } = (await run(call())).body
  const other = {
    step: 'run',
    expected: '200',
    ok: false,
    detail: 'late',
    status: 500,
    ms: 1,
    ...exchangeDigests([]),
    exchanges: [],
  }
  expect(await keepHarnessStep(database.db, test_run_id, other)).toMatchObject({ ok: true })
})
