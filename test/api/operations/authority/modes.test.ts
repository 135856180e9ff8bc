import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { energyops } from '#domain/rails/energyops/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { lockAuthorityMandate } from '../../../../activities/store/authority/mandates.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient } from '../../../../api/http/client.ts'
import { eventually } from '../../../support/agent.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { ap2Payment, ap2Terms, issueAp2 } from '../../../support/ap2-over-http.ts'
import { openAuthority, packet, usage } from '../../../support/authority.ts'
import { freeProof } from '../../../support/commerce.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { openExchange, packageOf, packetWork } from '../../../support/exchange.ts'
import { paidUse } from '../../../support/listings.ts'
import { lockWaits } from '../../../support/postgres.ts'
import { codeOf } from '../../../support/problems.ts'
import { decide, trustedAgent } from '../../../support/registering-agent.ts'
import { workflowInput } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
type Authority = Awaited<ReturnType<typeof openAuthority>>
let authority: Authority
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  authority = await openAuthority(apis.hosts, apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = () => apis.hosts[0]!
const open = () => createClient({ baseUrl: hosts().base })
const post = async (body: object, authorization?: string) => {
  const headers = authorization === undefined ? {} : { authorization: `Bearer ${authorization}` }
  const response = await fetch(`${hosts().base}/api/delegated-authority`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as { code?: string } }
}

const totalsOf = async (mandateId: string) => {
  const row = await apis.db
    .selectFrom('authority_mandates')
    .select(['used_usd', 'used_actions'])
    .where('mandate_id', '=', mandateId)
    .executeTakeFirstOrThrow()
  return [row.used_usd, row.used_actions]
}

/** Checks a signature with the published key alone. */
async function isSigned(artifact: Record<string, unknown>): Promise<boolean> {
  const { signature, ...unsigned } = artifact
  const { body } = await open().call('authority-key', {})
  const key = createPublicKey({
    key: body['public_key'] as JsonWebKey,
    format: 'jwk',
  })
  const text = Buffer.from(`${unsigned['context']}\0${canonicalize(unsigned)}`)
  return verify(null, text, key, Buffer.from(String(signature), 'base64url'))
}

verifies('authority.contract', 'the contract names what the registry can delegate', async () => {
  const { body } = await open().call('authority-contract', {})
  expect(body.delegable_operations.toSorted()).toEqual([
    'activity-feed-publish',
    'create-trust-listing',
    'customer-workflow-create',
    'diligence-loop-start',
    'energyops-controlled-pilot-run',
    'exchange-deliver',
    'financeops-controlled-pilot-run',
    'first-paid-run-execute',
    'loop-start',
    'packet-loop-start',
    'payment-reference-create',
    'production-run-start',
    'start-agent-run',
    'tokenops-controlled-pilot-run',
    'usage-ledger-record',
    'wallet-run-start',
  ])
  expect(body.tools).toHaveLength(8)
  const schema = await (await fetch(body.mandate_schema)).json()
  expect(schema).toMatchObject({ $id: body.mandate_schema })
  expect(JSON.stringify(schema)).toContain('may_redelegate')
})

verifies('authority.contract', 'the control plane counts mandates, grants and pauses', async () => {
  const live = async () =>
    (await open().call('read-control-plane', { mode: 'read_control_plane' })).body.live
  const before = await live()
  expect(before.paused).toBe(false)
  const mandate = await authority.issue()
  await authority.grant(mandate, usage())
  await authority.grant(mandate, usage())
  const granted = { ...before, grants_last_hour: before.grants_last_hour + 2 }
  expect(await live()).toEqual({ ...granted, active_mandates: before.active_mandates + 1 })
  await authority.revoke(mandate)
  const revoked = { ...granted, revoked_mandates: before.revoked_mandates + 1 }
  expect(await live()).toEqual(revoked)
  const pause = (paused: boolean) =>
    authority.console.call('pause-set', {
      scope: 'payouts',
      paused,
      reason: 'a test',
      idempotency_key: freshKey(),
    })
  await pause(true)
  expect(await live()).toEqual({ ...revoked, paused: true })
  await pause(false)
  expect(await live()).toEqual(revoked)
})

verifies('authority.access', 'each mode asks for its credential and its scope', async () => {
  const mandate = await authority.issue()
  const { signed_mandate } = mandate
  const action = { ...usage(), idempotency_key: freshKey() }
  const { signed_action_grant } = await authority.grant(mandate, action)
  const bodies = {
    issue_mandate: { action: { ...authority.terms(), idempotency_key: freshKey() } },
    inspect_mandate: { signed_mandate },
    issue_action_grant: { signed_mandate, action },
    evaluate_action: { signed_mandate, action },
    execute_delegated_action: { signed_mandate, signed_action_grant, action },
    revoke_mandate: { action: { mandate_id: mandate.mandate_id, reason: 'none' } },
  }
  const forOperators = ['issue_mandate', 'issue_action_grant', 'revoke_mandate']
  const { credential } = await trustedAgent(hosts(), apis.operator, {
    requested_scopes: ['runs:read', 'runs:write'],
  })
  for (const [mode, body] of Object.entries(bodies)) {
    expect([mode, (await post({ mode, ...body })).status]).toEqual([mode, 401])
    const guessed = await post({ mode, ...body }, `ag_${'0'.repeat(16)}_${'0'.repeat(64)}`)
    expect([mode, guessed.status]).toEqual([mode, 401])
    const agent = await post({ mode, ...body }, credential)
    expect([mode, agent.status]).toEqual([mode, forOperators.includes(mode) ? 401 : 403])
  }
  const byOperator = { mode: 'execute_delegated_action', ...bodies.execute_delegated_action }
  expect((await post(byOperator, apis.operator)).status).toBe(401)
})

verifies('authority.draft', 'a draft has its digest, what is missing, and warnings', async () => {
  const action = { ...authority.terms({ rails: [] }), allowed_operations: ['agent-quote'] }
  const { body } = await open().call('draft-mandate', { mode: 'draft_mandate', action })
  const again = (await open().call('draft-mandate', { mode: 'draft_mandate', action })).body
  expect(again).toEqual(body)
  expect(body.draft_id).toBe(`dr_${body.digest}`)
  expect(body.missing).toEqual(['mandate_id', 'issuer', 'key_id', 'signature'])
  expect(body.warnings).toHaveLength(3)
  expect(body.mandate_draft).not.toHaveProperty('signature')
  const faults = [
    { limits: { per_action_usd: 2, total_usd: 1, actions_max: 1 } },
    { expires_at: new Date(Date.now() - 1000).toISOString() },
    { expires_at: new Date(Date.now() + 91 * 86_400_000).toISOString() },
  ]
  for (const fault of faults) {
    const wrong = { mode: 'draft_mandate', action: authority.terms(fault) } as const
    expect(await codeOf(open().call('draft-mandate', wrong))).toBe('limits_invalid')
  }
  const leaks = [
    [{ purpose: 'password: hunter2hunter2' }, '/action/purpose'],
    [{ principal_id: `sk_live_${'a'.repeat(24)}` }, '/action/principal_id'],
    [{ resources: ['aw_1', 'AKIAIOSFODNN7EXAMPLE'] }, '/action/resources/1'],
  ] as const
  for (const [more, pointer] of leaks) {
    const action = authority.terms(more as Parameters<typeof authority.terms>[0])
    const leaking = open().call('draft-mandate', { mode: 'draft_mandate', action })
    const problem = await problemOf(leaking)
    expect(problem).toMatchObject({ code: 'forbidden_material', errors: [{ pointer }] })
  }
})

verifies(
  ['authority.issue', 'authority.artifacts'],
  'a draft becomes a mandate that the published key verifies',
  async () => {
    const asked = { mode: 'draft_mandate', action: authority.terms() } as const
    const { draft_id, mandate_draft } = (await open().call('draft-mandate', asked)).body
    const issued = {
      mode: 'issue_mandate',
      action: { draft_id, idempotency_key: freshKey() },
    } as const
    const { body } = await authority.console.call('issue-mandate', issued)
    if (!('signed_mandate' in body)) throw new Error('a mandate of authority was expected')
    expect(body).toMatchObject({ signed_mandate: mandate_draft })
    expect(await isSigned(body.signed_mandate as Record<string, unknown>)).toBe(true)
    expect(body.receipt).toMatchObject({ kind: 'mandate' })
    expect((await authority.console.call('issue-mandate', issued)).body).toEqual(body)
    const unknown = { draft_id: `dr_${'0'.repeat(64)}`, idempotency_key: freshKey() }
    const absent = authority.console.call('issue-mandate', {
      mode: 'issue_mandate',
      action: unknown,
    })
    expect(await codeOf(absent)).toBe('not_found')
  },
)

verifies('authority.inspect', 'an inspection shows checks, rest and grants', async () => {
  const mandate = await authority.issue()
  const { grant_id } = await authority.grant(mandate, usage())
  const inspect = (signed_mandate: Record<string, unknown>, client = authority.client) =>
    client.call('inspect-mandate', { mode: 'inspect_mandate', signed_mandate })
  const signed = { ...mandate.signed_mandate }
  const { body } = await inspect(signed)
  expect(body).toMatchObject({
    valid: true,
    state: 'active',
    remaining: { usd: 500, actions: 200 },
    grants: [{ grant_id, state: 'issued', operation_id: 'usage-ledger-record' }],
  })
  expect((await inspect({ ...signed, purpose: 'More.' }, authority.console)).body).toMatchObject({
    valid: false,
    checks: [{ check: 'mandate_genuine', ok: false }],
  })
  const other = await openAuthority(apis.hosts, apis.operator)
  expect(await codeOf(inspect(signed, other.client))).toBe('not_owner')
  await authority.revoke(mandate)
  expect((await inspect(signed)).body).toMatchObject({
    valid: false,
    state: 'revoked',
    grants: [{ state: 'revoked' }],
  })
})

verifies('authority.grant', 'a grant is bound to its input and lives 300 s at most', async () => {
  const mandate = await authority.issue()
  const action = usage()
  const { signed_action_grant, expires_at, grant_id } = await authority.grant(mandate, action, 300)
  expect(await isSigned(signed_action_grant as Record<string, unknown>)).toBe(true)
  const lasts = Date.parse(expires_at) - Date.now()
  expect(lasts > 290_000 && lasts <= 300_000).toBe(true)
  const usual = await authority.grant(mandate, usage())
  expect(Date.parse(usual.expires_at) - Date.now()).toBeLessThanOrEqual(120_000)
  for (const seconds of [9, 301])
    expect(await codeOf(authority.grant(mandate, usage(), seconds))).toBe('invalid_request')
  const changed = { ...action, input: { ...action.input, units: 2 } }
  const problem = await problemOf(authority.execute(mandate, signed_action_grant, changed))
  expect(problem).toMatchObject({
    status: 403,
    code: 'authority_denied',
    reasons: [{ rule: 'grant_input', effect: 'deny' }],
    receipt: { kind: 'authority_decision' },
  })
  const wide = { operation_id: 'agent-quote', input: { idempotency_key: freshKey() } }
  expect(await problemOf(authority.grant(mandate, wide))).toMatchObject({ status: 403 })
  const { body } = await authority.execute(mandate, signed_action_grant, action)
  expect(body).toMatchObject({ grant_id })
})

verifies(
  ['authority.decisions', 'pipeline.forbidden-material'],
  'the input of an operation that cannot be delegated is screened',
  async () => {
    const mandate = await authority.issue()
    const input = { note: { texts: ['fine', `ghp_${'a'.repeat(36)}`] } }
    const action = { operation_id: 'agent-quote', input }
    const { signed_action_grant } = await authority.grant(mandate, usage())
    const problems = await Promise.all([
      problemOf(authority.evaluate(mandate, action)),
      problemOf(authority.grant(mandate, action)),
      problemOf(authority.execute(mandate, signed_action_grant, action)),
    ])
    for (const problem of problems)
      expect(problem).toMatchObject({
        status: 422,
        code: 'forbidden_material',
        errors: [{ pointer: '/action/input/note/texts/1' }],
      })
    const plain = { ...action, input: { note: 'fine' } }
    expect(await authority.evaluate(mandate, plain)).toMatchObject({ decision: 'deny' })
  },
)

verifies(
  'authority.decisions',
  'an evaluation is stored with rules, and uses nothing',
  async () => {
    const mandate = await authority.issue()
    const action = usage()
    const { signed_action_grant } = await authority.grant(mandate, action)
    const allowed = await authority.evaluate(mandate, action, signed_action_grant)
    expect(allowed).toMatchObject({
      decision: 'allow',
      reasons: [{ rule: 'operation_allowed' }],
      would_spend_usd: 0,
      remaining: { usd: 500, actions: 200 },
      grant_required: true,
    })
    const none = { operation_id: 'payment-reference-create', input: usage().input }
    expect(await codeOf(authority.evaluate(mandate, none))).toBe('invalid_request')
    const denied = await authority.evaluate(mandate, usage({ rail: 'diligenceops' }))
    expect(denied).toMatchObject({ decision: 'deny', reasons: [{ rule: 'rail_allowed' }] })
    const row = await apis.db
      .selectFrom('authority_decisions')
      .selectAll()
      .where('decision_id', '=', denied.decision_id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      purpose: 'evaluate',
      rules: denied.reasons,
      receipt_id: denied.receipt.receipt_id,
    })
    const { receipt_id } = denied.receipt
    const verification = (await open().call('verify-receipt', { receipt_id })).body
    expect(verification.verified).toBe(true)
    const change = apis.db.updateTable('authority_decisions').set({ decision: 'allow' })
    await expect(change.execute()).rejects.toThrow('a decision does not change')
    const { body } = await authority.execute(mandate, signed_action_grant, action)
    expect(body.mandate_remaining.actions).toBe(199)
  },
)

