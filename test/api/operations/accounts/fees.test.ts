import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { InputOf } from '../../../../api/http/client.ts'
import { auditBooks } from '../../../support/books.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { problemOf } from '../../../support/problems.ts'
import { fundedWallet } from '../../../support/wallets.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis()
})
afterAll(() => apis?.stop())

const owner = async (usd: number) => {
  const agent = await apis.agent(['runs:read', 'runs:write', 'wallets:read', 'wallets:write'])
  const wallet_id = await fundedWallet(agent, usd, (id) => apis.decide(id, 'approve'))
  return { ...agent, wallet_id }
}

verifies('fees.read', 'anyone computes fees, a wallet reads its own', async () => {
  const anyone = apis.open()
  const layer = (await anyone.call('commercial-layer-read', {})).body
  expect(layer.fee_items).toHaveLength(7)
  expect(layer).toMatchObject({ accrued: [], micro_routing_fees_usd: null })
  const items = [
    { fee_item: 'escrow_fee', basis_usd: 250 },
    { fee_item: 'trust_badge_fee', count: 6 },
  ] as const
  const assessed = (await anyone.call('commercial-fees-assess', { items: [...items] })).body
  expect(assessed.lines.map(({ amount_usd }) => amount_usd)).toEqual([5, 25])
  expect(assessed).toMatchObject({ total_usd: 30, fee_event_ids: [], receipt: null })
  const agent = await owner(600)
  const asked = { rail: 'packetops', tier: 'standard', units: 3, idempotency_key: key() } as const
  const { quote } = (await agent.call('agent-quote', asked)).body
  const of = { quote_id: quote.quote_id }
  expect((await anyone.call('commercial-fees-assess', of)).body).toMatchObject({
    lines: [{ fee_item: 'micro_routing_fee', basis_usd: 99, amount_usd: quote.rail_fee_usd }],
  })
  const { wallet_id } = agent
  const other = await owner(1)
  expect(await problemOf(other.call('commercial-layer-read', { wallet_id }))).toMatchObject({
    status: 403,
    code: 'not_owner',
  })
  expect(await problemOf(anyone.call('commercial-layer-read', { wallet_id }))).toMatchObject({
    status: 401,
  })
  expect(await problemOf(anyone.call('commercial-fees-assess', {}))).toMatchObject({ status: 400 })
})

verifies('fees.read', 'any key computes fees; a percentage needs its basis', async () => {
  const reader = await apis.agent(['runs:read'])
  const signer = await apis.agent(['signing:use'])
  const ask = (by: typeof reader, input: InputOf<'commercial-fees-assess'>) =>
    by.call('commercial-fees-assess', input)
  const items = [{ fee_item: 'micro_routing_fee' as const, basis_usd: 99 }]
  for (const agent of [reader, signer])
    expect((await ask(agent, { items })).body).toMatchObject({ total_usd: 8 })
  for (const fee_item of ['micro_routing_fee', 'escrow_fee'] as const)
    expect(await problemOf(ask(reader, { items: [{ fee_item }] }))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/items/0/basis_usd' }],
    })
  const without = { items: [{ fee_item: 'receipt_fee' as const, basis_usd: 99 }] }
  expect(await problemOf(ask(reader, without))).toMatchObject({
    status: 400,
    errors: [{ pointer: '/items/0/basis_usd' }],
  })
  const run_id = `run_${'0'.repeat(64)}`
  expect(await problemOf(ask(reader, { run_id }))).toMatchObject({ status: 404 })
  expect(await problemOf(ask(signer, { run_id }))).toMatchObject({ code: 'scope_denied' })
  const month = { items: [{ fee_item: 'premium_wallet_tier' as const }], accrue: true }
  expect(await problemOf(ask(reader, month))).toMatchObject({ code: 'scope_denied' })
})

verifies(['fees.monthly', 'fees.tier'], 'a plan is paid once a month by any caller', async () => {
  const agent = await owner(600)
  const { wallet_id } = agent
  const tier = (to: 'free' | 'premium') => {
    const input = { mode: 'set_tier', wallet_id, tier: to, idempotency_key: key() } as const
    return agent.call('allowance-tier', input)
  }
  const premium = (await tier('premium')).body
  expect(premium.wallet).toMatchObject({ tier: 'premium', balance_units: 581 })
  const accrue = (fee_item: 'premium_wallet_tier' | 'enterprise_controls' | 'trust_badge_fee') =>
    agent.call('commercial-fees-assess', {
      items: [{ fee_item }],
      accrue: true,
      wallet_id,
      idempotency_key: key(),
    })
  const again = (await accrue('premium_wallet_tier')).body
  expect(again.fee_event_ids).toEqual([premium.fee_event_id])
  const controls = (await accrue('enterprise_controls')).body
  expect(controls).toMatchObject({ total_usd: 499, receipt: { kind: 'fee' } })
  expect((await accrue('enterprise_controls')).body.fee_event_ids).toEqual(controls.fee_event_ids)
  expect(await problemOf(accrue('trust_badge_fee'))).toMatchObject({ code: 'unsupported_request' })
  expect((await tier('free')).body.wallet).toMatchObject({ tier: 'free', balance_units: 82 })
  const { accrued } = (await agent.call('commercial-layer-read', { wallet_id })).body
  expect(accrued.map(({ fee_item, state }) => [fee_item, state])).toEqual([
    ['enterprise_controls', 'accrued'],
    ['premium_wallet_tier', 'accrued'],
  ])
  const own = (await agent.call('commercial-layer-read', {})).body
  expect(own).toMatchObject({ accrued, micro_routing_fees_usd: 0 })
  expect((await auditBooks(apis.db)).get(`wallet:${wallet_id}`)).toBe(82)
  const poor = await owner(18)
  const input = {
    mode: 'set_tier',
    wallet_id: poor.wallet_id,
    tier: 'premium',
    idempotency_key: key(),
  } as const
  expect(await problemOf(poor.call('allowance-tier', input))).toMatchObject({
    status: 402,
    code: 'payment_required',
  })
  const verified = await apis
    .open()
    .call('verify-receipt', { receipt_id: controls.receipt?.receipt_id ?? '' })
  expect(verified.body.verified).toBe(true)
  const { rows } = await sql`select 1 from fee_events where agent_id = ${poor.agentId}`.execute(
    apis.db,
  )
  expect(rows).toHaveLength(0)
})
