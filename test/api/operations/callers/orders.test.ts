import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { scoutInput } from '#domain/rails/scout/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { begunTask } from '../../../support/agreed-task.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf } from '../../../support/problems.ts'
import { decide } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks()
  agent = await openAgentUse(hosts(), apis.operator, {
    rails: ['packetops', 'scout', 'contractops'],
  })
})
afterAll(async () => {
  await apis?.stop()
})

type Order = InputOf<'work-order-create'>
type Reviewed = 'work_order' | 'payment_reference' | 'task' | 'loop_step'
const hosts = () => apis.hosts[0]!
const open = () => createClient({ baseUrl: hosts().base, osUrl: hosts().os })
const holder = (statusToken: string) =>
  createClient({
    baseUrl: hosts().base,
    osUrl: hosts().os,
    statusToken,
    signAsAgent: () => 'A'.repeat(86),
  })
const approve = (subject_kind: Reviewed, subject_id: string) =>
  decide(hosts(), apis.operator, subject_id, 'approve', { subject_kind })
const ordered = async (more: object = {}) =>
  (
    await open().call('work-order-create', {
      ...exampleOrder,
      ...more,
      idempotency_key: freshKey(),
    } as Order)
  ).body

/** Waits until a run asks for its review, and gives it. */
const reviewed = (runId: string) => {
  const accepted = () =>
    approve('loop_step', runId).then(
      () => true,
      () => false,
    )
  return expect.poll(accepted, { interval: 300 }).toBe(true)
}
const ledgerOf = async (taskToken: string) => (await holder(taskToken).call('task-ledger', {})).body
const reaches = (taskToken: string, state: string) =>
  expect.poll(async () => (await ledgerOf(taskToken)).task.state, { interval: 200 }).toBe(state)
const statesOf = async (taskToken: string) =>
  (await ledgerOf(taskToken)).entries.map(({ to_state }) => to_state)

