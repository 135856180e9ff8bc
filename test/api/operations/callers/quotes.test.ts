import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { createClient, ProblemError } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { begunTask } from '../../../support/agreed-task.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf } from '../../../support/problems.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

type AgentUse = Awaited<ReturnType<typeof openAgentUse>>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let first: AgentUse
let second: AgentUse
beforeAll(async () => {
  apis = await startComposedTasks()
  first = await openAgentUse(hosts(), apis.operator)
  second = await openAgentUse(hosts(), apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = () => apis.hosts[0]!
const open = (idempotencySecret?: string) =>
  createClient({
    baseUrl: hosts().base,
    ...(idempotencySecret === undefined ? {} : { idempotencySecret }),
  })
const run = { mode: 'quote_run', rail: 'packetops', tier: 'standard' } as const
const customer = { name: 'Northwind', email: 'pay@northwind.example' }
const checkout = (quote_id: string) =>
  open().call('rail-checkout-open', {
    quote_id,
    payment_path: 'invoice_or_purchase_order',
    customer,
    idempotency_key: freshKey(),
  })

async function publicQuote(client = open()) {
  const { quote, quote_token = '' } = (await client.call('quote-run', run)).body
  return { quote_id: quote.quote_id, quote_token }
}

verifies(
  ['caller.quote-bound', 'caller.known'],
  'two agents at one address cannot start on each other’s quotes',
  async () => {
    const quotes = await Promise.all(
      [first, second].map(async ({ client }) => (await client.call('quote-run', run)).body),
    )
    const [ours, theirs] = quotes.map(({ quote }) => quote.quote_id) as [string, string]
    expect(ours).not.toBe(theirs)
    expect(quotes.map((one) => one.quote_token)).toEqual([undefined, undefined])
    expect(await problemOf(first.start(first.startInput(ours)))).toMatchObject({
      code: 'payment_required',
    })
    expect(await codeOf(second.start(second.startInput(ours)))).toBe('not_owner')
    expect((await checkout(ours)).status).toBe(201)
    expect(await codeOf(second.pay(ours))).toBe('not_owner')
    const reference = await first.pay(ours)
    await first.approve('payment_reference', reference.payment_reference_id)
    const { entitlement } = (
      await first.client.call('agent-credit-read', {
        entitlement_id: reference.entitlement_id ?? '',
      })
    ).body
    expect(entitlement).toMatchObject({
      state: 'funded',
      agent_id: first.registered.agent.agent_id,
    })
    const wrong = createClient({
      baseUrl: hosts().base,
      agent: `ag_${'0'.repeat(16)}_${'0'.repeat(64)}`,
    })
    expect(await codeOf(wrong.call('quote-run', run))).toBe('credential_invalid')
  },
)

verifies(
  'caller.sold-elsewhere',
  'a rail that is not sold here is sold where it says',
  async () => {
    const elsewhere = rails.filter(({ takes, prices }) => prices !== null && !takes.paidAgentUse)
    expect(elsewhere.length).toBeGreaterThan(2)
    const { credential: agent } = await trustedAgent(hosts(), apis.operator, {
      rails: elsewhere.map(({ key }) => key),
    })
    const buyer = createClient({ baseUrl: hosts().base, agent })
    for (const { key: rail } of elsewhere) {
      const asked = { rail, tier: 'standard' } as const
      const refused = await problemOf(open().call('quote-run', { mode: 'quote_run', ...asked }))
      expect(refused).toMatchObject({
        code: 'unsupported_request',
        next_action: expect.stringContaining(`POST /api/agents/quote sells a run of ${rail}`),
      })
      const sold = await buyer.call('agent-quote', {
        ...asked,
        units: 1,
        idempotency_key: freshKey(),
      })
      expect(sold.body.quote).toMatchObject({ rail })
    }
  },
)

verifies(
  'caller.quote-bound',
  'a quote without a credential binds to one agent by its token',
  async () => {
    const { quote_id, quote_token } = await publicQuote()
    expect(quote_token).toMatch(/^qk_/)
    expect(await problemOf(checkout(quote_id))).toMatchObject({ code: 'wrong_state' })
    expect(await codeOf(first.start(first.startInput(quote_id)))).toBe('not_owner')
    const other = (await publicQuote()).quote_token
    expect(await codeOf(first.start({ ...first.startInput(quote_id), quote_token: other }))).toBe(
      'not_owner',
    )
    const asked = [first, second].map((agent) =>
      agent.start({ ...agent.startInput(quote_id), quote_token }),
    )
    const codes = await Promise.all(asked.map((call) => codeOf(call)))
    expect(codes.toSorted()).toEqual(['not_owner', 'payment_required'])
    expect((await checkout(quote_id)).status).toBe(201)
    const stored = await sql<{ token_sha256: string }>`
      select token_sha256 from quotes where quote_id = ${quote_id}`.execute(apis.db)
    expect(JSON.stringify(stored.rows)).not.toContain(quote_token)
  },
)

type Presenting = Partial<Awaited<ReturnType<typeof publicQuote>>>
/** The calls that a quote is bound in, each by this agent for this quote. */
const binding: Record<
  string,
  (agent: AgentUse, quote: Presenting & { quote_id: string }) => Promise<unknown>
> = {
  start: (agent, quote) => agent.start({ ...agent.startInput(quote.quote_id), ...quote }),
  accept: async (agent, quote) => (await (await begunTask(agent)).agree()).accept(quote),
  'credit-fund': (agent, quote) =>
    agent.client.call('agent-credit-fund', {
      entitlement_id: `en_${digestOf({ quote_id: quote.quote_id })}`,
      ...quote,
      amount_usd: 107,
      method: 'invoice_reference',
      external_reference: `INV-${freshKey()}`,
      idempotency_key: freshKey(),
    }),
  payment: (agent, quote) =>
    agent.client.call('payment-reference-create', {
      ...quote,
      method: 'invoice_reference',
      external_reference: `INV-${freshKey()}`,
      idempotency_key: freshKey(),
    }),
  'work-order': (agent, quote) =>
    agent.client.call('work-order-create', {
      ...exampleOrder,
      ...quote,
      requester: { agent_id: agent.registered.agent.agent_id },
      idempotency_key: freshKey(),
    }),
}
const boundTo = async (quote_id: string) =>
  (
    await sql<{
      bound_to: string | null
    }>`select bound_to from quotes where quote_id = ${quote_id}`.execute(apis.db)
  ).rows[0]?.bound_to
const refusedFor = (call: Promise<unknown>) =>
  call.then(
    () => 'taken',
    (error: unknown) => (error instanceof ProblemError ? error.code : String(error)),
  )

for (const [name, call] of Object.entries(binding))
  verifies(
    'caller.quote-bound',
    `${name}: a quote token binds to the first agent only`,
    async () => {
      const quote = await publicQuote()
      const { quote_id } = quote
      const { quote_token } = await publicQuote()
      const without = refusedFor(call(first, { quote_id }))
      // Credit without a quote is unknown until its quote is claimed.
      expect(await without).toMatch(
        name === 'credit-fund' ? /not_owner|not_found|invalid_request/ : /^not_owner$/,
      )
      expect(await refusedFor(call(first, { quote_id, quote_token }))).toBe('not_owner')
      expect(await boundTo(quote_id)).toBeNull()
      expect(await refusedFor(call(first, quote))).toBe(
        name === 'start' ? 'payment_required' : 'taken',
      )
      expect(await boundTo(quote_id)).toBe(first.registered.agent.agent_id)
      expect(await refusedFor(call(second, quote))).toBe('not_owner')
      expect(await boundTo(quote_id)).toBe(first.registered.agent.agent_id)
    },
  )

verifies(
  'caller.quote-bound',
  'a public order takes a quote by its token from every agent',
  async () => {
    const quote = await publicQuote()
    const order = { ...exampleOrder, idempotency_key: freshKey() }
    expect(
      await refusedFor(open().call('work-order-create', { ...order, quote_id: quote.quote_id })),
    ).toBe('not_owner')
    const { rail_run } = (await open().call('work-order-create', { ...order, ...quote })).body
    expect(await boundTo(quote.quote_id)).toBe(rail_run.task_id)
    expect(await refusedFor(first.start({ ...first.startInput(quote.quote_id), ...quote }))).toBe(
      'not_owner',
    )
  },
)

verifies(
  'caller.quote-once',
  'a second run of one rail and tier is quoted and started at once',
  async () => {
    const known = await trustedAgent(hosts(), apis.operator, {
      rails: ['packetops'],
      sandbox: true,
    })
    const client = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      agent: known.credential,
    })
    for (const _ of [1, 2, 3]) {
      const { quote } = (await client.call('quote-run', run)).body
      const input = { ...first.startInput(quote.quote_id), usage: 'synthetic' } as const
      expect((await client.call('start-agent-run', input)).status).toBe(202)
    }
    const asked = { ...run, rail: 'diligenceops', idempotency_key: freshKey() } as const
    const quoteOf = async (idempotency_key: string) =>
      (await first.client.call('quote-run', { ...asked, idempotency_key })).body.quote.quote_id
    const one = await quoteOf(asked.idempotency_key)
    expect(await quoteOf(asked.idempotency_key)).toBe(one)
    expect(await quoteOf(freshKey())).not.toBe(one)
  },
)

verifies(
  'caller.secret',
  'a secret ties a key to its caller; without it a repeat is a new call',
  async () => {
    const named = { ...run, idempotency_key: 'same-key' }
    const [mine, theirs] = [freshKey() + freshKey(), freshKey() + freshKey()]
    const asked = await open(mine).call('quote-run', named)
    const repeated = await open(mine).call('quote-run', named)
    expect(repeated.body).toEqual(asked.body)
    expect(repeated.replayed).toBe(true)
    expect(await codeOf(open(mine).call('quote-run', { ...named, tier: 'pro' }))).toBe(
      'idempotency_conflict',
    )
    const others = await Promise.all(
      [open(theirs), open(), open()].map((client) => client.call('quote-run', named)),
    )
    const tokens = [asked, ...others].map(({ body }) => body.quote_token)
    expect(new Set(tokens).size).toBe(4)
    expect(others.map(({ replayed }) => replayed)).toEqual([false, false, false])
    for (const secret of ['short', 'x'.repeat(129), `${'x'.repeat(22)}!`])
      expect(await codeOf(open(secret).call('quote-run', named))).toBe('invalid_request')
    const { rows } = await sql<{
      caller: string
    }>`select caller from calls where key = 'same-key'`.execute(apis.db)
    expect(JSON.stringify(rows)).not.toContain(mine)
    expect(rows.filter(({ caller }) => caller.startsWith('address:'))).toEqual([])
  },
)
