import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { storeFinishedTask } from '../../../support/paid-run.ts'
import { intakeInput, pilotClient } from '../../../support/pilots.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

const buyer = () => apis.agent(['runs:read', 'runs:write'])
type Buyer = Awaited<ReturnType<typeof buyer>>
const sprint = async () => (await apis.open().call('sprint-read', {})).body
const create = async (more: Partial<InputOf<'create-prospect'>> = {}) =>
  (
    await apis.console.call('create-prospect', {
      mode: 'create_prospect',
      label: `Lead ${key()}`,
      channel: 'email',
      idempotency_key: key(),
      ...more,
    })
  ).body.prospect
const message = (prospect_id: string, text = key(), sent_at = new Date().toISOString()) =>
  apis.console.call('record-message-sent', {
    mode: 'record_message_sent',
    prospect_id,
    message_sha256: Buffer.from(text.padEnd(32, '.')).toString('hex').slice(0, 64),
    sent_at,
    idempotency_key: key(),
  })
type Move = Omit<InputOf<'update-prospect-state'>, 'mode' | 'idempotency_key' | 'prospect_id'>
const received = (text = key()) => ({
  message_sha256: sha256Hex(text),
  channel: 'email' as const,
  received_at: new Date().toISOString(),
})
const move = (prospect_id: string, given: Move) =>
  apis.console.call('update-prospect-state', {
    mode: 'update_prospect_state',
    prospect_id,
    idempotency_key: key(),
    ...given,
  })
const read = async (state?: InputOf<'read-prospects'>['state']) =>
  (
    await apis.console.call('read-prospects', {
      mode: 'read_prospects',
      limit: 100,
      ...(state === undefined ? {} : { state }),
    })
  ).body
const stateOf = async (prospect_id: string) =>
  (await read()).items.find((one) => one.prospect_id === prospect_id)?.state
const summarise = async (note: string, close = false) =>
  (
    await apis.console.call('record-sprint-summary', {
      mode: 'record_sprint_summary',
      note,
      close,
      idempotency_key: key(),
    })
  ).body
let units = 1
/** Credit of the agent that an operator confirmed to be paid. */
async function paid(agent: Buyer) {
  const asked = {
    rail: 'packetops',
    tier: 'entry',
    units: ++units,
    idempotency_key: key(),
  } as const
  const { quote_id } = (await agent.call('agent-quote', asked)).body.quote
  const presented = { quote_id, method: 'invoice_reference' } as const
  const { payment_reference } = (
    await agent.call('payment-reference-create', {
      ...presented,
      external_reference: `INV-${key()}`,
      idempotency_key: key(),
    })
  ).body
  await apis.decide(payment_reference.payment_reference_id, 'approve')
  return payment_reference
}

verifies('prospect.sprint', 'the sprint counts records, and a close begins the next', async () => {
  const target = { messages_sent: 5, qualified_conversations: 2, paid_runs: 1 }
  const none = { messages_sent: 0, qualified_conversations: 0, paid_runs: 0 }
  expect(await sprint()).toEqual({
    sprint_id: 'sprint-1',
    target,
    actual: none,
    met: false,
    started_at: null,
  })
  const agent = await buyer()
  const two = [await create({ agent_id: agent.agentId }), await create()]
  for (const { prospect_id } of two) {
    await message(prospect_id)
    const reply = received()
    expect(await codeOf(move(prospect_id, { to: 'replied' }))).toBe('not_ready')
    await move(prospect_id, { to: 'replied', received: reply })
    const cited = { to: 'qualified', reason: 'has the budget' } as const
    expect(await codeOf(move(prospect_id, cited))).toBe('not_ready')
    const other = { ...cited, conversation_sha256: sha256Hex('never written') }
    expect(await codeOf(move(prospect_id, other))).toBe('not_ready')
    await move(prospect_id, { ...cited, conversation_sha256: reply.message_sha256 })
    await message(prospect_id)
  }
  const again = await message(two[0]!.prospect_id, 'hello')
  expect(again.body.actual).toEqual({ ...none, messages_sent: 5, qualified_conversations: 2 })
  expect((await message(two[0]!.prospect_id, 'hello')).body.actual.messages_sent).toBe(5)
  expect(await sprint()).toMatchObject({ met: false })
  const { entitlement_id } = await paid(agent)
  await storeFinishedTask(apis.db, { agentId: agent.agentId, entitlementId: entitlement_id })
  expect(await sprint()).toMatchObject({ actual: { paid_runs: 1 }, met: true })
  const { prospect_id: _id, ...view } = (await read('converted_to_paid')).items[0]!
  expect(view.history.map(({ event }) => event)).toContain('message_sent')
  expect(JSON.stringify(await sprint())).not.toContain(view.label)

  const first = await summarise('It went well: a hundred paid runs.')
  expect(first).toMatchObject({
    sprint_id: 'sprint-1',
    summary: { actual: { messages_sent: 5, paid_runs: 1 }, met: true },
    receipt: { kind: 'sprint_summary', payload: { met: true, closes: false } },
  })
  await summarise('Done.', true)
  const next = await sprint()
  expect(next).toMatchObject({ sprint_id: 'sprint-2', actual: none, met: false })
  expect(next.started_at).not.toBeNull()
  await expect(sql`update sprint_summaries set note = 'better'`.execute(apis.db)).rejects.toThrow(
    /stays as it was written/,
  )
})

