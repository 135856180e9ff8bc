import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { verifies } from '../../../verifies.ts'

type AgentUse = Awaited<ReturnType<typeof openAgentUse>>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: AgentUse
beforeAll(async () => {
  apis = await startComposedTasks()
  agent = await openAgentUse(hosts(), apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

let units = 2
const freshQuote = (rail?: 'diligenceops') => agent.quote(rail, ++units)
const hosts = (api = 0) => apis.hosts[api]!
const tasksOf = ({ registered }: AgentUse) =>
  apis.db
    .selectFrom('tasks')
    .select('task_id')
    .where('agent_id', '=', registered.agent.agent_id)
    .execute()
const eventsOf = (taskId: string) =>
  apis.db
    .selectFrom('task_events')
    .select(['event', 'actor'])
    .where('task_id', '=', taskId)
    .orderBy('sequence')
    .execute()

verifies(
  'agent-use.start',
  'ten unpaid starts are one task and challenge; paid, it continues',
  async () => {
    const { quote_id, total_usd } = await freshQuote()
    const input = agent.startInput(quote_id)
    const before = await tasksOf(agent)
    const eventEffects = createClient({ baseUrl: hosts(1).base, agent: agent.credential })
    const problems = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        problemOf((at % 2 ? eventEffects : agent.client).call('start-agent-run', input)),
      ),
    )
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['payment_required']))
    const [{ challenge, run } = {}] = problems as unknown as {
      challenge: object
      run: { run_id: string; task_id: string }
    }[]
    expect(challenge).toMatchObject({ amount_usd: total_usd, state: 'open' })
    for (const problem of problems)
      expect(problem).toMatchObject({ status: 402, challenge, money_moved: 'no' })
    expect(await tasksOf(agent)).toHaveLength(before.length + 1)
    const { run_id, task_id } = run!
    expect(await agent.status(run_id)).toMatchObject({
      state: 'credit_pending',
      waiting_for: ['credit'],
      quote_id,
    })
    const events = await eventsOf(task_id)
    expect(events.map(({ event }) => event)).toEqual([
      'submit',
      'preflight_passed',
      'contract_prepared',
      'contract_accepted',
      'trust_requested',
      'trust_granted',
      'quote_issued',
      'credit_requested',
    ])
    expect(events[3]?.actor).toBe(`agent:${agent.registered.agent.agent_id}`)
    const reference = await agent.pay(quote_id)
    const pending = await problemOf(agent.start(input))
    expect(pending).toMatchObject({
      code: 'payment_pending',
      payment_reference_id: reference.payment_reference_id,
    })
    await agent.approve('payment_reference', reference.payment_reference_id)
    const { status, body } = await agent.start(input)
    expect(status).toBe(202)
    expect(body).toMatchObject({
      challenge: null,
      run: { run_id, state: 'credit_funded', waiting_for: ['review'] },
    })
    expect(body.receipts.map(({ kind }) => kind)).toEqual(['intake', 'settlement_receipt'])
    expect(body.result_contract).toMatchObject({
      settlement_receipt_id: body.run.settlement_receipt_id,
    })
    expect(await tasksOf(agent)).toHaveLength(before.length + 1)
    expect(apis.logged()).not.toContain(body.run.task_token)
  },
)

verifies(
  'agent-use.start',
  'a run waits for a named payment, which funds all quoted runs',
  async () => {
    const { quote_id } = await agent.quote('packetops', 2)
    const { payment_reference_id } = await agent.pay(quote_id)
    const input = { ...agent.startInput(quote_id), payment_reference_id }
    const { body } = await agent.start(input)
    expect(body).toMatchObject({
      challenge: { state: 'pending' },
      run: { state: 'credit_pending', payment_reference_id },
    })
    await agent.approve('payment_reference', payment_reference_id)
    await expect
      .poll(async () => (await agent.status(body.run.run_id, 5_000)).state)
      .toBe('credit_funded')
    const again = (await agent.start(input)).body
    expect(again).toMatchObject({ challenge: null, run: { run_id: body.run.run_id } })
    const { entitlement_id = null } = again.run
    const another = () =>
      agent.start({ ...agent.startInput(quote_id), entitlement_id: entitlement_id ?? '' })
    expect((await another()).body).toMatchObject({
      run: { state: 'credit_funded', entitlement_id },
    })
    expect(await problemOf(another())).toMatchObject({ code: 'credit_exhausted' })
  },
)

verifies('agent-use.start', 'a second run on a quote that is not paid is refused', async () => {
  const { quote_id } = await agent.quote('packetops', 1)
  const first = agent.startInput(quote_id)
  expect(await problemOf(agent.start(first))).toMatchObject({ status: 402 })
  expect(await problemOf(agent.start(agent.startInput(quote_id)))).toMatchObject({
    code: 'quote_mismatch',
    next_action: 'Pay for that run, or ask for another quote.',
  })
})

