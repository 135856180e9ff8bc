import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { railOf } from '#domain/rails/index.ts'
import { verifyLedger } from '#domain/tasks/ledger.ts'
import { listLedger } from '../../../../activities/store/tasks/tasks.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { auditBooks } from '../../../support/books.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { patiently } from '../../../support/problems.ts'
import { decide } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

type Start = InputOf<'wallet-run-start'>
type Limits = InputOf<'allowance-limits'>['limits']
type Owner = Awaited<ReturnType<typeof owner>>

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = (api = 0) => apis.hosts[api]!
const scopes = ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'] as const
const rails = ['packetops', 'energyops', 'scout'] as const

type Payer = Pick<Awaited<ReturnType<typeof openAgentUse>>, 'client' | 'approve'>
async function topUp({ client, approve }: Payer, wallet_id: string, usd: number) {
  const invoice = {
    method: 'invoice_reference',
    external_reference: `INV-${freshKey()}`,
    amount_usd: usd,
  } as const
  const paid = {
    mode: 'fund_allowance',
    wallet_id,
    ...invoice,
    idempotency_key: freshKey(),
  } as const
  const { payment_reference } = (await client.call('allowance-fund', paid)).body
  await approve('payment_reference', payment_reference.payment_reference_id)
}

/** An agent whose wallet holds so much; `maxUsd` is what an operator lets it spend at once. */
async function owner(usd: number, limits: Limits = {}, maxUsd?: number) {
  const manifest = { rails: [...rails], requested_scopes: [...scopes] }
  const agent = await openAgentUse(
    hosts(),
    apis.operator,
    manifest,
    maxUsd === undefined ? {} : { max_usd: maxUsd },
  )
  const asked = { limits, idempotency_key: freshKey() }
  const { wallet_id } = (await agent.client.call('allowance-wallet-create', asked)).body.wallet
  await topUp(agent, wallet_id, usd)
  const quoted = async (of: Partial<InputOf<'agent-quote'>> = {}) => {
    const wanted = {
      rail: 'energyops',
      tier: 'standard',
      idempotency_key: freshKey(),
      ...of,
    } as const
    return (await agent.client.call('agent-quote', wanted)).body.quote
  }
  const input = async (
    of?: Partial<InputOf<'agent-quote'>>,
    more: Partial<Start> = {},
  ): Promise<Start> => {
    const { quote_id, rail, tier } = await quoted(of)
    const sample = railOf(rail).sandboxInput as Start['input']
    const agreed = { accept_terms: true, on_gaps: 'report', idempotency_key: freshKey() } as const
    return { rail, tier, quote_id, input: sample, wallet_id, ...agreed, ...more }
  }
  return {
    ...agent,
    wallet_id,
    quoted,
    input,
    agentId: agent.registered.agent.agent_id,
    start: (given: Start, api = 0) =>
      createClient({ baseUrl: hosts(api).base, agent: agent.credential }).call(
        'wallet-run-start',
        given,
      ),
    holds: async () => {
      const { wallet } = (await agent.client.call('allowance-wallet-read', { wallet_id })).body
      return { balance: wallet?.balance_units, reserved: wallet?.reserved_units }
    },
    read: async (run_id: string) => {
      const { body } = await agent.client.call('wallet-run-read', { run_id })
      if (!('run' in body)) throw new Error('a run was expected')
      return body
    },
  }
}

const check = (work_order_id: string, decision: 'approve' | 'reject') =>
  decide(hosts(), apis.operator, work_order_id, decision, { subject_kind: 'work_order' })
/** What stands in the books and rows of an agent, without asking the service. */
const rowsOf = async ({ agentId }: Owner) =>
  (
    await sql<Record<'tasks' | 'orders' | 'paid' | 'credits', number>>`select
      (select count(*)::int from tasks where agent_id = ${agentId}) as tasks,
      (select count(*)::int from work_orders where agent_id = ${agentId}) as orders,
      (select count(*)::int from payment_references where agent_id = ${agentId} and wallet_id is null) as paid,
      (select count(*)::int from entitlements where agent_id = ${agentId}) as credits`.execute(
      apis.db,
    )
  ).rows[0]
