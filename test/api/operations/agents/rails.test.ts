import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Scope } from '#domain/agents/credential.ts'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { taskDepsOf } from '../../../../activities/container.ts'
import { secretSha256 } from '../../../../activities/keys/derived-tokens.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { fieldsOfRails, namesRails } from '../../../../api/auth/rails.ts'
import { createClient, type InputOf, type OperationId } from '../../../../api/http/client.ts'
import { type AnyOperation, waysOf } from '../../../../api/operation.ts'
import { operations } from '../../../../api/operations/index.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { openTaskRows } from '../../../activities/tasks/fixture.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { type Hosts, trustedAgent } from '../../../support/registering-agent.ts'
import { secondKey } from '../../../support/second-key.ts'
import { codeOf, key } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
})
afterAll(() => apis?.stop())

const acting: readonly AnyOperation[] = operations.filter(
  (one: AnyOperation) => waysOf(one).includes('agent') && one.idempotency.kind !== 'read',
)
const requested_scopes: Scope[] = [
  'runs:read',
  'runs:write',
  'wallets:write',
  'production:write',
  'listings:write',
]

/** A second live key of the agent, for other rails than packetops. */
const keyForOthers = (agentId: string) =>
  secondKey(apis, agentId, { scopes: requested_scopes, rails: ['tokenops', 'diligenceops'] })

const client = (credential: string) => {
  const [{ base, os }] = apis.hosts as [Hosts]
  return createClient({ baseUrl: base, osUrl: os, agent: credential })
}

/** What an agent can name that is of packetops: a quote and its challenge, a payment and its credit, a task at work. */
async function ofPacketops(agent_id: string, { call }: ReturnType<typeof client>) {
  const asked = { rail: 'packetops', tier: 'standard', idempotency_key: key() } as const
  const { quote_id } = (await call('agent-quote', asked)).body.quote
  const paid = {
    quote_id,
    method: 'invoice_reference',
    external_reference: `INV-${key()}`,
  } as const
  const presented = (await call('payment-reference-create', { ...paid, idempotency_key: key() }))
    .body
  const { wallet_id } = (await call('allowance-wallet-create', { idempotency_key: key() })).body
    .wallet
  const { workflow_id } = (await call('customer-workflow-create', scheduled(wallet_id))).body
    .workflow
  const { payment_reference_id, entitlement_id, challenge_id } = presented.payment_reference
  const task_token = `tk_${randomBytes(32).toString('base64url')}`
  const named = `task-${secretSha256(task_token)}`
  const deps = taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)
  const task = await openTaskRows(apis.db, deps).taskIn(
    'operating',
    { agent_id, usage: 'operational' },
    { named },
  )
  return {
    quote_id,
    payment_reference_id,
    task_token,
    workflow_id,
    entitlement_id: String(entitlement_id),
    challenge_id: String(challenge_id),
    contract_id: String(task.contract_id),
    run_id: String(task.run_id),
  }
}

/** A start without the rail, which its path says. */
const ofPath = <Start extends { rail: string }>({ rail: _rail, ...start }: Start) => start

type Calls = { [Id in OperationId]?: InputOf<Id>[] }
const sample = ({ sandboxInput }: { sandboxInput: unknown }) =>
  sandboxInput as Record<string, unknown>
const idempotency_key = key()
const packet = { rail: 'packetops', tier: 'standard' } as const
const sha256 = 'a'.repeat(64)

/** A workflow of packetops as its agent asks for it. */
const scheduled = (wallet_id: string): InputOf<'customer-workflow-create'> => ({
  ...packet,
  customer_account: 'acme',
  callback_url: `${apis.config.BASE_URL}/api/provider-callback-receiver-demo`,
  name: 'daily',
  acceptance_criteria: ['complete'],
  wallet_id,
  cadence: 'daily',
  input: sample(packetops),
  accept_terms: true,
  idempotency_key: key(),
})

