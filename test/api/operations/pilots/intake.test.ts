import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposed } from '../../../support/composed-api.ts'
import {
  agentOfPilots,
  intakeInput,
  invitationsOf,
  pilotClient,
  requestedPilot,
} from '../../../support/pilots.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { decide, patience } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
beforeAll(async () => {
  apis = await startComposed({
    env: { LIMIT_PUBLIC_WRITES_PER_MINUTE: '6000', LIMIT_PUBLIC_READS_PER_MINUTE: '6000' },
  })
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0] as { base: string; os: string }
const open = () => createClient({ baseUrl: hosts().base, idempotencySecret: 'p'.repeat(22) })
const operator = () => createClient({ baseUrl: hosts().base, operator: apis.operator })
const asked = () => requestedPilot(hosts().base)
const holder = (token: string) => pilotClient(hosts().base, token)
const decideOn = (pilotId: string, decision: 'approve' | 'reject') =>
  decide(hosts(), apis.operator, pilotId, decision, { subject_kind: 'pilot' })
const codeOfError = (error: unknown) => codeOf(Promise.reject(error))
const countOf = (all: readonly string[], code: string) => all.filter((one) => one === code).length
const say = (
  by: ReturnType<typeof holder>,
  more: Partial<InputOf<'pilot-conversation-add'>> = {},
) =>
  by.call('pilot-conversation-add', {
    kind: 'message',
    text: 'We begin in December.',
    idempotency_key: freshKey(),
    ...more,
  })

verifies(
  ['pilots.intake', 'conform.requested-tool'],
  'an intake is stored once and read by its token',
  async () => {
    const today = new Date().toISOString().slice(0, 10)
    const workflow_description = 'Payments are matched by hand once a month.'
    const input = intakeInput({ desired_start: today, workflow_description })
    const first = await open().call('pilot-intake-submit', input)
    expect(first.status).toBe(202)
    const { pilot, work_order, receipt, status_token } = first.body
    // Financeops is no tool that an order asks for by its id.
    expect(work_order).toMatchObject({ requested_tool_id: 'service_os', rail: 'financeops' })
    const named = (await requestedPilot(hosts().base, { rail: 'packetops' })).work_order
    expect(named).toMatchObject({ requested_tool_id: 'packetops', rail: 'packetops' })
    expect(pilot).toMatchObject({
      source: 'intake',
      state: 'requested',
      rail: 'financeops',
      client: { name: 'Northwind GmbH' },
      workflow_description,
      desired_start: today,
      work_order_id: work_order.work_order_id,
      runs: [],
    })
    expect(work_order).toMatchObject({
      intake_kind: 'workflow_intake',
      state: 'queued',
      rail: 'financeops',
      run_ids: [],
    })
    expect(receipt).toMatchObject({
      kind: 'intake',
      subject: pilot.pilot_id,
      payload: { objective_sha256: digestOf(input.objective) },
    })
    const again = await open().call('pilot-intake-submit', input)
    expect(again.body).toEqual(first.body)
    expect((await holder(status_token).call('pilot-intake-read', {})).body).toEqual({ pilot })
    expect(JSON.stringify((await open().call('pilot-intake-read', {})).body)).not.toContain(
      'Northwind',
    )
    const other = await asked()
    expect(other.pilot.pilot_id).not.toBe(pilot.pilot_id)
    const pro = await requestedPilot(hosts().base, { tier: 'pro' })
    expect(pro.pilot.total_usd).toBeGreaterThan(pilot.total_usd)
    const refused = (more: Partial<InputOf<'pilot-intake-submit'>>) =>
      problemOf(open().call('pilot-intake-submit', intakeInput(more)))
    expect(await refused({ rail: 'contractops' })).toMatchObject({
      status: 403,
      code: 'rail_not_allowed',
    })
    expect(await refused({ desired_start: '2026-11-01' })).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer: '/desired_start' }],
    })
    expect(await refused({ objective: 'use the password: hunter2hunter2' })).toMatchObject({
      status: 422,
      code: 'forbidden_material',
    })
  },
)