verifies('authority.execute', 'an execution answers 201 with the result', async () => {
  const mandate = await authority.issue()
  const action = { ...usage(), idempotency_key: freshKey() }
  const { signed_action_grant, grant_id } = await authority.grant(mandate, action)
  const executed = await authority.execute(mandate, signed_action_grant, action)
  const { delegated_action, receipt } = executed.body
  expect(executed.status).toBe(201)
  expect(executed.body).toMatchObject({ grant_id, mandate_remaining: { usd: 500, actions: 199 } })
  expect(delegated_action).toMatchObject({
    operation_id: 'usage-ledger-record',
    status: 200,
    result: { event: { units: 1, agent_id: authority.agent_id }, attribution: 'agent' },
  })
  const signed = delegated_action.signed_action as Record<string, unknown>
  expect(await isSigned(signed)).toBe(true)
  expect(receipt).toMatchObject({ kind: 'delegated_action', subject: delegated_action.action_id })
  for (const presented of [action, usage()]) {
    const problem = await problemOf(authority.execute(mandate, signed_action_grant, presented))
    expect(problem).toMatchObject({
      status: 409,
      code: 'grant_consumed',
      first_result: delegated_action,
      receipt,
    })
  }
  const next = await authority.grant(mandate, action)
  const repeated = authority.execute(mandate, next.signed_action_grant, {
    ...action,
    idempotency_key: freshKey(),
  })
  expect(await codeOf(repeated)).toBe('idempotency_conflict')
})

