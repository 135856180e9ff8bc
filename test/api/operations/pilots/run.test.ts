import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { listPilotsOf } from '../../../../activities/store/pilots/pilots.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { findWorkOrder } from '../../../../activities/store/work-orders/work-orders.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { orderView } from '../../../../api/services/work-orders/intake.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { invitationsOf, pilotClient, requestedPilot } from '../../../support/pilots.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { pause } from '../../../support/processes.ts'
import { type OpenProduction, openProduction } from '../../../support/production.ts'
import { decide } from '../../../support/registering-agent.ts'
import { fundWallet } from '../../../support/wallets.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: OpenProduction
let other: OpenProduction
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openProduction(apis, {
    requested_scopes: [
      'runs:read',
      'runs:write',
      'production:write',
      'wallets:read',
      'wallets:write',
    ],
  })
  other = await openProduction(apis)
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
type Start = InputOf<'first-pilot-run'>
const start = (by: OpenProduction, input: Start) => by.client.call('first-pilot-run', input)

/** An intake, and what its client's agent starts it with. */
async function requested() {
  const { pilot, status_token } = await requestedPilot(hosts().base, { rail: 'packetops' })
  const {
    customer_account: _account,
    publication_consent: _consent,
    ...input
  } = await agent.input()
  const asked: Start = { ...input, pilot_id: pilot.pilot_id, pilot_token: status_token }
  const activate = () =>
    decide(hosts(), apis.operator, pilot.pilot_id, 'approve', { subject_kind: 'pilot' })
  return { pilot_id: pilot.pilot_id, status_token, asked, activate }
}

