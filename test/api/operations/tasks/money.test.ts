import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Client, Connection } from '@temporalio/client'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  authorityOf,
  openMoneyDeps,
  openWalletSignatures,
  receiptSigner,
} from '../../../../activities/container.ts'
import { createWallet } from '../../../../activities/credit/allowance.ts'
import { decideReference } from '../../../../activities/credit/decide-reference.ts'
import type { MoneyDeps } from '../../../../activities/credit/deps.ts'
import { receiveEvent } from '../../../../activities/credit/provider-events.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { applyEvents } from '../../../../activities/sweep/housekeeping.ts'
import { createClient } from '../../../../api/http/client.ts'
import { notifyTasksBehind } from '../../../../temporal/tasks.ts'
import { topUp } from '../../../activities/credit/fixture.ts'
import { buyingAgent, codeOf } from '../../../support/buying-task.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { scratchDirectory } from '../../../support/postgres.ts'
import { providerIn, signedByTills } from '../../../support/provider.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let directory: string
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let known: Awaited<ReturnType<typeof trustedAgent>>
let buyer: ReturnType<typeof buyingAgent>
let money: MoneyDeps
let connection: Connection
beforeAll(async () => {
  directory = await scratchDirectory()
  const provider = await providerIn(directory)
  apis = await startComposedTasks({ ...provider, LIMIT_AGENT_PER_MINUTE: '6000' })
  known = await trustedAgent(hosts(), apis.operator)
  const { config, db } = apis
  buyer = buyingAgent(hosts(), known, apis.operator, db)
  const rings = loadKeyRings(config.SIGNING_KEYS_FILE)
  const authority = authorityOf(config, rings, openWalletSignatures(config).verify)
  money = await openMoneyDeps(config, { db, authority, signReceipt: receiptSigner(rings) })
  connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS })
})
afterAll(async () => {
  await connection?.close()
  await apis?.stop()
  await rm(directory, { recursive: true, force: true })
})

const hosts = () => apis.hosts[0]!
const key = () => randomBytes(6).toString('hex')
const invoice = (challenge_id: string) => {
  const method = 'invoice_reference' as const
  return { challenge_id, method, external_reference: `INV-${key()}` }
}
const event = (challenge_id: string, amount_usd: number, type = 'payment.settled') => ({
  event_id: `evt_${key()}`,
  type,
  provider_session_id: `cs_${challenge_id.slice(3, 13)}`,
  challenge_id,
  amount_usd,
  currency: 'usd',
})
async function webhook(body: ReturnType<typeof event>): Promise<number> {
  const raw = JSON.stringify(body)
  const answer = await fetch(`${hosts().base}/api/agent-paid-callback-completion`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signedByTills(raw, body.event_id) },
    body: raw,
  })
  return answer.status
}
/** What a worker's sweep does of money, once. */
async function sweep(): Promise<void> {
  const log = pino({ level: 'silent' })
  await applyEvents(money, log, 0)
  await notifyTasksBehind({ client: new Client({ connection }), db: money.db, log })
}

verifies(
  'task.money.http',
  'an invoice takes a task over HTTP from its contract to its end',
  async () => {
    const { taskId, task_token, accepted, challenge, entitlement, share } = await buyer.challenged()
    expect(accepted).toMatchObject({
      task: { state: 'credit_pending' },
      entitlement: { state: 'pending' },
    })
    expect(challenge).toMatchObject({ state: 'open', entitlement_id: entitlement.entitlement_id })
    const reference = await buyer.present(invoice(challenge.challenge_id))
    expect(await buyer.stateOf(task_token)).toBe('credit_pending')
    await buyer.review('payment_reference', reference.payment_reference_id)
    await buyer.reaches(task_token, 'credit_funded')
    await buyer.finish({ taskId, task_token })
    const { body } = await buyer.agent.call('agent-credit-read', {
      entitlement_id: entitlement.entitlement_id,
    })
    expect(body).toMatchObject({ entitlement: { state: 'funded', consumed_units: share } })
    expect(body.usage_receipts).toHaveLength(1)
  },
)

verifies('task.money.http', 'a task’s token and quote work for that task only', async () => {
  const task = await buyer.contracted()
  expect(await codeOf(buyer.agent.call('agent-quote', quoteFor(task.task_token)))).toBe(
    'wrong_state',
  )
  expect((await task.accept()).task.state).toBe('trusted')
  const other = { ...quoteFor(task.task_token), tier: 'entry' as const }
  expect(await codeOf(buyer.agent.call('agent-quote', other))).toBe('quote_mismatch')
  const open = createClient({ baseUrl: hosts().base })
  expect(await codeOf(open.call('agent-quote', quoteFor(task.task_token)))).toBe(
    'credential_required',
  )
  const { quote } = (await buyer.agent.call('agent-quote', quoteFor(task.task_token))).body
  expect(await buyer.stateOf(task.task_token)).toBe('quoted')
  const asked = {
    mode: 'create_payment_challenge',
    quote_id: quote.quote_id,
    idempotency_key: key(),
  } as const
  expect(await codeOf(open.call('create-payment-challenge', asked))).toBe('payment_required')
  await buyer.reaches(task.task_token, 'credit_pending')
  const third = await buyer.contracted()
  expect(await codeOf(third.accept(quote.quote_id))).toBe('quote_mismatch')
})
const quoteFor = (task_token: string) => {
  const what = { rail: 'tokenops', tier: 'standard' } as const
  return { ...what, task_token, idempotency_key: key() }
}

