import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { agentToAgent } from '../../../../activities/harness/suites/agent-to-agent.ts'
import { openSurface } from '../../../../activities/harness/surface.ts'
import { loadTokenKeys } from '../../../../activities/keys/token-keys.ts'
import { beginHarness, findHarnessRun } from '../../../../activities/store/harness/runs.ts'
import { createClient } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

verifies(
  'harness.payment-reference',
  'the step presents a reference that is recorded and never money',
  async () => {
    const test_run_id = `tr_${randomBytes(32).toString('hex')}`
    const suite = 'agent-to-agent-test-harness'
    const of = { test_run_id, suite, rail: 'packetops', steps: ['payment reference'] } as const
    const caller = { counterpart_mcp_url: null, caller_sha256: randomBytes(32).toString('hex') }
    await beginHarness(
      apis.db,
      { ...of, ...caller, code_version: '1' },
      { callerHourMax: 9, callerDayMax: 9, dayMax: 9, openMax: 9 },
    )
    const run = (await findHarnessRun(apis.db, test_run_id))!
    const hosts = apis.hosts[0]!
    const surface = openSurface(hosts, AbortSignal.timeout(60_000))
    const tokenKeys = loadTokenKeys(apis.config.TOKEN_KEYS_FILE)
    const session = { db: apis.db, baseUrl: apis.config.BASE_URL, tokenKeys, run, surface }
    const play = agentToAgent['payment reference']
    for (const _again of [1, 2]) expect(await play(session)).toBe(201)
    const rows = await apis.db
      .selectFrom('payment_references')
      .select(['state', 'reason', 'settlement_receipt_id', 'external_reference'])
      .execute()
    expect(rows).toEqual([
      {
        state: 'rejected',
        reason: 'an agent of the sandbox pays nothing',
        settlement_receipt_id: null,
        external_reference: `sandbox ${test_run_id}`,
      },
    ])
    const console = createClient({ baseUrl: hosts.base, operator: apis.operator })
    const waiting = await console.call('loop-review-console', { kind: 'payment_reference' })
    expect(waiting.body.items).toEqual([])
  },
)
