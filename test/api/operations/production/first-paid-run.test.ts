import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { FIRST_PAID_TOOL, successConditions } from '#domain/production/first-paid-run.ts'
import { createClient } from '../../../../api/http/client.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { connectMcp, type McpClient } from '../../../support/mcp.ts'
import { patiently } from '../../../support/problems.ts'
import { type OpenProduction, openProduction } from '../../../support/production.ts'
import { decide } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

// Two API processes: what is begun at the one is followed at the other.
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: OpenProduction
let mcp: McpClient
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openProduction(apis)
  mcp = await connectMcp(apis.hosts[1]!.base, { Authorization: `Bearer ${agent.credential}` })
})
afterAll(async () => {
  await mcp?.close()
  await apis?.stop()
})

const stranger = () => createClient({ baseUrl: apis.hosts[1]!.base })
const describe = async () => {
  const { body } = await stranger().call('first-paid-run-read', {})
  if (!('runs' in body)) throw new Error('the contract was expected')
  return body
}
type Started = Awaited<ReturnType<OpenProduction['execute']>>['body']

/** Approves the order of a run and its result, and waits until its task has closed. */
async function finish({ run, binding }: Pick<Started, 'run' | 'binding'>) {
  await agent.order(binding.work_order_id ?? '', 'approve')
  await expect
    .poll(async () => (await agent.status(run.run_id, 5_000)).waiting_for)
    .toEqual(['review'])
  await agent.approve('loop_step', run.run_id)
  return closed(run.run_id)
}
async function closed(runId: string) {
  const state = async () => (await agent.status(runId, 5_000)).state
  await expect.poll(state).toBe('closed')
  return agent.read(runId)
}
const unmet = ({ success_condition }: Started | Awaited<ReturnType<typeof closed>>) =>
  success_condition.filter(({ met }) => !met).map(({ condition }) => condition)
const rowsOf = async (taskId: string) =>
  (
    await sql<Record<string, number>>`select
      (select count(*)::int from first_paid_runs where task_id = ${taskId}) as runs,
      (select count(*)::int from work_order_tasks where task_id = ${taskId}) as orders,
      (select count(*)::int from production_writes where subject = ${taskId}) as writes`.execute(
      apis.db,
    )
  ).rows[0]

verifies(
  'production.run',
  'a run paid, reviewed and started over MCP meets all eight',
  async () => {
    expect(await describe()).toMatchObject({ reached: false, first_run_id: null })
    const input = await agent.input({ publication_consent: true })
    const payment_reference_id = await agent.paid(input.quote_id)
    const result = await mcp.call(FIRST_PAID_TOOL, { ...input, payment_reference_id })
    expect(result.isError ?? false).toBe(false)
    const started = result.structuredContent as unknown as Started
    expect(started).toMatchObject({ reached: null, receipt: null, challenge: null })
    expect(started.success_condition.map(({ condition }) => condition)).toEqual([
      ...successConditions,
    ])
    expect(unmet(started)).toEqual([...successConditions])
    expect(started.run).toMatchObject({ state: 'credit_funded', waiting_for: ['review'] })

    const done = await finish(started)
    expect([done.reached, unmet(done)]).toEqual([true, []])
    const { run, binding } = done
    const evidence = Object.fromEntries(
      done.success_condition.map(({ condition, evidence_id }) => [condition, evidence_id]),
    )
    expect(evidence).toMatchObject({
      work_order: binding.work_order_id,
      payment_reference: payment_reference_id,
      mcp_tool_path: done.audit_event_id,
      return_package: run.return_package_id,
      receipt: run.usage_receipt_id,
      proof_hash: run.proof_hash,
    })
    expect(binding).toEqual({
      customer_account: 'northwind-emea',
      work_order_id: binding.work_order_id,
      payment_reference_id,
      return_package_id: run.return_package_id,
      receipt_id: run.usage_receipt_id,
      completion_state: 'closed',
    })
    const receipt_id = done.receipt?.receipt_id ?? ''
    const verified = (await stranger().call('verify-receipt', { receipt_id })).body
    expect(verified).toMatchObject({ verified: true, kind: 'production_run' })
    expect(JSON.stringify(done.receipt?.payload)).not.toContain('northwind')
    expect(await describe()).toMatchObject({
      reached: true,
      first_run_id: run.run_id,
      runs: { reached: 1 },
    })
    const again = await agent.execute({ ...input, payment_reference_id })
    expect(again.body).toMatchObject({ reached: true, run: { run_id: run.run_id } })
    expect(await rowsOf(run.task_id)).toEqual({ runs: 1, orders: 1, writes: 1 })
  },
)