/** Every way in which each operation can name packetops. */
function callsOn(named: Awaited<ReturnType<typeof ofPacketops>>): Calls {
  const { task_token, contract_id, run_id, workflow_id } = named
  const begun = { mode: 'start_agent_run', accept_terms: true, idempotency_key } as const
  const other = {
    ...begun,
    rail: 'diligenceops',
    tier: 'standard',
    input: sample(diligenceops),
  } as const
  const unknown = `qt_${sha256}`
  const callback_url = `${apis.config.BASE_URL}/api/provider-callback-receiver-demo`
  const account = { customer_account: 'acme', callback_url }
  const { mode: _begun, ...bound } = { ...begun, ...account }
  const { mode: _other, ...produced } = { ...other, ...account }
  const { mode: _loop, ...loop } = begun
  const { mode: _looped, ...looped } = other
  const controlled = {
    ...bound,
    customer_account: undefined,
    request: { objective: 'as a pilot' },
    tool_scope: ['tokenops' as const],
    tier: 'standard' as const,
    input: sample(tokenops),
  }
  const bought = {
    wallet_id: `aw_${sha256}`,
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key,
  } as const
  const receipt = { receipt_id: `rc_${sha256}`, accepted: false }
  const input_manifest = [{ name: 'input', sha256, bytes: 10 }]
  return {
    preflight: [{ ...packet, input_manifest, objective: 'a packet', idempotency_key }],
    'contract-prepare': [{ task_token, idempotency_key }],
    'contract-accept': [
      { contract_id, terms_sha256: sha256, signature: 'A'.repeat(86), idempotency_key },
    ],
    'self-serve-loop-submit': [
      { task_token, contract_id, input: sample(packetops), idempotency_key },
    ],
    'start-agent-run': [
      { ...begun, ...packet, input: sample(packetops), quote_id: unknown },
      { ...other, quote_id: named.quote_id },
      { ...other, quote_id: unknown, entitlement_id: named.entitlement_id },
    ],
    'first-paid-run-execute': [
      { ...bound, ...packet, input: sample(packetops), quote_id: unknown },
      { ...produced, quote_id: named.quote_id },
      { ...produced, quote_id: unknown, entitlement_id: named.entitlement_id },
    ],
    'production-run-start': [
      { ...bound, ...packet, input: sample(packetops), quote_id: unknown },
      { ...produced, quote_id: named.quote_id },
      { ...produced, quote_id: unknown, entitlement_id: named.entitlement_id },
    ],
    'loop-start': [
      { ...loop, ...packet, input: sample(packetops) },
      { ...looped, quote_id: named.quote_id },
      { ...looped, quote_id: unknown, entitlement_id: named.entitlement_id },
    ],
    'packet-loop-start': [
      { ...loop, tier: 'standard', input: sample(packetops), quote_id: unknown },
    ],
    'clearing-run': [{ run_id, obligation: { statement: 'a packet' }, idempotency_key }],
    'activation-start': [{ ...packet, customer_account: 'acme', idempotency_key }],
    'offer-launch': [
      { rail: 'financeops', tier: 'standard', objective: 'a match', idempotency_key },
    ],
    'first-pilot-run': [
      { ...piloted(bound), ...packet, input: sample(packetops), quote_id: unknown },
      { ...piloted(produced), quote_id: named.quote_id },
      { ...piloted(produced), quote_id: unknown, entitlement_id: named.entitlement_id },
    ],
    'diligence-loop-start': [
      { ...ofPath(looped), quote_id: named.quote_id },
      { ...ofPath(looped), quote_id: unknown, entitlement_id: named.entitlement_id },
    ],
    'customer-workflow-create': [scheduled(`aw_${sha256}`)],
    'customer-workflow-pause': [{ mode: 'pause_workflow', workflow_id, idempotency_key }],
    'customer-workflow-resume': [
      { mode: 'resume_workflow', workflow_id, accept_terms: true, idempotency_key },
    ],
    'customer-workflow-delete': [{ mode: 'delete_workflow', workflow_id, idempotency_key }],
    'customer-workflow-run': [{ mode: 'run_workflow', workflow_id, idempotency_key }],
    'tokenops-controlled-pilot-run': [{ ...controlled, quote_id: named.quote_id }],
    'financeops-controlled-pilot-run': [{ ...controlled, quote_id: named.quote_id }],
    'energyops-controlled-pilot-run': [{ ...controlled, quote_id: named.quote_id }],
    'wallet-run-start': [
      { ...bought, ...packet, input: sample(packetops), quote_id: unknown },
      {
        ...bought,
        rail: 'tokenops',
        tier: 'standard',
        input: sample(tokenops),
        quote_id: named.quote_id,
      },
    ],
    'record-agent-use-receipt': [
      { mode: 'record_agent_use_receipt', run_id, ...receipt, idempotency_key },
    ],
    ...listingsOn(named),
    ...ordersOn(named),
    ...paymentsOn(named),
  }
}

