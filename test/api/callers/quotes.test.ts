import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/surfaces/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../support/agent-use.ts'
import { begunTask } from '../../support/agreed-task.ts'
import { startComposedTasks } from '../../support/composed-tasks.ts'
import { codeOf } from '../../support/problems.ts'
import { trustedAgent } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

type AgentUse = Awaited<ReturnType<typeof openAgentUse>>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let first: AgentUse
let second: AgentUse
beforeAll(async () => {
  apis = await startComposedTasks()
  first = await openAgentUse(hosts(), apis.operator)
  second = await openAgentUse(hosts(), apis.operator)
}, 120_000)
afterAll(async () => {
  await apis?.stop()
})

const hosts = () => apis.hosts[0]!
const open = (idempotencySecret?: string) =>
  createClient({ baseUrl: hosts().base, ...(idempotencySecret === undefined ? {} : { idempotencySecret }) })
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
  'two agents at one address have quotes of their own, and neither starts on the other’s',
  async () => {
    const quotes = await Promise.all(
      [first, second].map(async ({ client }) => (await client.call('quote-run', run)).body),
    )
    const [ours, theirs] = quotes.map(({ quote }) => quote.quote_id) as [string, string]
    expect(ours).not.toBe(theirs)
    expect(quotes.map((one) => one.quote_token)).toEqual([undefined, undefined])
    expect(await problemOf(first.start(first.startInput(ours)))).toMatchObject({ code: 'payment_required' })
    expect(await codeOf(second.start(second.startInput(ours)))).toBe('not_owner')
    expect((await checkout(ours)).status).toBe(201)
    expect(await codeOf(second.pay(ours))).toBe('not_owner')
    const reference = await first.pay(ours)
    await first.approve('payment_reference', reference.payment_reference_id)
    const { entitlement } = (
      await first.client.call('agent-credit-read', { entitlement_id: reference.entitlement_id ?? '' })
    ).body
    expect(entitlement).toMatchObject({ state: 'funded', agent_id: first.registered.agent.agent_id })
    const wrong = createClient({ baseUrl: hosts().base, agent: `ag_${'0'.repeat(16)}_${'0'.repeat(64)}` })
    expect(await codeOf(wrong.call('quote-run', run))).toBe('credential_invalid')
  },
)

verifies(
  'caller.quote-bound',
  'a quote without a credential is nobody’s until its token is presented, and then one agent’s alone',
  async () => {
    const { quote_id, quote_token } = await publicQuote()
    expect(quote_token).toMatch(/^qk_/)
    expect(await problemOf(checkout(quote_id))).toMatchObject({ code: 'wrong_state' })
    expect(await codeOf(first.start(first.startInput(quote_id)))).toBe('not_owner')
    const other = (await publicQuote()).quote_token
    expect(await codeOf(first.start({ ...first.startInput(quote_id), quote_token: other }))).toBe('not_owner')
    const asked = [first, second].map((agent) => agent.start({ ...agent.startInput(quote_id), quote_token }))
    const codes = await Promise.all(asked.map((call) => codeOf(call)))
    expect(codes.toSorted()).toEqual(['not_owner', 'payment_required'])
    expect((await checkout(quote_id)).status).toBe(201)
    const stored = await sql<{ token_sha256: string }>`
      select token_sha256 from quotes where quote_id = ${quote_id}`.execute(apis.db)
    expect(JSON.stringify(stored.rows)).not.toContain(quote_token)
  },
)

verifies(
  'caller.quote-bound',
  'the token binds in accept, in a payment, in credit and in a work order too',
  async () => {
    const task = await (await begunTask(first)).agree()
    const forTask = await publicQuote()
    expect(await codeOf(task.accept({ quote_id: forTask.quote_id }))).toBe('not_owner')
    expect((await task.accept(forTask)).body.entitlement).toMatchObject({ state: 'pending' })

    const paid = await publicQuote()
    const payment = { method: 'invoice_reference', external_reference: `INV-${freshKey()}` } as const
    const present = (more: object) =>
      first.client.call('payment-reference-create', { ...payment, ...more, idempotency_key: freshKey() })
    expect(await codeOf(present({ quote_id: paid.quote_id }))).toBe('not_owner')
    const { entitlement_id } = (await present(paid)).body.payment_reference
    expect(entitlement_id).toMatch(/^en_/)

    const credited = await publicQuote()
    const fund = (more: object, id = entitlement_id ?? '') =>
      first.client.call('agent-credit-fund', {
        ...{ entitlement_id: id, method: 'invoice_reference', external_reference: `INV-${freshKey()}` },
        ...{ amount_usd: 107, idempotency_key: freshKey(), ...more },
      })
    expect(await codeOf(fund({ ...credited, quote_token: paid.quote_token }))).toBe('not_owner')
    const bound = async ({ quote_id }: { quote_id: string }) =>
      (
        await sql<{ bound_to: string | null }>`select bound_to from quotes where quote_id = ${quote_id}`.execute(
          apis.db,
        )
      ).rows[0]?.bound_to
    expect(await bound(credited)).toBeNull()
    expect(await codeOf(fund(credited))).toBe('payment_pending')
    expect(await bound(credited)).toBe(first.registered.agent.agent_id)
  },
)

verifies('caller.quote-once', 'a second run of one rail and tier is quoted and started at once', async () => {
  const known = await trustedAgent(hosts(), apis.operator, { rails: ['packetops'], sandbox: true })
  const client = createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent: known.credential })
  for (const _ of [1, 2, 3]) {
    const { quote } = (await client.call('quote-run', run)).body
    const input = { ...first.startInput(quote.quote_id), usage: 'synthetic' } as const
    expect((await client.call('start-agent-run', input)).status).toBe(202)
  }
  const [one, same] = [await first.quote('diligenceops'), await first.quote('diligenceops')]
  expect(same.quote_id).toBe(one.quote_id)
  const challenge = { mode: 'create_payment_challenge', quote_id: one.quote_id, idempotency_key: freshKey() } as const
  expect(await codeOf(first.client.call('create-payment-challenge', challenge))).toBe('payment_required')
  expect((await first.quote('diligenceops')).quote_id).not.toBe(one.quote_id)
})

verifies(
  'caller.secret',
  'a key is one caller’s by its secret; without one a repeat is a new call and never gives a stored secret again',
  async () => {
    const named = { ...run, idempotency_key: 'same-key' }
    const [mine, theirs] = [freshKey() + freshKey(), freshKey() + freshKey()]
    const asked = await open(mine).call('quote-run', named)
    const repeated = await open(mine).call('quote-run', named)
    expect(repeated.body).toEqual(asked.body)
    expect(repeated.replayed).toBe(true)
    expect(await codeOf(open(mine).call('quote-run', { ...named, tier: 'pro' }))).toBe('idempotency_conflict')
    const others = await Promise.all([open(theirs), open(), open()].map((client) => client.call('quote-run', named)))
    const tokens = [asked, ...others].map(({ body }) => body.quote_token)
    expect(new Set(tokens).size).toBe(4)
    expect(others.map(({ replayed }) => replayed)).toEqual([false, false, false])
    for (const secret of ['short', 'x'.repeat(129), `${'x'.repeat(22)}!`])
      expect(await codeOf(open(secret).call('quote-run', named))).toBe('invalid_request')
    const { rows } = await sql<{ caller: string }>`select caller from calls where key = 'same-key'`.execute(apis.db)
    expect(JSON.stringify(rows)).not.toContain(mine)
    expect(rows.filter(({ caller }) => caller.startsWith('address:'))).toEqual([])
  },
)