/** What the movements of a run's credit come to by account. */
const postedFor = async (entitlement_id: string | null) => {
  const { rows } = await sql<{ account: string; units: number }>`
    select account, sum(units)::int as units from postings where receipt_id in
      (select receipt_id from postings where account = ${`credit:${entitlement_id}`}) group by account`.execute(
    apis.db,
  )
  return Object.fromEntries(
    rows.map(({ account, units }) => [account.replace(/:(aw|en)_.*/, ''), units]),
  )
}
const stateOf = (agent: Owner, runId: string) => async () => (await agent.status(runId)).state
const awaitsReview = (agent: Owner, runId: string) =>
  expect
    .poll(
      async () =>
        (await agent.status(runId)).loop.steps.find(({ step }) => step === 'review_step')?.state,
    )
    .toBe('waits')

verifies(
  ['wallet-run.start', 'wallet-run.contract', 'conform.requested-tool'],
  'a run is paid at once, earned when done, and delivered to its target',
  async () => {
    const agent = await owner(400)
    const { status, body } = await agent.start(await agent.input())
    expect(status).toBe(202)
    const { run, work_order, return_package_target: target, status_token } = body
    const { run_id, task_id, entitlement_id } = run
    expect(run).toMatchObject({
      state: 'credit_funded',
      waiting_for: ['review'],
      rail: 'energyops',
    })
    expect(body).toMatchObject({
      wallet_id: agent.wallet_id,
      payment_intent_id: run.payment_reference_id,
    })
    expect(body.settlement_reference).toBe(run.settlement_receipt_id)
    expect(work_order).toMatchObject({
      state: 'queued',
      requested_tool_id: 'service_os',
      run_id,
      intake_kind: 'external_agent_request',
      requester: { agent_id: agent.agentId },
    })
    expect(run.work_order_id).toBe(work_order.work_order_id)
    const entries = await listLedger(apis.db, task_id)
    expect(entries.map(({ event }) => event)).toEqual([
      'submit',
      'preflight_passed',
      'contract_prepared',
      'contract_accepted',
      'trust_requested',
      'trust_granted',
      'quote_issued',
      'credit_requested',
      'credit_funded',
    ])
    expect(await agent.holds()).toEqual({ balance: 400 - 323, reserved: 323 })
    expect(await postedFor(entitlement_id)).toEqual({ wallet: -323, credit: 323 })
    const holder = createClient({ baseUrl: hosts().base, statusToken: status_token })
    expect((await holder.call('agent-status', {})).body).toMatchObject({
      kind: 'work_order',
      work_order,
    })

    expect((await check(work_order.work_order_id, 'approve')).subject).toMatchObject({
      state: 'approved',
    })
    await awaitsReview(agent, run_id)
    expect(await postedFor(entitlement_id)).toEqual({ wallet: -323, credit: 323 })
    await agent.approve('loop_step', run_id)
    await expect.poll(stateOf(agent, run_id)).toBe('closed')
    expect(await postedFor(entitlement_id)).toEqual({
      wallet: -323,
      credit: 0,
      'revenue:energyops': 299,
      fees: 24,
    })
    expect(await agent.holds()).toEqual({ balance: 400 - 323, reserved: 0 })
    await auditBooks(apis.db)
    expect(verifyLedger(task_id, await listLedger(apis.db, task_id))).toMatchObject({ ok: true })

    expect(target.url).toBe(run.links.return_package)
    const fetched = await fetch(target.url, { headers: { Accept: 'application/json' } })
    const { return_package, completion } = (await fetched.json()) as Record<
      string,
      Record<string, unknown>
    >
    expect(return_package?.['return_package_id']).toBe(target.return_package_id)
    expect(completion).toMatchObject({ verdict: 'proven' })

    const { status_token: _once, ...shown } = body
    const { run: _run, work_order: _order, ...fixed } = shown
    const read = await agent.read(run_id)
    expect(read).toMatchObject({
      ...fixed,
      work_order: { state: 'completed' },
      run: { state: 'closed' },
    })
    for (const receipt_id of [
      body.receipt_id,
      body.settlement_reference,
      read.run.usage_receipt_id ?? '',
    ])
      expect((await agent.client.call('verify-receipt', { receipt_id })).body.verified).toBe(true)
    const stranger = await owner(1)
    expect(await problemOf(stranger.read(run_id))).toMatchObject({ code: 'not_found' })
    const open = createClient({ baseUrl: hosts().base })
    expect(await problemOf(open.call('wallet-run-read', { run_id }))).toMatchObject({
      code: 'credential_required',
    })
    const { body: contract } = await open.call('wallet-run-read', {})
    expect(contract).toMatchObject({
      path: '/api/wallet-bound-rail-run',
      fee_model: 'wallet creation is free; a small rail fee applies on completed paid agent work',
      operations: [
        { id: 'wallet-run-read' },
        { id: 'wallet-run-start', scopes: ['runs:write', 'wallets:write'] },
      ],
      live: { closed: 1 },
    })
  },
)