async function postWith(headers: Record<string, string>, path: string, body: object) {
  const answer = await fetch(`${hosts().base}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, idempotency_key: freshKey() }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const quoteOf = { rail: 'packetops', tier: 'standard' }

verifies(
  'caller.order-token',
  'a public order is quoted, paid and finished with its token alone',
  async () => {
    const { work_order, rail_run, status_token } = await ordered()
    expect(
      await codeOf(
        holder(status_token).call('agent-quote', { rail: 'packetops', tier: 'standard' }),
      ),
    ).toBe('wrong_state')
    await approve('work_order', work_order.work_order_id)
    await reaches(rail_run.task_token, 'trusted')
    const asked = await postWith({ 'X-Status-Token': status_token }, '/api/agents/quote', quoteOf)
    expect(asked).toMatchObject({
      status: 200,
      body: { quote: { rail: 'packetops', total_usd: 107 } },
    })
    const { quote_id } = asked.body['quote'] as { quote_id: string }
    await reaches(rail_run.task_token, 'quoted')
    const payment = {
      quote_id,
      method: 'invoice_reference',
      external_reference: `INV-${freshKey()}`,
    }
    const presented = await postWith(
      { 'X-Status-Token': status_token },
      '/api/agent-payment-rail',
      payment,
    )
    expect(presented).toMatchObject({
      status: 201,
      body: { payment_reference: { state: 'pending', amount_usd: 107 } },
    })
    const reference = presented.body['payment_reference'] as { payment_reference_id: string }
    await approve('payment_reference', reference.payment_reference_id)
    await reviewed(rail_run.run_id)
    await reaches(rail_run.task_token, 'closed')
    const { body } = await holder(status_token).call('agent-status', {})
    expect(body).toMatchObject({ work_order: { state: 'completed' } })
  },
)

verifies(
  'caller.order-token',
  'the token quotes and pays its own order, in its header, and no more',
  async () => {
    const [mine, other] = [await ordered(), await ordered()]
    for (const { work_order, rail_run } of [mine, other]) {
      await approve('work_order', work_order.work_order_id)
      await reaches(rail_run.task_token, 'trusted')
    }
    const inQuery = await postWith({}, `/api/agents/quote?token=${mine.status_token}`, {
      ...quoteOf,
      task_token: mine.rail_run.task_token,
    })
    expect(inQuery.body).toMatchObject({ code: 'credential_required' })
    const token = { 'X-Status-Token': mine.status_token }
    const foreign = { ...quoteOf, task_token: other.rail_run.task_token }
    expect((await postWith(token, '/api/agents/quote', foreign)).body).toMatchObject({
      code: 'quote_mismatch',
    })
    const theirs = await postWith(
      { 'X-Status-Token': other.status_token },
      '/api/agents/quote',
      quoteOf,
    )
    const { quote_id } = theirs.body['quote'] as { quote_id: string }
    const payment = {
      quote_id,
      method: 'invoice_reference',
      external_reference: `INV-${freshKey()}`,
    }
    expect((await postWith(token, '/api/agent-payment-rail', payment)).body).toMatchObject({
      code: 'not_owner',
    })
    expect(await codeOf(agent.pay(quote_id))).toBe('not_owner')
    const { task_token } = mine.rail_run
    const raise = holder(mine.status_token).call('task-exception-raise', {
      code: 'operator_hold',
      detail: 'mine',
      idempotency_key: freshKey(),
    } as InputOf<'task-exception-raise'>)
    expect(await codeOf(raise)).toBe('not_found')
    const prepare = { task_token, idempotency_key: freshKey() }
    expect(await codeOf(holder(mine.status_token).call('contract-prepare', prepare))).toBe(
      'not_found',
    )
    const owned = await agent.client.call('work-order-create', {
      ...exampleOrder,
      requester: { agent_id: agent.registered.agent.agent_id },
      idempotency_key: freshKey(),
    } as Order)
    const ofAgent = { 'X-Status-Token': owned.body.status_token }
    expect((await postWith(ofAgent, '/api/agents/quote', quoteOf)).body).toMatchObject({
      code: 'proof_invalid',
    })
  },
)

type ReceiptRow = { kind: string; payload: string }
async function moneyOf(entitlementId: string) {
  const { rows } = await sql<ReceiptRow>`
    select kind, split_part(jws, '.', 2) as payload from receipts where receipt_id in (
      select settlement_receipt_id from entitlements where entitlement_id = ${entitlementId}
      union select usage_receipt_id from usage_events where chain = ${entitlementId})`.execute(
    apis.db,
  )
  const postings =
    await sql`select 1 from postings where account = ${`credit:${entitlementId}`}`.execute(apis.db)
  const receipts = rows.map(({ kind, payload }) => ({
    kind,
    ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>),
  }))
  return { receipts, postings: postings.rows.length }
}

async function freeRun(rail: 'scout' | 'contractops', usage: 'operational' | 'synthetic') {
  const task = await begunTask(agent, { rail, usage })
  const agreed = await task.agree()
  await agreed.accept()
  await reaches(task.task_token, 'trusted')
  const asked = {
    rail,
    tier: 'standard',
    task_token: task.task_token,
    idempotency_key: freshKey(),
  } as const
  const { quote } = (await agent.client.call('agent-quote', asked)).body
  expect(quote).toMatchObject({ base_usd: 0, rail_fee_usd: 0, total_usd: 0 })
  await reaches(task.task_token, 'credit_funded')
  await agreed.submit()
  return { ...task, quote }
}

/** Runs it to its end; the work waits for its reviews. */
async function finished({ task_token, task }: Awaited<ReturnType<typeof freeRun>>, usage: string) {
  if (usage === 'operational') {
    expect((await ledgerOf(task_token)).task).toMatchObject({
      state: 'credit_funded',
      waiting_for: ['review'],
    })
    await approve('task', task.task_id)
  }
  const runId = async () => (await ledgerOf(task_token)).task.run_id ?? ''
  await expect.poll(runId).toMatch(/^run_/)
  const id = await runId()
  if (usage === 'operational') await reviewed(id)
  await reaches(task_token, 'closed')
  const { entitlement_id } = (await ledgerOf(task_token)).task
  return moneyOf(entitlement_id ?? '')
}

verifies('caller.free-run', 'scout is free, passes every state and posts nothing', async () => {
  const run = await freeRun('scout', 'operational')
  const { receipts, postings } = await finished(run, 'operational')
  expect(postings).toBe(0)
  expect(receipts).toHaveLength(2)
  for (const receipt of receipts)
    expect(receipt).toMatchObject({ price: 'free', usage: 'operational' })
  expect(receipts.map(({ kind }) => kind).toSorted()).toEqual([
    'settlement_receipt',
    'usage_receipt',
  ])
  const states = await statesOf(run.task_token)
  for (const state of [
    'trusted',
    'quoted',
    'credit_pending',
    'credit_funded',
    'queued',
    'operating',
    'attested',
  ])
    expect(states).toContain(state)
  const again = {
    mode: 'create_payment_challenge',
    quote_id: run.quote.quote_id,
    idempotency_key: freshKey(),
  } as const
  expect(await codeOf(agent.client.call('create-payment-challenge', again))).toBe(
    'unsupported_request',
  )
  const other = await (await begunTask(agent, { rail: 'scout' })).agree()
  expect(await problemOf(other.accept({ quote_id: run.quote.quote_id }))).toMatchObject({
    code: 'quote_mismatch',
  })
  expect(await codeOf(open().call('agent-quote', { rail: 'scout', tier: 'entry', units: 2 }))).toBe(
    'unsupported_request',
  )
})

verifies('caller.free-run', 'a public order of scout is run at nothing as well', async () => {
  const { work_order, rail_runs, status_token } = await ordered({
    requested_tool_id: 'service_os',
    input: undefined,
    steps: [{ rail: 'scout', input: scoutInput }],
  })
  await approve('work_order', work_order.work_order_id)
  const [first] = rail_runs
  await reaches(first?.task_token ?? '', 'trusted')
  const asked = { rail: 'scout', tier: 'standard' }
  const quoted = await postWith({ 'X-Status-Token': status_token }, '/api/agents/quote', asked)
  expect(quoted).toMatchObject({ status: 200, body: { quote: { total_usd: 0 } } })
  await reaches(first?.task_token ?? '', 'operating')
})

verifies(
  'caller.discovery',
  'contractops runs as synthetic discovery only, and is not sold',
  async () => {
    const run = await freeRun('contractops', 'synthetic')
    expect(run.quote.pricing_model).toBe('contractops_discovery')
    const { receipts, postings } = await finished(run, 'synthetic')
    expect(postings).toBe(0)
    for (const receipt of receipts)
      expect(receipt).toMatchObject({
        price: 'free',
        usage: 'synthetic',
        pricing_model: 'contractops_discovery',
      })
    expect(receipts).toHaveLength(2)
    const refused = await begunTask(agent, { rail: 'contractops' })
    expect(refused.blocking).toEqual(['rail'])
    expect(
      await codeOf(agent.client.call('agent-quote', { rail: 'contractops', tier: 'pro' })),
    ).toBe('unsupported_request')
    const steps = [{ rail: 'contractops', input: {} }]
    const order = ordered({ requested_tool_id: 'service_os', input: undefined, steps })
    expect(await codeOf(order)).toBe('rail_not_allowed')
  },
)