function listingsOn({
  quote_id,
  payment_reference_id,
}: Awaited<ReturnType<typeof ofPacketops>>): Calls {
  const trust_listing_id = `tl_${sha256}`
  return {
    'create-trust-listing': [
      {
        mode: 'create_trust_listing',
        display_name: 'Packets',
        summary: 'Makes packets.',
        rails: ['packetops'],
        evidence_receipt_ids: [`rc_${sha256}`],
        idempotency_key,
      },
    ],
    'create-trust-badge-plan': [
      { mode: 'create_trust_badge_plan', trust_listing_id, quote_id, idempotency_key },
    ],
    'record-trust-badge-fee-event': [
      {
        mode: 'record_trust_badge_fee_event',
        trust_listing_id,
        commercial_plan_id: `cpl_${sha256}`,
        event: 'presented',
        payment_reference_id,
        idempotency_key,
      },
    ],
  }
}

function ordersOn({
  quote_id,
  payment_reference_id,
}: Awaited<ReturnType<typeof ofPacketops>>): Calls {
  const requester = { name: 'Northwind', contact: 'ops@northwind.example' }
  const { data_declaration } = exampleOrder
  const intake = { intake_kind: 'external_agent_request', data_declaration } as const
  const order = { ...intake, objective: 'a packet', requester, idempotency_key }
  const other = { ...order, requested_tool_id: 'tokenops', input: sample(tokenops) } as const
  const steps = [tokenops, packetops].map((rail) => ({ rail: rail.key, input: sample(rail) }))
  return {
    'work-order-create': [
      { ...order, requested_tool_id: 'packetops', input: sample(packetops) },
      { ...order, requested_tool_id: 'service_os', steps },
      { ...other, quote_id },
      { ...other, payment_reference_id },
    ],
  }
}

function paymentsOn(named: Awaited<ReturnType<typeof ofPacketops>>): Calls {
  const { quote_id, challenge_id, payment_reference_id, entitlement_id, task_token, run_id } = named
  const paid = {
    method: 'invoice_reference',
    external_reference: `INV-${key()}`,
    idempotency_key,
  } as const
  const use = { kind: 'tool_call', units: 1, unit: 'usd_credit', idempotency_key } as const
  const wallet_id = `aw_${sha256}`
  return {
    'agent-quote': [
      { ...packet, idempotency_key },
      { rail: 'tokenops', tier: 'standard', task_token, idempotency_key },
    ],
    'payment-authority-check': [
      { authority_type: 'agent_allowance_reference', quote_id, wallet_id, idempotency_key },
    ],
    'payment-reference-create': [
      { ...paid, quote_id },
      { ...paid, challenge_id },
    ],
    'agent-credit-fund': [
      { ...paid, entitlement_id, amount_usd: 5 },
      { entitlement_id, payment_reference_id, idempotency_key },
    ],
    'allowance-fund': [
      { mode: 'fund_allowance', wallet_id, payment_reference_id, idempotency_key },
    ],
    'credit-binding-create': [{ entitlement_id, challenge_id, idempotency_key }],
    'usage-ledger-record': [
      { ...use, rail: 'packetops' },
      { ...use, entitlement_id },
      { ...use, entitlement_id, rail: 'tokenops' },
      { ...use, run_id },
    ],
  }
}

