import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { railOf } from '#domain/rails/index.ts'
import { createClient, type InputOf } from '../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../support/agent-use.ts'
import { startComposedTasks } from '../../support/composed-tasks.ts'
import { pilotClient } from '../../support/pilots.ts'
import { decide } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

type Start = InputOf<'energyops-controlled-pilot-run'>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openAgentUse(apis.hosts[0]!, apis.operator, {
    rails: ['energyops', 'tokenops'],
    requested_scopes: ['runs:read', 'runs:write'],
  })
})
afterAll(() => apis?.stop())

const operator = () => createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
async function pilotOf(rail: 'energyops' | 'tokenops', more: Partial<Start> = {}): Promise<Start> {
  const asked = { rail, tier: 'standard', units: ++units, idempotency_key: freshKey() } as const
  const { quote_id } = (await agent.client.call('agent-quote', asked)).body.quote
  return {
    request: { objective: 'Whether our bill of November agrees with the meter.' },
    tool_scope: [rail, 'runs:write'],
    tier: 'standard',
    quote_id,
    input: railOf(rail).sandboxInput as Start['input'],
    callback_url: `${apis.config.BASE_URL}${demoReceiverPath}?receiver=pilot-${freshKey()}`,
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key: freshKey(),
    ...more,
  }
}
let units = 0
/** The controlled pilot activation chain of the document. */
const documented = [
  'request',
  'auth_validation',
  'tool_scope',
  'payload_validation',
  'runtime_write',
  'audit_event',
  'controlled_pilot',
]

verifies(
  ['pilot.chain', 'pilot.begin', 'pilots.list'],
  'the activation chain leads to a pilot that runs',
  async () => {
    const input = await pilotOf('energyops')
    // Nothing pays yet: the pilot is activated and waits.
    const unpaid = await problemOf(agent.client.call('energyops-controlled-pilot-run', input))
    expect(unpaid).toMatchObject({ status: 402, code: 'payment_required' })
    const listed = async () => (await operator().call('energyops-runtime-runs-read', {})).body
    const [waiting] = (await listed()).items
    const controlled = (await operator().call('pilots-list', { source: 'controlled' })).body.items
    expect(controlled).toMatchObject([{ pilot_id: waiting?.pilot.pilot_id, state: 'running' }])
    const pilot_id = String(waiting?.pilot.pilot_id)
    const begin = { pilot_id, decision_note: 'known to us', idempotency_key: freshKey() }
    const early = { ...begin, evidence_root_sha256: '0'.repeat(64) }
    expect((await listed()).ready_to_run).toMatchObject([{ pilot_id, is_paid: false }])
    expect(await problemOf(operator().call('energyops-runtime-run', early))).toMatchObject({
      status: 409,
      code: 'wrong_state',
    })
    const { payment_reference_id } = await agent.pay(input.quote_id)
    await agent.approve('payment_reference', payment_reference_id)
    const { body } = await agent.client.call('energyops-controlled-pilot-run', input)
    expect(body.chain.map(({ step }) => step)).toEqual(documented)
    expect(body.chain.every(({ ok }) => ok)).toBe(true)
    const [request, key, scope, , write, audit, pilot] = body.chain
    expect([request?.evidence_id, write?.evidence_id]).toEqual([input.quote_id, body.run.run_id])
    expect([key?.evidence_id, audit?.evidence_id]).toEqual([
      agent.credentialId,
      body.audit_event_id,
    ])
    expect(pilot?.evidence_id).toBe(pilot_id)
    expect(scope).toMatchObject({
      evidence_id: agent.credentialId,
      detail: 'the key grants energyops, runs:write',
    })
    expect(body.granted).toEqual({
      credential_id: agent.credentialId,
      rails: ['energyops'],
      scopes: ['runs:write'],
    })
    expect(body).toMatchObject({
      pilot: { pilot_id, source: 'controlled', state: 'running' },
      challenge: null,
    })
    // It is a pilot like every other one: its token reads it, and it is in the list of its agent's runs.
    const held = await pilotClient(apis.hosts[0]!.base, String(body.status_token)).call(
      'pilot-intake-read',
      {},
    )
    expect(held.body).toEqual({ pilot: body.pilot })
    const production = (await agent.client.call('production-runs-read', {})).body
    expect(production.items).toMatchObject([{ audit_event_id: body.audit_event_id }])
    // It executes nothing before an operator begins it, by a decision that is recorded.
    const { run_id } = body.run
    expect((await agent.status(run_id)).waiting_for).toEqual(['review'])
    const [ready] = (await listed()).ready_to_run
    const { evidence_root_sha256 } = ready!
    expect(await problemOf(operator().call('energyops-runtime-run', early))).toMatchObject({
      code: 'evidence_changed',
    })
    const decided = { ...begin, evidence_root_sha256, idempotency_key: freshKey() }
    const begun = (await operator().call('energyops-runtime-run', decided)).body
    expect(begun).toMatchObject({ pilot: { state: 'running' } })
    const again = (await operator().call('energyops-runtime-run', decided)).body
    expect(again.review_decision).toEqual(begun.review_decision)
    const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
    await expect.poll(waits).toEqual(['review'])
    await agent.approve('loop_step', run_id)
    const state = async () => {
      const read = await agent.client.call('energyops-controlled-pilot-read', { run_id })
      return 'pilot' in read.body ? read.body.pilot.state : undefined
    }
    await expect.poll(state).toBe('delivered')
    const pack = (await operator().call('loop-audit-pack', { run_id })).body
    expect(pack.decisions.map(({ receipt_id }) => receipt_id)).toContain(
      begun.review_decision?.receipt_id,
    )
  },
)