verifies(
  'wallet-run.contract',
  'a run that a wallet pays for without an order is none of these',
  async () => {
    const agent = await owner(200)
    const { quote_id } = await agent.quoted({ rail: 'packetops' })
    const { body } = await agent.client.call('start-agent-run', {
      ...agent.startInput(quote_id),
      wallet_id: agent.wallet_id,
    })
    expect(await problemOf(agent.read(body.run.run_id))).toMatchObject({ code: 'not_found' })
  },
)

verifies(
  'wallet-run.review',
  'the order is what waits for a decision, and the task behind it is not',
  async () => {
    const agent = await owner(400)
    const { work_order, run } = (await agent.start(await agent.input())).body
    const reviewer = createClient({ baseUrl: hosts().base, operator: apis.operator })
    const listed = async (kind: 'task' | 'work_order') =>
      (await reviewer.call('loop-review-console', { kind, limit: '100' })).body.items.map(
        ({ subject_id }) => subject_id,
      )
    expect(await listed('work_order')).toContain(work_order.work_order_id)
    expect(await listed('task')).not.toContain(run.task_id)
    expect(await problemOf(agent.approve('task', run.task_id))).toMatchObject({
      code: 'wrong_state',
      allowed_decisions: [],
      detail: expect.stringContaining(work_order.work_order_id),
    })
    await check(work_order.work_order_id, 'approve')
    expect(await listed('work_order')).not.toContain(work_order.work_order_id)
    await awaitsReview(agent, run.run_id)
    expect((await agent.read(run.run_id)).work_order).toMatchObject({
      state: 'operating',
      review: { state: 'approved' },
    })
  },
)

verifies(
  'wallet-run.refused',
  'a low balance is a 402 without a trace; the call succeeds later',
  async () => {
    const agent = await owner(300)
    const input = await agent.input()
    const problem = await problemOf(agent.start(input))
    expect(problem).toMatchObject({
      status: 402,
      code: 'payment_required',
      money_moved: 'no',
      shortfall_usd: 23,
      wallet_id: agent.wallet_id,
      challenge: { quote_id: input.quote_id, amount_usd: 323, state: 'open' },
    })
    expect(problem['accepted_methods']).toHaveLength(6)
    expect(await rowsOf(agent)).toEqual({ tasks: 0, orders: 0, paid: 0, credits: 0 })
    expect(await agent.holds()).toEqual({ balance: 300, reserved: 0 })
    await topUp(agent, agent.wallet_id, 23)
    expect((await agent.start(input)).body.run).toMatchObject({ state: 'credit_funded' })
    expect(await agent.holds()).toEqual({ balance: 0, reserved: 323 })
  },
)

verifies(
  'wallet-run.refused',
  'limits of the wallet, and of its agent, are a 403 that leaves nothing',
  async () => {
    const denied = async (agent: Owner, input: Start) => {
      const before = await rowsOf(agent)
      expect(await problemOf(agent.start(input))).toMatchObject({
        status: 403,
        code: 'control_denied',
        money_moved: 'no',
      })
      expect(await rowsOf(agent)).toEqual(before)
    }
    const narrow = await owner(2_000, {
      per_run_usd: 322,
      per_day_usd: 400,
      rails: ['packetops', 'energyops'],
    })
    await denied(narrow, await narrow.input())
    expect((await narrow.start(await narrow.input({ tier: 'entry' }))).status).toBe(202)
    expect((await narrow.start(await narrow.input({ tier: 'entry' }))).status).toBe(202)
    // 149 twice, and 107 more would be over the day's 400.
    await denied(narrow, await narrow.input({ rail: 'packetops' }))
    const packets = await owner(2_000, { rails: ['packetops'] })
    await denied(packets, await packets.input())
    const limited = await owner(2_000, {}, 322)
    const same = await limited.input()
    await denied(limited, same)
    await createClient({ baseUrl: hosts().base, operator: apis.operator }).call(
      'agent-limits-set',
      {
        agent_id: limited.agentId,
        limits: { max_usd: 323 },
        reason: 'a larger budget',
        idempotency_key: freshKey(),
      },
    )
    expect((await limited.start(same)).body.run).toMatchObject({ state: 'credit_funded' })
    await auditBooks(apis.db)
  },
)