verifies(
  'task.money.http',
  'a task funded by wallet and provider at once is paid once',
  async () => {
    const byWallet = await buyer.challenged()
    const agentId = known.registered.agent.agent_id
    const wallet = await transaction(apis.db, (tx) => createWallet(tx, { agentId, label: 'runs' }))
    await topUp(money, agentId, wallet.wallet_id, byWallet.challenge.amount_usd)
    await buyer.present({
      challenge_id: byWallet.challenge.challenge_id,
      method: 'agent_allowance',
      external_reference: 'wallet',
      payer: wallet.wallet_id,
    })
    expect(await buyer.stateOf(byWallet.task_token)).toBe('credit_funded')

    // A customer who pays by a link presents nothing.
    const byProvider = await buyer.challenged()
    const { challenge_id, amount_usd } = byProvider.challenge
    expect(await webhook(event(challenge_id, amount_usd))).toBe(202)
    expect(await buyer.stateOf(byProvider.task_token)).toBe('credit_funded')

    const byCredit = await buyer.challenged()
    const funding = await buyer.agent.call('agent-credit-fund', {
      entitlement_id: byCredit.entitlement.entitlement_id,
      method: 'payment_reference',
      idempotency_key: key(),
      external_reference: `REF-${key()}`,
      amount_usd: byCredit.challenge.amount_usd,
    })
    await buyer.review(
      'payment_reference',
      funding.body.payment_reference.payment_reference_id,
      'approve',
    )
    await buyer.reaches(byCredit.task_token, 'credit_funded')
  },
)

verifies(
  'task.money.mismatch',
  'a wrong amount stops its task until a decision or the right payment',
  async () => {
    const { task_token, challenge } = await buyer.challenged()
    const { challenge_id, amount_usd } = challenge
    expect(await webhook(event(challenge_id, amount_usd - 1))).toBe(202)
    expect(await buyer.stateOf(task_token)).toBe('exception_open')
    const listed = await buyer.reviewer.call('loop-review-console', { kind: 'payment_reference' })
    const item = listed.body.items.find((one) =>
      JSON.stringify(one).includes('not exactly what is owed'),
    )
    expect(item).toMatchObject({ allowed_decisions: ['reject'] })
    expect(await codeOf(buyer.review('payment_reference', item?.subject_id ?? '', 'approve'))).toBe(
      'control_denied',
    )
    await buyer.review('payment_reference', item?.subject_id ?? '', 'reject')
    expect(await buyer.stateOf(task_token)).toBe('exception_open')
    const reference = await buyer.present(invoice(challenge_id))
    await buyer.review('payment_reference', reference.payment_reference_id)
    await buyer.reaches(task_token, 'credit_funded')
  },
)

verifies(
  'task.money.healed',
  'the sweep finds payments, events and refunds that a crash left',
  async () => {
    const settled = await buyer.challenged()
    const reference = await buyer.present(invoice(settled.challenge.challenge_id))
    const decision = {
      referenceId: reference.payment_reference_id,
      approve: true,
      decidedBy: 'operator:op_1',
      note: '',
    }
    await transaction(apis.db, (tx) => decideReference(money, tx, decision))
    const notified = await buyer.challenged()
    const stored = (type: 'payment.settled' | 'payment.refunded') => ({
      event_id: `evt_${key()}`,
      type,
      external_reference: 'cs_told',
      challenge_id: notified.challenge.challenge_id,
      wallet_id: null,
      amount_cents: notified.challenge.amount_usd * 100,
      currency: 'usd',
      payment_intent: null,
      dispute_id: null,
      refund_id: null,
      said_at: null,
    })
    await receiveEvent(money, 'tills', stored('payment.settled'))
    expect([
      await buyer.stateOf(settled.task_token),
      await buyer.stateOf(notified.task_token),
    ]).toEqual(['credit_pending', 'credit_pending'])
    await Promise.all([sweep(), sweep()])
    expect([
      await buyer.stateOf(settled.task_token),
      await buyer.stateOf(notified.task_token),
    ]).toEqual(['credit_funded', 'credit_funded'])
    await receiveEvent(money, 'tills', stored('payment.refunded'))
    await sweep()
    expect(await buyer.stateOf(notified.task_token)).toBe('exception_open')
    const chains = await sql<{ task_id: string; broken: number }>`
      select task_id, count(*) filter (where event = 'credit_funded')::int as broken from task_events group by task_id
      having count(*) filter (where event = 'credit_funded') > 1`.execute(apis.db)
    expect(chains.rows).toEqual([])
  },
)