verifies('pilots.run', 'an activated pilot runs once, for the agent of its client', async () => {
  const { pilot_id, status_token, asked, activate } = await requested()
  expect(await codeOf(start(agent, asked))).toBe('wrong_state')
  await activate()
  const { pilot_token: _token, ...unheld } = asked
  expect(await codeOf(start(agent, unheld))).toBe('not_found')
  const wrong = (await requested()).status_token
  expect(await codeOf(start(agent, { ...asked, pilot_token: wrong }))).toBe('not_found')
  expect(await codeOf(start(agent, { ...asked, tier: 'pro' }))).toBe('quote_mismatch')
  const unpaid = await problemOf(start(agent, asked))
  expect(unpaid).toMatchObject({ status: 402, code: 'payment_required' })
  // The run is there, waits for its payment, and no other begins.
  const read = async () => {
    const { body } = await agent.client.call('first-pilot-read', { pilot_id })
    if (!('conditions' in body)) throw new Error('a pilot was expected')
    const { state, runs } = body.pilot
    const met = body.conditions.flatMap(({ condition, met: is }) => (is ? condition : []))
    return { state, runs: runs.length, met, run: body.run }
  }
  expect(await read()).toMatchObject({ state: 'running', runs: 1, met: ['activated'] })
  const again = { ...asked, idempotency_key: freshKey(), quote_id: (await agent.input()).quote_id }
  expect(await codeOf(start(agent, again))).toBe('already_exists')
  expect(await codeOf(other.client.call('first-pilot-read', { pilot_id }))).toBe('not_found')
  expect(await codeOf(start(other, again))).toBe('not_found')
  const held = await pilotClient(hosts().base, status_token).call('first-pilot-read', {})
  expect(held.body).toMatchObject({ pilot: { pilot_id, state: 'running' } })
  expect(JSON.stringify(held.body)).not.toMatch(/"(tk|pt)_/)

  const payment_reference_id = await agent.paid(asked.quote_id)
  const { body } = await start(agent, { ...asked, payment_reference_id })
  expect(body).toMatchObject({
    pilot: { state: 'running' },
    binding: { customer_account: 'Northwind GmbH', completion_state: 'credit_funded' },
  })
  const { run_id } = body.run
  expect((await read()).met).toEqual(['activated', 'paid'])
  await agent.order(String(body.binding.work_order_id), 'approve')
  const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  expect(await read()).toMatchObject({ state: 'running', met: ['activated', 'paid', 'approved'] })
  await agent.approve('loop_step', run_id)
  await expect.poll(async () => (await read()).state).toBe('delivered')
  await expect
    .poll(async () => (await read()).met)
    .toEqual(['activated', 'paid', 'approved', 'delivered', 'charged'])
  const listed = (await agent.client.call('production-runs-read', { run_id })).body
  expect(listed.items).toMatchObject([{ audit_event_id: body.audit_event_id }])
})

verifies('pilots.order', 'the order of an intake is continued by that of its run', async () => {
  const { pilot_id, asked, activate } = await requested()
  await activate()
  const read = async () => {
    const { body } = await agent.client.call('first-pilot-read', { pilot_id })
    if (!('conditions' in body)) throw new Error('a pilot was expected')
    return body.pilot
  }
  const orderOf = (id: string | null) =>
    transaction(apis.db, async (tx) => {
      const order = await findWorkOrder(tx, { work_order_id: String(id) })
      return order && orderView(tx, order)
    })
  const intake = (await operator().call('pilots-list', { q: pilot_id })).body.items[0]
  expect(intake?.run_work_order_id).toBeNull()
  expect(await orderOf(intake?.work_order_id ?? null)).toMatchObject({
    state: 'approved',
    run_ids: [],
    continued_by: null,
  })
  expect(await codeOf(start(agent, asked))).toBe('payment_required')
  const { work_order_id, run_work_order_id, runs } = await read()
  expect(run_work_order_id).not.toBe(work_order_id)
  const continued = { continued_by: run_work_order_id, run_ids: runs, state: 'approved' }
  expect(await orderOf(work_order_id)).toMatchObject(continued)
  await agent.order(String(run_work_order_id), 'reject')
  expect(await orderOf(work_order_id)).toMatchObject({
    continued_by: run_work_order_id,
    state: 'rejected',
    review: { state: 'approved' },
  })
})

verifies('pilots.run', 'an invited pilot runs for the agent of its checkout', async () => {
  const invitations = invitationsOf(hosts(), apis.operator)
  const { pilot, invitation_token } = await invitations.invite({ rail: 'packetops' })
  const { terms_sha256 } = await invitations.read(invitation_token)
  await invitations.respond(invitation_token, { response: 'accept', terms_sha256 })
  const asked = { rail: 'packetops', tier: 'standard', units: 1 } as const
  const quoted = await agent.client.call('agent-quote', { ...asked, idempotency_key: freshKey() })
  const { quote_id } = quoted.body.quote
  await agent.client.call('rail-checkout-open', {
    quote_id,
    payment_path: 'invoice_or_purchase_order',
    customer: { name: 'Northwind GmbH', email: 'ap@northwind.example' },
    invitation_token,
    idempotency_key: freshKey(),
  })
  const { customer_account: _a, publication_consent: _c, ...input } = await other.input()
  const { pilot_id } = pilot
  const stolen = { ...input, pilot_id, pilot_token: invitation_token }
  expect(await codeOf(start(other, stolen))).toBe('not_found')
  // Two starts at once: one run.
  const keys = [freshKey(), freshKey()]
  const starts = await Promise.all(
    keys.map((idempotency_key) =>
      codeOf(start(agent, { ...input, quote_id, pilot_id, idempotency_key })),
    ),
  )
  expect(starts.filter((code) => code === 'payment_required')).toHaveLength(1)
  const { rows } = await sql<{ runs: number }>`
    select count(*)::int as runs from pilot_runs where pilot_id = ${pilot_id}`.execute(apis.db)
  expect(rows).toEqual([{ runs: 1 }])
})

const operator = () => createClient({ baseUrl: hosts().base, operator: apis.operator })
const closePilot = (pilotId: string) =>
  decide(hosts(), apis.operator, pilotId, 'reject', { subject_kind: 'pilot' })
const stateOf = async (token: string) => {
  const { body } = await pilotClient(hosts().base, token).call('pilot-intake-read', {})
  return 'pilot' in body ? body.pilot.state : undefined
}

verifies('pilots.close', 'an operator closes an abandoned pilot with its run', async () => {
  const { pilot_id, status_token, asked, activate } = await requested()
  await activate()
  expect(await codeOf(start(agent, asked))).toBe('payment_required')
  const { items } = (await operator().call('loop-review-console', { subject_id: pilot_id })).body
  expect(items).toMatchObject([{ state: 'running', allowed_decisions: ['reject'] }])
  const waiting = (await operator().call('loop-review-console', { kind: 'pilot' })).body.items
  expect(waiting.map(({ subject_id }) => subject_id)).not.toContain(pilot_id)
  const read = async () => {
    const { body } = await operator().call('first-pilot-read', { pilot_id })
    return 'run' in body && body.run !== null ? body.run : undefined
  }
  const order = String((await read())?.work_order_id)
  const closed = await closePilot(pilot_id)
  expect(closed).toMatchObject({
    subject: { state: 'closed', view: { state: 'closed' } },
    receipt: { kind: 'review_decision', payload: { pilot_state: 'closed', decision: 'reject' } },
  })
  expect(await stateOf(status_token)).toBe('closed')
  await expect.poll(async () => (await read())?.state).toBe('closed')
  // Neither the pilot nor its order is decided again, and no other run begins.
  expect(await codeOf(closePilot(pilot_id))).toMatch(/already_decided|wrong_state/)
  expect(await codeOf(agent.order(order, 'approve'))).toMatch(/already_decided|wrong_state/)
  const again = { ...asked, idempotency_key: freshKey(), quote_id: (await agent.input()).quote_id }
  expect(await codeOf(start(agent, again))).toBe('wrong_state')
  const { rows } = await sql<{ decision: string; note: string }>`
    select decision, note from review_decisions where subject_id = ${pilot_id} order by seq desc limit 1`.execute(
    apis.db,
  )
  expect(rows).toMatchObject([{ decision: 'reject', note: expect.stringMatching(/./) }])
})

verifies('pilots.close', 'the credit of a closed pilot is released', async () => {
  const { pilot_id, asked, activate } = await requested()
  await activate()
  expect(await codeOf(start(agent, asked))).toBe('payment_required')
  const payment_reference_id = await agent.paid(asked.quote_id)
  const { body } = await start(agent, { ...asked, payment_reference_id })
  expect(body.run.waiting_for).toEqual(['review'])
  await closePilot(pilot_id)
  const credit = async () =>
    (
      await sql<{ state: string }>`
        select state from task_credits where task_id = ${body.run.task_id}`.execute(apis.db)
    ).rows[0]?.state
  await expect.poll(credit).toBe('released')
})

/** A pilot whose run waits for the payment of a quote of so many runs, and what its client reads of the money. */
async function unpaid(units: number) {
  const pilot = await requested()
  const asked = { ...pilot.asked, quote_id: (await agent.quote('packetops', units)).quote_id }
  await pilot.activate()
  expect(await codeOf(start(agent, asked))).toBe('payment_required')
  const client = pilotClient(hosts().base, pilot.status_token)
  const read = async () => {
    const { body } = await client.call('pilot-intake-read', {})
    return 'pilot' in body ? [body.pilot.state, body.pilot.payment] : []
  }
  const close = () => closePilot(pilot.pilot_id).then(() => 'closed', codeThrown)
  return { asked, read, close }
}
const codeThrown = (error: unknown) => codeOf(Promise.reject(error))
const soon = { timeout: 30_000 }
/** What closing answers while a payment moves the run. */
const orRefused = ['closed', 'payment_pending', 'evidence_changed']

verifies('pilots.close.payment', 'a payment presented while it closes is never lost', async () => {
  for (let round = 0; round < 8; round += 1) {
    const units = 1 + (round % 2)
    const { read, close, asked } = await unpaid(units)
    const paying = pause(round * 4).then(() => agent.pay(asked.quote_id))
    const [{ payment_reference_id }, closed] = await Promise.all([paying, close()])
    expect(orRefused).toContain(closed)
    expect(await read()).toEqual([closed === 'closed' ? 'closed' : 'running', 'under_way'])
    // Its confirmation, and another decision to close the pilot at once.
    const [, again] = await Promise.all([
      agent.approve('payment_reference', payment_reference_id),
      closed === 'closed' ? 'closed' : close(),
    ])
    if (again !== 'closed') {
      expect(orRefused).toContain(again)
      await expect.poll(read, soon).toEqual(['running', 'reserved'])
      await expect.poll(close, soon).toBe('closed')
    }
    await expect.poll(read, soon).toEqual(['closed', units === 1 ? 'returned' : 'credit'])
    const { rows } = await sql<{ left: boolean; receipts: number }>`
      select e.granted_units > e.returned_units as left, (select count(*)::int from receipts r
        where r.subject = e.entitlement_id and r.kind = 'credit_return') as receipts
      from entitlements e where e.quote_id = ${asked.quote_id}`.execute(apis.db)
    expect(rows).toEqual([{ left: units > 1, receipts: units > 1 ? 0 : 1 }])
  }
})

verifies(
  'pilots.close.payment',
  'a wallet that pays while it closes has its money back',
  async () => {
    const made = { idempotency_key: freshKey() }
    const { wallet_id } = (await agent.client.call('allowance-wallet-create', made)).body.wallet
    await fundWallet(agent.client, { wallet_id, amount_usd: 2_000 }, (id) =>
      agent.approve('payment_reference', id),
    )
    const balance = async () =>
      (await agent.client.call('allowance-wallet-read', { wallet_id })).body.wallet?.balance_units
    for (let round = 0; round < 4; round += 1) {
      const { read, close, asked } = await unpaid(1)
      const paid = pause(round * 8).then(() => start(agent, { ...asked, wallet_id }))
      const [, closed] = await Promise.all([paid.catch(() => undefined), close()])
      expect(orRefused).toContain(closed)
      if (closed !== 'closed') await expect.poll(close, soon).toBe('closed')
      await expect.poll(balance, soon).toBe(2_000)
      const [state, payment] = await read()
      expect(state).toBe('closed')
      expect(['none', 'returned']).toContain(payment)
    }
  },
)

verifies('pilots.close', 'a pilot whose run ends without a result is closed', async () => {
  const { pilot_id, status_token, asked, activate } = await requested()
  await activate()
  expect(await codeOf(start(agent, asked))).toBe('payment_required')
  const { items } = (await operator().call('pilots-list', { q: pilot_id })).body
  expect(items).toMatchObject([{ state: 'running' }])
  const contract = async () => {
    const { body } = await createClient({ baseUrl: hosts().base }).call('first-pilot-read', {})
    return 'live' in body ? body.live['running'] : undefined
  }
  const before = Number(await contract())
  const runs = (await agent.client.call('production-runs-read', {})).body.items
  await agent.order(String(runs[0]?.binding.work_order_id), 'reject')
  await expect.poll(() => stateOf(status_token)).toBe('closed')
  expect(await contract()).toBe(before - 1)
})

verifies('pilots.paid', 'a paid run after the offer converts a delivered pilot', async () => {
  const { pilot_id, asked, activate } = await requested()
  const offer = (more: Partial<InputOf<'paid-next-step-mark'>> = {}) =>
    operator().call('paid-next-step-mark', {
      pilot_id,
      to: 'paid_next_step_ready',
      tier: 'pro',
      idempotency_key: freshKey(),
      ...more,
    })
  const pack = async () =>
    (await operator().call('paid-next-step-read', { pilot_id })).body.pilots[0]
  const state = async () => {
    const { body } = await agent.client.call('first-pilot-read', { pilot_id })
    return 'pilot' in body ? body.pilot.state : undefined
  }
  expect(await codeOf(offer())).toBe('wrong_state')
  await activate()
  /** Starts a paid run and approves what it waits for. */
  const complete = async (
    start: (payment_reference_id: string) => Promise<Started>,
    id: string,
  ) => {
    const { run, order } = await start(await agent.paid(id))
    await agent.order(order, 'approve')
    const waits = async () => (await agent.status(run, 5_000)).waiting_for
    await expect.poll(waits).toEqual(['review'])
    await agent.approve('loop_step', run)
    await expect
      .poll(() => agent.status(run))
      .toMatchObject({ usage_receipt_id: expect.stringMatching(/^rc_/) })
    return run
  }
  type Started = { run: string; order: string }
  await complete(async (payment_reference_id) => {
    const { body } = await start(agent, { ...asked, payment_reference_id })
    return { run: body.run.run_id, order: String(body.binding.work_order_id) }
  }, asked.quote_id)
  expect(await state()).toBe('delivered')
  expect(await pack()).toBeUndefined()
  const set = (to: string) =>
    sql`update pilots set state = ${to} where pilot_id = ${pilot_id}`.execute(apis.db)
  await expect(set('paid_next_step_ready')).rejects.toThrow('an offer makes a pilot ready')
  expect(await codeOf(offer({ to: 'converted_to_paid' as never }))).toBe('invalid_request')
  expect(await codeOf(offer({ prospect_id: `ps_${'0'.repeat(64)}` }))).toBe('invalid_request')
  const { body } = await offer({ note: 'as spoken about' })
  const { quote_id } = body.quote
  expect(body).toMatchObject({
    prospect: null,
    pilot: { pilot_id, state: 'paid_next_step_ready' },
    quote: { rail: 'packetops', tier: 'pro', total_usd: 269 },
    receipt: { kind: 'paid_next_step', payload: { pilot_id, quote_id } },
  })
  expect(await pack()).toMatchObject({
    state: 'paid_next_step_ready',
    offer: { quote_id, note: 'as spoken about' },
    evidence: { return_package_id: expect.stringMatching(/^rp_/) },
  })
  const offered = (await operator().call('pilots-list', { q: pilot_id })).body.items
  expect(offered[0]?.next_step).toContain(`Pay the quote ${quote_id} of 269 usd`)
  expect(await codeOf(offer())).toBe('wrong_state')
  await expect(set('converted_to_paid')).rejects.toThrow('no such move of a pilot')
  // A run of the agent for another account is none of its client.
  const { publication_consent: _consent, ...foreign } = await agent.input()
  const run_of = async (given: typeof foreign) => {
    const { body: begun } = await agent.client.call('production-run-start', given)
    return { run: begun.run.run_id, order: String(begun.binding.work_order_id) }
  }
  await complete((paid) => run_of({ ...foreign, payment_reference_id: paid }), foreign.quote_id)
  expect(await state()).toBe('paid_next_step_ready')
  const next = { ...foreign, tier: 'pro', quote_id, idempotency_key: freshKey() } as const
  let payment = ''
  const run_id = await complete((paid) => {
    payment = paid
    return run_of({ ...next, payment_reference_id: paid })
  }, quote_id)
  const { items } = (await operator().call('pilots-list', { q: pilot_id })).body
  expect(items).toMatchObject([{ state: 'converted_to_paid' }])
  expect(await listPilotsOf(apis.db, agent.agentId, 25)).toContainEqual(
    expect.objectContaining({ pilot_id, state: 'converted_to_paid' }),
  )
  expect(await state()).toBe('converted_to_paid')
  expect(await pack()).toMatchObject({ state: 'converted_to_paid', paid: { run_id } })
  expect(await codeOf(offer())).toBe('wrong_state')
  // A payment that is disputed or given back converts nothing.
  const move = (to: string) =>
    sql`update payment_references set state = ${to} where payment_reference_id = ${payment}`.execute(
      apis.db,
    )
  await move('disputed')
  expect(await state()).toBe('paid_next_step_ready')
  expect(await pack()).toMatchObject({ state: 'paid_next_step_ready' })
  expect((await pack())?.paid).toBeUndefined()
  expect(await codeOf(offer())).toBe('wrong_state')
  await move('verified')
  expect(await state()).toBe('converted_to_paid')
  await decide(hosts(), apis.operator, payment, 'revise', { subject_kind: 'payment_reference' })
  expect(await state()).toBe('paid_next_step_ready')
  const again = (await offer()).body
  expect(again.pilot?.state).toBe('paid_next_step_ready')
  expect(again.quote.quote_id).not.toBe(quote_id)
})