verifies('pilots.account', 'a client names the account of its own agent alone', async () => {
  const agents = () => agentOfPilots(hosts(), apis.operator)
  const [one, other] = [await agents(), await agents()]
  const { account_id } = await apis.db
    .selectFrom('agents')
    .select('account_id')
    .where('agent_id', '=', one.agentId)
    .executeTakeFirstOrThrow()
  const client = { name: 'Northwind GmbH', contact: 'ops@northwind.example', account_id }
  const submit = (by: ReturnType<typeof open>, more = {}) =>
    by.call('pilot-intake-submit', intakeInput({ client, ...more }))
  const { pilot, work_order, receipt } = (await submit(one.client)).body
  expect(pilot.client).toEqual({ name: client.name, account_id, customer_account: null })
  expect(receipt.payload).toMatchObject({ account_id })
  expect(JSON.stringify(work_order)).not.toContain(account_id)
  const { pilot_id } = pilot
  const read = (by: typeof one) => by.client.call('first-pilot-read', { pilot_id })
  expect((await read(one)).body).toMatchObject({ pilot: { pilot_id } })
  expect(await codeOf(read(other))).toBe('not_found')
  expect(await problemOf(submit(open()))).toMatchObject({
    status: 401,
    code: 'credential_required',
  })
  expect(await problemOf(submit(other.client))).toMatchObject({ status: 403, code: 'not_owner' })

  const invitations = invitationsOf(hosts(), apis.operator)
  const { invitation_token } = await invitations.invite()
  const { terms_sha256 } = await invitations.read(invitation_token)
  await invitations.respond(invitation_token, { response: 'accept', terms_sha256 })
  const invited = (await submit(one.client, { invitation_token })).body.pilot
  expect(invited).toMatchObject({ state: 'accepted', client: { account_id } })
  const checkout = async (by: typeof one) => {
    const terms = {
      quote_id: await by.quote('standard'),
      payment_path: 'invoice_or_purchase_order',
    } as const
    const named = { customer: { name: client.name, email: 'ops@northwind.example' } }
    const asked = { ...terms, ...named, invitation_token, idempotency_key: freshKey() }
    return (await by.client.call('rail-checkout-open', asked)).body.pilot
  }
  expect(await codeOf(checkout(other))).toBe('wrong_state')
  expect(await checkout(one)).toMatchObject({ state: 'activated' })
})

verifies('pilots.intake', 'the contract of intakes counts open pilots', async () => {
  const read = async () => {
    const { body } = await open().call('pilot-intake-read', {})
    if (!('live' in body)) throw new Error('the contract was expected')
    return body
  }
  const before = await read()
  expect(before.rails).toContain('financeops')
  expect(before.rails).not.toContain('contractops')
  expect(before.operations.map(({ id }) => id)).toEqual([
    'pilot-intake-read',
    'pilot-intake-submit',
  ])
  await asked()
  expect((await read()).live['requested']).toBe((before.live['requested'] ?? 0) + 1)
})

verifies('pilots.review', 'an operator decides about a pilot and its order once', async () => {
  const { pilot, status_token } = await asked()
  const { pilot_id } = pilot
  const listed = async (subject_id: string) =>
    (await operator().call('loop-review-console', { subject_id })).body.items
  const order = String(pilot.work_order_id)
  expect(await listed(order)).toEqual([])
  expect(await listed(pilot_id)).toMatchObject([
    { subject_kind: 'pilot', state: 'requested', allowed_decisions: ['approve', 'reject'] },
  ])
  const alone = decide(hosts(), apis.operator, order, 'approve', { subject_kind: 'work_order' })
  expect(await codeOf(alone)).toBe('wrong_state')
  const decided = await decideOn(pilot_id, 'approve')
  expect(decided).toMatchObject({
    subject: { state: 'activated', view: { state: 'activated' } },
    receipt: { kind: 'review_decision', payload: { subject_kind: 'pilot', subject_id: pilot_id } },
  })
  expect(await codeOf(decideOn(pilot_id, 'approve'))).toMatch(/already_decided|wrong_state/)
  const { body } = await holder(status_token).call('pilot-intake-read', {})
  expect(body).toMatchObject({ pilot: { state: 'activated', runs: [] } })
  expect(await listed(pilot_id)).toMatchObject([{ allowed_decisions: ['reject'] }])
  const { rows } = await sql`
    select decision, decision_id from work_orders where work_order_id = ${order}`.execute(apis.db)
  expect(rows).toEqual([{ decision: 'approve', decision_id: decided.review_decision.decision_id }])

  const other = await asked()
  expect((await decideOn(other.pilot.pilot_id, 'reject')).subject.state).toBe('rejected')
  expect(await codeOf(say(holder(other.status_token)))).toBe('wrong_state')
})