verifies('production.unmet', 'a run started over HTTP closes without mcp_tool_path', async () => {
  const input = await agent.input()
  const paid = { ...input, payment_reference_id: await agent.paid(input.quote_id) }
  const { status, body } = await agent.execute(paid)
  expect(status).toBe(202)
  const done = await finish(body)
  expect([done.reached, unmet(done)]).toEqual([false, ['mcp_tool_path']])
  expect(done.receipt?.payload).toMatchObject({ kind: 'production_run', reached: false })
  const refused = await problemOf(agent.execute(paid))
  expect([refused.status, refused.code]).toEqual([409, 'conditions_unmet'])
  expect(refused['unmet']).toMatchObject([{ condition: 'mcp_tool_path', met: false }])
  expect(refused.detail).toContain('mcp_tool_path')
  // Repeated over MCP it is still the run that was begun over HTTP.
  const overMcp = await mcp.call(FIRST_PAID_TOOL, paid)
  expect([overMcp.isError, overMcp.structuredContent['code']]).toEqual([true, 'conditions_unmet'])
})

verifies('production.unmet', 'a rejected order closes with what is missing', async () => {
  const input = await agent.input()
  const { body } = await agent.execute({
    ...input,
    payment_reference_id: await agent.paid(input.quote_id),
  })
  await agent.order(body.binding.work_order_id ?? '', 'reject')
  const done = await closed(body.run.run_id)
  expect(done.reached).toBe(false)
  expect(unmet(done)).toEqual(
    expect.arrayContaining(['work_order', 'return_package', 'receipt', 'completion_signature']),
  )
})

verifies('production.needs-all', 'without payment and review nothing is executed', async () => {
  const input = await agent.input()
  const refused = await problemOf(agent.execute(input))
  expect([refused.status, refused.code]).toEqual([402, 'payment_required'])
  const run = refused['run'] as { run_id: string; task_id: string }
  const { state, loop } = await agent.status(run.run_id)
  expect([state, loop.index]).toEqual(['credit_pending', null])
  // Another body under the key is refused; another way of paying goes through.
  const other = await problemOf(agent.execute({ ...input, customer_account: 'another' }))
  expect([other.status, other.code]).toEqual([422, 'idempotency_conflict'])
  const payment_reference_id = await agent.paid(input.quote_id)
  const { body } = await agent.execute({ ...input, payment_reference_id })
  expect(body.run.run_id).toBe(run.run_id)
  expect(body.run.waiting_for).toEqual(['review'])
  const { rows } = await sql`select 1 from runs where task_id = ${run.task_id}`.execute(apis.db)
  expect(rows).toEqual([])
})

verifies('production.needs-all', 'scope, rail, callback and owner are judged first', async () => {
  const input = await agent.input()
  const codeOf = async (call: Promise<unknown>) => {
    const { status, code } = await problemOf(call)
    return [status, code]
  }
  const unscoped = await openProduction(apis, { requested_scopes: ['runs:read', 'runs:write'] })
  const other = await openProduction(apis)
  expect(await codeOf(unscoped.execute(await unscoped.input()))).toEqual([403, 'scope_denied'])
  expect(
    await codeOf(other.execute({ ...(await other.input()), quote_id: input.quote_id })),
  ).toEqual([403, 'not_owner'])
  const payment_reference_id = await agent.paid(input.quote_id)
  expect(await codeOf(other.execute({ ...(await other.input()), payment_reference_id }))).toEqual([
    403,
    'not_owner',
  ])
  for (const callback_url of [
    'http://hooks.example.com/',
    'https://10.0.0.1/',
    'https://x.invalid/',
  ]) {
    const { status, code, ...more } = await problemOf(
      agent.execute(await agent.input({ callback_url })),
    )
    expect([callback_url, status, code]).toEqual([callback_url, 422, 'callback_refused'])
    expect(more.money_moved).toBe('no')
  }
  const secret = 'password: Zq7Xw9Kp2Vn4prod'
  expect(await codeOf(agent.execute(await agent.input({ customer_account: secret })))).toEqual([
    422,
    'forbidden_material',
  ])
  const { rows } =
    await sql`select 1 from first_paid_runs where customer_account like '%Zq7Xw9%'`.execute(apis.db)
  expect(rows).toEqual([])
  // What is refused leaves no order.
  const orders =
    await sql`select 1 from work_orders where agent_id in (${other.agentId}, ${unscoped.agentId})`.execute(
      apis.db,
    )
  expect(orders.rows).toEqual([])
  const { body } = await agent.execute({ ...input, payment_reference_id })
  expect(await codeOf(other.read(body.run.run_id))).toEqual([404, 'not_found'])
  expect(await codeOf(stranger().call('first-paid-run-read', { run_id: body.run.run_id }))).toEqual(
    [401, 'credential_required'],
  )
  const operator = createClient({ baseUrl: apis.hosts[1]!.base, operator: apis.operator })
  const read = (await operator.call('first-paid-run-read', { run_id: body.run.run_id })).body
  expect(read).toMatchObject({ audit_event_id: body.audit_event_id })
})

