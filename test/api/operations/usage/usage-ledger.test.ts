import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { InputOf, OutputOf } from '../../../../api/http/client.ts'
import { auditBooks } from '../../../support/books.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, patiently, problemOf } from '../../../support/problems.ts'
import { fundedWallet } from '../../../support/wallets.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(2)
})
afterAll(() => apis?.stop())

const buyer = () => apis.agent(['runs:read', 'runs:write'])
type Agent = Awaited<ReturnType<typeof buyer>>
type Event = OutputOf<'usage-ledger-record'>['event']
type Use = Partial<InputOf<'usage-ledger-record'>>

const record = (by: Pick<Agent, 'call'>, more: Use = {}) =>
  by.call('usage-ledger-record', {
    kind: 'tool_call',
    units: 3,
    unit: 'calls',
    idempotency_key: key(),
    ...more,
  })
const spend = (by: Pick<Agent, 'call'>, entitlement_id: string, units: number, more: Use = {}) =>
  record(by, { entitlement_id, units, unit: 'usd_credit', ...more })

let units = 1
/** Credit of the agent that an operator has confirmed an invoice for. */
async function funded(agent: Agent) {
  const asked = {
    rail: 'packetops' as const,
    tier: 'standard' as const,
    units: ++units,
    idempotency_key: key(),
  }
  const { quote_id, total_usd } = (await agent.call('agent-quote', asked)).body.quote
  const paid = {
    quote_id,
    method: 'invoice_reference' as const,
    external_reference: `INV-${key()}`,
  }
  const { payment_reference } = (
    await agent.call('payment-reference-create', { ...paid, idempotency_key: key() })
  ).body
  const { payment_reference_id, entitlement_id } = payment_reference
  await apis.decide(payment_reference_id, 'approve')
  return { entitlement_id: entitlement_id ?? '', payment_reference_id, total_usd }
}

/** The hash as computed from the description alone. */
function hashOf({ at, entitlement_id: _e, hash: _h, ...event }: Event): string {
  return createHash('sha256')
    .update(String(canonicalize({ ...event, recorded_at: at })))
    .digest('hex')
}

verifies(
  'usage.sample',
  'without a query it shows one signed synthetic event, not stored',
  async () => {
    const { body } = await apis.open().call('usage-ledger-read', {})
    if (!('sample' in body)) throw new Error('a sample was expected')
    expect(body).toMatchObject({ sample: true, usage: 'synthetic', persisted: false })
    expect(body.schema).toMatchObject({
      $ref: '#/$defs/UsageEvent',
      $defs: { UsageEvent: { type: 'object' } },
    })
    expect(body.receipt).toMatchObject({
      kind: 'sample',
      usage: 'synthetic',
      payload: { event: body.event },
    })
    expect(hashOf(body.event)).toBe(body.event.hash)
    expect((await apis.open(1).call('usage-ledger-read', {})).body).toEqual(body)
    const { jws, receipt_id } = body.receipt
    const { signature } = (await apis.open().call('verify-receipt', { receipt: jws })).body
    expect(signature).toMatchObject({ valid: true })
    expect(await codeOf(apis.open().call('verify-receipt', { receipt_id }))).toBe('not_found')
    const { rows } = await sql<{
      count: number
    }>`select count(*)::int as count from usage_events`.execute(apis.db)
    expect(rows).toEqual([{ count: 0 }])
  },
)

verifies(
  'usage.record',
  'public and agent events form one chain, and repeats are one event',
  async () => {
    const agent = await buyer()
    const input = {
      kind: 'model_tokens' as const,
      units: 1200,
      unit: 'tokens',
      subject: 'draft',
      idempotency_key: key(),
    }
    const first = await apis.open().call('usage-ledger-record', input)
    expect(first.body).toMatchObject({
      event: {
        kind: 'model_tokens',
        units: 1200,
        agent_id: null,
        entitlement_id: null,
        chain: 'service',
        credit_units: 0,
      },
      attribution: 'unverified',
      receipt: null,
    })
    expect(await apis.open().call('usage-ledger-record', input)).toMatchObject({
      replayed: true,
      body: first.body,
    })
    const others = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const by = agent.clients[index % 2] ?? agent
        const use = { units: index, idempotency_key: key() }
        return patiently(() => record(by, use))
      }),
    )
    for (const { body } of others)
      expect(body).toMatchObject({ attribution: 'agent', event: { agent_id: agent.agentId } })
    const chain = [first, ...others]
      .map(({ body }) => body.event)
      .sort((one, other) => one.sequence - other.sequence)
    expect(chain.map(({ sequence }) => sequence)).toEqual(chain.map((_, index) => index))
    for (const [index, event] of chain.entries()) {
      expect(event.hash).toBe(hashOf(event))
      expect(event.prev_hash).toBe(chain[index - 1]?.hash ?? null)
    }
  },
)

