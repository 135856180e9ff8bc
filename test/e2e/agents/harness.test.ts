import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { type SuiteName, suites } from '#domain/harness/suites.ts'
import { transcriptHash } from '#domain/harness/transcript.ts'
import { createClient, type OutputOf } from '../../../api/http/client.ts'
import { eventually, openRail, type Rail } from '../../support/agent.ts'
import { freshKey } from '../../support/agent-use.ts'
import { keptWorkflows } from '../../support/history-texts.ts'
import { connectMcp } from '../../support/mcp.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

// The whole stack, with a database role for each process, as `npm start` has it.
let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    env: {
      SWEEP_GRACE_MS: '200',
      SWEEP_EVERY_MS: '500',
      HARNESS_RUNS_PER_HOUR: '10',
      HARNESS_RUNS_PER_DAY: '50',
      // So few that the last test has to wait for them, as everyone does.
      LIMIT_PUBLIC_READS_PER_MINUTE: '60',
      LIMIT_PUBLIC_WRITES_PER_MINUTE: '14',
      QUOTA_REGISTRATIONS_PER_DAY: '1/100/1000/1000',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

type Test = OutputOf<'agent-harness-run'>
const client = () =>
  createClient({
    baseUrl: stack.baseUrls[0] as string,
    osUrl: stack.osUrls[0] as string,
    idempotencySecret: 'a-secret-of-this-very-test',
    retryForMs: 90_000,
  })

/** Begins a test and repeats the call with its key until it is completed. */
const completed = async (begin: () => Promise<{ body: Test }>): Promise<Test> =>
  eventually(
    async () => (await begin()).body,
    ({ state }) => state === 'completed',
    240_000,
  )

const failures = ({ steps, pending }: Test) => ({
  failed: steps.filter(({ ok }) => !ok),
  pending,
})
const namesOf = (suite: SuiteName) => suites[suite].map(({ step }) => step)

verifies(
  ['harness.suites', 'harness.transcript', 'harness.wait', 'regression.persist'],
  'two agents: all steps pass, and the transcript makes the report',
  async () => {
    const open = client()
    const asked = { rail: 'diligenceops' as const, idempotency_key: freshKey() }
    const test = await completed(() => open.call('agent-harness-run', asked))
    expect(failures(test)).toEqual({ failed: [], pending: [] })
    expect(test.steps.map(({ step }) => step)).toEqual(namesOf('agent-to-agent-test-harness'))
    const { test_run_id, suite } = test
    const { body } = await open.call('agent-harness-read', { test_run_id })
    if (!('transcript' in body)) throw new Error('the test was expected')
    const played = body.steps.map((step, at) => ({
      ...step,
      exchanges: body.transcript[at]?.exchanges ?? [],
    }))
    expect(transcriptHash(suite, played as never)).toBe(test.transcript_hash)
    const operator = operatorOf(stack)
    const mode = 'persist_regression_report' as const
    const persisted = await operator.call('regression-persist', { mode, test_run_id })
    expect(persisted.body).toMatchObject({
      report: { origin: 'service', verified: true, passed: 8, failed: 0, test_run_id },
      diff: { newly_failing: [], fixed: [] },
      receipt: { kind: 'regression', usage: 'synthetic' },
    })
    const { report_id } = persisted.body.report
    const again = await operator.call('regression-persist', { mode, test_run_id })
    expect(again.body).toEqual(persisted.body)
    const listed = (await open.call('regression-read', { kind: suite })).body
    expect(listed.items.map((one) => one.report_id)).toEqual([report_id])
    expect((await open.call('agent-harness-read', { test_run_id })).body).toMatchObject({
      report_id,
    })
  },
  300_000,
)

verifies(
  ['harness.suites', 'harness.secrets'],
  'access keys: all ten cases pass, and no secret of them is kept',
  async () => {
    const asked = { idempotency_key: freshKey() }
    const test = await completed(() => client().call('credential-test-run', asked))
    expect(failures(test)).toEqual({ failed: [], pending: [] })
    expect(test.passed).toBe(10)
    const { rows } = await sql<{ text: string }>`select s.played::text as text from harness_steps s
      union all select f.fact from harness_facts f`.execute(rail.db)
    const histories = (await keptWorkflows(rail.temporal)).filter(({ type }) => type === 'harness')
    expect(histories.length).toBeGreaterThan(0)
    const kept = [...rows, ...histories].map(({ text }) => text).join('\n')
    expect(kept).toContain('_[redacted]')
    expect(kept.match(/\bag_[0-9a-f]{16}_[0-9a-f]{64}/)).toBeNull()
    expect(kept.match(/\b(st|tk|wt|pt|qk)_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/)).toBeNull()
  },
  300_000,
)

verifies(
  ['harness.suites', 'harness.plan'],
  'handed-over work: the second agent runs it and the first verifies it',
  async () => {
    const asked = { scenarios: ['verify' as const], idempotency_key: freshKey() }
    const test = await completed(() => client().call('external-agent-run', asked))
    expect(failures(test)).toEqual({ failed: [], pending: [] })
    expect(test.steps.map(({ step }) => step)).toEqual(['hand over', 'run', 'verify'])
  },
  300_000,
)

verifies(
  'harness.wait',
  'a test whose workflow was never started is started by a sweep',
  async () => {
    const test_run_id = `tr_${'5'.repeat(64)}`
    await sql`insert into harness_runs (test_run_id, suite, rail, steps, caller_sha256, code_version, created_at)
      values (${test_run_id}, 'credential-enforcement-agent-test', 'packetops', '["none"]', repeat('ab', 32), '1',
        clock_timestamp() - interval '1 minute')`.execute(rail.db)
    const read = async () => (await client().call('credential-test-read', { test_run_id })).body
    const ended = await eventually(
      read,
      (body) => 'state' in body && body.state === 'completed',
      60_000,
    )
    expect(ended).toMatchObject({ passed: 1, failed: 0 })
  },
)

verifies(
  ['harness.suites', 'harness.self'],
  'a foreign client, over MCP: its own call begins and joins the test',
  async () => {
    const mcp = await connectMcp(stack.baseUrls[0] as string, {
      'Idempotency-Secret': 'a-secret-of-this-very-test',
    })
    const args = { idempotency_key: freshKey() }
    const test = await completed(async () => {
      const result = await mcp.call('run_external_agent_invocation_test', args)
      return { body: result.structuredContent as Test }
    })
    await mcp.close()
    expect(failures(test)).toEqual({ failed: [], pending: [] })
    expect(test.passed).toBe(namesOf('external-agent-invocation-test').length)
    const over = await client().call('external-invocation-run', args)
    expect(over.body).toEqual(test)
  },
  300_000,
)