verifies('prospect.moves', 'a prospect moves step by step, by operators alone', async () => {
  const { prospect_id } = await create()
  const { credential } = await buyer()
  const denied = await fetch(`${apis.hosts[0]?.base}/api/live-prospect-sprint`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${credential}` },
    body: JSON.stringify({ mode: 'read_prospects' }),
  })
  expect(denied.status).toBe(401)
  for (const to of ['messaged', 'replied', 'qualified', 'pilot_offered'] as const)
    expect(await codeOf(move(prospect_id, { to }))).toBe('wrong_state')
  const later = new Date(Date.now() + 3_600_000).toISOString()
  expect(await codeOf(message(prospect_id, 'a', later))).toBe('invalid_request')
  expect((await message(prospect_id)).body.prospect).toMatchObject({ state: 'messaged' })
  const { body } = await move(prospect_id, { to: 'declined', reason: 'no budget' })
  expect(body.prospect).toMatchObject({ state: 'declined' })
  expect(body.prospect.history.map(({ state }) => state)).toEqual([
    'identified',
    'messaged',
    'declined',
  ])
  expect(await codeOf(message(prospect_id))).toBe('wrong_state')
  expect((await read('declined')).counts['declined']).toBe(1)
  expect(await codeOf(message(`ps_${'0'.repeat(64)}`))).toBe('not_found')
  await expect(
    sql`update prospects set state = 'qualified' where prospect_id = ${prospect_id}`.execute(
      apis.db,
    ),
  ).rejects.toThrow(/no such move/)
})

verifies('prospect.converted', 'no one types that a prospect has paid', async () => {
  const [agent, other] = [await buyer(), await buyer()]
  const { agentId } = agent
  const { prospect_id } = await create()
  for (const to of ['paid_next_step_ready', 'converted_to_paid'] as const)
    expect(await codeOf(move(prospect_id, { to }))).toBe('wrong_state')
  await message(prospect_id)
  const bound = { agent_id: agentId, customer_account: 'north' }
  await move(prospect_id, { to: 'replied', received: received(), ...bound })
  expect(await codeOf(move(prospect_id, { to: 'qualified', agent_id: other.agentId }))).toBe(
    'already_bound',
  )
  expect(await codeOf(create(bound))).toBe('already_bound')
  const { entitlement_id: entitlementId, payment_reference_id } = await paid(agent)
  const customerAccount = 'north'
  const theirs = await paid(other)
  // Another agent, another account, synthetic work and work without a payment convert no one.
  await storeFinishedTask(apis.db, {
    agentId: other.agentId,
    entitlementId: theirs.entitlement_id,
    customerAccount,
  })
  await storeFinishedTask(apis.db, { agentId, entitlementId, customerAccount: 'south' })
  await storeFinishedTask(apis.db, { agentId, entitlementId: null, customerAccount })
  await storeFinishedTask(apis.db, {
    agentId,
    entitlementId,
    customerAccount,
    usage: 'synthetic',
  })
  expect(await stateOf(prospect_id)).toBe('replied')
  await storeFinishedTask(apis.db, { agentId, entitlementId, customerAccount })
  expect(await stateOf(prospect_id)).toBe('converted_to_paid')
  await apis.decide(payment_reference_id, 'revise')
  expect(await stateOf(prospect_id)).toBe('replied')
})

/** A prospect of this agent or of none yet that is invited to a pilot, and what accepts it and opens its checkout. */
async function invited(name: string, agent_id?: string) {
  const { prospect_id } = await create(agent_id === undefined ? {} : { agent_id })
  await message(prospect_id)
  await move(prospect_id, { to: 'replied', received: received() })
  await move(prospect_id, { to: 'qualified', received: received() })
  const asked = { client: { name }, rail: 'packetops', objective: 'A first packet.' } as const
  const { pilot, invitation_token } = (
    await apis.console.call('pilot-invite', { ...asked, prospect_id, idempotency_key: key() })
  ).body
  const client = pilotClient(String(apis.hosts[0]?.base), invitation_token)
  const { body } = await client.call('invitation-read', {})
  if (!('terms' in body)) throw new Error('an invitation was expected')
  const { terms_sha256 } = body
  const accept = { response: 'accept', terms_sha256, idempotency_key: key() } as const
  await client.call('invitation-respond', accept)
  const checkout = async (buyer: Buyer) => {
    const terms = { rail: 'packetops', tier: pilot.tier, units: 1, idempotency_key: key() } as const
    const { quote_id } = (await buyer.call('agent-quote', terms)).body.quote
    const opened = await buyer.call('rail-checkout-open', {
      quote_id,
      payment_path: 'invoice_or_purchase_order',
      customer: { name, email: 'ap@northwind.example' },
      invitation_token,
      idempotency_key: key(),
    })
    expect(opened.body.pilot).toMatchObject({ state: 'activated' })
  }
  return { prospect_id, invitation_token, checkout, pilot_id: pilot.pilot_id }
}
const viewOf = async (prospect_id: string) => {
  const found = (await read()).items.find((one) => one.prospect_id === prospect_id)
  if (found === undefined) throw new Error('the prospect was expected')
  const { history, state, rests_on } = found
  const bindings = history.filter(({ event }) => event === 'bound')
  return { bindings, state, cites: history.find(({ seq }) => seq === rests_on) }
}
const boundTo = (prospect_id: string) =>
  apis.db
    .selectFrom('prospects')
    .select(['agent_id', 'customer_account'])
    .where('prospect_id', '=', prospect_id)
    .executeTakeFirstOrThrow()

verifies(
  'prospect.pilot',
  'the checkout of its pilot binds a prospect, whose runs then count',
  async () => {
    const [agent, other] = [await buyer(), await buyer()]
    const { agentId } = agent
    const customerAccount = `Client ${key()}`
    const { prospect_id, invitation_token, checkout } = await invited(customerAccount)
    expect((await boundTo(prospect_id)).agent_id).toBeNull()
    await checkout(agent)
    const bound = { agent_id: agentId, customer_account: customerAccount }
    expect(await boundTo(prospect_id)).toEqual(bound)
    const before = (await sprint()).actual.paid_runs
    const { entitlement_id: entitlementId } = await paid(agent)
    await storeFinishedTask(apis.db, { agentId, entitlementId, customerAccount: 'another' })
    expect((await sprint()).actual.paid_runs).toBe(before)
    await storeFinishedTask(apis.db, { agentId, entitlementId, customerAccount })
    expect((await sprint()).actual.paid_runs).toBe(before + 1)
    expect(await stateOf(prospect_id)).toBe('converted_to_paid')
    // What the checkout fixed stays: the account of a later intake is not that of the prospect.
    const { account_id } = await apis.db
      .selectFrom('agents')
      .select('account_id')
      .where('agent_id', '=', agentId)
      .executeTakeFirstOrThrow()
    const intake = intakeInput({ rail: 'packetops', invitation_token })
    const named = { ...intake, client: { ...intake.client, account_id } }
    expect(await codeOf(agent.call('pilot-intake-submit', named))).toBe('wrong_state')
    await agent.call('pilot-intake-submit', intake)
    // Two prospects of one agent and account: the second pilot begins, and its prospect stays as it is. So does one that is bound.
    const second = await invited(customerAccount)
    await second.checkout(agent)
    expect((await boundTo(second.prospect_id)).agent_id).toBeNull()
    const theirs = await invited('Another client', other.agentId)
    await theirs.checkout(agent)
    expect(await boundTo(theirs.prospect_id)).toEqual({
      agent_id: other.agentId,
      customer_account: null,
    })
  },
)

verifies(
  ['prospect.pilot', 'prospect.records'],
  'the history holds each binding, and a paid state cites its own',
  async () => {
    const agent = await buyer()
    const { agentId: agent_id } = agent
    const customer_account = `Client ${key()}`
    const { prospect_id, pilot_id, checkout } = await invited(customer_account)
    expect((await viewOf(prospect_id)).bindings).toEqual([])
    expect((await viewOf(prospect_id)).cites).toMatchObject({ event: 'moved', pilot_id })
    await checkout(agent)
    const binding = { event: 'bound', state: 'pilot_offered', agent_id, customer_account, pilot_id }
    const { bindings } = await viewOf(prospect_id)
    expect(bindings).toMatchObject([{ ...binding, operator: null }])
    const { entitlement_id: entitlementId } = await paid(agent)
    const run = { agentId: agent_id, entitlementId, customerAccount: customer_account }
    await storeFinishedTask(apis.db, run)
    expect(await viewOf(prospect_id)).toMatchObject({
      state: 'converted_to_paid',
      cites: bindings[0],
    })
    // What an operator binds is in the history as well, and a pilot whose prospect stays as it is leaves none there.
    const known = { agent_id, customer_account: 'south' }
    const created = await create(known)
    expect(created.history[1]).toMatchObject({ event: 'bound', ...known, pilot_id: null })
    expect(created.history[1]?.operator).toMatch(/^operator:/)
    const { prospect_id: moved } = await create()
    await message(moved)
    const later = { agent_id, customer_account: 'north' }
    await move(moved, { to: 'replied', received: received(), ...later })
    expect((await viewOf(moved)).bindings).toMatchObject([{ state: 'messaged', ...later }])
    const second = await invited(customer_account)
    await second.checkout(agent)
    expect((await viewOf(second.prospect_id)).bindings).toEqual([])
    const silent = sql`update prospects set agent_id = ${agent_id}, customer_account = 'east'
      where prospect_id = ${second.prospect_id}`
    await expect(silent.execute(apis.db)).rejects.toThrow('a binding is an event of its prospect')
    const false_event = sql`insert into prospect_events (prospect_id, seq, event, state, operator, agent_id)
      values (${second.prospect_id}, 99, 'bound', 'pilot_offered', 'o', ${agent_id})`
    await expect(false_event.execute(apis.db)).rejects.toThrow('a binding is an event of its')
  },
)

verifies(
  ['prospect.records', 'prospect.outreach'],
  'an invitation offers a pilot, and a message has its channel',
  async () => {
    const { prospect_id } = await create()
    const asked = {
      client: { name: 'Northwind' },
      rail: 'financeops',
      objective: 'Match the invoices.',
      prospect_id,
    } as const
    const invite = () => apis.console.call('pilot-invite', { ...asked, idempotency_key: key() })
    const sent = (await message(prospect_id)).body.prospect.history.at(-1)
    expect(sent).toMatchObject({ event: 'message_sent', channel: 'email' })
    expect(await codeOf(invite())).toBe('wrong_state')
    await move(prospect_id, { to: 'replied', received: received() })
    await move(prospect_id, { to: 'qualified', received: received() })
    expect(await codeOf(move(prospect_id, { to: 'pilot_offered' }))).toBe('wrong_state')
    const invitation = (await invite()).body
    const { pilot } = invitation
    const offered = (await read('pilot_offered')).items[0]
    expect(offered).toMatchObject({ prospect_id, state: 'pilot_offered' })
    expect(offered?.history.at(-1)).toMatchObject({ event: 'moved', pilot_id: pilot.pilot_id })
    const written = async () =>
      (await apis.console.call('outreach-pack', { prospect_id })).body.pack.messages
    expect(await written()).toMatchObject([{ purpose: 'reminder' }])
    const links = async () =>
      (await apis.console.call('outreach-pack', { prospect_id })).body.pack.invitation_links
    const { pilot_id, rail, tier } = pilot
    const { response_url, expires_at } = invitation
    expect(await links()).toEqual([
      { pilot_id, rail, tier, state: 'invited', response_url, expires_at },
    ])
    expect(JSON.stringify(await links())).not.toContain('pt_')
    const rest = await apis.console.call('outreach-pack', {})
    expect(rest.body.pack.invitation_links).toEqual([])
    await sql`update pilots set state = 'accepted' where pilot_id = ${pilot.pilot_id}`.execute(
      apis.db,
    )
    expect(await written()).toEqual([])
    expect(await links()).toEqual([])
    // What was sent is no reply, and no row says otherwise.
    const moved = sql`insert into prospect_events (prospect_id, seq, event, state, cites, operator)
      values (${prospect_id}, 99, 'moved', 'qualified', ${String(sent?.message_sha256)}, 'operator:x')`
    await expect(moved.execute(apis.db)).rejects.toThrow('cite what the prospect wrote')
  },
)