verifies('usage.record', 'strangers name no credit, and agents name only their own', async () => {
  const [agent, stranger] = [await buyer(), await buyer()]
  const { entitlement_id } = await funded(agent)
  expect(await codeOf(record(apis.open(), { entitlement_id }))).toBe('credential_required')
  expect(await codeOf(record(stranger, { entitlement_id }))).toBe('not_owner')
  expect(await codeOf(record(agent, { entitlement_id: `en_${'0'.repeat(64)}` }))).toBe('not_found')
  expect(await codeOf(record(agent, { run_id: `run_${'0'.repeat(64)}` }))).toBe('not_found')
  expect(await codeOf(record(agent, { rail: 'financeops' }))).toBe('rail_not_allowed')
  expect(await codeOf(record(agent, { occurred_at: '2099-01-01T00:00:00Z' }))).toBe(
    'invalid_request',
  )
  expect(await codeOf(record(agent, { kind: 'audit' as never }))).toBe('invalid_request')
})

verifies(
  'usage.credit',
  'credit is consumed with event and receipt, never beyond its balance',
  async () => {
    const agent = await buyer()
    const { entitlement_id, total_usd } = await funded(agent)
    const input = { entitlement_id, units: 5, unit: 'usd_credit', idempotency_key: key() }
    const used = await record(agent, input)
    expect(used.body.event).toMatchObject({
      chain: entitlement_id,
      entitlement_id,
      credit_units: 5,
      rail: 'packetops',
    })
    const { receipt, event } = used.body
    expect(receipt).toMatchObject({ kind: 'usage_receipt', receipt_id: event.usage_receipt_id })
    expect(receipt?.payload).toMatchObject({
      entitlement_id,
      consumed_units: 5,
      remaining_units: total_usd - 5,
    })
    expect(await record(agent, input)).toMatchObject({ replayed: true, body: used.body })
    // Other units are counted on the same chain, and cost nothing.
    const counted = (await record(agent, { entitlement_id, units: 900, unit: 'tokens' })).body
    expect(counted).toMatchObject({
      event: { credit_units: 0, sequence: 1, prev_hash: event.hash },
      receipt: null,
    })
    const over = await problemOf(spend(agent, entitlement_id, total_usd))
    expect(over).toMatchObject({ code: 'credit_exhausted', remaining_units: total_usd - 5 })
    expect((await auditBooks(apis.db)).get(`credit:${entitlement_id}`)).toBe(total_usd - 5)
    const asked = {
      rail: 'packetops' as const,
      tier: 'pro' as const,
      units: ++units,
      idempotency_key: key(),
    }
    const { quote_id } = (await agent.call('agent-quote', asked)).body.quote
    const paid = {
      quote_id,
      method: 'invoice_reference' as const,
      external_reference: `INV-${key()}`,
    }
    const pending = (
      await agent.call('payment-reference-create', { ...paid, idempotency_key: key() })
    ).body
    expect(await codeOf(spend(agent, pending.payment_reference.entitlement_id ?? '', 1))).toBe(
      'wrong_state',
    )
  },
)

verifies(
  'usage.credit',
  'a hundred uses at once over two APIs consume exactly what there is',
  async () => {
    const agent = await buyer()
    const { entitlement_id, total_usd } = await funded(agent)
    const each = Math.ceil(total_usd / 30)
    const uses = Array.from({ length: 100 }, (_, index) => {
      const by = agent.clients[index % 2] ?? agent
      const idempotency_key = key()
      return patiently(() => spend(by, entitlement_id, each, { idempotency_key }), 60).then(
        ({ body }) => body.event.credit_units,
        (error) => {
          expect(error.code).toBe('credit_exhausted')
          return 0
        },
      )
    })
    const consumed = (await Promise.all(uses)).reduce((sum, units_) => sum + units_, 0)
    expect(consumed).toBe(Math.floor(total_usd / each) * each)
    const accounts = await auditBooks(apis.db)
    expect(accounts.get(`credit:${entitlement_id}`) ?? 0).toBe(total_usd - consumed)
    const read = (await agent.call('usage-ledger-read', { entitlement_id, limit: '100' })).body
    if (!('items' in read)) throw new Error('a page was expected')
    expect(read.totals.credit_units).toBe(consumed)
  },
)

