import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { errorCodes } from '#domain/core/error-codes.ts'
import { commonErrors } from '../api/calls/problem.ts'
import { openapiDocument } from '../api/http/openapi.ts'
import { type AnyOperation, waysOf } from '../api/operation.ts'
import { operations } from '../api/operations/index.ts'
import { exampleOrder } from '../api/operations/work-orders.ts'
import { verifies } from './verifies.ts'

const registry: readonly AnyOperation[] = operations
const urls = { baseUrl: 'http://127.0.0.1:3000', osUrl: 'http://127.0.0.1:3001' }
const document = openapiDocument(registry, urls)

/** What stands at a path of members; undefined where it breaks off. */
function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (inner as Record<string, unknown> | undefined)?.[part],
    value,
  )
}

const hex = (length: number) => 'a'.repeat(length)
const payout_id = `po_${hex(64)}`
const mandateTerms = {
  principal_id: 'acme',
  agent_id: `agt_${hex(64)}`,
  purpose: 'Record what was used.',
  allowed_operations: ['usage-ledger-record'],
  limits: { per_action_usd: 1, total_usd: 10, actions_max: 10 },
  expires_at: '2026-12-01T00:00:00Z',
}
const customerStart = {
  rail: 'packetops',
  tier: 'standard',
  quote_id: `qt_${hex(64)}`,
  input: {},
  customer_account: 'acme',
  callback_url: 'https://hooks.example.com/in',
  accept_terms: true,
}
const { rail: _rail, ...fixedStart } = customerStart
const { customer_account: _account, ...pilotFields } = fixedStart
const { customer_account: _same, ...pilotStart } = customerStart
const controlledPilot = (rail: string) => ({
  ...pilotFields,
  request: { objective: 'as a pilot' },
  tool_scope: [rail],
  idempotency_key: 'cp-1',
})
const begun = {
  pilot_id: `pl_${hex(64)}`,
  decision_note: 'known to us',
  evidence_root_sha256: hex(64),
  idempotency_key: 'rt-1',
}
const delegated = {
  operation_id: 'usage-ledger-record',
  input: { kind: 'tool_call' },
  idempotency_key: 'd-1',
}

