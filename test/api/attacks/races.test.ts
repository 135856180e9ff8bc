import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { InputOf } from '../../../api/http/client.ts'
import { exampleOrder } from '../../../api/operations/work-orders.ts'
import { freshKey } from '../../support/agent-use.ts'
import { manyCalls } from '../../support/attacks.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { type OpenProduction, openProduction } from '../../support/production.ts'
import { codeOf } from '../../support/task-calls.ts'
import { fundedWallet } from '../../support/wallets.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2, env: manyCalls })
})
afterAll(() => apis?.stop())

const buyer = () =>
  openProduction(apis, {
    requested_scopes: ['runs:read', 'runs:write', 'production:write', 'wallets:write'],
  })
/** Each call twice, all at once; without Temporal a stored run is answered 503. */
const atOnce = async (calls: readonly (() => Promise<unknown>)[]) =>
  Promise.all([...calls, ...calls].map((call) => codeOf(call())))

const count = async (query: ReturnType<typeof sql<{ n: number }>>) =>
  (await query.execute(apis.db)).rows[0]?.n

/** The runs that a quote or its credit pays for. */
const runsOf = (quoteId: string) =>
  count(sql<{ n: number }>`select count(*)::int as n from task_credits where quote_id = ${quoteId}`)

const walletOf = ({ client, approve }: OpenProduction, usd: number) =>
  fundedWallet(client, usd, (id) => approve('payment_reference', id))

verifies('attack.races', 'one paid quote starts one run by any two paths at once', async () => {
  const agent = await buyer()
  const { usage: _usage, ...input } = await agent.input()
  const { quote_id } = input
  const payment_reference_id = await agent.paid(quote_id)
  const wallet_id = await walletOf(agent, 5_000)
  const keyed = () => ({ ...input, payment_reference_id, idempotency_key: freshKey() })
  const calls = [
    () => agent.client.call('production-run-start', keyed()),
    () => agent.client.call('first-paid-run-execute', keyed()),
    () =>
      agent.client.call('wallet-run-start', { ...input, wallet_id, idempotency_key: freshKey() }),
    () =>
      agent.client.call('work-order-create', {
        ...exampleOrder,
        requester: { agent_id: agent.agentId },
        quote_id,
        payment_reference_id,
        idempotency_key: freshKey(),
      } as InputOf<'work-order-create'>),
  ]
  const codes = await atOnce(calls)
  expect(await runsOf(quote_id)).toBe(1)
  // One is stored; an order without credit waits, and takes the quote of no one.
  expect(codes.filter((code) => code === 'unavailable' || code === 'ok').length).toBeLessThan(5)
})

verifies('attack.races', 'a wallet pays of many runs at once what it holds', async () => {
  const agent = await buyer()
  // Each of the four quotes costs less than this, and all of them more.
  const held = 500
  const wallet_id = await walletOf(agent, held)
  const inputs = []
  for (let at = 0; at < 4; at++) inputs.push(await agent.input())
  const calls = inputs.map(({ usage: _usage, ...input }) => () => {
    const asked = { ...input, wallet_id, idempotency_key: freshKey() }
    return agent.client.call('wallet-run-start', asked)
  })
  await atOnce(calls)
  const { rows } = await sql<{ left: number; paid: number; runs: number }>`
    select (select units::int from account_balances where account = ${`wallet:${wallet_id}`}) as left,
      coalesce(sum(amount_usd), 0)::int as paid, count(*)::int as runs
    from payment_references where payer = ${wallet_id} and state = 'verified'`.execute(apis.db)
  const [{ left, paid, runs } = { left: -1, paid: 0, runs: 0 }] = rows
  expect(left + paid).toBe(held)
  expect(left).toBeGreaterThanOrEqual(0)
  expect([1, 2, 3]).toContain(runs)
})

verifies('attack.races', 'one month of a tier is posted once by many at once', async () => {
  const agent = await buyer()
  const wallet_id = await walletOf(agent, 100)
  const tier = () =>
    agent.client.call('allowance-tier', {
      mode: 'set_tier',
      wallet_id,
      tier: 'premium',
      idempotency_key: freshKey(),
    })
  expect(new Set(await atOnce([tier, tier, tier]))).toEqual(new Set(['ok']))
  const posted = sql<{
    n: number
  }>`select count(*)::int as n from fee_events where wallet_id = ${wallet_id}`
  expect(await count(posted)).toBe(1)
})

verifies('attack.races', 'credit is consumed once by many uses at once', async () => {
  const agent = await buyer()
  const { quote_id } = await agent.quote('packetops', 1)
  const paid = await agent.paid(quote_id)
  const { payment_reference } = (
    await agent.client
      .call('payment-reference-create', {
        quote_id,
        method: 'invoice_reference',
        external_reference: 'a second one',
        idempotency_key: freshKey(),
      })
      .catch(() => ({ body: { payment_reference: null } }))
  ).body
  expect([paid.slice(0, 3), payment_reference]).toEqual(['pr_', null])
  const { rows } = await sql<{ entitlement_id: string; granted: number }>`
    select entitlement_id, granted_units::int as granted from entitlements where quote_id = ${quote_id}`.execute(
    apis.db,
  )
  const [credit] = rows
  const use = () =>
    agent.client.call('usage-ledger-record', {
      kind: 'tool_call',
      entitlement_id: credit?.entitlement_id ?? '',
      units: credit?.granted ?? 0,
      unit: 'usd_credit',
      idempotency_key: freshKey(),
    })
  const codes = await atOnce([use, use, use])
  expect(codes.filter((code) => code === 'ok')).toEqual(['ok'])
})

verifies('attack.races', 'one invoice pays one of two quotes that name it', async () => {
  const agents = await Promise.all([buyer(), buyer()])
  const external_reference = `INV-${freshKey()}`
  const calls = []
  for (const agent of agents) {
    const { quote_id } = await agent.quote('packetops', 1)
    calls.push(() =>
      agent.client.call('payment-reference-create', {
        quote_id,
        method: 'invoice_reference',
        external_reference,
        idempotency_key: freshKey(),
      }),
    )
  }
  await atOnce(calls)
  const { rows } = await sql<{ id: string }>`select payment_reference_id as id
    from payment_references where external_reference = ${external_reference}`.execute(apis.db)
  expect(rows.length).toBeGreaterThan(1)
  // Anyone may name an invoice; it is confirmed once, however many operators do it at once.
  const [{ approve }] = agents
  await atOnce(
    rows.map(
      ({ id }) =>
        () =>
          approve('payment_reference', id),
    ),
  )
  const confirmed = sql<{ n: number }>`select count(*)::int as n from payment_references
    where external_reference = ${external_reference} and state = 'verified'`
  expect(await count(confirmed)).toBe(1)
})
