import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { type OpenProduction, openProduction } from '../../../support/production.ts'
import { verifies } from '../../../verifies.ts'

type Controls = InputOf<'enterprise-controls-set'>['controls']

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
})
afterAll(() => apis?.stop())

const scopes = ['runs:read', 'runs:write', 'production:write', 'controls:write'] as const
const open = () => openProduction(apis, { requested_scopes: [...scopes] })
const operator = () => createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
const set = async (by: Pick<OpenProduction['client'], 'call'>, controls: Controls, of = {}) =>
  (
    await by.call('enterprise-controls-set', {
      controls,
      reason: 'the budget of the quarter',
      accept_fee: true,
      idempotency_key: freshKey(),
      ...of,
    })
  ).body
const countRuns = async (agentId: string) => {
  const { rows } = await sql<{ runs: number; spends: number }>`select
      (select count(*)::int from tasks t join customer_runs r using (task_id) where t.agent_id = ${agentId}) as runs,
      (select count(*)::int from account_spends s join agents a using (account_id)
        where a.agent_id = ${agentId} and s.kind = 'run') as spends`.execute(apis.db)
  return rows[0]
}

verifies('accounts.read', 'the catalog is public, the controls are the account’s', async () => {
  const agent = await open()
  const anyone = createClient({ baseUrl: apis.hosts[0]!.base })
  const { body } = await anyone.call('enterprise-controls-read', {})
  expect(body.own).toBeNull()
  expect(body.controls_catalog.map(({ control }) => control)).toEqual([
    'allowed_rails',
    'per_run_usd_max',
    'per_day_usd_max',
    'review_all',
    'callback_hosts',
    'paused',
    'credential_max_age_days',
  ])
  const own = async () => (await agent.client.call('enterprise-controls-read', {})).body.own
  expect(await own()).toMatchObject({ controls: { paused: false }, set_by: null, wallets: [] })
  const changed = await set(agent.client, { per_run_usd_max: 300 })
  expect(await own()).toMatchObject({ controls: { per_run_usd_max: 300 }, set_by: agent.agentId })
  const { account_id } = changed
  const seen = await operator().call('enterprise-controls-read', { account_id })
  expect(seen.body.own).toEqual(await own())
  const other = await open()
  for (const foreign of [
    problemOf(other.client.call('enterprise-controls-read', { account_id })),
    problemOf(set(other.client, { paused: true }, { account_id })),
  ])
    expect(await foreign).toMatchObject({ status: 403, code: 'not_owner' })
  const missing = problemOf(set(operator(), {}, { account_id: `acc_${'0'.repeat(64)}` }))
  expect(await missing).toMatchObject({ status: 404 })
  const verified = await anyone.call('verify-receipt', { receipt_id: changed.receipt.receipt_id })
  expect(verified.body.verified).toBe(true)
})

verifies('accounts.fee', 'controls cost nothing that was not accepted', async () => {
  const agent = await open()
  const anyone = createClient({ baseUrl: apis.hosts[0]!.base })
  const { body: shown } = await anyone.call('enterprise-controls-read', {})
  expect(shown.fee_usd_per_month).toBe(499)
  const refused = await problemOf(set(agent.client, { paused: true }, { accept_fee: undefined }))
  expect(refused).toMatchObject({ status: 422, code: 'fee_not_accepted', money_moved: 'no' })
  expect(refused.detail).toContain('499 usd per month')
  const own = async () => (await agent.client.call('enterprise-controls-read', {})).body.own
  expect(await own()).toMatchObject({ controls: { paused: false }, fee_accepted: false })
  const account_id = (await own())?.account_id

  // What an operator sets starts no fee.
  await set(operator(), { per_day_usd_max: 900 }, { account_id, accept_fee: undefined })
  expect(await own()).toMatchObject({ fee_accepted: false })
  const denied = problemOf(set(agent.client, { per_run_usd_max: 9 }, { accept_fee: false }))
  expect(await denied).toMatchObject({ code: 'fee_not_accepted' })

  const set1 = await set(agent.client, { per_run_usd_max: 300 })
  expect(set1).toMatchObject({ fee_usd_per_month: 499, fee_accepted: true })
  expect(set1.receipt.payload).toMatchObject({ accepted_fee_usd: 499 })
  const set2 = await set(agent.client, { per_run_usd_max: 200 }, { accept_fee: undefined })
  expect(set2.receipt.payload).toMatchObject({ accepted_fee_usd: null })
  expect(await own()).toMatchObject({ fee_accepted: true })
})