verifies('pilots.conversation', 'entries are chained, and clients only speak', async () => {
  const { pilot, status_token } = await asked()
  const { pilot_id } = pilot
  const client = holder(status_token)
  const idempotency_key = freshKey()
  const first = (await say(client, { kind: 'question', idempotency_key })).body.entry
  expect((await say(client, { kind: 'question', idempotency_key })).body.entry).toEqual(first)
  expect(first).toMatchObject({ number: 1, author_role: 'client', prev_hash: '0'.repeat(64) })
  for (const more of [
    { kind: 'decision' as const },
    { kind: 'next_step' as const },
    { due_at: '2026-12-01T00:00:00Z' },
  ])
    expect(await problemOf(say(client, more))).toMatchObject({ status: 403, code: 'scope_denied' })
  const step = await say(operator(), {
    pilot_id,
    kind: 'next_step',
    text: 'Send a sample of the payments.',
    due_at: '2026-12-01T00:00:00Z',
  })
  expect(step.body.entry).toMatchObject({
    number: 2,
    author_role: 'operator',
    prev_hash: first.entry_id.slice(3),
  })
  const { body } = await client.call('pilot-conversation-read', { limit: '1' })
  expect(body).toMatchObject({
    total: 2,
    entries: [{ number: 2, kind: 'next_step' }],
    next_step: 'Send a sample of the payments.',
    pilot: { next_step: 'Send a sample of the payments.' },
  })
  const older = await client.call('pilot-conversation-read', { offset: '1' })
  expect(older.body.entries.map(({ number }) => number)).toEqual([1])

  const other = await asked()
  const stranger = holder(other.status_token)
  expect(await codeOf(stranger.call('pilot-conversation-read', { pilot_id }))).toBe('not_found')
  expect(await codeOf(say(stranger, { pilot_id }))).toBe('not_found')
  expect(await codeOf(operator().call('pilot-conversation-read', {}))).toBe('not_found')
  expect((await fetch(`${hosts().base}/api/pilot-conversation-tracker`)).status).toBe(401)
  for (const change of [
    sql`update pilot_entries set text = 'other' where pilot_id = ${pilot_id}`,
    sql`delete from pilot_entries where pilot_id = ${pilot_id}`,
    sql`update pilots set total_usd = 0 where pilot_id = ${pilot_id}`,
    sql`update pilots set state = 'converted_to_paid' where pilot_id = ${pilot_id}`,
  ])
    await expect(change.execute(apis.db)).rejects.toThrow()
})

verifies('pilots.bounds', 'a client has so many entries, the operator the rest', async () => {
  const { pilot, status_token } = await asked()
  // Entries are written one after the other: who waits too long is asked to come again.
  const client = pilotClient(hosts().base, status_token, patience)
  const all = Array.from({ length: 40 }, () => say(client).then(() => 'said', codeOfError))
  const codes = await Promise.all(all)
  expect([countOf(codes, 'said'), countOf(codes, 'rate_limited')]).toEqual([30, 10])
  const { pilot_id } = pilot
  expect((await say(operator(), { pilot_id })).body.entry.number).toBe(31)
  const { body } = await operator().call('pilot-conversation-read', { pilot_id, limit: '100' })
  const newestFirst = body.entries.map(({ number }) => number)
  expect(newestFirst).toEqual(Array.from({ length: 31 }, (_, at) => 31 - at))
  const { subject_id, evidence } = await operator()
    .call('loop-review-console', { subject_id: pilot_id })
    .then(({ body: { evidence: found } }) => ({ subject_id: found?.subject_id, evidence: found }))
  expect(subject_id).toBe(pilot_id)
  const { items } = (await operator().call('loop-review-console', { subject_id: pilot_id })).body
  expect(items).toMatchObject([{ evidence_root_sha256: evidence?.root_sha256 }])
  const history = evidence?.parts.find(({ name }) => name === 'history')?.content
  expect(history).toMatchObject({
    entries_total: 31,
    newest_entries: expect.arrayContaining([expect.objectContaining({ number: 31 })]),
  })
})

