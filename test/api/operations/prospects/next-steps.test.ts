import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { storeFinishedTask } from '../../../support/paid-run.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

const buyer = () => apis.agent(['runs:read', 'runs:write'])
type Buyer = Awaited<ReturnType<typeof buyer>>
const prospectOf = async (agent_id?: string) =>
  (
    await apis.console.call('create-prospect', {
      mode: 'create_prospect',
      label: `Lead ${key()}`,
      channel: 'agent',
      idempotency_key: key(),
      ...(agent_id === undefined ? {} : { agent_id }),
    })
  ).body.prospect.prospect_id
const offer = (prospect_id: string, idempotency_key = key()) =>
  apis.console.call('paid-next-step-mark', {
    prospect_id,
    to: 'paid_next_step_ready',
    tier: 'standard',
    note: 'as spoken about',
    idempotency_key,
  })
const pack = async (prospect_id?: string) =>
  (await apis.console.call('paid-next-step-read', prospect_id === undefined ? {} : { prospect_id }))
    .body
const oneOf = async (prospect_id: string) => {
  const listed = { mode: 'read_prospects', limit: 100 } as const
  const { items } = (await apis.console.call('read-prospects', listed)).body
  return items.find((one) => one.prospect_id === prospect_id)!
}
/** Pays a quote of the agent, as an operator confirms. */
async function pay({ call }: Buyer, quote_id: string) {
  const paid = { quote_id, method: 'invoice_reference' } as const
  const asked = { ...paid, external_reference: `INV-${key()}`, idempotency_key: key() }
  const { payment_reference } = (await call('payment-reference-create', asked)).body
  const { payment_reference_id: id, entitlement_id } = payment_reference
  await apis.decide(id, 'approve')
  const settled = await apis.db
    .selectFrom('payment_references')
    .selectAll()
    .where('payment_reference_id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, entitlement_id, receipt_id: String(settled.settlement_receipt_id) }
}
let units = 1
async function quoted({ call }: Buyer) {
  const asked = {
    rail: 'packetops',
    tier: 'entry',
    units: ++units,
    idempotency_key: key(),
  } as const
  return (await call('agent-quote', asked)).body.quote.quote_id
}

/** Work that was delivered, and whose payment is disputed since. */
async function deliveredAndDisputed(agent: Buyer) {
  const delivered = await pay(agent, await quoted(agent))
  await storeFinishedTask(apis.db, {
    agentId: agent.agentId,
    entitlementId: delivered.entitlement_id,
    usageReceiptId: delivered.receipt_id,
  })
  await apis.decide(delivered.id, 'revise')
  return delivered
}

verifies('prospect.next-step', 'an offer follows delivered work, a payment the offer', async () => {
  const agent = await buyer()
  const before = await pack()
  const unknown = await prospectOf()
  expect(await codeOf(offer(unknown))).toBe('not_ready')
  const first = await pay(agent, await quoted(agent))
  const prospect_id = await prospectOf(agent.agentId)
  expect(await codeOf(offer(prospect_id))).toBe('not_ready')
  const work = { agentId: agent.agentId, entitlementId: first.entitlement_id } as const
  const usageReceiptId = first.receipt_id
  await storeFinishedTask(apis.db, { ...work, usage: 'synthetic', usageReceiptId })
  expect(await codeOf(offer(prospect_id))).toBe('not_ready')
  const delivered = await deliveredAndDisputed(agent)
  const once = key()
  const { body } = await offer(prospect_id, once)
  expect(body).toMatchObject({
    prospect: { state: 'paid_next_step_ready' },
    quote: { rail: 'packetops', tier: 'standard', total_usd: 107 },
    challenge: { state: 'open', amount_usd: 107 },
    receipt: { kind: 'paid_next_step', payload: { agent_id: agent.agentId } },
  })
  expect(await offer(prospect_id, once)).toMatchObject({ replayed: true, body })
  expect(await codeOf(offer(prospect_id))).toBe('wrong_state')
  const ready = await pack(prospect_id)
  expect(ready.items).toMatchObject([
    {
      state: 'paid_next_step_ready',
      evidence: { receipt_id: delivered.receipt_id },
      offer: { quote_id: body.quote.quote_id, total_usd: 107, note: 'as spoken about' },
    },
  ])
  expect(ready.counts.paid_next_step_ready).toBe(before.counts.paid_next_step_ready + 1)
  const { id, entitlement_id } = await pay(agent, body.quote.quote_id)
  expect((await pack(prospect_id)).items).toMatchObject([{ state: 'paid_next_step_ready' }])
  expect(await codeOf(offer(prospect_id))).toBe('wrong_state')
  await storeFinishedTask(apis.db, { agentId: agent.agentId, entitlementId: entitlement_id })
  const converted = await pack(prospect_id)
  expect(converted.items).toMatchObject([
    { state: 'converted_to_paid', paid: { payment_reference_id: id } },
  ])
  expect(converted.counts.converted_to_paid).toBe(before.counts.converted_to_paid + 1)
  // One that has paid is offered more, and stays converted.
  const more = (await offer(prospect_id)).body
  expect(more.prospect?.state).toBe('converted_to_paid')
  expect(await codeOf(offer(prospect_id))).toBe('wrong_state')
})

verifies(
  'prospect.refunded',
  'a refund takes the offer back, and another one can follow',
  async () => {
    const agent = await buyer()
    const prospect_id = await prospectOf(agent.agentId)
    await deliveredAndDisputed(agent)
    const first = (await offer(prospect_id)).body
    const { id } = await pay(agent, first.quote.quote_id)
    const stateNow = async () => (await oneOf(prospect_id)).state
    const ready = async () => (await pack(prospect_id)).items.length
    expect([await stateNow(), await ready()]).toEqual(['paid_next_step_ready', 1])
    const { counts } = await pack()
    const isDisputed = (state: 'disputed' | 'verified') =>
      sql`update payment_references set state = ${state} where payment_reference_id = ${id}`.execute(
        apis.db,
      )
    await isDisputed('disputed')
    expect([await stateNow(), await ready()]).toEqual(['identified', 0])
    // The payment of a disputed offer may still be upheld.
    expect(await codeOf(offer(prospect_id))).toBe('wrong_state')
    await isDisputed('verified')
    expect([await stateNow(), await ready()]).toEqual(['paid_next_step_ready', 1])
    await apis.decide(id, 'revise')
    expect([await stateNow(), await ready()]).toEqual(['identified', 0])
    expect((await pack()).counts.paid_next_step_ready).toBe(counts.paid_next_step_ready - 1)
    const second = (await offer(prospect_id)).body
    expect(second.quote.quote_id).not.toBe(first.quote.quote_id)
    expect([await stateNow(), await ready()]).toEqual(['paid_next_step_ready', 1])
  },
)