/** One input for each operation that has to be let through. */
const samples: Record<string, Record<string, unknown>> = {
  'agent-passport-read': { agent_id: `agt_${'a'.repeat(64)}` },
  'agent-passport-verify': { passport: 'a.b.c' },
  'model-relay-run': { analysis_result: { analysis_id: `an_${'a'.repeat(64)}` } },
  'free-proof-run': { evidence: [{ name: 'a.md', text: 'Reviewed.' }] },
  'model-analysis-run': {
    packet: { title: 'SOC 2', items: [{ name: 'a.md', section: 'access', text: 'Reviewed.' }] },
  },
  'payout-create': {
    recipient: `0x${hex(40)}`,
    amount_usdc: '12.5',
    idempotency_key: 'c-1',
    memo: '',
    rail_reference: 'r',
  },
  'directory-submit': { directory: 'registry.example', idempotency_key: 'd-1' },
  'payout-challenge': { holder_wallet: `0x${hex(40)}`, request_sha256: hex(64) },
  'payout-authorize': {
    payout_id,
    idempotency_key: 'a:1',
    presentation: 'x~y',
    challenge_token: 'a.b.c',
    expires_at: 4_102_444_800,
    principal_signature: `0x${hex(130)}`,
  },
  'payout-execute': { payout_id, idempotency_key: 'e.1' },
  'payout-status': { payout_id },
  'passport-issue': {
    mode: 'issue',
    idempotency_key: 'p-1',
    work: { kind: 'wallet_free_call', nonce: hex(32) },
    usage: 'synthetic',
  },
  'passport-verify': { mode: 'verify', passport: 'a.b.c' },
  'proof-store': {
    mode: 'store',
    idempotency_key: 's-1',
    proof: { kind: 'evidence', content: 'seen', label: 'note' },
  },
  'proof-list': { mode: 'list', offset: 0, limit: 25 },
  'commerce-proof-evaluate': {
    schema_version: 'v1',
    mission: { mission_id: 'm-1', kind: 'free_proof', objective: 'o' },
    agent: { name: 'reader' },
    return_package: { artifacts: [{ name: 'a.md', sha256: hex(64) }] },
  },
  'pilot-intake-submit': {
    client: { name: 'Northwind', contact: 'ops@northwind.example' },
    rail: 'financeops',
    objective: 'Match the invoices.',
    data_declaration: 'no_regulated_or_confidential_data',
    idempotency_key: 'i-1',
  },
  'first-pilot-run': {
    ...pilotStart,
    pilot_id: `pl_${hex(64)}`,
    idempotency_key: 'p-1',
  },
  'offer-launch': {
    rail: 'financeops',
    tier: 'standard',
    objective: 'Match the invoices.',
    idempotency_key: 'o-1',
  },
  'pilot-invite': {
    client: { name: 'Northwind' },
    rail: 'financeops',
    objective: 'Match the invoices.',
    idempotency_key: 'v-1',
  },
  'invitation-respond': { response: 'decline', idempotency_key: 'a-1' },
  'pilot-conversation-read': { limit: '10' },
  'pilot-conversation-add': { kind: 'message', text: 'hello', idempotency_key: 'e-1' },
  'write-gate-validate': {
    operation_id: 'first-paid-run-execute',
    rail: 'packetops',
    callback_url: 'https://hooks.example.com/in',
    idempotency_key: 'w-1',
  },
  'first-paid-run-execute': {
    ...customerStart,
    idempotency_key: 'f-1',
  },
  'production-run-start': {
    ...customerStart,
    idempotency_key: 'p-1',
  },
  'tokenops-controlled-pilot-run': controlledPilot('tokenops'),
  'financeops-controlled-pilot-run': controlledPilot('financeops'),
  'energyops-controlled-pilot-run': controlledPilot('energyops'),
  'energyops-runtime-run': begun,
  'financeops-runtime-run': begun,
  'diligence-loop-start': { ...fixedStart, idempotency_key: 'l-3' },
  'packet-loop-start': { ...fixedStart, idempotency_key: 'l-2' },
  'loop-start': { ...customerStart, idempotency_key: 'l-1' },
  'commerce-proof-read': { proof_id: `cp_${hex(64)}` },
  'activity-feed-read': { agent_id: `agt_${hex(64)}`, limit: '10' },
  'activity-feed-publish': { proof_id: `cp_${hex(64)}`, publication_consent: true },
  'create-trust-listing': {
    mode: 'create_trust_listing',
    display_name: 'Packets',
    summary: 'Makes packets.',
    rails: ['packetops'],
    evidence_receipt_ids: [`rc_${hex(64)}`],
    idempotency_key: 'l-1',
  },
  'quote-trust-badge-fee': { mode: 'quote_trust_badge_fee', trust_listing_id: `tl_${hex(64)}` },
  'create-trust-badge-plan': {
    mode: 'create_trust_badge_plan',
    trust_listing_id: `tl_${hex(64)}`,
    quote_id: `qt_${hex(64)}`,
    idempotency_key: 'l-2',
  },
  'record-trust-badge-fee-event': {
    mode: 'record_trust_badge_fee_event',
    trust_listing_id: `tl_${hex(64)}`,
    commercial_plan_id: `cpl_${hex(64)}`,
    event: 'settled',
    idempotency_key: 'l-3',
  },
  'read-trust-listings': { mode: 'read_trust_listings' },
  'read-live-prospect-sprint': { mode: 'read_live_prospect_sprint' },
  'create-prospect': {
    mode: 'create_prospect',
    label: 'Northwind',
    channel: 'email',
    idempotency_key: 'p-1',
  },
  'record-message-sent': {
    mode: 'record_message_sent',
    prospect_id: `ps_${hex(64)}`,
    message_sha256: hex(64),
    sent_at: '2026-11-24T09:32:00Z',
    idempotency_key: 'p-2',
  },
  'update-prospect-state': {
    mode: 'update_prospect_state',
    prospect_id: `ps_${hex(64)}`,
    to: 'replied',
    idempotency_key: 'p-3',
  },
  'read-prospects': { mode: 'read_prospects' },
  'paid-next-step-mark': {
    prospect_id: `ps_${hex(64)}`,
    to: 'paid_next_step_ready',
    tier: 'standard',
    idempotency_key: 'n-1',
  },
  'record-sprint-summary': {
    mode: 'record_sprint_summary',
    note: 'Half of it.',
    idempotency_key: 'p-4',
  },
  'proof-retrieve': { mode: 'retrieve', proof_id: hex(64) },
  'scorecard-compute': { mode: 'compute', completed_work: [], payments: [] },
  'handoff-build': {
    mode: 'build',
    idempotency_key: 'h-1',
    recipient_wallet: `0x${hex(40)}`,
    task: { task_id: 't-1', objective: 'o', context: 'c' },
    permissions: {
      allowed_actions: ['read'],
      resources: [],
      expires_at: 4_102_444_800,
      may_redelegate: false,
    },
    state: { status: 'pending', checkpoint: 'none', evidence_sha256: [hex(64)] },
    usage: 'synthetic',
  },
  'handoff-verify': { mode: 'verify', handoff_pack: 'a.b.c' },
  'payout-callback-set': {
    mode: 'set_callback',
    callback_url: 'https://hooks.example.com/payouts',
  },
  'payout-callback-read': { mode: 'read_callback' },
  'issue-mandate': {
    mode: 'issue_mandate',
    action: {
      payout: { payout_id, expires_at: 1, authorize_idempotency_key: 'a:1' },
      checkout_jwt: 'a.b.c',
      holder_proof: {
        binding_version: 2,
        holder_wallet: `0x${hex(40)}`,
        signature: `0x${hex(130)}`,
      },
      idempotency_key: 'm-1',
    },
  },
  'task-proposal-decline': {
    proposed_input_sha256: hex(64),
    reason: 'as it was',
    idempotency_key: 'd-1',
  },
  'work-order-decline': {
    work_order_id: `wo_${hex(64)}`,
    run_id: `run_${hex(64)}`,
    proposed_input_sha256: hex(64),
    reason: 'as it was',
    idempotency_key: 'd-2',
  },
  'work-order-consent': {
    work_order_id: `wo_${hex(64)}`,
    run_id: `run_${hex(64)}`,
    proposed_input_sha256: hex(64),
    idempotency_key: 'w-1',
  },
  'read-control-plane': { mode: 'read_control_plane' },
  'draft-mandate': { mode: 'draft_mandate', action: mandateTerms },
  'inspect-mandate': { mode: 'inspect_mandate', signed_mandate: {} },
  'issue-action-grant': {
    mode: 'issue_action_grant',
    signed_mandate: {},
    action: { ...delegated, expires_in_seconds: 60 },
  },
  'evaluate-action': { mode: 'evaluate_action', signed_mandate: {}, action: delegated },
  'execute-delegated-action': {
    mode: 'execute_delegated_action',
    signed_mandate: {},
    signed_action_grant: {},
    action: delegated,
  },
  'revoke-mandate': {
    mode: 'revoke_mandate',
    action: { mandate_id: `mdt_${hex(64)}`, reason: 'no longer needed' },
  },
  'regression-persist': {
    mode: 'persist_regression_report',
    test_run_id: `tr_${'0'.repeat(64)}`,
  },
  'regression-store': {
    mode: 'store_regression_report',
    report: {
      suite: 'my test',
      passed: 1,
      failed: 0,
      transcript_hash: '0'.repeat(64),
      code_version: '1',
    },
    idempotency_key: 'r-1',
  },
  'pause-set': { scope: 'payouts', paused: true, reason: 'night', idempotency_key: 'p-1' },
  'close-exception': {
    mode: 'close_exception',
    exception_id: `ex_${hex(64)}`,
    reason: 'looked at',
    idempotency_key: 'x-1',
  },
  'keys-publish': { mode: 'publish_keys', reason: 'rotated', idempotency_key: 'k-2' },
  'keys-retire': {
    mode: 'retire_key',
    kid: 'receipt-2026-11-21-5f0c2a9e',
    reason: 'rotated',
    idempotency_key: 'k-3',
  },
  'keys-revoke': {
    mode: 'revoke_key',
    kid: 'receipt-2026-11-21-5f0c2a9e',
    reason: 'stolen',
    idempotency_key: 'k-4',
  },
  'agent-read': { agent_id: `agt_${hex(64)}` },
  'mandate-read': { mandate_id: `mdt_${hex(64)}` },
  'agent-limits-set': {
    agent_id: `agt_${hex(64)}`,
    limits: { max_usd: 100 },
    reason: 'smaller',
    idempotency_key: 'l-2',
  },
  'access-key-revoke': {
    credential_id: hex(16),
    reason: 'leaked',
    idempotency_key: 'c-1',
  },
  'operators-revoke': {
    mode: 'revoke_operator',
    operator_id: hex(16),
    reason: 'left',
    idempotency_key: 'o-1',
  },
  'agent-register': {
    name: 'agent',
    contact: { email: 'ops@agent.example' },
    rails: ['tokenops'],
    public_key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    requested_scopes: ['runs:read'],
    idempotency_key: 'r-1',
  },
  handshake: {
    nonce: `hs_1800000000_${hex(32)}_${hex(64)}`,
    signature: 'A'.repeat(86),
    protocol_version: '1',
    claim_credential: true,
  },
  'agent-registry-profile': {
    name: 'agent',
    description: 'Collects evidence.',
    capabilities: [],
    rails: ['packetops'],
    publish_profile: true,
  },
  'find-services': { mode: 'find_services', query: 'packets' },
  'inspect-service': { mode: 'inspect_service', service_id: 'svc_packetops' },
  'request-service-use': {
    mode: 'request_service_use',
    service_id: 'svc_packetops',
    task: 'assemble it',
  },
  'run-service': { mode: 'run_service', service_id: 'tool_agent_pricing', task: '{}' },
  'service-scout-read': { task: 'packets' },
  'service-scout-run': { task: 'packets' },
  'signing-versions-read': { agent_id: `agt_${hex(64)}` },
  'signing-rotate': {
    mode: 'rotate_signing_credential',
    target: 'own_access_key',
    revoke_old: true,
    reason: 'leaked',
    idempotency_key: 'k-1',
  },
  'signing-sign': {
    mode: 'sign_with_active_signing_version',
    payload: { rows: 3 },
    context: 'month end',
  },
  'signing-verify': { mode: 'verify_signature_by_version', jws: 'a.b.c', version: 1 },
  'credential-enforce': { operation_id: 'agent-status' },
  'self-serve-loop-read': { run_id: `run_${hex(64)}` },
  'self-serve-loop-submit': {
    task_token: `tk_${'A'.repeat(43)}`,
    contract_id: `ct_${hex(64)}`,
    input: { price_table: [], usage: { sha256: hex(64) } },
    idempotency_key: 'l-1',
  },
  'callback-completion-read': { run_id: `run_${hex(64)}` },
  'input-upload': { sha256: hex(64) },
  'input-read': { sha256: hex(64) },
  'input-delete': { sha256: hex(64) },
  'callback-examples': { language: 'python' },
  'callback-demo-receive': { receiver: 'me', fail: '2' },
  'callback-demo-read': { receiver: 'me' },
  'loop-review-console': { compact: 'true', limit: '100', offset: '0' },
  'loop-review-record': {
    subject_kind: 'agent',
    subject_id: `agt_${hex(64)}`,
    decision: 'approve',
    note: 'known to us',
    evidence_seen_sha256: [hex(64)],
    idempotency_key: 'd-1',
  },
  'loop-review-record-batch': {
    subject_kind: 'agent',
    decision: 'approve',
    note: 'known to us',
    items: [{ subject_id: `agt_${hex(64)}`, evidence_root_sha256: hex(64) }],
    idempotency_key: 'b-1',
  },
  'work-read': { id: payout_id },
  'recovery-act': { act: 'wake', ids: [payout_id], reason: 'unpaused', idempotency_key: 'w-1' },
  'agent-pricing': { rail: 'packetops', surface: 'agent' },
  'agent-pricing-quote': { rail: 'packetops', tier: 'standard' },
  'agent-quote-read': { quote_id: `qt_${hex(64)}` },
  'agent-quote': { rail: 'energyops', tier: 'pro', units: 3, idempotency_key: 'q-1' },
  'quote-run': { mode: 'quote_run', rail: 'packetops', tier: 'standard' },
  'create-payment-challenge': {
    mode: 'create_payment_challenge',
    quote_id: `qt_${hex(64)}`,
    method: 'ap2_mandate_reference',
    idempotency_key: 'ch-1',
  },
  'payment-rail-read': { payment_reference_id: `pr_${hex(64)}` },
  'payment-reference-create': {
    challenge_id: `ch_${hex(64)}`,
    method: 'stablecoin_reference',
    external_reference: `0x${hex(64)}`,
    payer: `0x${hex(40)}`,
    proof: { signature: `0x${hex(130)}` },
    idempotency_key: 'pr-1',
  },
  'agent-credit-read': { entitlement_id: `en_${hex(64)}` },
  'agent-credit-fund': {
    entitlement_id: `en_${hex(64)}`,
    payment_reference_id: `pr_${hex(64)}`,
    idempotency_key: 'f-1',
  },
  'allowance-wallet-read': { wallet_id: `aw_${hex(64)}` },
  'allowance-wallet-create': {
    label: 'travel',
    limits: { per_run_usd: 107, rails: ['packetops'] },
    idempotency_key: 'w-1',
  },
  'allowance-fund': {
    mode: 'fund_allowance',
    wallet_id: `aw_${hex(64)}`,
    method: 'invoice_reference',
    external_reference: 'INV-1',
    amount_usd: 100,
    idempotency_key: 'w-2',
  },
  'commercial-fees-assess': { items: [{ fee_item: 'escrow_fee', basis_usd: 250 }] },
  'allowance-tier': {
    mode: 'set_tier',
    wallet_id: `aw_${hex(64)}`,
    tier: 'premium',
    idempotency_key: 'w-4',
  },
  'enterprise-controls-set': {
    controls: { paused: true, callback_hosts: ['hooks.example.com'] },
    reason: 'r',
    idempotency_key: 'c-1',
  },
  'enterprise-wallet-bind': {
    mode: 'bind_wallet',
    wallet: `0x${hex(40)}`,
    signature: `0x${hex(130)}`,
    idempotency_key: 'c-2',
  },
  'allowance-limits': {
    mode: 'set_limits',
    wallet_id: `aw_${hex(64)}`,
    limits: { per_day_usd: null },
    idempotency_key: 'w-3',
  },
  'payment-authority-read': { payment_reference_id: `pr_${hex(64)}` },
  'payment-authority-check': {
    authority_type: 'checkout',
    quote_id: `qt_${hex(64)}`,
    provider_session_id: 'cs_1',
    idempotency_key: 'pa-1',
  },
  'rail-checkout-read': { rail: 'packetops', challenge_id: `ch_${hex(64)}` },
  'rail-checkout-open': {
    quote_id: `qt_${hex(64)}`,
    payment_path: 'agent_credit',
    idempotency_key: 'co-1',
    customer: { name: 'Example Ltd', email: 'ap@example.com' },
  },
  'activation-path-read': { activation_id: `av_${hex(64)}` },
  'activation-start': {
    customer_account: 'northwind-emea',
    rail: 'packetops',
    tier: 'standard',
    idempotency_key: 'av-1',
  },
  'clearing-read': { clearing_id: `cl_${hex(64)}` },
  'clearing-run': {
    run_id: `run_${hex(64)}`,
    obligation: { statement: 'a packet' },
    idempotency_key: 'cl-1',
  },
  'credit-binding-read': { binding_id: `bd_${hex(64)}` },
  'credit-binding-create': {
    entitlement_id: `en_${hex(64)}`,
    challenge_id: `ch_${hex(64)}`,
    idempotency_key: 'bd-1',
  },
  'diligence-product-links': { tier: 'pro' },
  'payment-links-read': { rail: 'packetops' },
  'payment-links-set': {
    rail: 'packetops',
    tier: 'pro',
    url: 'https://buy.example.com/p1',
    provider_price_usd: 269,
    idempotency_key: 'pl-1',
  },
  'usage-ledger-read': { entitlement_id: `en_${hex(64)}`, limit: '10' },
  'usage-ledger-record': {
    kind: 'model_tokens',
    rail: 'packetops',
    units: 1200,
    unit: 'tokens',
    run_id: `run_${hex(64)}`,
    idempotency_key: 'u-1',
  },
  'provider-event-receive': { event_id: 'evt_1', type: 'payment.settled' },
  'agent-quickstart-run': { rail: 'energyops', idempotency_key: 's-2' },
  'agent-sandbox-run': { rail: 'scout', fault: 'none', idempotency_key: 's-1' },
  'schema-read': { schema_name: 'receipt.v1.json' },
  preflight: {
    rail: 'tokenops',
    tier: 'standard',
    input_manifest: [{ name: 'usage', sha256: hex(64), bytes: 12 }],
    objective: 'what does each model cost',
    idempotency_key: 't-1',
  },
  'contract-prepare': { task_token: `tk_${'A'.repeat(43)}`, idempotency_key: 't-2' },
  'contract-read': { contract_id: `ct_${hex(64)}` },
  'contract-accept': {
    contract_id: `ct_${hex(64)}`,
    terms_sha256: hex(64),
    signature: 'A'.repeat(86),
    idempotency_key: 't-3',
  },
  'task-ledger': { from_sequence: '1', limit: '200' },
  'task-exceptions': { state: 'open' },
  'task-recover': { exception_id: `ex_${hex(64)}`, action: 'replay', idempotency_key: 't-5' },
  'task-replay-prepare': {
    exception_id: `ex_${hex(64)}`,
    from_step: 'intake',
    idempotency_key: 't-6',
  },
  'task-exception-raise': {
    code: 'caller_dispute',
    detail: 'not what was asked for',
    idempotency_key: 't-4',
  },
  'work-orders-read': { work_order_id: `wo_${hex(64)}` },
  'work-order-create': exampleOrder,
  'customer-workflow-read': { workflow_id: `cw_${hex(64)}` },
  'customer-workflow-create': {
    customer_account: 'acme',
    rail: 'packetops',
    tier: 'standard',
    name: 'a packet every day',
    acceptance_criteria: ['complete'],
    callback_url: 'https://hooks.example.com/in',
    wallet_id: `aw_${hex(64)}`,
    cadence: 'daily',
    input: {},
    accept_terms: true,
    idempotency_key: 'w-1',
  },
  'customer-workflow-pause': {
    mode: 'pause_workflow',
    workflow_id: `cw_${hex(64)}`,
    idempotency_key: 'w-2',
  },
  'customer-workflow-resume': {
    mode: 'resume_workflow',
    workflow_id: `cw_${hex(64)}`,
    accept_terms: true,
    idempotency_key: 'w-3',
  },
  'customer-workflow-delete': {
    mode: 'delete_workflow',
    workflow_id: `cw_${hex(64)}`,
    idempotency_key: 'w-4',
  },
  'customer-workflow-run': {
    mode: 'run_workflow',
    workflow_id: `cw_${hex(64)}`,
    idempotency_key: 'w-5',
  },
  'exchange-claim': {
    mode: 'claim_work_order',
    work_order_id: `wo_${hex(64)}`,
    accept_terms: true,
    idempotency_key: 'x-1',
  },
  'exchange-deliver': {
    mode: 'deliver_work_order',
    work_order_id: `wo_${hex(64)}`,
    claim_id: `xc_${hex(64)}`,
    return_package: { artifacts: [{ name: 'work.json', sha256: hex(64), content: '{}' }] },
    accept_terms: true,
    idempotency_key: 'x-2',
  },
  'exchange-release': {
    mode: 'release_work_order',
    work_order_id: `wo_${hex(64)}`,
    claim_id: `xc_${hex(64)}`,
  },
  'wallet-run-read': { run_id: `run_${hex(64)}` },
  'wallet-run-start': {
    rail: 'energyops',
    tier: 'pro',
    quote_id: `qt_${hex(64)}`,
    input: {},
    wallet_id: `aw_${hex(64)}`,
    usage: 'operational',
    accept_terms: true,
    idempotency_key: 'wr-1',
  },
  'agent-use-read': { run_id: `run_${hex(64)}` },
  'read-agent-use-pack': { mode: 'read_agent_use_pack' },
  'start-agent-run': {
    mode: 'start_agent_run',
    rail: 'packetops',
    tier: 'standard',
    quote_id: `qt_${hex(64)}`,
    input: {},
    payment_reference_id: `pr_${hex(64)}`,
    accept_terms: true,
    idempotency_key: 's-1',
  },
  'get-run-status': { mode: 'get_run_status', run_id: `run_${hex(64)}`, wait_ms: 20_000 },
  'fetch-return-package': {
    mode: 'fetch_return_package',
    run_id: `run_${hex(64)}`,
    include_files: true,
  },
  'record-agent-use-receipt': {
    mode: 'record_agent_use_receipt',
    run_id: `run_${hex(64)}`,
    receipt_id: `rc_${hex(64)}`,
    accepted: true,
    idempotency_key: 'u-1',
  },
  'read-agent-use-runs': { mode: 'read_agent_use_runs', state: 'closed', limit: 100 },
  'log-inclusion': { receipt_id: `rc_${hex(64)}`, tree_size: '2' },
  'log-consistency': { from: '1', to: '2' },
  'receipt-bundle': { receipt_id: `rc_${hex(64)}` },
  'verify-receipt': { receipt_id: `rc_${hex(64)}`, at: '2026-11-21T10:00:00Z' },
}
const sampleOf = ({ id }: AnyOperation) => samples[id] ?? {}