verifies('pilots.bounds', 'a token has a limit over all addresses', async () => {
  const few = await startComposed({
    env: { TRUST_PROXY: '1', LIMIT_PUBLIC_WRITES_PER_MINUTE: '10' },
  })
  const baseUrl = few.hosts[0]?.base ?? ''
  const { status_token: statusToken } = await requestedPilot(baseUrl)
  const from = (address: string) => (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    headers.set('x-forwarded-for', address)
    return fetch(url, { ...init, headers })
  }
  const signAsAgent = () => 'A'.repeat(86)
  try {
    const all = Array.from({ length: 14 }, (_, at) => {
      const through = from(`198.51.100.${at + 1}`)
      const by = createClient({ baseUrl, statusToken, signAsAgent, fetch: through })
      return say(by).then(() => 'said', codeOfError)
    })
    const codes = await Promise.all(all)
    expect([countOf(codes, 'said'), countOf(codes, 'rate_limited')]).toEqual([10, 4])
  } finally {
    await few.stop()
  }
})

verifies(
  'pilots.bounds',
  'an address has few intakes a day, others still have theirs',
  async () => {
    const env = { TRUST_PROXY: '1', QUOTA_PILOTS_PER_DAY: '20/5/500/500' }
    const few = await startComposed({ env })
    const baseUrl = few.hosts[0]?.base ?? ''
    const submit = (address: string) => {
      const through = (url: string, init: RequestInit) => {
        const headers = new Headers(init.headers)
        headers.set('x-forwarded-for', address)
        return fetch(url, { ...init, headers })
      }
      const by = createClient({ baseUrl, fetch: through })
      return by.call('pilot-intake-submit', intakeInput()).then(() => 'stored', codeOfError)
    }
    try {
      const codes = await Promise.all(Array.from({ length: 8 }, () => submit('198.51.100.7')))
      expect([countOf(codes, 'stored'), countOf(codes, 'rate_limited')]).toEqual([5, 3])
      expect(await submit('198.51.100.8')).toBe('stored')
    } finally {
      await few.stop()
    }
  },
)

verifies('pilots.bounds', 'where 1000 wait, the oldest gives way after a day', async () => {
  const own = await startComposed()
  const baseUrl = own.hosts[0]?.base ?? ''
  const submit = () => requestedPilot(baseUrl)
  try {
    const { pilot, status_token } = await submit()
    await sql`insert into pilots (pilot_id, source, rail, tier, total_usd, client, objective, status_token_sha256, state)
      select 'pl_' || d, 'intake', 'financeops', 'standard', 1, '{}', 'x', d, 'requested'
      from (select encode(sha256(n::text::bytea), 'hex') as d from generate_series(1, 999) n) s`.execute(
      own.db,
    )
    expect(await codeOf(submit())).toBe('rate_limited')
    await transaction(own.db, async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update pilots set state_since = clock_timestamp() - interval '25 hours'
        where pilot_id = ${pilot.pilot_id}`.execute(tx)
    })
    expect((await submit()).pilot.state).toBe('requested')
    const { body } = await pilotClient(baseUrl, status_token).call('pilot-intake-read', {})
    expect(body).toMatchObject({ pilot: { state: 'closed' } })
    expect(await codeOf(submit())).toBe('rate_limited')
    const console = createClient({ baseUrl, operator: own.operator })
    const subject_id = String(pilot.work_order_id)
    const { items } = (await console.call('loop-review-console', { subject_id })).body
    expect(items).toEqual([])
    const order = decide(own.hosts[0]!, own.operator, subject_id, 'approve', {
      subject_kind: 'work_order',
    })
    expect(await codeOf(order)).toBe('wrong_state')
  } finally {
    await own.stop()
  }
})