verifies('pilot.chain', 'the first step that fails is the refusal, and is recorded', async () => {
  const live = async () =>
    (await agent.client.call('tokenops-controlled-pilot-read', {})).body as { live: object }
  const refused = async (more: Partial<Start>) => {
    const input = await pilotOf('tokenops', more)
    const problem = await problemOf(agent.client.call('tokenops-controlled-pilot-run', input))
    const { chain, code, audit_event_id } = problem as unknown as {
      chain: { step: string; ok: boolean }[]
      code: string
      audit_event_id: string
    }
    const { event } = (await agent.client.call('write-gate-read', { audit_event_id })).body
    expect(event).toMatchObject({
      audit_event_id,
      kind: 'refused',
      operation_id: 'tokenops-controlled-pilot-run',
      rail: 'tokenops',
      passed: false,
      code,
      checks: chain.map(({ step, ok }) => ({ check: step, ok })),
    })
    expect(await problemOf(operator().call('write-gate-read', { audit_event_id }))).toMatchObject({
      code: 'not_found',
    })
    expect(chain.map(({ step }) => step)).toEqual(documented.slice(0, chain.length))
    expect(chain.map(({ ok }) => ok)).toEqual(chain.map((_, at) => at < chain.length - 1))
    return [chain.at(-1)?.step, code]
  }
  expect((await live()).live).toEqual({ activated: 0, refused: 0 })
  const other = (await pilotOf('energyops')).quote_id
  expect(await refused({ quote_id: other })).toEqual(['request', 'quote_mismatch'])
  expect(await refused({ tool_scope: ['runs:write'] })).toEqual(['tool_scope', 'scope_denied'])
  // The key has neither this scope nor, for this pilot, the other rail.
  expect(await refused({ tool_scope: ['tokenops', 'proofs:publish'] })).toEqual([
    'tool_scope',
    'scope_denied',
  ])
  expect(await refused({ tool_scope: ['tokenops', 'energyops'] })).toEqual([
    'tool_scope',
    'scope_denied',
  ])
  expect(await refused({ input: {} })).toEqual(['payload_validation', 'input_rejected'])
  const callback_url = 'https://10.0.0.1/in'
  expect(await refused({ callback_url })).toEqual(['runtime_write', 'callback_refused'])
  expect((await live()).live).toEqual({ activated: 0, refused: 6 })
})

type Begin = InputOf<'energyops-runtime-run'>
const begin = (input: Partial<Begin> & Pick<Begin, 'pilot_id'>) =>
  operator().call('energyops-runtime-run', {
    decision_note: 'a pilot that we give',
    idempotency_key: freshKey(),
    ...input,
  })
/** An activated pilot that nothing pays for. */
async function unpaid(more: { tier: 'standard' | 'pro'; units: number }) {
  const asked = { rail: 'energyops', ...more, idempotency_key: freshKey() } as const
  const { quote_id } = (await agent.client.call('agent-quote', asked)).body.quote
  const input = await pilotOf('energyops', { quote_id, tier: more.tier })
  await problemOf(agent.client.call('energyops-controlled-pilot-run', input))
  const { items, ready_to_run } = (await operator().call('energyops-runtime-runs-read', {})).body
  const pilot_id = String(items[0]?.pilot.pilot_id)
  const ready = ready_to_run.find((one) => one.pilot_id === pilot_id)
  const run = items[0]?.run
  return { pilot_id, run, quote_id, input, root: ready?.evidence_root_sha256 }
}
const accountsOf = async (entitlementId: string | null | undefined) =>
  (
    await sql<{ account: string }>`
      select distinct p.account from postings p where p.receipt_id in (
        select receipt_id from postings where account = ${`credit:${entitlementId}`})
        and p.account !~ '^credit:' order by 1`.execute(apis.db)
  ).rows.map(({ account }) => account)