verifies(
  'agent.rails',
  'an access key of other rails is refused under every name of this one',
  async () => {
    const manifest = {
      rails: ['packetops', 'tokenops', 'diligenceops', 'financeops', 'energyops'] as RailKey[],
      requested_scopes,
    }
    const [hosts] = apis.hosts as [Hosts]
    const { credential, registered } = await trustedAgent(hosts, apis.operator, manifest)
    const { agent_id } = registered.agent
    const calls = callsOn(await ofPacketops(agent_id, client(credential)))
    const bound = acting.filter(namesRails).map(({ id }) => id)
    expect(Object.keys(calls).sort()).toEqual(bound.sort())
    const asked = Object.entries(calls).flatMap(([id, inputs]) =>
      inputs.map((input) => [id, input] as const),
    )
    const answer = (credential: string, [id, input]: (typeof asked)[number]) =>
      codeOf(client(credential).call(id as never, input as never))
    const limited = await keyForOthers(agent_id)
    // The chain of a controlled pilot compares the quote with its rail before it judges the key.
    const judged = acting.filter(({ judgesKey }) => judgesKey).map(({ id }) => id)
    expect(judged).toHaveLength(3)
    for (const one of asked)
      expect(await answer(limited, one), JSON.stringify(one)).toBe(
        judged.includes(one[0]) ? 'quote_mismatch' : 'rail_not_allowed',
      )
    const others = await Promise.all(asked.map((one) => answer(credential, one)))
    expect(others).not.toContain('rail_not_allowed')
  },
)

verifies(
  'agent.rails',
  'the registered key begins nothing that an operator does not allow',
  async () => {
    const [hosts] = apis.hosts as [Hosts]
    const manifest = { rails: ['packetops' as const, 'tokenops' as const], requested_scopes }
    const { agent, registered } = await trustedAgent(hosts, apis.operator, manifest, {
      rails: ['tokenops'],
    })
    const { OS_URL } = apis.config
    const holder = createClient({
      baseUrl: hosts.base,
      osUrl: OS_URL,
      statusToken: registered.status_token,
      signAsAgent: agent.signText,
      fetch: (url: string, init: RequestInit) => fetch(url.replace(OS_URL, hosts.os), init),
    })
    const begun = {
      ...packet,
      objective: 'a packet',
      input_manifest: [{ name: 'input', sha256, bytes: 10 }],
    }
    expect(await codeOf(holder.call('preflight', { ...begun, idempotency_key }))).toBe(
      'rail_not_allowed',
    )
  },
)

/** The same start as that of a pilot. */
const piloted = <Start extends { customer_account: string }>({
  customer_account: _account,
  ...start
}: Start) => ({ ...start, pilot_id: `pl_${'0'.repeat(64)}` })

/** What no rail has: the agent itself, wallets, receipts, tests, the token of a quote, pilots, and names that another agent gave. */
// The write gate checks the rail of a claimed order.
const ofNoRail = [
  'account_id',
  'agent_id',
  'work_order_id',
  'claim_id',
  'wallet_id',
  'receipt_id',
  'proof_id',
  'trust_listing_id',
  'commercial_plan_id',
  'test_run_id',
  'quote_token',
  'pilot_id',
  'pilot_token',
  'provider_session_id',
  'ap2_mandate_reference',
  'external_reference',
]

verifies(
  'agent.rails',
  'every name in an agent’s command has a rail that is checked, or none',
  () => {
    const fieldsOf = ({ input }: AnyOperation) =>
      Object.keys('shape' in input ? (input.shape as object) : {})
    const names = acting.flatMap((one) =>
      fieldsOf(one)
        .filter((field) => /(^|_)(id|token|reference|rail|steps)$/.test(field))
        .filter(
          (field) =>
            one.needs?.rail === undefined ||
            !['rail', 'steps', 'requested_tool_id'].includes(field),
        )
        .filter((field) => !fieldsOfRails.includes(field) && !ofNoRail.includes(field))
        .map((field) => `${one.id} ${field}`),
    )
    expect(names).toEqual([])
  },
)