const quoteOf = async ({ client }: Authority) => {
  const asked = { rail: 'packetops', tier: 'entry', idempotency_key: freshKey() } as const
  return (await client.call('agent-quote', asked)).body.quote
}

/** Executes an action under a new mandate for its operation that names these resources. */
async function executed(
  by: Authority,
  action: { operation_id: string; input: Record<string, unknown> },
  resources: string[] = [],
  rails: RailKey[] = ['packetops'],
) {
  const allowed_operations = [action.operation_id]
  const mandate = await by.issue({ allowed_operations, resources, rails })
  const { signed_action_grant } = await by.grant(mandate, action)
  const { status, body } = await by.execute(mandate, signed_action_grant, action)
  expect(status).toBe(201)
  return body
}

/** What starts an entry run of packetops that a wallet pays. */
const packetRun = (quote_id: string, wallet_id: string) => ({
  rail: 'packetops',
  tier: 'entry',
  quote_id,
  wallet_id,
  on_gaps: 'report',
  input: packet,
  accept_terms: true,
  idempotency_key: freshKey(),
})

verifies('authority.execute', 'a run that a wallet pays is delegated at its price', async () => {
  const buyer = await openAuthority(apis.hosts, apis.operator)
  const wallet_id = await buyer.fundedWallet(100)
  const { quote_id, total_usd } = await quoteOf(buyer)
  const input = packetRun(quote_id, wallet_id)
  const body = await executed(buyer, { operation_id: 'wallet-run-start', input }, [wallet_id])
  expect(body.mandate_remaining).toEqual({ usd: 500 - total_usd, actions: 199 })
  expect(body.delegated_action.status).toBe(202)
  expect(body.delegated_action.result).not.toHaveProperty('status_token')
  const { wallet } = (await buyer.client.call('allowance-wallet-read', { wallet_id })).body
  expect(wallet).toMatchObject({ balance_units: 100 - total_usd })
})

