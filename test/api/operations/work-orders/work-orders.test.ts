import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import { packetopsInput } from '#domain/rails/packetops/index.ts'
import { workOrderState } from '#domain/work-orders/work-order.ts'
import { taskDepsOf } from '../../../../activities/container.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { closeUndecided } from '../../../../activities/sweep/housekeeping.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { WorkOrderInput } from '../../../../api/shapes/work-orders.ts'
import { createTemporalClient } from '../../../../temporal/connection.ts'
import { wakeTask } from '../../../../temporal/tasks.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { intakeInput } from '../../../support/pilots.ts'
import { decide } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

type Order = InputOf<'work-order-create'>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks()
  agent = await openAgentUse(hosts(), apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = (api = 0) => apis.hosts[api]!
const open = (api = 0) =>
  createClient({ baseUrl: hosts(api).base, idempotencySecret: 'orders-of-one-customer' })
const holder = (statusToken: string) =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, statusToken })
const order = (more: Partial<Order> = {}): Order =>
  ({ ...exampleOrder, ...more, idempotency_key: freshKey() }) as Order
const check = (id: string, decision: 'approve' | 'reject') =>
  decide(hosts(), apis.operator, id, decision, { subject_kind: 'work_order' })
const orderOf = async (token: string, work_order_id: string) =>
  (await holder(token).call('work-orders-read', { work_order_id })).body.work_order
const eventsOf = async (taskToken: string) =>
  (await holder(taskToken).call('task-ledger', {})).body.entries.map(({ event }) => event)

verifies('agent.status.kinds', 'a status shows orders and pilots of its agent', async () => {
  const owner = await openAgentUse(hosts(), apis.operator)
  const status = async (token: string) => (await holder(token).call('agent-status', {})).body
  const token = owner.registered.status_token
  expect(await status(token)).toMatchObject({ kind: 'agent', work_orders: [], pilots: [] })
  const { account_id } = await apis.db
    .selectFrom('agents')
    .select('account_id')
    .where('agent_id', '=', owner.registered.agent.agent_id)
    .executeTakeFirstOrThrow()
  const client = { name: 'Northwind GmbH', contact: 'ops@northwind.example', account_id }
  const orders = []
  for (const _ of [0, 1]) orders.push((await owner.client.call('work-order-create', order())).body)
  const asked = await owner.client.call('pilot-intake-submit', intakeInput({ client }))
  const { pilot, status_token } = asked.body
  const own = await status(token)
  if (own.kind !== 'agent') throw new Error('an agent was expected')
  expect(own.work_orders).toEqual(orders.map(({ work_order }) => work_order).toReversed())
  expect(own.pilots).toEqual([pilot])
  const { next_step: next_action } = pilot
  expect(await status(status_token)).toEqual({ kind: 'pilot', pilot, next_action })
  await decide(hosts(), apis.operator, pilot.pilot_id, 'approve', { subject_kind: 'pilot' })
  expect(await status(status_token)).toMatchObject({ pilot: { state: 'activated' } })
  const ofKind = holder(status_token).call('agent-status', { kind: 'onboarding' })
  expect(await problemOf(ofKind)).toMatchObject({ code: 'invalid_request' })
  const stranger = await openAgentUse(hosts(), apis.operator)
  expect(await status(stranger.registered.status_token)).toMatchObject({ pilots: [] })
})