verifies(
  'wallet-run.refused',
  'what does not fit is refused before anything is begun',
  async () => {
    const agent = await owner(1_000)
    const input = await agent.input()
    const code = async (more: Partial<Start>) =>
      (await problemOf(agent.start({ ...input, ...more }))).code
    const packet = await agent.quoted({ rail: 'packetops' })
    expect(await code({ quote_id: packet.quote_id })).toBe('quote_mismatch')
    expect(await code({ quote_id: `qt_${'0'.repeat(64)}` })).toBe('not_found')
    expect(await code({ wallet_id: `aw_${'0'.repeat(64)}` })).toBe('not_found')
    expect(await code({ callback_url: 'https://10.0.0.1/x' })).toBe('callback_refused')
    expect(await code({ input: { meter: 'none' } })).toBe('input_rejected')
    expect(await code({ usage: 'synthetic' as 'operational' })).toBe('invalid_request')
    await agent.pay(input.quote_id)
    expect(await code({})).toBe('payment_pending')
    expect(await rowsOf(agent)).toMatchObject({ tasks: 0, orders: 0 })
    expect(await agent.holds()).toEqual({ balance: 1_000, reserved: 0 })
  },
)

verifies(
  'wallet-run.scopes',
  'one scope, an unsold rail and a foreign wallet are refused',
  async () => {
    const agent = await owner(1_000)
    const input = await agent.input()
    for (const only of ['runs:write', 'wallets:write'] as const) {
      const half = await openAgentUse(hosts(), apis.operator, {
        rails: ['energyops'],
        requested_scopes: [only],
      })
      const missing = only === 'runs:write' ? 'wallets:write' : 'runs:write'
      expect(await problemOf(half.client.call('wallet-run-start', input))).toMatchObject({
        status: 403,
        code: 'scope_denied',
        detail: `the credential has no scope ${missing}`,
      })
    }
    expect(await problemOf(agent.start({ ...input, rail: 'scout' }))).toMatchObject({
      code: 'rail_not_allowed',
    })
    expect(await problemOf(agent.start({ ...input, rail: 'tokenops' }))).toMatchObject({
      code: 'rail_not_allowed',
    })
    const { wallet_id } = await owner(1_000)
    expect(await problemOf(agent.start({ ...input, wallet_id }))).toMatchObject({
      status: 403,
      code: 'not_owner',
    })
    expect(await rowsOf(agent)).toMatchObject({ tasks: 0, orders: 0 })
  },
)

verifies(
  'wallet-run.parallel',
  'of fifty concurrent starts the wallet pays only what it holds',
  async () => {
    const agent = await owner(10_000)
    const inputs: { input: Start; usd: number }[] = []
    for (let units = 1; units <= 50; units += 1) {
      const of = { rail: 'packetops', tier: 'entry', units } as const
      inputs.push({ input: await agent.input(of), usd: 49 * units })
    }
    const outcomes = await Promise.all(
      inputs.map(({ input, usd }, at) =>
        patiently(() => agent.start(input, at % 2)).then(
          ({ body }) => ({ usd, code: 'paid', state: body.run.state }),
          (error) => ({ usd, code: String(error.problem?.code ?? error), state: undefined }),
        ),
      ),
    )
    const paid = outcomes.filter(({ code }) => code === 'paid')
    const refused = outcomes.filter(({ code }) => code === 'payment_required')
    expect(paid.length + refused.length, JSON.stringify(outcomes)).toBe(50)
    expect(paid.every(({ state }) => state === 'credit_funded')).toBe(true)
    const spent = paid.reduce((sum, { usd }) => sum + usd, 0)
    const { balance = Number.NaN, reserved } = await agent.holds()
    expect({ balance, reserved }).toEqual({ balance: 10_000 - spent, reserved: spent })
    expect(Math.min(...refused.map(({ usd }) => usd))).toBeGreaterThan(balance)
    const count = paid.length
    expect(await rowsOf(agent)).toEqual({
      tasks: count,
      orders: count,
      paid: count,
      credits: count,
    })
    await auditBooks(apis.db)
  },
)