/** The published schema of an operation's input, as a stranger's JSON Schema validator reads it. */
function publishedInput(operation: AnyOperation): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  return ajv.compile(z.toJSONSchema(operation.input, { io: 'input' }))
}

const described = ({ http }: AnyOperation) =>
  at(document, 'paths', http.path, http.method.toLowerCase())

verifies('discovery.openapi', 'the document is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  expect(document['openapi']).toBe('3.1.0')
})

verifies('discovery.openapi', 'every reference in the document leads somewhere', () => {
  const references = JSON.stringify(document).matchAll(/"#\/([^"]+)"/g)
  for (const [, pointer = ''] of references) {
    const target = at(document, ...pointer.split('/'))
    expect(target, pointer).toBeDefined()
  }
})

verifies('discovery.openapi', 'ids, tools and operation ids are unique', () => {
  const ids = registry.map(({ id }) => id)
  const tools = registry.flatMap(({ tool }) => tool ?? [])
  const operationIds = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map(
    ([, id]) => id,
  )
  for (const names of [ids, tools, operationIds]) expect(new Set(names).size).toBe(names.length)
  expect(ids.every((id) => /^[a-z]+(-[a-z]+)*$/.test(id))).toBe(true)
})

verifies('discovery.openapi', 'a path with modes is a union with the mode as discriminator', () => {
  const modes = [
    ['read_control_plane', 'read-control-plane'],
    ['draft_mandate', 'draft-mandate'],
    ['issue_mandate', 'issue-mandate'],
    ['inspect_mandate', 'inspect-mandate'],
    ['issue_action_grant', 'issue-action-grant'],
    ['evaluate_action', 'evaluate-action'],
    ['execute_delegated_action', 'execute-delegated-action'],
    ['revoke_mandate', 'revoke-mandate'],
  ] as const
  const body = at(document, 'paths', '/api/delegated-authority', 'post', 'requestBody')
  expect(at(body, 'content', 'application/json', 'schema')).toEqual({
    oneOf: modes.map(([, id]) => ({ $ref: `#/components/schemas/${id}.input` })),
    discriminator: {
      propertyName: 'mode',
      mapping: Object.fromEntries(
        modes.map(([mode, id]) => [mode, `#/components/schemas/${id}.input`]),
      ),
    },
  })
})