verifies('agent-use.start', 'what does not fit is refused before anything is begun', async () => {
  const { quote_id } = await freshQuote()
  const other = await freshQuote('diligenceops')
  const before = await tasksOf(agent)
  const input = () => agent.startInput(quote_id)
  const refused = async (more: Partial<ReturnType<typeof input>>) =>
    problemOf(agent.start({ ...input(), ...more }))
  expect(await refused({ rail: 'tokenops' })).toMatchObject({
    code: 'rail_not_allowed',
    status: 403,
  })
  expect(await refused({ quote_id: other.quote_id })).toMatchObject({
    code: 'quote_mismatch',
    status: 409,
  })
  expect(await refused({ quote_id: `qt_${'0'.repeat(64)}` })).toMatchObject({ code: 'not_found' })
  expect(await refused({ callback_url: 'https://10.0.0.1/x' })).toMatchObject({
    code: 'callback_refused',
    status: 422,
  })
  expect(await refused({ input: { title: 'no items' } })).toMatchObject({
    code: 'input_rejected',
    errors: expect.arrayContaining([{ pointer: '/input/items', message: expect.any(String) }]),
  })
  const { payment_reference_id } = await agent.pay(other.quote_id)
  expect(await refused({ payment_reference_id })).toMatchObject({ code: 'quote_mismatch' })
  const unknown = { ap2_mandate_reference: 'ab'.repeat(32) }
  expect(await refused(unknown)).toMatchObject({ code: 'not_found' })
  const ids = { payment_reference_id, wallet_id: `aw_${'0'.repeat(64)}` }
  expect(await refused(ids)).toMatchObject({ code: 'invalid_request' })
  expect(await tasksOf(agent)).toEqual(before)
  const first = input()
  await problemOf(agent.start(first))
  expect(await problemOf(agent.start({ ...first, on_gaps: 'ask' }))).toMatchObject({
    code: 'idempotency_conflict',
  })
  const stranger = await openAgentUse(hosts(), apis.operator)
  const theirs = { ...stranger.startInput((await stranger.quote()).quote_id), payment_reference_id }
  expect(await problemOf(stranger.start(theirs))).toMatchObject({ code: 'not_owner' })
})

verifies(
  'agent-use.start',
  'an allowance wallet pays at once, and not more than it holds',
  async () => {
    const scopes = ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'] as const
    const owner = await openAgentUse(hosts(), apis.operator, { requested_scopes: [...scopes] })
    const made = (
      await owner.client.call('allowance-wallet-create', { idempotency_key: freshKey() })
    ).body
    const { wallet_id } = made.wallet
    const invoice = {
      method: 'invoice_reference',
      external_reference: `INV-${freshKey()}`,
      amount_usd: 150,
    } as const
    const paid = {
      mode: 'fund_allowance',
      wallet_id,
      ...invoice,
      idempotency_key: freshKey(),
    } as const
    const { payment_reference } = (await owner.client.call('allowance-fund', paid)).body
    await owner.approve('payment_reference', payment_reference.payment_reference_id)
    const { quote_id } = await owner.quote()
    const input = { ...owner.startInput(quote_id), wallet_id }
    const [first, second] = await Promise.all([owner.start(input), owner.start(input)])
    expect(first.body).toMatchObject({ challenge: null, run: { state: 'credit_funded' } })
    expect(second.body.run.payment_reference_id).toBe(first.body.run.payment_reference_id)
    const more = { ...owner.startInput((await owner.quote('packetops', 2)).quote_id), wallet_id }
    expect(await problemOf(owner.start(more))).toMatchObject({ code: 'wallet_underfunded' })
  },
)

verifies('agent-use.start', 'a sandbox agent completes a synthetic run without money', async () => {
  const sandbox = await openAgentUse(hosts(), apis.operator, { sandbox: true })
  const { quote_id } = await sandbox.quote()
  const input = sandbox.startInput(quote_id)
  expect(await problemOf(sandbox.start(input))).toMatchObject({ code: 'trust_required' })
  const { body } = await sandbox.start({
    ...input,
    usage: 'synthetic',
    idempotency_key: freshKey(),
  })
  expect(body).toMatchObject({ challenge: null, run: { usage: 'synthetic' } })
  const closed = async () => (await sandbox.status(body.run.run_id, 5_000)).state
  await expect.poll(closed).toBe('closed')
  const asked = { mode: 'fetch_return_package', run_id: body.run.run_id } as const
  const fetched = (await sandbox.client.call('fetch-return-package', asked)).body
  expect(fetched).toMatchObject({
    completion: { verdict: 'proven' },
    return_package: {
      usage: 'synthetic',
      result_contract: { usage_receipt_id: expect.stringMatching(/^rc_/) },
    },
  })
})