verifies('authority.execute', 'a payment reference is delegated at its amount', async () => {
  const buyer = await openAuthority(apis.hosts, apis.operator)
  const { quote_id, total_usd } = await quoteOf(buyer)
  const paid = { method: 'invoice_reference', external_reference: freshKey() }
  const input = { quote_id, ...paid, idempotency_key: freshKey() }
  const body = await executed(buyer, { operation_id: 'payment-reference-create', input })
  expect(body.mandate_remaining).toEqual({ usd: 500 - total_usd, actions: 199 })
  expect(body.delegated_action).toMatchObject({
    status: 201,
    result: { payment_reference: { amount_usd: total_usd, state: 'pending' } },
  })
})

verifies(
  'authority.execute.workflow',
  'a workflow is delegated at the price of one run',
  async () => {
    const by = await openAuthority(apis.hosts, apis.operator, ['production:write'])
    const { wallet_id } = (
      await by.client.call('allowance-wallet-create', { idempotency_key: freshKey() })
    ).body.wallet
    const input = workflowInput(apis.config, wallet_id, { tier: 'entry', input: packet })
    const action = { operation_id: 'customer-workflow-create', input }
    const allowed_operations = [action.operation_id]
    const small = { per_action_usd: 48, total_usd: 500, actions_max: 1 }
    for (const terms of [{ limits: small }, { rails: [] }, { resources: [`aw_${'0'.repeat(64)}`] }])
      expect(
        await by.evaluate(await by.issue({ allowed_operations, ...terms }), action),
      ).toMatchObject({ decision: 'deny' })
    const body = await executed(by, action, [wallet_id])
    expect(body.mandate_remaining).toEqual({ usd: 500 - 49, actions: 199 })
    expect(body.delegated_action).toMatchObject({
      status: 201,
      result: { workflow: { state: 'waiting', rail: 'packetops' }, review: { state: 'waiting' } },
    })
  },
)