verifies(
  'work-order.intake',
  'a public order is queued once with its task and read by its token',
  async () => {
    const { body } = await open().call('work-orders-read', {})
    expect(WorkOrderInput.safeParse(body.example)).toMatchObject({ success: true })
    const input = order()
    const answers = await Promise.all(
      [0, 1, 0, 1].map((api) => open(api).call('work-order-create', input)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    const [first] = answers.map((answer) => answer.body)
    const { work_order, status_token, rail_run, receipt } = first!
    for (const answer of answers)
      expect(answer.body).toMatchObject({
        work_order: { work_order_id: work_order.work_order_id },
        status_token,
      })
    expect(work_order).toMatchObject({
      state: 'queued',
      rail: 'packetops',
      run_id: rail_run.run_id,
      agent_id: null,
    })
    expect(rail_run).toMatchObject({
      state: 'preflight_checked',
      work_order_id: work_order.work_order_id,
    })
    expect(receipt).toMatchObject({ kind: 'intake', subject: work_order.work_order_id })
    expect(first).toMatchObject({
      verification_packet: { verified: true },
      trust_ledger_record: { event: 'submit' },
    })
    expect(await eventsOf(rail_run.task_token)).toEqual(['submit', 'preflight_passed'])
    expect(await orderOf(status_token, work_order.work_order_id)).toEqual(work_order)
    const { body: notified } = await holder(status_token).call('agent-status', {})
    expect(notified).toMatchObject({ kind: 'work_order', work_order })
    const { work_order_id } = work_order
    expect(await problemOf(open().call('work-orders-read', { work_order_id }))).toMatchObject({
      code: 'credential_required',
    })
    expect(await problemOf(agent.client.call('work-orders-read', { work_order_id }))).toMatchObject(
      {
        code: 'not_owner',
      },
    )
    const unreadable = order({ input: { title: 'nothing else' } })
    expect(await problemOf(open().call('work-order-create', unreadable))).toMatchObject({
      code: 'input_rejected',
    })
    const called = order({ callback_url: 'https://receiver.example/hook' })
    expect(await problemOf(open().call('work-order-create', called))).toMatchObject({
      code: 'callback_refused',
    })
    const forAnother = order({ requester: { agent_id: agent.registered.agent.agent_id } })
    expect(await problemOf(open().call('work-order-create', forAnother))).toMatchObject({
      code: 'not_owner',
    })
  },
)

verifies(
  'admission.screening-kinds',
  'an order may hold digests and hashes, but no labelled key',
  async () => {
    const hash = `0x${sha256Hex('a transaction')}`
    const content = `step,sha256,transaction\nsettled,${sha256Hex('a file')},${hash}\n`
    const items = (text: string) => [
      {
        name: 'settlements.csv',
        section: 'logical_access',
        content: text,
        sha256: sha256Hex(text),
      },
    ]
    const objective = `A packet for transaction ${hash}, digest sha256:${sha256Hex(content)}.`
    const sent = order({ objective, input: { ...packetopsInput, items: items(content) } })
    const { body } = await open().call('work-order-create', sent)
    expect(body.work_order).toMatchObject({ objective, state: 'queued' })
    const secret = order({
      input: { ...packetopsInput, items: items(`private key: ${sha256Hex('a key')}`) },
    })
    expect(await problemOf(open().call('work-order-create', secret))).toMatchObject({
      code: 'forbidden_material',
      errors: [{ pointer: '/input/items/0/content' }],
    })
  },
)

verifies(
  'work-order.review',
  'an approved order waits for quotes, and a rejected one ends',
  async () => {
    const { sandboxInput } = distributionops
    const steps = [
      { rail: 'packetops' as const, input: exampleOrder.input as Record<string, unknown> },
      { rail: 'distributionops' as const, input: sandboxInput as Record<string, unknown> },
    ]
    const { input: _one, ...rest } = order({ requested_tool_id: 'service_os' })
    const taken = (await open().call('work-order-create', { ...rest, steps })).body
    const { work_order_id } = taken.work_order
    expect(taken.rail_runs.map(({ rail }) => rail)).toEqual(['packetops', 'distributionops'])
    const listed = await createClient({ baseUrl: hosts().base, operator: apis.operator }).call(
      'loop-review-console',
      {
        kind: 'work_order',
      },
    )
    expect(listed.body.items.map(({ subject_id }) => subject_id)).toContain(work_order_id)
    expect((await check(work_order_id, 'approve')).subject).toMatchObject({ state: 'approved' })
    for (const { task_token } of taken.rail_runs)
      expect(await eventsOf(task_token)).toEqual([
        'submit',
        'preflight_passed',
        'contract_prepared',
        'contract_accepted',
        'trust_requested',
        'trust_granted',
      ])
    expect(await problemOf(check(work_order_id, 'reject'))).toMatchObject({
      code: 'already_decided',
    })
    const other = (await open().call('work-order-create', order())).body
    await check(other.work_order.work_order_id, 'reject')
    expect(await orderOf(other.status_token, other.work_order.work_order_id)).toMatchObject({
      state: 'rejected',
      review: { state: 'rejected' },
    })
    const over = async () => (await eventsOf(other.rail_run.task_token)).slice(2)
    await expect.poll(over).toEqual(['exception_raised', 'abandoned', 'closed'])
  },
)

/** One sweep of undecided orders, as every worker makes them, as if so much time were the limit. */
async function sweepUndecided(keepMs: number): Promise<void> {
  const { client, close } = createTemporalClient(apis.config)
  const tasks = taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)
  try {
    await closeUndecided(tasks, keepMs, (taskId) => wakeTask({ client, db: apis.db }, taskId))
  } finally {
    await close()
  }
}

verifies(
  'admission.undecided-orders',
  'only undecided public orders without money are closed in time',
  async () => {
    const { sandboxInput } = distributionops
    const { input: _one, ...rest } = order({ requested_tool_id: 'service_os' })
    const steps = [exampleOrder.input, sandboxInput].map((input, index) => ({
      rail: index === 0 ? ('packetops' as const) : ('distributionops' as const),
      input: input as Record<string, unknown>,
    }))
    const left = (await open().call('work-order-create', { ...rest, steps })).body
    const requester = { agent_id: agent.registered.agent.agent_id }
    const owned = (await agent.client.call('work-order-create', order({ requester }))).body
    const decided = (await open().call('work-order-create', order())).body
    await check(decided.work_order.work_order_id, 'approve')
    const quoted = (
      await open().call('quote-run', { mode: 'quote_run', rail: 'packetops', tier: 'standard' })
    ).body
    const {
      quote: { quote_id },
      quote_token = '',
    } = quoted
    const paid = (await open().call('work-order-create', order({ quote_id, quote_token }))).body
    const payment = {
      quote_id,
      method: 'invoice_reference' as const,
      external_reference: `INV-${freshKey()}`,
    }
    await createClient({
      baseUrl: hosts().base,
      statusToken: paid.status_token,
      signAsAgent: () => 'A'.repeat(86),
    }).call('payment-reference-create', { ...payment, idempotency_key: freshKey() })
    const stateOf = async ({ status_token, work_order }: typeof left) =>
      (await orderOf(status_token, work_order.work_order_id))?.state
    const receipts = async () => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from receipts
        where subject = ${left.work_order.work_order_id}`.execute(apis.db)
      return rows[0]?.n
    }
    const before = await receipts()

    await sweepUndecided(3_600_000)
    expect(await stateOf(left)).toBe('queued')
    await Promise.all([sweepUndecided(0), sweepUndecided(0)])
    await sweepUndecided(0)
    expect(await Promise.all([left, owned, decided, paid].map(stateOf))).toEqual([
      'rejected',
      'queued',
      'approved',
      'queued',
    ])
    for (const { task_token } of left.rail_runs) {
      await expect
        .poll(async () => (await eventsOf(task_token)).slice(2))
        .toEqual(['exception_raised', 'abandoned', 'closed'])
      const taskId = `task-${sha256Hex(task_token)}`
      const workflow = async () => {
        const { client, close } = createTemporalClient(apis.config)
        const { status } = await client.workflow.getHandle(taskId).describe()
        await close()
        return status.name
      }
      await expect.poll(workflow).toBe('COMPLETED')
      const { rows } = await sql`select 1 from task_documents d join tasks t using (task_id)
        where t.task_id = ${taskId} and d.sha256 <> t.terms_sha256`.execute(apis.db)
      expect(rows).toEqual([])
    }
    expect([before, await receipts()]).toEqual([1, 1])
    expect(await problemOf(check(left.work_order.work_order_id, 'approve'))).toMatchObject({
      code: 'wrong_state',
    })
  },
)

verifies(
  'work-order.worked-off',
  'an agent’s order is paid by its quote and delivered by its task',
  async () => {
    const { quote_id } = await agent.quote('packetops', 7)
    const requester = { agent_id: agent.registered.agent.agent_id }
    const { body } = await agent.client.call('work-order-create', order({ quote_id, requester }))
    const { work_order, rail_run, status_token } = body
    await check(work_order.work_order_id, 'approve')
    await expect
      .poll(() => agent.status(rail_run.run_id, 5_000))
      .toMatchObject({ state: 'credit_pending' })
    const { payment_reference_id } = await agent.pay(quote_id)
    await agent.approve('payment_reference', payment_reference_id)
    const stateOf = async () => (await orderOf(status_token, work_order.work_order_id))?.state
    await expect.poll(stateOf).toBe('operating')
    const waits = async () =>
      (await agent.status(rail_run.run_id)).loop.steps.find(({ step }) => step === 'review_step')
        ?.state
    await expect.poll(waits).toBe('waits')
    await agent.approve('loop_step', rail_run.run_id)
    await expect.poll(stateOf).toBe('completed')
    const { run_id } = rail_run
    const status = { mode: 'get_run_status', run_id } as const
    const fetched = { mode: 'fetch_return_package', run_id } as const
    await expect
      .poll(async () => (await holder(status_token).call('get-run-status', status)).body.run.state)
      .toBe('closed')
    const read = (await holder(status_token).call('fetch-return-package', fetched)).body
    expect(read).toMatchObject({ return_package: { run_id }, completion: { verdict: 'proven' } })
    const own = await agent.client.call('work-orders-read', {
      work_order_id: work_order.work_order_id,
    })
    expect(own.body.work_order).toMatchObject({ state: 'completed', agent_id: requester.agent_id })
  },
)

verifies('work-order.runs', 'the token of an order reads its runs, and no other run', async () => {
  const { work_order, rail_run, status_token } = (await open().call('work-order-create', order()))
    .body
  await check(work_order.work_order_id, 'reject')
  const { next_action } = (await holder(status_token).call('agent-status', {})).body
  expect(next_action).toMatch(/run_ids at POST \/api\/agent-use, .*get_run_status.*fetch_return/)
  const statusOf = (token: string, run_id: string) =>
    holder(token).call('get-run-status', { mode: 'get_run_status', run_id })
  const packageOf = (token: string, run_id: string) =>
    holder(token).call('fetch-return-package', { mode: 'fetch_return_package', run_id })
  for (const run_id of work_order.run_ids)
    expect((await statusOf(status_token, run_id)).body.run).toMatchObject({ run_id })
  expect(rail_run.run_id).toBe(work_order.run_ids[0])
  const early = await problemOf(packageOf(status_token, rail_run.run_id))
  expect(['not_ready', 'wrong_state']).toContain(early.code)

  const requester = { agent_id: agent.registered.agent.agent_id }
  const mine = [0, 1].map(() => agent.client.call('work-order-create', order({ requester })))
  const [one, other] = (await Promise.all(mine)).map((answer) => answer.body)
  const foreign = [rail_run.run_id, other!.rail_run.run_id]
  for (const run_id of foreign)
    for (const call of [statusOf, packageOf])
      expect(await problemOf(call(one!.status_token, run_id))).toMatchObject({ code: 'not_found' })
  const { run } = (await statusOf(one!.status_token, one!.rail_run.run_id)).body
  expect(run.work_order_id).toBe(one!.work_order.work_order_id)
})

verifies(
  'work-order.payment',
  'a named payment is its agent’s, fits the order and funds it',
  async () => {
    const buyer = await openAgentUse(hosts(), apis.operator)
    const requester = { agent_id: buyer.registered.agent.agent_id }
    const send = (payment_reference_id: string, more: Partial<Order> = {}) =>
      buyer.client.call('work-order-create', order({ requester, payment_reference_id, ...more }))
    const refused = { unknown: `pr_${'0'.repeat(64)}`, foreign: '' }
    const stranger = await openAgentUse(hosts(), apis.operator)
    const theirs = await stranger.quote('packetops', 11)
    refused.foreign = (await stranger.pay(theirs.quote_id)).payment_reference_id
    for (const id of Object.values(refused))
      expect(await problemOf(send(id))).toMatchObject({ status: 404, code: 'not_found' })
    const { quote_id } = await buyer.quote('packetops', 12)
    const { payment_reference_id } = await buyer.pay(quote_id)
    const other = await buyer.quote('packetops', 13)
    const unfit = { status: 422, code: 'amount_mismatch' }
    for (const more of [{ quote_id: other.quote_id }, { tier: 'entry' as const }])
      expect(await problemOf(send(payment_reference_id, more))).toMatchObject(unfit)

    const { body } = await send(payment_reference_id)
    const { work_order, rail_run, receipt } = body
    expect(receipt.payload).toMatchObject({ payment_reference_id, quote_id })
    const console = createClient({ baseUrl: hosts().base, operator: apis.operator })
    const { evidence } = (
      await console.call('loop-review-console', { subject_id: work_order.work_order_id })
    ).body
    const part = evidence?.parts.find(({ name }) => name === 'payment')
    expect(part?.content).toMatchObject({ payment_reference_id })
    await buyer.approve('payment_reference', payment_reference_id)
    await check(work_order.work_order_id, 'approve')
    const begun = async () => (await buyer.status(rail_run.run_id, 5_000)).entitlement_id
    await expect.poll(begun).toMatch(/^en/)
    const late = await buyer.quote('packetops', 14)
    const rejected = await buyer.pay(late.quote_id)
    await decide(hosts(), apis.operator, rejected.payment_reference_id, 'reject', {
      subject_kind: 'payment_reference',
    })
    expect(await problemOf(send(rejected.payment_reference_id))).toMatchObject(unfit)
  },
)

verifies(
  'work-order.worked-off',
  'the state of an order follows from its decision and its tasks',
  () => {
    const task = (state: 'trusted' | 'operating' | 'attested' | 'closed', attested = false) => ({
      state,
      attested,
      begun: state !== 'trusted',
    })
    expect(workOrderState(null, [task('trusted')])).toBe('queued')
    expect(workOrderState('reject', [task('closed')])).toBe('rejected')
    expect(workOrderState(null, [task('closed')])).toBe('failed')
    expect(workOrderState('approve', [task('closed', true), task('closed')])).toBe('failed')
    expect(workOrderState('approve', [task('closed'), task('operating')])).toBe('operating')
    expect(workOrderState('approve', [task('trusted'), task('trusted')])).toBe('approved')
    expect(workOrderState('approve', [task('trusted'), task('operating')])).toBe('operating')
    expect(workOrderState('approve', [task('closed', true), task('operating')])).toBe('operating')
    expect(workOrderState('approve', [task('closed', true), task('attested', true)])).toBe(
      'delivered',
    )
    expect(workOrderState('approve', [task('closed', true), task('closed', true)])).toBe(
      'completed',
    )
  },
)
