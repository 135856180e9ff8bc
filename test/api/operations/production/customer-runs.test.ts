import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { readCallbackFacts } from '../../../../activities/callbacks/facts.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { type OpenProduction, openProduction } from '../../../support/production.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: OpenProduction
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openProduction(apis)
})
afterAll(() => apis?.stop())

const countRuns = async () =>
  (await sql<{ runs: number }>`select count(*)::int as runs from customer_runs`.execute(apis.db))
    .rows[0]?.runs

verifies('production.customer-run-refused', 'no start without scope, rail, key', async () => {
  const start = await agent.input()
  const unscoped = await openAgentUse(apis.hosts[0]!, apis.operator)
  const by = ({ client }: Pick<OpenProduction, 'client'>, input: typeof start) =>
    problemOf(client.call('production-run-start', input))
  expect(await by(unscoped, start)).toMatchObject({ status: 403, code: 'scope_denied' })
  expect(await by(agent, { ...start, callback_url: 'https://10.0.0.1/in' })).toMatchObject({
    status: 422,
    code: 'callback_refused',
  })
  expect(await by(agent, { ...start, rail: 'energyops' })).toMatchObject({ status: 403 })
  const ended = await openProduction(apis)
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  await operator.call('access-key-revoke', {
    credential_id: ended.credentialId,
    reason: 'lost',
    idempotency_key: freshKey(),
  })
  expect(await by(ended, start)).toMatchObject({ status: 401 })
  expect(await countRuns()).toBe(0)

  // An unpaid run is stored once, and its repeat with another account is another order.
  expect(await by(agent, start)).toMatchObject({ status: 402, code: 'payment_required' })
  expect(await by(agent, start)).toMatchObject({ status: 402 })
  expect(await by(agent, { ...start, customer_account: 'other' })).toMatchObject({
    status: 422,
    code: 'idempotency_conflict',
  })
  expect(await countRuns()).toBe(1)
  const list = (query = {}) => agent.client.call('production-runs-read', query)
  const { body } = await list({ customer_account: start.customer_account })
  expect(body.items).toMatchObject([
    { binding: { customer_account: start.customer_account, return_package_id: null } },
  ])
  expect(body.items[0]?.gate.checks.every(({ ok }) => ok)).toBe(true)
  expect((await list({ customer_account: freshKey() })).body.total).toBe(0)

  const run_id = String(body.items[0]?.run.run_id)
  const other = unscoped.client
  expect((await other.call('production-runs-read', {})).body).toMatchObject({ total: 0 })
  expect(await problemOf(other.call('production-runs-read', { run_id }))).toMatchObject({
    status: 404,
    code: 'not_found',
  })
  expect((await operator.call('production-runs-read', { run_id })).body.total).toBe(1)
  await expect(
    sql`update customer_runs set customer_account = 'x'`.execute(apis.db),
  ).rejects.toThrow('stays as it was written')
})

verifies('production.abandoned', 'an abandoned run has failed, with its order', async () => {
  const input = await agent.input()
  const payment_reference_id = await agent.paid(input.quote_id)
  const start = { ...input, payment_reference_id }
  const { run, binding } = (await agent.client.call('production-run-start', start)).body
  const { base, os } = apis.hosts[0]!
  const holds = createClient({
    baseUrl: base,
    osUrl: os,
    operator: apis.operator,
    statusToken: run.task_id,
  })
  const waits = async () => {
    const { items } = (await holds.call('loop-review-console', { kind: 'work_order' })).body
    return items.some(({ subject_id }) => subject_id === binding.work_order_id)
  }
  expect(await waits()).toBe(true)
  const held = { code: 'operator_hold', detail: 'not ours', idempotency_key: freshKey() } as const
  const { exception_id } = (await holds.call('task-exception-raise', held)).body.exception
  const abandon = { exception_id, action: 'abandon', idempotency_key: freshKey() } as const
  await holds.call('task-recover', abandon)
  await expect.poll(async () => (await agent.status(run.run_id, 5_000)).state).toBe('closed')

  const { items } = (await agent.client.call('production-runs-read', { run_id: run.run_id })).body
  expect(items).toMatchObject([
    { binding: { completion_state: 'failed', return_package_id: null }, run: { state: 'closed' } },
  ])
  const work_order_id = String(binding.work_order_id)
  const orders = (await agent.client.call('work-orders-read', { work_order_id })).body
  expect(JSON.stringify(orders)).toContain('"state":"failed"')
  expect(await waits()).toBe(false)
  const { run_id } = run
  const fetched = agent.client.call('fetch-return-package', {
    mode: 'fetch_return_package',
    run_id,
  })
  expect(await problemOf(fetched)).toMatchObject({
    status: 409,
    code: 'wrong_state',
    detail: expect.stringContaining('never will'),
    state: 'closed',
  })
  const { rows } = await sql`select event, url from callback_deliveries
    where subject in (${run.task_id}, ${exception_id})`.execute(apis.db)
  const sent = { event: 'task_updated', url: input.callback_url }
  expect(rows).toEqual([sent, sent])
  for (const subject of [run.task_id, exception_id])
    expect(
      await transaction(apis.db, (tx) => readCallbackFacts.task_updated(tx, subject)),
    ).toMatchObject({ task_token_sha256: run.task_id.slice('task-'.length), state: 'closed' })
})