verifies('authority.execute', 'a loop of diligenceops is delegated at its price', async () => {
  const by = await openAuthority(apis.hosts, apis.operator)
  const wallet_id = await by.fundedWallet(300)
  const asked = { rail: 'diligenceops', tier: 'entry', idempotency_key: freshKey() } as const
  const { quote_id, total_usd } = (await by.client.call('agent-quote', asked)).body.quote
  const input = {
    tier: 'entry',
    quote_id,
    wallet_id,
    on_gaps: 'report',
    input: diligenceops.sandboxInput,
    accept_terms: true,
    idempotency_key: freshKey(),
  }
  const rails = ['diligenceops' as const]
  const action = { operation_id: 'diligence-loop-start', input }
  const body = await executed(by, action, [wallet_id], rails)
  expect(body.mandate_remaining).toEqual({ usd: 500 - total_usd, actions: 199 })
  expect(body.delegated_action.result).toMatchObject({ run: { rail: 'diligenceops' } })
})

/** The credit of a quote behind an invoice; `verify` has an operator confirm its payment. */
async function invoiced(by: Awaited<ReturnType<typeof openAuthority>>, quote_id: string) {
  const invoice = { method: 'invoice_reference' as const, external_reference: freshKey() }
  const presented = { quote_id, ...invoice, idempotency_key: freshKey() }
  const { payment_reference } = (await by.client.call('payment-reference-create', presented)).body
  const { payment_reference_id, entitlement_id } = payment_reference
  const verify = () =>
    decide(apis.hosts[0]!, apis.operator, payment_reference_id, 'approve', {
      subject_kind: 'payment_reference',
    })
  return { entitlement_id, verify }
}