verifies('accounts.fee-ends', 'an agent ends its fee with the month, or continues it', async () => {
  const agent = await open()
  const none = problemOf(set(agent.client, {}, { accept_fee: false }))
  expect(await none).toMatchObject({ status: 422, code: 'fee_not_accepted' })
  await set(agent.client, { per_run_usd_max: 300 })
  const ended = await set(agent.client, {}, { accept_fee: false })
  const next = new Date()
  next.setUTCMonth(next.getUTCMonth() + 1, 1)
  const fee_ends_at = `${next.toISOString().slice(0, 10)}T00:00:00.000Z`
  expect(ended).toMatchObject({ fee_accepted: true, fee_ends_at, changed: [] })
  expect(ended.receipt.payload).toMatchObject({ accepted_fee_usd: 499, fee_ends_at })
  // Until then the controls can be changed, which ends nothing again.
  const later = await set(agent.client, { per_run_usd_max: 200 }, { accept_fee: undefined })
  expect(later).toMatchObject({ fee_ends_at, controls: { per_run_usd_max: 200 } })
  expect(later.receipt.payload).toMatchObject({ accepted_fee_usd: null, fee_ends_at: null })
  const again = await set(agent.client, {}, { accept_fee: true })
  expect(again).toMatchObject({ fee_accepted: true, fee_ends_at: null })
  expect(again.receipt.payload).toMatchObject({ accepted_fee_usd: 499, fee_ends_at: null })
})

verifies('accounts.starts', '50 starts race a pause; none is stored after it', async () => {
  const agent = await open()
  const inputs = []
  for (let index = 0; index < 50; index++) inputs.push(await agent.input())
  const late = await agent.input()
  const start = (input: typeof late) => problemOf(agent.client.call('production-run-start', input))
  const starts = inputs.map(start)
  await expect
    .poll(async () => (await countRuns(agent.agentId))?.runs, { interval: 5, timeout: 60_000 })
    .toBeGreaterThan(3)
  await set(agent.client, { paused: true })
  const stored = await countRuns(agent.agentId)
  // One more comes after the pause, however few of the fifty did.
  const codes = (await Promise.all([...starts, start(late)])).map(({ code }) => code)
  expect(codes.at(-1)).toBe('control_denied')
  expect(await countRuns(agent.agentId)).toEqual(stored)
  expect(stored?.spends).toBe(stored?.runs)
  expect(new Set(codes)).toEqual(new Set(['control_denied', 'payment_required']))

  // Nothing of a paused account is quoted or paid, also not credit that was reserved before.
  const [reserved] = inputs.filter((_, index) => codes[index] === 'payment_required')
  const paid = problemOf(agent.pay(reserved?.quote_id ?? ''))
  expect(await paid).toMatchObject({ status: 403, code: 'control_denied' })
  const quote = problemOf(agent.quote('packetops', 900))
  expect(await quote).toMatchObject({ status: 403, code: 'control_denied' })
  const widened = problemOf(set(agent.client, { paused: false }))
  expect(await widened).toMatchObject({ status: 403, code: 'control_denied' })
  const { own } = (await agent.client.call('enterprise-controls-read', {})).body
  await set(operator(), { paused: false }, { account_id: own?.account_id })
  expect((await agent.pay(reserved?.quote_id ?? '')).state).toBe('pending')
})

verifies('accounts.review', 'each run is reviewed, a key ages, a preflight says why', async () => {
  const agent = await open()
  await set(agent.client, { review_all: true, callback_hosts: ['hooks.example.com'] })
  const { quote_id } = await agent.quote()
  const { mode: _mode, ...start } = agent.startInput(quote_id)
  const { body } = await agent.start({ ...start, mode: 'start_agent_run', usage: 'synthetic' })
  const { run_id } = body.run
  await expect.poll(async () => (await agent.status(run_id)).state).toBe('credit_funded')
  expect((await agent.status(run_id)).waiting_for).toContain('review')

  const asked = {
    rail: 'packetops',
    tier: 'standard',
    usage: 'operational',
    objective: 'one packet',
    input: start.input,
    callback_url: agent.callback_url,
    idempotency_key: freshKey(),
  } as const
  const preflight = await agent.client.call('preflight', asked)
  expect(preflight.body.blocking).toEqual(['account_controls'])

  await set(agent.client, { credential_max_age_days: 1 })
  expect((await agent.client.call('enterprise-controls-read', {})).status).toBe(200)
  await transaction(apis.db, async (tx) => {
    await sql`alter table agent_credentials disable trigger user`.execute(tx)
    await sql`update agent_credentials set claimed_at = claimed_at - interval '2 days' where agent_id = ${agent.agentId}`.execute(
      tx,
    )
    await sql`alter table agent_credentials enable trigger user`.execute(tx)
  })
  const late = problemOf(agent.client.call('enterprise-controls-read', {}))
  expect(await late).toMatchObject({ status: 401, code: 'credential_invalid' })
})