verifies(
  'wallet-run.returned',
  'a rejected order or abandoned run returns the whole price',
  async () => {
    const agent = await owner(646)
    const rejected = (await agent.start(await agent.input())).body
    const stopped = (await agent.start(await agent.input())).body
    expect(await agent.holds()).toEqual({ balance: 0, reserved: 646 })
    await check(rejected.work_order.work_order_id, 'reject')
    await expect.poll(stateOf(agent, rejected.run.run_id)).toBe('closed')
    expect(await agent.holds()).toEqual({ balance: 323, reserved: 323 })
    expect((await agent.read(rejected.run.run_id)).work_order).toMatchObject({ state: 'rejected' })

    const { run_id, task_token: statusToken } = stopped.run
    await check(stopped.work_order.work_order_id, 'approve')
    await awaitsReview(agent, run_id)
    await decide(hosts(), apis.operator, run_id, 'reject', { subject_kind: 'loop_step' })
    await expect.poll(stateOf(agent, run_id)).toBe('exception_open')
    expect(await agent.holds()).toEqual({ balance: 323, reserved: 323 })
    const reviewer = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      operator: apis.operator,
      statusToken,
    })
    const [raised] = (await reviewer.call('task-exceptions', {})).body.items
    const given_up = {
      exception_id: raised?.exception_id,
      action: 'abandon',
      idempotency_key: freshKey(),
    } as const
    await reviewer.call('task-recover', given_up)
    await expect.poll(stateOf(agent, run_id)).toBe('closed')
    expect(await agent.holds()).toEqual({ balance: 646, reserved: 0 })
    for (const { run } of [rejected, stopped])
      expect(await postedFor(run.entitlement_id)).toEqual({ wallet: 0, credit: 0 })
    await auditBooks(apis.db)
  },
)

verifies(
  'wallet-run.repeat',
  'ten starts with one key are one run, and another body is refused',
  async () => {
    const agent = await owner(1_000)
    const input = await agent.input()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => patiently(() => agent.start(input, at % 2))),
    )
    const [{ body: first } = { body: undefined }] = answers
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    for (const { body } of answers) expect(body).toEqual(first)
    expect(await rowsOf(agent)).toEqual({ tasks: 1, orders: 1, paid: 1, credits: 1 })
    expect(await agent.holds()).toEqual({ balance: 1_000 - 323, reserved: 323 })
    const other = { ...input, customer_account: 'acme' }
    expect(await problemOf(agent.start(other))).toMatchObject({
      status: 422,
      code: 'idempotency_conflict',
    })
    expect(await problemOf(agent.start({ ...input, idempotency_key: freshKey() }))).toMatchObject({
      code: 'credit_exhausted',
    })
    await check(first?.work_order.work_order_id ?? '', 'approve')
    expect((await agent.start(input)).body).toMatchObject({
      run: { run_id: first?.run.run_id },
      work_order: {},
    })
  },
)

verifies(
  'wallet-run.repeat',
  'a wallet that paid a quote of two runs has the second one too',
  async () => {
    const agent = await owner(1_000)
    const first = await agent.input({ units: 2 })
    const second = { ...first, idempotency_key: freshKey() }
    const [one, two] = [(await agent.start(first)).body, (await agent.start(second)).body]
    expect(two.run.run_id).not.toBe(one.run.run_id)
    expect(two).toMatchObject({
      wallet_id: agent.wallet_id,
      payment_intent_id: one.payment_intent_id,
    })
    expect(await agent.holds()).toEqual({ balance: 1_000 - 646, reserved: 646 })
  },
)