verifies('authority.payers', 'credit behind a quote is judged as what pays', async () => {
  const by = await openAuthority(apis.hosts, apis.operator)
  const wallet_id = await by.fundedWallet(100)
  const asked = { rail: 'diligenceops', tier: 'entry', idempotency_key: freshKey() } as const
  const { quote_id } = (await by.client.call('agent-quote', asked)).body.quote
  const input = {
    tier: 'entry',
    quote_id,
    on_gaps: 'report',
    input: diligenceops.sandboxInput,
    accept_terms: true,
    idempotency_key: freshKey(),
  }
  const action = { operation_id: 'diligence-loop-start', input }
  const { entitlement_id, verify } = await invoiced(by, quote_id)
  await verify()
  const terms = { allowed_operations: [action.operation_id], rails: ['diligenceops' as const] }
  const byWallet = await by.issue({ ...terms, resources: [wallet_id] })
  expect(await problemOf(by.grant(byWallet, action))).toMatchObject({
    code: 'authority_denied',
    reasons: [{ rule: 'resource_allowed' }],
  })
  const byCredit = await by.issue({ ...terms, resources: [entitlement_id ?? ''] })
  expect((await by.grant(byCredit, action)).signed_action_grant).toBeDefined()
})

verifies(
  'authority.payers',
  'credit that is paid after the judgement is judged again',
  async () => {
    const by = await openAuthority(apis.hosts, apis.operator)
    const wallet_id = await by.fundedWallet(100)
    const asked = { rail: 'packetops', tier: 'entry', idempotency_key: freshKey() } as const
    const { quote_id } = (await by.client.call('agent-quote', asked)).body.quote
    const input = packetRun(quote_id, wallet_id)
    const action = { operation_id: 'start-agent-run', input }
    const { entitlement_id, verify } = await invoiced(by, quote_id)
    const mandate = await by.issue({ resources: [wallet_id] })
    const { mandate_id } = mandate.signed_mandate as { mandate_id: string }
    const { signed_action_grant } = await by.grant(mandate, action)
    const executed = await transaction(apis.db, async (tx) => {
      await lockAuthorityMandate(tx, mandate_id)
      const executing = problemOf(by.execute(mandate, signed_action_grant, action))
      await expect.poll(() => lockWaits(apis.db), { timeout: 60_000 }).toBeGreaterThan(0)
      await verify()
      return { executing }
    })
    expect(await executed.executing).toMatchObject({
      code: 'authority_denied',
      reasons: [{ rule: 'resource_allowed' }],
    })
    expect(await totalsOf(mandate_id)).toEqual([0, 0])
    const reserved = apis.db.selectFrom('task_credits').selectAll()
    expect(await reserved.where('entitlement_id', '=', entitlement_id).execute()).toEqual([])
  },
)

verifies('authority.execute', 'a controlled pilot is delegated at its price', async () => {
  const by = await openAuthority(apis.hosts, apis.operator)
  const wallet_id = await by.fundedWallet(500)
  const asked = { rail: 'energyops', tier: 'standard', idempotency_key: freshKey() } as const
  const { quote_id, total_usd } = (await by.client.call('agent-quote', asked)).body.quote
  const input = {
    request: { objective: 'Whether our bill of November agrees with the meter.' },
    tool_scope: ['energyops', 'runs:write'],
    tier: 'standard',
    quote_id,
    wallet_id,
    input: energyops.sandboxInput,
    callback_url: `${apis.config.BASE_URL}${demoReceiverPath}?receiver=delegated-pilot`,
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key: freshKey(),
  }
  const action = { operation_id: 'energyops-controlled-pilot-run', input }
  const limits = { per_action_usd: total_usd, total_usd, actions_max: 5 }
  const mandate = await by.issue({
    allowed_operations: [action.operation_id],
    resources: [wallet_id],
    rails: ['energyops'],
    limits,
  })
  const { wallet_id: _wallet, ...unpaid } = input
  const nothing = { ...action, input: unpaid }
  const refused = await by.grant(mandate, nothing)
  expect(await problemOf(by.execute(mandate, refused.signed_action_grant, nothing))).toMatchObject({
    status: 402,
    code: 'payment_required',
  })
  expect(await totalsOf(mandate.mandate_id)).toEqual([0, 0])
  const pilots = async () => (await by.console.call('pilots-list', { source: 'controlled' })).body
  expect((await pilots()).total).toBe(0)
  const { signed_action_grant } = await by.grant(mandate, action)
  const { body } = await by.execute(mandate, signed_action_grant, action)
  expect(body.mandate_remaining).toEqual({ usd: 0, actions: 4 })
  expect(body.delegated_action).toMatchObject({
    status: 202,
    result: { pilot: { state: 'running' }, run: { rail: 'energyops' } },
  })
  expect(body.delegated_action.result['chain']).toHaveLength(7)
  expect(JSON.stringify(body)).not.toMatch(/pt_[A-Za-z0-9_-]{43}/)
  expect((await pilots()).items).toMatchObject([{ rail: 'energyops', state: 'running' }])
  const { wallet } = (await by.client.call('allowance-wallet-read', { wallet_id })).body
  expect(wallet).toMatchObject({ balance_units: 500 - total_usd })
  expect(
    await by.evaluate(mandate, { ...action, input: { ...input, idempotency_key: freshKey() } }),
  ).toMatchObject({ decision: 'deny' })
})

