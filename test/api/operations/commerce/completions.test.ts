import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { completionOf } from '#domain/payments/receipt-completion.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { auditBooks } from '../../../support/books.ts'
import { key, providerEvent, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
let agent: Agent
beforeAll(async () => {
  apis = await startMoneyApis(1)
  agent = await newAgent()
})
afterAll(() => apis?.stop())

const newAgent = () => apis.agent(['runs:read', 'runs:write', 'wallets:read', 'wallets:write'])
type Agent = Awaited<ReturnType<typeof newAgent>>
const complete = async (by: Pick<Agent, 'call'>, movement: InputOf<'receipt-completion-run'>) =>
  (await by.call('receipt-completion-run', movement)).body

let units = 1
/** A payment that its agent presented, and that no one has confirmed. */
async function presented(by: Agent) {
  const asked = { rail: 'packetops', tier: 'standard', units: ++units } as const
  const { quote } = (await by.call('agent-quote', { ...asked, idempotency_key: key() })).body
  const external = `INV-${key()}`
  const { payment_reference } = (
    await by.call('payment-reference-create', {
      quote_id: quote.quote_id,
      method: 'invoice_reference',
      external_reference: external,
      idempotency_key: key(),
    })
  ).body
  const { payment_reference_id: id, challenge_id } = payment_reference
  return { id, external, usd: quote.total_usd, challenge_id }
}
const settled = (receiptId: string) =>
  expect
    .poll(
      async () =>
        (await apis.open().call('verify-receipt', { receipt_id: receiptId })).body.verified,
    )
    .toBe(true)
async function settle({ id, external, usd, challenge_id }: Awaited<ReturnType<typeof presented>>) {
  const event = providerEvent('payment.settled', external, usd, { challenge_id })
  expect((await apis.notify(event)).status).toBe(202)
  const row = () =>
    apis.db
      .selectFrom('payment_references')
      .select(['state', 'settlement_receipt_id'])
      .where('payment_reference_id', '=', id)
      .executeTakeFirstOrThrow()
  await expect.poll(async () => (await row()).state).toBe('verified')
  const receiptId = String((await row()).settlement_receipt_id)
  await settled(receiptId)
  return { receiptId, eventId: event.event_id }
}

verifies('completion.states', 'a payment is completed by its provider and ledger', async () => {
  const payment = await presented(agent)
  const movement = { payment_reference: payment.id, movement_amount_units: payment.usd }
  const before = await complete(agent, movement)
  expect(before).toMatchObject({
    completion_state: 'awaiting_provider',
    proof_relay: { state: 'retry_available', retry_available: true, handoff_ready: false },
  })
  const { receiptId, eventId } = await settle(payment)
  const after = await complete(agent, {
    ...movement,
    rail_key: 'packetops',
    provider_session_id: payment.external,
  })
  expect(after).toMatchObject({
    completion_state: 'completed',
    proof_relay: { state: 'recorded', retry_available: false, handoff_ready: true },
    ledger_entry: { agent_id: agent.agentId, credit_units: 0, rail: 'packetops' },
    receipt_passport: {
      kind: 'passport',
      claims: {
        settlement_receipt_id: receiptId,
        payment_reference_id: payment.id,
        amount_usd: payment.usd,
        provider_events: [{ provider: 'tills', event_id: eventId, type: 'payment.settled' }],
      },
    },
  })
  await settled(after.receipt_passport.receipt_id)
  const row = await apis.db
    .selectFrom('proof_relays')
    .selectAll()
    .where('relay_id', '=', after.proof_relay.relay_id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ agent_id: agent.agentId, payment_reference_id: payment.id })
  const refund = await complete(agent, { ...movement, movement_type: 'refund' })
  expect(refund.completion_state).toBe('awaiting_provider')
  const use = await complete(agent, { ...movement, movement_type: 'usage' })
  expect(use.completion_state).toBe('unmatched')
  expect(completionOf('settlement', { state: 'verified', isProven: false })).toBe(
    'awaiting_provider',
  )
  expect(completionOf('settlement', { state: 'rejected', isProven: false })).toBe('unmatched')
})

verifies('completion.owner', 'a payment of another agent is unmatched, as is none', async () => {
  const payment = await presented(agent)
  await settle(payment)
  const movement = { payment_reference: payment.id, movement_amount_units: 1 }
  for (const by of [await newAgent(), apis.open()]) {
    const answer = await complete(by, movement)
    expect(answer.completion_state).toBe('unmatched')
    expect(answer.receipt_passport.claims).toMatchObject({
      payment_reference_id: null,
      amount_usd: null,
      provider_events: [],
    })
  }
  const trial = await complete(apis.open(), {})
  expect(trial).toMatchObject({
    completion_state: 'synthetic',
    ledger_entry: { unit: 'synthetic_relay', agent_id: null },
    receipt_passport: { usage: 'synthetic' },
  })
  const { body } = await apis.open().call('receipt-completion-read', {})
  expect(body).toMatchObject({ sample: true, persisted: false, completion_state: 'synthetic' })
})

verifies(
  'money.neutral',
  'a payment under a guessed name is not signed for its guesser',
  async () => {
    const guess = await presented(agent)
    await apis.notify(providerEvent('payment.settled', guess.external, guess.usd + 1))
    const payment_reference_id = guess.id
    const read = (await agent.call('payment-rail-read', { payment_reference_id })).body
    expect(read.payment_reference).toMatchObject({ state: 'pending' })
    const { receipt_passport } = await complete(agent, { payment_reference: guess.id })
    expect(receipt_passport.claims).toMatchObject({ provider_events: [] })
    const { steps } = (await agent.call('callback-completion-read', { payment_reference_id })).body
    expect(steps?.filter(({ evidence_id }) => evidence_id !== null)).toEqual([])
  },
)

verifies('completion.mismatch', 'a payment is not completed as another', async () => {
  const [one, other] = [await presented(agent), await presented(agent)]
  const amount = { payment_reference: one.id, movement_amount_units: one.usd + 1 }
  expect(await codeOf(complete(agent, amount))).toBe('amount_mismatch')
  const rail = { payment_reference: one.id, rail_key: 'energyops' } as const
  expect(await codeOf(complete(agent, rail))).toBe('evidence_mismatch')
  const two = { payment_reference: one.id, provider_session_id: other.external }
  expect(await codeOf(complete(agent, two))).toBe('evidence_mismatch')
})

verifies('completion.no-money', 'an event without a payment touches no credit', async () => {
  const count = async (table: 'postings' | 'entitlements' | 'payment_references') =>
    Number(
      (await apis.db.selectFrom(table).select(sql<string>`count(*)`.as('n')).executeTakeFirst())?.n,
    )
  const session = `sess-${key()}`
  await apis.notify(providerEvent('payment.settled', session, 107))
  const all = async () =>
    Promise.all([count('postings'), count('entitlements'), count('payment_references')])
  const before = await all()
  const movement = { provider_session_id: session, movement_amount_units: 107 }
  for (const by of [agent, apis.open()])
    expect((await complete(by, movement)).completion_state).toBe('unmatched')
  const payment = await presented(agent)
  const waiting = await all()
  await complete(agent, { payment_reference: payment.id })
  expect(await all()).toEqual(waiting)
  expect(before[0]).toBe(waiting[0])
  await auditBooks(apis.db)
})