verifies(
  'usage.read',
  'an agent reads its own events, whose totals match the postings',
  async () => {
    const [agent, stranger] = [await buyer(), await buyer()]
    const { entitlement_id, total_usd } = await funded(agent)
    await spend(agent, entitlement_id, 30)
    await spend(agent, entitlement_id, 12)
    await record(agent, { units: 7 })
    await record(agent, { units: 8, unit: 'GB', kind: 'storage' })
    await record(stranger, { units: 1_000 })
    const page = async (query: InputOf<'usage-ledger-read'>, by = agent) => {
      const { body } = await by.call('usage-ledger-read', query)
      if (!('items' in body)) throw new Error('a page was expected')
      return body
    }
    const all = await page({ limit: '100' })
    expect(all).toMatchObject({ total: 4, offset: 0, limit: 100 })
    expect(all.totals).toEqual({
      credit_units: 42,
      by_unit: [
        { unit: 'GB', units: '8' },
        { unit: 'calls', units: '7' },
        { unit: 'usd_credit', units: '42' },
      ],
    })
    const postings = all.items.flatMap((event) => event.postings)
    const credited = (to: RegExp) =>
      postings.filter(({ credit }) => to.test(credit)).reduce((sum, leg) => sum + leg.units, 0)
    expect(credited(/^(revenue:packetops|fees)$/)).toBe(42)
    const accounts = await auditBooks(apis.db)
    expect(accounts.get(`credit:${entitlement_id}`)).toBe(total_usd - 42)
    const [newest, ...older] = all.items
    expect(newest).toMatchObject({ unit: 'GB', postings: [] })
    expect((await page({ offset: '1', limit: '2' })).items).toEqual(older.slice(0, 2))
    expect((await page({ entitlement_id })).items.map(({ units: used }) => used)).toEqual([12, 30])
    expect((await page({ event_id: newest?.event_id ?? '' })).items).toEqual([newest])
    expect(await page({ event_id: newest?.event_id ?? '' }, stranger)).toMatchObject({
      items: [],
      total: 0,
    })
    expect(await codeOf(apis.open().call('usage-ledger-read', { entitlement_id }))).toBe(
      'credential_required',
    )
  },
)

verifies('usage.credit', 'a paused account uses no credit that it paid before', async () => {
  const agent = await buyer()
  const { entitlement_id } = await funded(agent)
  const { rows } = await sql<{ account_id: string }>`
    select account_id from agents where agent_id = ${agent.agentId}`.execute(apis.db)
  const set = (controls: InputOf<'enterprise-controls-set'>['controls']) =>
    apis.console.call('enterprise-controls-set', {
      account_id: rows[0]?.account_id,
      controls,
      reason: 'looked into',
      idempotency_key: key(),
    })
  for (const controls of [
    { paused: true },
    { paused: false, allowed_rails: ['energyops' as const] },
  ]) {
    await set(controls)
    expect(await codeOf(spend(agent, entitlement_id, 5))).toBe('control_denied')
  }
  await set({ allowed_rails: null, per_day_usd_max: 5 })
  expect((await spend(agent, entitlement_id, 5)).body.event.credit_units).toBe(5)
  expect(await codeOf(spend(agent, entitlement_id, 1))).toBe('control_denied')
})

verifies('console.money', 'wallets, revenue and fees are the sums of the postings', async () => {
  const agent = await apis.agent(['runs:read', 'runs:write', 'wallets:read', 'wallets:write'])
  const read = async () => {
    const accounts = [...(await auditBooks(apis.db))]
    const sum = (of: RegExp) =>
      accounts.reduce((total, [account, units]) => total + (of.test(account) ? units : 0), 0)
    const { credit } = (await apis.console.call('money', {})).body
    expect(credit).toMatchObject({
      wallet_units: sum(/^wallet:/),
      debt_units: Math.abs(sum(/^debt:/)),
      revenue_units: sum(/^revenue:(?!sandbox|operator_grant)/),
      fee_units: sum(/^fees$/),
    })
    return credit
  }
  const before = await read()
  const wallet_id = await fundedWallet(agent, 600, (id) => apis.decide(id, 'approve'))
  const tier = { mode: 'set_tier', wallet_id, tier: 'premium', idempotency_key: key() } as const
  await agent.call('allowance-tier', tier)
  const { entitlement_id, total_usd } = await funded(agent)
  await spend(agent, entitlement_id, total_usd)
  const after = await read()
  expect(after.wallet_units).toBe(before.wallet_units + 581)
  // What was spent and the plan of a month: 19 usd.
  expect(after.fee_units + after.revenue_units).toBe(
    before.fee_units + before.revenue_units + total_usd + 19,
  )
  expect(after.fee_units).toBeGreaterThan(before.fee_units + 19)
})