verifies('authority.execute', 'the request for a listing is delegated', async () => {
  const by = await openAuthority(apis.hosts, apis.operator, ['listings:write'])
  const receipt = await paidUse(by.client.call, (id) =>
    decide(hosts(), apis.operator, id, 'approve', { subject_kind: 'payment_reference' }),
  )
  const input = {
    display_name: 'Packet maker',
    summary: 'Makes packets of evidence.',
    rails: ['packetops'],
    evidence_receipt_ids: [receipt.receipt_id],
    idempotency_key: freshKey(),
  }
  const body = await executed(by, { operation_id: 'create-trust-listing', input })
  expect(body.mandate_remaining).toEqual({ usd: 500, actions: 199 })
  expect(body.delegated_action).toMatchObject({
    status: 201,
    result: { checks: [{ receipt_id: receipt.receipt_id, ok: true }] },
  })
})

verifies('authority.execute', 'the delivery of a claimed order is delegated', async () => {
  const by = await openAuthority(apis.hosts, apis.operator, ['exchange:write'])
  const market = await openExchange(apis.hosts[0]!, apis.operator)
  const { work_order_id, run_id } = await market.order()
  const asked = { mode: 'claim_work_order', work_order_id, accept_terms: true } as const
  const claimed = await by.client.call('exchange-claim', { ...asked, idempotency_key: freshKey() })
  const { claim_id } = claimed.body.claim
  const input = {
    work_order_id,
    claim_id,
    return_package: packageOf(packetWork()),
    accept_terms: true,
    idempotency_key: freshKey(),
  }
  const action = { operation_id: 'exchange-deliver', input }
  const others = { allowed_operations: [action.operation_id], rails: ['diligenceops' as const] }
  expect(await by.evaluate(await by.issue(others), action)).toMatchObject({ decision: 'deny' })
  const body = await executed(by, action)
  expect(body.mandate_remaining).toEqual({ usd: 500, actions: 199 })
  expect(body.delegated_action).toMatchObject({
    status: 202,
    result: { claim: { state: 'delivered' }, review: { subject_id: run_id } },
  })
})

verifies(
  ['ap2.delegated', 'authority.execute'],
  'a payment by AP2 is delegated where the resources name ap2_mandate',
  async () => {
    const buyer = await openAuthority(apis.hosts, apis.operator)
    const wallet_id = await buyer.fundedWallet(100)
    const issued = await issueAp2(buyer.console, ap2Terms(buyer.agent_id))
    const instrument = { id: wallet_id, type: 'allowance_wallet' }
    const input = await ap2Payment(buyer.client, issued, instrument)
    const action = { operation_id: 'payment-reference-create', input }
    const refused = await problemOf(executed(buyer, action, [wallet_id]))
    expect(refused).toMatchObject({ status: 403, reasons: [{ rule: 'resource_allowed' }] })
    const body = await executed(buyer, action, ['ap2_mandate'])
    expect(body.mandate_remaining).toEqual({ usd: 500 - 49, actions: 199 })
    expect(body.delegated_action.result).toMatchObject({
      payment_reference: { amount_usd: 49, state: 'verified' },
    })
  },
)

verifies('authority.execute', 'the publication of a proof is delegated', async () => {
  const { proof_id } = (await authority.client.call('commerce-proof-evaluate', freeProof())).body
  const operation_id = 'activity-feed-publish'
  for (const publication_consent of [true, false]) {
    const input = { proof_id, publication_consent, idempotency_key: freshKey() }
    const { delegated_action } = await executed(authority, { operation_id, input })
    expect(delegated_action).toMatchObject({
      status: 200,
      result: { published: publication_consent },
    })
  }
})