verifies('production.run-once', 'fifty parallel starts are one run and one payment', async () => {
  const input = await agent.input()
  const paid = { ...input, payment_reference_id: await agent.paid(input.quote_id) }
  const clients = apis.hosts.map(({ base }) =>
    createClient({ baseUrl: base, agent: agent.credential }),
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      clients[at % clients.length]!.call('first-paid-run-execute', paid),
    ),
  )
  const runs = new Set(answers.map(({ body }) => body.run.run_id))
  expect(runs.size).toBe(1)
  const taskId = answers[0]?.body.run.task_id ?? ''
  expect(await rowsOf(taskId)).toEqual({ runs: 1, orders: 1, writes: 1 })
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from payment_references
    where entitlement_id = ${answers[0]?.body.run.entitlement_id}`.execute(apis.db)
  expect(rows).toEqual([{ count: 1 }])
})

verifies(
  'production.gate-transaction',
  'starts that race a revocation are stored before it or refused',
  async () => {
    const racing = await openProduction(apis)
    const inputs = []
    for (let at = 0; at < 12; at++) inputs.push(await racing.input())
    const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
    const starts = inputs.map((input) => problemOf(patiently(() => racing.execute(input))))
    const revocation = { credential_id: racing.credentialId, reason: 'lost' }
    const lost = { ...revocation, idempotency_key: freshKey() }
    const revoked = patiently(() => operator.call('access-key-revoke', lost))
    const [problems] = await Promise.all([Promise.all(starts), revoked])
    // A start that was stored before is unpaid; any other is refused, and has stored nothing.
    for (const { code } of problems)
      expect(['payment_required', 'credential_invalid']).toContain(code)
    const { rows } = await sql<{ writes: number; runs: number }>`select
      (select count(*)::int from production_writes where credential_id = ${racing.credentialId}) as writes,
      (select count(*)::int from first_paid_runs r join tasks t using (task_id) where t.agent_id = ${racing.agentId}) as runs`.execute(
      apis.db,
    )
    expect(rows[0]?.writes).toBe(rows[0]?.runs)
    expect((await problemOf(racing.execute(inputs[0]!))).code).toBe('credential_invalid')
  },
)

verifies('production.gate-transaction', 'each gated start has one audit event', async () => {
  const eventsOf = (operation: string, taskId: string) =>
    apis.db
      .selectFrom('production_writes')
      .select(['kind', 'tool', 'passed'])
      .where('operation_id', '=', operation)
      .where('subject', '=', taskId)
      .execute()
  const { quote_id } = await agent.quote('packetops', 900)
  const start = agent.startInput(quote_id)
  const problem = await problemOf(agent.start(start))
  await problemOf(agent.start(start))
  const { task_id } = problem['run'] as { task_id: string }
  expect(await eventsOf('start-agent-run', task_id)).toEqual([
    { kind: 'written', tool: null, passed: true },
  ])
  const synthetic = await agent.quote('diligenceops')
  const { body } = await agent.start({
    ...agent.startInput(synthetic.quote_id, 'diligenceops'),
    usage: 'synthetic',
  })
  expect(await eventsOf('start-agent-run', body.run.task_id)).toEqual([])
})

verifies('production.never-by-hand', 'SQL takes conditions once and only when closed', async () => {
  const input = await agent.input()
  const paid = { ...input, payment_reference_id: await agent.paid(input.quote_id) }
  const { body } = await agent.execute(paid)
  const { task_id, settlement_receipt_id } = body.run
  const set = (conditions: string, reached: boolean, task = task_id) =>
    sql
      .raw(`update first_paid_runs set conditions = '${conditions}', reached = ${reached},
        receipt_id = '${settlement_receipt_id}', closed_at = now() where task_id = '${task}'`)
      .execute(apis.db)
      .then(
        () => 'done',
        (error: unknown) => String(error),
      )
  const all = JSON.stringify(successConditions.map((condition) => ({ condition, met: true })))
  expect(await set(all, true)).toContain('when the task has closed')
  await decide(apis.hosts[0]!, apis.operator, body.binding.work_order_id ?? '', 'reject', {
    subject_kind: 'work_order',
  })
  await closed(body.run.run_id)
  expect(await set(all, true)).toContain('never changes')
  const removed = sql`delete from first_paid_runs where task_id = ${task_id}`.execute(apis.db)
  await expect(removed).rejects.toThrow('never deleted')
})