verifies('pilot.grant', 'an operator grants the run of a pilot, which is no payment', async () => {
  const many = await unpaid({ tier: 'standard', units: 40 })
  const granted = { funding: 'granted_entitlement', evidence_root_sha256: many.root } as const
  expect(await problemOf(begin({ ...granted, pilot_id: many.pilot_id }))).toMatchObject({
    code: 'wrong_state',
    detail: expect.stringContaining('40 runs'),
  })
  const { pilot_id, run, quote_id, root } = await unpaid({ tier: 'pro', units: 1 })
  const paid = begin({ pilot_id, evidence_root_sha256: root })
  expect(await problemOf(paid)).toMatchObject({ code: 'wrong_state' })
  const asked = { ...granted, pilot_id, evidence_root_sha256: root, idempotency_key: freshKey() }
  const begun = (await begin(asked)).body
  expect(begun).toMatchObject({
    funding: 'granted_entitlement',
    pilot: { state: 'running' },
    run: { usage: 'operational', payment_reference_id: null },
    review_decision: { decision: 'approve' },
  })
  expect((await begin(asked)).body.review_decision).toEqual(begun.review_decision)
  // What it was to be paid by ended.
  const { rows } = await sql`
    select state from payment_challenges where quote_id = ${quote_id}`.execute(apis.db)
  expect(rows).toEqual([{ state: 'expired' }])
  const run_id = String(run?.run_id)
  const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  await agent.approve('loop_step', run_id)
  const read = async () => {
    const { body } = await operator().call('first-pilot-read', { pilot_id })
    if (!('conditions' in body)) throw new Error('a pilot was expected')
    return body.conditions.flatMap(({ condition, met }) => (met ? condition : []))
  }
  await expect.poll(read).toEqual(['activated', 'approved', 'delivered', 'charged'])
  expect(await accountsOf(begun.run?.entitlement_id)).toEqual([
    'clearing:operator_grant',
    'revenue:operator_grant',
  ])
})

verifies(
  ['pilot.trial', 'pilot.replace'],
  'a trial is synthetic, and another input is proposed',
  async () => {
    const { pilot_id, run, root, input } = await unpaid({ tier: 'standard', units: 41 })
    const trial = { pilot_id, funding: 'synthetic' } as const
    const key = freshKey()
    const one = (await begin({ ...trial, idempotency_key: key })).body
    expect((await begin({ ...trial, idempotency_key: key })).body).toEqual(one)
    expect(one).toMatchObject({ pilot: { state: 'running' }, funding: null, review_decision: null })
    const other = { ...input.input, tolerance_minor: 7 }
    const two = (await begin({ ...trial, input: other })).body
    expect(two.synthetic_runs.slice(1)).toEqual(one.synthetic_runs)
    const { rows } = await sql<{ task_id: string; usage: string; input: string; en: string }>`
    select t.task_id, t.usage, t.input_sha256 as input, t.entitlement_id as en from pilot_trials p join tasks t using (task_id)
    where p.pilot_id = ${pilot_id} order by p.started_at`.execute(apis.db)
    expect(rows.map(({ usage }) => usage)).toEqual(['synthetic', 'synthetic'])
    expect(rows[0]?.input).not.toBe(rows[1]?.input)
    const ended = async () =>
      (await operator().call('work-read', { id: String(rows[1]?.task_id) })).body
    await expect.poll(async () => JSON.stringify(await ended()).includes('"closed"')).toBe(true)
    for (const account of await accountsOf(rows[1]?.en)) expect(account).toMatch(/:sandbox$/)
    // Its own run takes another input only from its agent.
    const proposed = { pilot_id, funding: 'granted_entitlement', input: other } as const
    const stopped = (await begin({ ...proposed, evidence_root_sha256: root })).body
    expect(stopped).toMatchObject({ review_decision: null, run: { state: 'exception_open' } })
    const closed = await decide(apis.hosts[0]!, apis.operator, pilot_id, 'reject', {
      subject_kind: 'pilot',
    })
    expect(closed.subject.state).toBe('closed')
    expect(await problemOf(begin(trial))).toMatchObject({ code: 'wrong_state' })
    expect((await agent.status(String(run?.run_id))).state).toMatch(/failed|closed/)
  },
)