verifies('authority.execute.refused', 'a refusal gives grant and budget back', async () => {
  const mandate = await authority.issue()
  const quoted = { rail: 'packetops', tier: 'entry', idempotency_key: freshKey() } as const
  const { quote_id } = (await authority.client.call('agent-quote', quoted)).body.quote
  const input = {
    rail: 'packetops',
    tier: 'entry',
    quote_id,
    on_gaps: 'report',
    input: packet,
    accept_terms: true,
    idempotency_key: freshKey(),
  }
  const action = { operation_id: 'start-agent-run', input }
  const { signed_action_grant } = await authority.grant(mandate, action)
  const unpaid = await problemOf(authority.execute(mandate, signed_action_grant, action))
  expect(unpaid).toMatchObject({ status: 402, code: 'payment_required' })
  expect(unpaid['accepted_methods']).toContain('agent_allowance')
  expect(await totalsOf(mandate.mandate_id)).toEqual([0, 0])
  const left = await apis.db
    .selectFrom('tasks')
    .select('task_id')
    .where('agent_id', '=', authority.agent_id)
    .where('quote_id', '=', quote_id)
    .execute()
  expect(left).toEqual([])
  const limited = await problemOf(
    authority.execute(mandate, signed_action_grant, { ...action, spend_usd: 48 }),
  )
  expect(limited).toMatchObject({ code: 'authority_denied', reasons: [{ rule: 'spend_limit' }] })
  const paid = { method: 'invoice_reference', external_reference: freshKey() } as const
  const presented = { quote_id, ...paid, idempotency_key: freshKey() }
  const { body: paying } = await authority.client.call('payment-reference-create', presented)
  const { payment_reference_id } = paying.payment_reference
  // The outcome is unknown while the payment is not confirmed: grant and budget stay used.
  const started = authority.execute(mandate, signed_action_grant, action)
  const used = await eventually(
    () => totalsOf(mandate.mandate_id),
    ([usd]) => usd === 49,
  )
  expect(used).toEqual([49, 1])
  const about = { subject_kind: 'payment_reference' } as const
  await decide(hosts(), apis.operator, payment_reference_id, 'approve', about)
  const { body } = await started
  expect(body.mandate_remaining).toEqual({ usd: 451, actions: 199 })
  expect(body.delegated_action.status).toBe(202)
})

verifies('authority.foreign-input', 'no presented artifact is answered with 500', async () => {
  const mandate = await authority.issue()
  const { signed_mandate } = mandate
  const action = { ...usage(), idempotency_key: freshKey() }
  const { signed_action_grant } = await authority.grant(mandate, action)
  const before = await totalsOf(mandate.mandate_id)
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('A'.repeat(86), '9999-12-31T23:59:59Z', 'mdt_', '\u0000', '\ud800'),
  )
  const changed = (good: object) =>
    fc
      .tuple(fc.constantFrom(...Object.keys(good)), fc.oneof(text, fc.jsonValue()))
      .map(([name, value]) => ({ ...good, [name]: value }))
      .filter((one) => !isDeepStrictEqual(one, good))
  const artifact = (good: object) =>
    fc.oneof(changed(good), fc.dictionary(text, fc.jsonValue()), fc.jsonValue())
  const presented = fc.oneof(
    artifact(signed_mandate).map((of) => ({ signed_mandate: of, signed_action_grant })),
    artifact(signed_action_grant).map((of) => ({ signed_mandate, signed_action_grant: of })),
  )
  const mode = fc.constantFrom('inspect_mandate', 'evaluate_action', 'execute_delegated_action')
  await fc.assert(
    fc.asyncProperty(mode, presented, async (asked, given) => {
      const { signed_mandate: of } = given
      const body = asked === 'inspect_mandate' ? { signed_mandate: of } : { ...given, action }
      const { status, body: answer } = await post({ mode: asked, ...body }, authority.credential)
      expect([200, 400, 403, 404, 409, 413, 422], JSON.stringify(answer)).toContain(status)
      if (asked === 'execute_delegated_action') expect(status).not.toBe(200)
    }),
    { numRuns: 150 },
  )
  expect(await totalsOf(mandate.mandate_id)).toEqual(before)
})