test('the paid operations are those of the payout document, at its price', () => {
  const paid = registry.filter(({ price }) => price !== null)
  expect(paid.map(({ http }) => http.path).sort()).toEqual([
    ...Array(2).fill('/api/agent-to-agent-handoff-pack'),
    '/api/agent-trust-scorecard',
    '/api/payout-authorize',
    '/api/payout-create',
    '/api/payout-execute',
    '/api/payout-status',
    ...Array(3).fill('/api/proof-inbox'),
    ...Array(2).fill('/api/receipt-passport'),
  ])
  for (const { price, access } of paid)
    expect({ price, access }).toEqual({ price: 100_000n, access: 'wallet' })
})

/** Operations that take properties which they do not name, as the documents say. */
const takesAny = ({ access, id }: AnyOperation) =>
  access === 'provider' || /^investor-demo(-detail)?-run$/.test(id)

describe.each(registry.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    verifies(
      'pipeline.error-codes',
      'documents every code it can give under the status of that code',
      () => {
        const responses = at(described(operation), 'responses')
        for (const code of [...operation.errors, ...commonErrors(operation)]) {
          const body = at(
            responses,
            String(errorCodes[code].status),
            'content',
            'application/problem+json',
            'schema',
          )
          expect(JSON.stringify(body), code).toContain(`"${code}"`)
        }
        for (const status of operation.status) expect(responses).toHaveProperty(String(status))
      },
    )

    verifies(
      'pipeline.unknown-property',
      'takes its sample and refuses an unknown property, also by its schema',
      () => {
        const published = publishedInput(operation)
        const sample = sampleOf(operation)
        expect(operation.input.safeParse(sample).success).toBe(true)
        expect(published(sample), JSON.stringify(published.errors)).toBe(true)
        // A payment provider's event says more than is read of it, and the demo takes any properties.
        if (takesAny(operation)) return
        const more = { ...sample, surplus: 1 }
        expect(operation.input.safeParse(more).error?.issues).toMatchObject([
          { code: 'unrecognized_keys', keys: ['surplus'] },
        ])
        expect(published(more)).toBe(false)
      },
    )

    verifies('discovery.openapi', 'has schemas whose root an MCP client can read', () => {
      expect(z.toJSONSchema(operation.input, { io: 'input' })).toMatchObject({
        type: 'object',
        additionalProperties: takesAny(operation) ? {} : false,
      })
      expect(z.toJSONSchema(operation.output, { io: 'output' })).toBeTypeOf('object')
    })

    verifies(
      'pipeline.access-kinds',
      'declares what its kinds of access need: scopes, tokens, signatures',
      () => {
        const ways = waysOf(operation)
        expect(operation.needs !== undefined).toBe(ways.includes('agent'))
        expect(operation.statusToken !== undefined).toBe(ways.includes('status'))
        // The handshake's body is signed by itself.
        if (operation.statusToken !== undefined && operation.id !== 'handshake')
          expect(operation.statusToken.signed).toBe(operation.idempotency.kind !== 'read')
        if (operation.http.path.includes('{token}')) expect(ways).toContain('status')
        const { mode, needs } = operation
        const modes = at(described(operation), 'x-modes') as { mode: string }[] | undefined
        const notified =
          mode === undefined ? described(operation) : modes?.find((one) => one.mode === mode)
        expect(at(notified, 'x-scopes')).toEqual(needs?.scopes ?? [])
      },
    )

    test('has a precondition exactly when it charges before its effect', () => {
      expect(operation.precondition !== undefined).toBe(operation.charge === 'before')
    })
  },
)
