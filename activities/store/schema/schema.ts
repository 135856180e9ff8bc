// Made by `npm run store:types` from the migrated database. Change the migrations, or test/support/column-types.ts.
import type { ColumnType, Generated } from 'kysely'
import type { AccountControls } from '#domain/accounts/controls.ts'
import type { Scope } from '#domain/agents/credential.ts'
import type { DeliveryStep } from '#domain/agents/onboarding.ts'
import type { TrustLimits } from '#domain/agents/trust-limits.ts'
import type {
  MandateTerms,
  SignedAction,
  SignedGrant,
  SignedMandate,
} from '#domain/authority/artifacts.ts'
import type { RuleResult } from '#domain/authority/evaluate.ts'
import type { Analysis } from '#domain/commerce/analysis-schema.ts'
import type { CommerceDecision, MissionKind, ProtocolBinding } from '#domain/commerce/missions.ts'
import type { CommercePacket } from '#domain/commerce/packet.ts'
import type { Refusal } from '#domain/core/errors.ts'
import type { RecordKind } from '#domain/core/record-kinds.ts'
import type { Account } from '#domain/credit/credit.ts'
import type { Bought } from '#domain/credit/pricing.ts'
import type { Prompt } from '#domain/drafts/prompt.ts'
import type { ReportedStep } from '#domain/harness/regressions.ts'
import type { HarnessRail } from '#domain/harness/suites.ts'
import type { PlayedStep } from '#domain/harness/transcript.ts'
import type { BadgeState, EvidenceCheck } from '#domain/listings/listing.ts'
import type { ControlScope } from '#domain/payouts/controls.ts'
import type { PilotClient, PilotState } from '#domain/pilots/pilot.ts'
import type { FiringTerms } from '#domain/production/accepted-terms.ts'
import type { ChainStep } from '#domain/production/activation-chain.ts'
import type { SuccessCondition } from '#domain/production/first-paid-run.ts'
import type { GateCheck } from '#domain/production/write-gate.ts'
import type { ProspectState, RecordedState } from '#domain/prospects/prospect.ts'
import type { Drafts, ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { ListCorrections } from '#domain/rails/input/corrections.ts'
import type { Extraction } from '#domain/rails/input/documents.ts'
import type { UploadOutcome } from '#domain/rails/input/input-faults.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { Inspection } from '#domain/resolver/inspection.ts'
import type { Judgement } from '#domain/reviews/evidence.ts'
import type { ClearingAsked, ClearingCheck, ClearingEnvelope } from '#domain/runs/clearing.ts'
import type { RunContract } from '#domain/runs/run-contract.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import type { Check } from '#domain/tasks/terms.ts'
import type { Delivery } from '#domain/work-orders/delivery.ts'
import type { ToolId } from '#domain/work-orders/work-order.ts'
import type {
  Ap2Document,
  Contact,
  DeclinedInput,
  JsonObject,
  ProviderRoute,
  Requester,
} from './json-columns.ts'

/** Written as text, because digests are compared with it. */
type Json<T> = ColumnType<T, string, string>

export type Database = {
  account_balances: {
    account: Account
    units: number
  }
  account_control_changes: {
    change_id: string
    account_id: string
    before: Json<AccountControls>
    after: Json<AccountControls>
    reason: string
    set_by: string
    receipt_id: string
    changed_at: Generated<Date>
    accepted_fee_usd: number | null
    fee_ends_at: Date | null
  }
  account_controls: {
    account_id: string
    allowed_rails: RailKey[] | null
    per_run_usd_max: number | null
    per_day_usd_max: number | null
    review_all: boolean
    callback_hosts: string[] | null
    paused: boolean
    credential_max_age_days: number | null
    set_by: string
    receipt_id: string
    set_at: Generated<Date>
  }
  account_fees: {
    account_id: string
    accepted_fee_usd: number
    fee_ends_at: Date | null
    in_force: boolean
  }
  account_spends: {
    kind: 'run' | 'payment' | 'payout' | 'fee' | 'claim'
    subject: string
    account_id: string
    rail: string | null
    usd: number
    units: Generated<number>
    spent_at: Generated<Date>
  }
  account_wallets: {
    wallet: string
    account_id: string
    signature: string
    receipt_id: string
    bound_at: Generated<Date>
  }
  accounts: {
    account_id: string
    name: string
    country: string | null
    owner_agent_id: string
    created_at: Generated<Date>
  }
  action_grants: {
    grant_id: string
    mandate_id: string
    agent_id: string
    operation_id: string
    input_sha256: string
    spend_usd_max: number
    document: Json<SignedGrant>
    state: Generated<'issued' | 'consumed' | 'revoked'>
    issued_by: string
    issued_at: Generated<Date>
    expires_at: Date
  }
  activations: {
    activation_id: string
    agent_id: string
    customer_account: string
    rail: RailKey
    tier: 'entry' | 'standard' | 'pro'
    started_at: Generated<Date>
  }
  agent_credentials: {
    credential_id: string
    agent_id: string
    version: number
    state: 'pending' | 'active' | 'retiring' | 'retired' | 'revoked'
    secret_sha256: string | null
    scopes: Json<Scope[]>
    rails: Json<RailKey[]>
    overlap_seconds: number
    created_at: Generated<Date>
    claimed_at: Date | null
    expires_at: Date | null
    retire_at: Date | null
    revoked_at: Date | null
    record_kind: Generated<'credential_envelope'>
  }
  agent_identities: {
    agent_id: string
    chain_id: number
    registry: string
    token_id: string
    owner: string
    verified_at: Generated<Date>
  }
  agent_input_blobs: {
    blob_id: Generated<string>
    began_at: Generated<Date>
    owner: Generated<string>
    reserved: Generated<string>
    sandbox: Generated<boolean>
  }
  agent_input_chunks: {
    blob_id: string
    seq: number
    bytes: Buffer
  }
  agent_input_uses: {
    owner: string
    sha256: string
    subject: string
    since: Generated<Date>
    released_at: Date | null
  }
  agent_inputs: {
    owner: string
    sha256: string
    blob_id: string
    byte_length: number
    media_type:
      | 'text/csv'
      | 'application/x-ndjson'
      | 'text/plain'
      | 'text/tab-separated-values'
      | 'application/json'
      | 'application/xml'
      | 'text/xml'
      | 'application/pdf'
      | 'image/png'
      | 'image/jpeg'
      | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
      | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    stored_at: Generated<Date>
  }
  agent_passports: {
    agent_id: string
    stated_sha256: string
    jws: string
    signed_at: Generated<Date>
  }
  agent_profiles: {
    agent_id: string
    name: string
    description: string
    capabilities: Json<string[]>
    rails: Json<RailKey[]>
    receipt_id: string
    changed_at: Generated<Date>
  }
  agent_signing_versions: {
    agent_id: string
    version: number
    key_id: string
    public_key: Json<JsonObject>
    key_sha256: string
    state: 'pending' | 'active' | 'retiring' | 'retired' | 'revoked'
    not_before: Date | null
    retire_at: Date | null
    revoked_at: Date | null
    created_at: Generated<Date>
  }
  agents: {
    agent_id: string
    account_id: string
    name: string
    contact: Json<Contact>
    capabilities: Json<string[]>
    rails: Json<RailKey[]>
    protocols: Json<string[]>
    requested_scopes: Json<Scope[]>
    public_key: Json<JsonObject>
    key_sha256: string
    encryption_key: Json<JsonObject> | null
    sandbox: boolean
    network: string | null
    status_token_sha256: string
    trust_state:
      | 'submitted'
      | 'under_review'
      | 'trusted'
      | 'rejected'
      | 'suspended'
      | 'sandbox_trusted'
    trust_since: Generated<Date>
    decision_id: string | null
    limits: Json<TrustLimits> | null
    publish_profile: Generated<boolean>
    created_at: Generated<Date>
    registration_call: string | null
    record_kind: Generated<'trust_profile'>
    limits_receipt_id: string | null
  }
  allowance_wallets: {
    wallet_id: string
    agent_id: string
    label: string
    per_run_usd: number | null
    per_day_usd: number | null
    rails: RailKey[] | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
    tier: Generated<'free' | 'premium'>
    tier_per_day_usd: Generated<number>
  }
  analysis_calls: {
    day: ColumnType<Date, string, string>
    scope: string
    calls: number
  }
  ap2_mandates: {
    mandate_key: string
    mandate_id: string | null
    agent_id: string | null
    issuer: string
    document: Json<Ap2Document> | null
    currency: string | null
    budget_minor: string | null
    uses_max: number | null
    expires_at: Date | null
    issued_by: string | null
    known_since: Generated<Date>
    revoked_at: Date | null
    revoked_by: string | null
    revoke_reason: string | null
  }
  ap2_payments: {
    payment_reference_id: string
    mandate_key: string
    nonce: string
    closed_hash: string
    transaction_id: string
    amount_minor: string
    currency: string
    instrument_type: string
    instrument_id: string
    paid_at: Generated<Date>
  }
  authority_decisions: {
    decision_id: string
    purpose: 'evaluate' | 'grant' | 'execute'
    mandate_id: string | null
    grant_id: string | null
    agent_id: string | null
    operation_id: string
    input_sha256: string
    price_usd: number | null
    decision: 'allow' | 'deny'
    rules: Json<RuleResult[]>
    receipt_id: string
    decided_at: Generated<Date>
  }
  authority_drafts: {
    draft_id: string
    terms: Json<MandateTerms>
    created_at: Generated<Date>
    expires_at: Date
  }
  authority_mandates: {
    mandate_id: string
    agent_id: string
    document: Json<SignedMandate>
    per_action_usd: number
    total_usd: number
    actions_max: number
    valid_from: Date
    expires_at: Date
    used_usd: Generated<number>
    used_actions: Generated<number>
    issued_by: string
    issued_at: Generated<Date>
    revoked_at: Date | null
    revoked_by: string | null
    revoke_reason: string | null
  }
  callback_attempts: {
    delivery_id: string
    attempt: number
    kind: 'proof' | 'delivery'
    failures_before: number
    body_sha256: string
    began_at: Generated<Date>
    ended_at: Date | null
    outcome: 'taken' | 'failed' | 'gone' | null
    status: number | null
    failure: string | null
  }
  callback_deliveries: {
    delivery_id: string
    owner: string
    event: 'task_updated' | 'credential_ready' | 'payout_updated'
    subject: string
    ordinal: number
    url: string
    host: string
    state: Generated<'pending' | 'retrying' | 'delivered' | 'gave_up' | 'disabled'>
    failures: Generated<number>
    next_attempt_at: Generated<Date>
    created_at: Generated<Date>
    finished_at: Date | null
    held_back_until: Date | null
    record_kind: Generated<'callback_delivery'>
  }
  callback_hosts: {
    owner: string
    host: string
    proven_at: Generated<Date>
  }
  callback_inbox: {
    receiver: string
    delivery_id: string
    event: string
    attempts: Generated<number>
    refused: Generated<number>
    first_at: Generated<Date>
    received_at: Date | null
  }
  callback_posts: {
    scope: string
    day: ColumnType<Date, string, string>
    posts: string
  }
  calls: {
    call_id: string
    caller: string
    operation: string
    key: string
    fingerprint: string
    grant_state: 'open' | 'used' | 'released'
    answer_state: 'open' | 'done' | 'final'
    funding: 'none' | 'free' | 'payment' | 'credit'
    payment_id: string | null
    proof_nonce: string | null
    path: string
    body_sha256: string | null
    subject: string | null
    lease_holder: string | null
    lease_until: Date | null
    status: number | null
    answer: Json<JsonObject> | null
    granted_at: Generated<Date>
    finished_at: Date | null
    input: Json<JsonObject> | null
    delivered_at: Date | null
    refusal: Json<JsonObject> | null
  }
  checkouts: {
    checkout_id: string
    challenge_id: string
    payment_path:
      | 'hosted_checkout_link'
      | 'invoice_or_purchase_order'
      | 'agent_credit'
      | 'manual_operator_verified_reference'
    customer_name: string
    customer_email: string
    purchase_order: string | null
    opened_at: Generated<Date>
  }
  clearings: {
    clearing_id: string
    task_id: string
    agent_id: string | null
    ledger_head: string
    payment_state: string
    asked_sha256: string
    asked: Json<ClearingAsked>
    envelope: Json<ClearingEnvelope>
    checks: Json<ClearingCheck[]>
    payment_reference_id: string | null
    proof_state: 'missing' | 'partial' | 'proven' | 'invalid'
    decision: 'cleared' | 'retry' | 'human_review' | 'blocked'
    receipt_id: string
    review_state: 'waiting' | 'approved' | 'rejected' | null
    review_decision_id: string | null
    reviewed_at: Date | null
    made_at: Date
  }
  commerce_activity: {
    proof_id: string
    agent_id: string
    mission_kind: MissionKind
    protocol_binding: ProtocolBinding | null
    usage: 'synthetic' | 'operational' | 'unspecified'
    decision: CommerceDecision
    review_state: string | null
    receipt_id: string
    passport_receipt_id: string
    evaluated_at: Date
    published_at: Date
  }
  commerce_consents: {
    proof_id: string
    seq: number
    consents: boolean
    receipt_id: string
    given_at: Date
  }
  commerce_proofs: {
    proof_id: string
    call_id: string
    agent_id: string | null
    credential_id: string | null
    mission_kind:
      | 'rail_run'
      | 'work_order_delivery'
      | 'agent_handoff'
      | 'pilot_delivery'
      | 'free_proof'
    mission_sha256: string
    protocol_binding: 'mcp' | 'http' | 'a2a' | 'x402' | 'ap2' | null
    usage: 'synthetic' | 'operational' | 'unspecified'
    request: Json<JsonObject>
    request_sha256: string
    package_sha256: string
    payment_reference_id: string | null
    decision: 'eligible_to_continue' | 'human_review_required' | 'payment_hold'
    packet: Json<CommercePacket>
    packet_sha256: string
    receipt_id: string
    passport_receipt_id: string
    review_state: 'waiting' | 'approved' | 'rejected' | null
    review_decision_id: string | null
    evaluated_at: Date
    reviewed_at: Date | null
  }
  confirmed_totals: {
    wallet: string
    since: Date
    amount_atomic: string
  }
  contracts: {
    contract_id: string
    task_id: string
    terms_sha256: string
    state: 'ready' | 'accepted' | 'sealed' | 'void'
    accepted_by: string | null
    run_contract: Json<RunContract> | null
    created_at: Generated<Date>
    accepted_at: Date | null
    sealed_at: Date | null
    record_kind: Generated<'run_contract'>
  }
  control_changes: {
    change_id: string
    seq: Generated<string>
    scope: 'service' | 'payouts' | 'wallet' | 'payout' | 'rail' | 'agent'
    target: string
    paused: boolean
    reason: string
    operator_id: string
    operator_name: string
    receipt_id: string
    changed_at: Date
  }
  controls: {
    scope: ControlScope
    target: string
    paused: boolean
    reason: string
    operator_id: string
    changed_at: Generated<Date>
  }
  credential_audits: {
    audit_event_id: string
    operation_id: string
    credential_id: string | null
    decision: 'allow' | 'deny'
    reasons: Json<string[]>
    at: Generated<Date>
  }
  credential_deliveries: {
    credential_id: string
    ordinal: number
    step: DeliveryStep
    actor: string
    at: Generated<Date>
  }
  customer_runs: {
    task_id: string
    audit_event_id: string
    asked_sha256: string
    customer_account: string
    started_at: Generated<Date>
  }
  customer_workflows: {
    workflow_id: string
    agent_id: string
    credential_id: string
    audit_event_id: string
    wallet_id: string
    customer_account: string
    rail: RailKey
    tier: 'entry' | 'standard' | 'pro'
    name: string
    acceptance_criteria: Json<string[]>
    callback_url: string
    cadence: 'on_demand' | 'daily' | 'weekly' | 'monthly'
    input: Json<JsonObject>
    input_sha256: string
    accepted_terms: Json<FiringTerms>
    terms_sha256: string
    state: Generated<'waiting' | 'active' | 'paused' | 'rejected' | 'deleted'>
    state_since: Generated<Date>
    decision_id: string | null
    action_id: string | null
    scheduled: 'active' | 'paused' | 'deleted' | null
    created_at: Generated<Date>
  }
  delegated_actions: {
    action_id: string
    grant_id: string
    mandate_id: string
    agent_id: string
    credential_id: string
    operation_id: string
    input: Json<JsonObject> | null
    input_sha256: string
    call_id: string
    operation_call_id: string
    price_usd: number
    released_usd: number | null
    state: Generated<'reserved' | 'started' | 'done' | 'refused'>
    status: number | null
    result: Json<JsonObject> | null
    refusal: Json<Refusal> | null
    document: Json<SignedAction> | null
    receipt_id: string | null
    reserved_at: Generated<Date>
    started_at: Date | null
    finished_at: Date | null
  }
  directory_submissions: {
    submission_id: string
    directory: string
    document: string
    document_sha256: string
    state: Generated<'prepared' | 'submitted' | 'accepted' | 'refused' | 'failed'>
    url: string | null
    attempts: Generated<number>
    next_attempt_at: Date | null
    last_failure: string | null
    prepared_by: string
    prepared_at: Generated<Date>
    changed_at: Generated<Date>
  }
  entitlements: {
    entitlement_id: string
    quote_id: string
    agent_id: string
    rail: Bought
    tier: 'entry' | 'standard' | 'pro'
    state: 'pending' | 'funded' | 'consumed' | 'returned'
    granted_units: number
    fee_units: number
    consumed_units: Generated<number>
    returned_units: Generated<number>
    source: Account | null
    settlement_receipt_id: string | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
    record_kind: Generated<'credit_entitlement'>
  }
  evidence_analyses: {
    analysis_id: string
    agent_id: string | null
    analysis: Json<Analysis>
    analysis_sha256: string
    proof_id: string
    made_at: Generated<Date>
  }
  exceptions: {
    exception_id: string
    section: string
    code: string
    subject: string
    block_number: string | null
    evidence: Json<JsonObject>
    evidence_sha256: string
    state: Generated<'open' | 'closed'>
    seen: Generated<boolean>
    opened_by: string
    first_seen_at: Generated<Date>
    last_seen_at: Generated<Date>
    closed_at: Date | null
    closed_by: string | null
    reason: string | null
  }
  exchange_claims: {
    claim_id: string
    work_order_id: string
    agent_id: string
    entitlement_id: string
    input_sha256: string
    terms_sha256: string | null
    state: Generated<'held' | 'delivered' | 'accepted' | 'rejected' | 'released' | 'expired'>
    claimed_at: Generated<Date>
    expires_at: Date
    delivered_at: Date | null
    delivery: Json<Delivery> | null
    delivery_sha256: string | null
    checks: Json<Check[]> | null
    receipt_id: string | null
    ended_at: Date | null
    reason: string | null
  }
  fee_events: {
    fee_event_id: string
    item:
      | 'receipt_fee'
      | 'escrow_fee'
      | 'premium_wallet_tier'
      | 'developer_fee'
      | 'trust_badge_fee'
      | 'enterprise_controls'
    subject: string
    agent_id: string
    wallet_id: string | null
    amount_usd: number
    state: 'due' | 'held' | 'accrued' | 'released'
    receipt_id: string | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
  }
  first_paid_runs: {
    task_id: string
    audit_event_id: string
    asked_sha256: string
    customer_account: string
    publication_consent: boolean
    conditions: Json<SuccessCondition[]> | null
    reached: boolean | null
    receipt_id: string | null
    started_at: Generated<Date>
    closed_at: Date | null
  }
  gas_wallet_transactions: {
    tx_hash: string
    gas_wallet: string
    eoa_nonce: string
    purpose: string
    to_address: string
    data: string
    gas: string
    max_fee_per_gas: string
    max_priority_fee_per_gas: string
    raw: string
    outcome: 'mined' | 'reverted' | 'superseded' | null
    block_number: string | null
    final: Generated<boolean>
    created_at: Generated<Date>
    broadcast_at: Date | null
  }
  gas_wallets: {
    address: string
    next_nonce: string
    moved_at: Generated<Date>
    jammed_at: Date | null
  }
  handoff_packs: {
    pack_id: string
    builder: string
    recipient: string
    task_id: string
    seq: number
    status: 'pending' | 'in_progress' | 'blocked' | 'completed'
    pack_sha256: string
    expires_at: Date
    jws: string
    kid: string
    receipt_id: string
    call_id: string
    issued_at: Date
  }
  harness_facts: {
    test_run_id: string
    name: string
    fact: string
  }
  harness_runs: {
    test_run_id: string
    suite:
      | 'agent-to-agent-test-harness'
      | 'external-agent-invocation-test'
      | 'external-agent-agent-test'
      | 'credential-enforcement-agent-test'
    rail: HarnessRail
    steps: Json<string[]>
    counterpart_mcp_url: string | null
    caller_sha256: string
    code_version: string
    created_at: Generated<Date>
    ended_at: Date | null
    passed: number | null
    failed: number | null
    transcript_hash: string | null
  }
  harness_steps: {
    test_run_id: string
    step: string
    played: Json<PlayedStep>
    at: Generated<Date>
  }
  key_rotations: {
    rotation_id: string
    ring: string
    state: Generated<'requested' | 'published' | 'active' | 'done'>
    reason: string
    delay_seconds: number
    overlap_seconds: number
    revoke_old: boolean
    requested_by: string
    requested_by_name: string
    requested_at: Generated<Date>
    next_kid: string | null
    previous_kid: string | null
    activate_at: Date | null
    retire_at: Date | null
    done_at: Date | null
    changed_at: Generated<Date>
  }
  late_wakes: {
    subject: string
    id: string
    since: Date
    attempts: number
    woken_at: Generated<Date>
    next_at: Date
  }
  log_checkpoints: {
    size: string
    root: Buffer
    origin: string
    note: string
    cose_signature: Buffer
    kid: string
    signed_at: Generated<Date>
  }
  log_cosignatures: {
    size: string
    witness: string
    line: string
    received_at: Generated<Date>
  }
  log_leaves: {
    idx: string
    entry: Buffer
  }
  log_outbox: {
    position: Generated<string>
    entry: Buffer
    queued_at: Generated<Date>
    receipt_id: string | null
  }
  log_tiles: {
    level: number
    idx: string
    hashes: Buffer
    root: Buffer
  }
  loop_steps: {
    run_id: string
    attempt: number
    round: number
    step:
      | 'intake'
      | 'planner'
      | 'worker'
      | 'validator'
      | 'exception_agent'
      | 'revision_loop'
      | 'review_step'
      | 'return_package'
      | 'attestation'
    verdict: 'done' | 'refused' | 'too_complex' | 'gaps' | 'revise' | 'reject' | null
    output: Json<unknown> | null
    output_sha256: string | null
    decided_by: string | null
    started_at: Generated<Date>
    finished_at: Date | null
    tries: Generated<number>
  }
  mandates: {
    mandate_id: string
    operator_id: string
    payout_id: string
    request_sha256: string
    ap2_mandate: string
    replay_key: string
    issued_at: Generated<Date>
    expires_at: Date
    revoked_at: Date | null
    revoked_by: string | null
    revoke_reason: string | null
  }
  model_budgets: {
    scope: string
    tokens: string
  }
  model_calls: {
    subject: string
    prompt_sha256: string
    prompt: Json<Prompt> | null
    attempts: Generated<number>
    output: Json<ModelOutput> | null
    output_sha256: string | null
    asked_at: Generated<Date>
    answered_at: Date | null
  }
  next_steps_now: {
    quote_id: string
    state_now: 'payable' | 'lapsed' | 'refunded' | 'disputed' | 'paid'
  }
  operator_sessions: {
    session_sha256: string
    operator_id: string
    operator_name: string
    created_at: Generated<Date>
    expires_at: Date
    ended_at: Date | null
    mac: string
  }
  operators: {
    operator_id: string
    name: string
    secret_sha256: string
    created_at: Generated<Date>
    revoked_at: Date | null
  }
  paid_next_steps: {
    quote_id: string
    prospect_id: string | null
    task_id: string
    return_package_id: string
    usage_receipt_id: string
    note: string | null
    operator: string
    receipt_id: string
    at: Generated<Date>
    pilot_id: string | null
  }
  payment_challenges: {
    challenge_id: string
    quote_id: string
    entitlement_id: string | null
    state: 'open' | 'pending' | 'settled' | 'expired'
    amount_usd: number
    expires_at: Date
    created_at: Generated<Date>
    changed_at: Generated<Date>
  }
  payment_references: {
    payment_reference_id: string
    agent_id: string
    method:
      | 'hosted_checkout'
      | 'agent_allowance'
      | 'payment_reference'
      | 'invoice_reference'
      | 'stablecoin_reference'
      | 'x402_reference'
      | 'ap2_mandate_reference'
    external_reference: string
    amount_usd: number
    challenge_id: string | null
    entitlement_id: string | null
    wallet_id: string | null
    payer: string | null
    authority_type:
      | 'checkout'
      | 'stablecoin_checkout'
      | 'agent_allowance_reference'
      | 'wallet_reference'
      | null
    evidence_sha256: string | null
    evidence_url: string | null
    proof: Json<Record<string, string>> | null
    state: 'presented' | 'pending' | 'verified' | 'disputed' | 'rejected' | 'expired' | 'refunded'
    reason: string | null
    decided_by: string | null
    settlement_receipt_id: string | null
    checked_at: Date | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
    provider: string | null
    reason_code: 'amount_mismatch' | 'unclear_payment' | null
    is_only_checked: Generated<boolean>
    refunds_failed: Generated<number>
  }
  payment_signatures: {
    payment_id: string
    signature: string
    valid_after: string
    valid_before: string
    amount_atomic: string
    pay_to: string
    verified_at: Generated<Date>
  }
  payments: {
    payment_id: string
    asset: string
    payer: string
    authorization_nonce: string
    pay_to: string
    amount_atomic: string
    valid_after: string
    valid_before: string
    signature: string
    requirements: Json<JsonObject>
    proof_wallet: string
    call_id: string | null
    state: 'claimed' | 'settling' | 'settled' | 'failed' | 'pending' | 'released'
    credit: Generated<'none' | 'available' | 'used'>
    from_block: string | null
    transaction_hash: string | null
    block_number: string | null
    block_hash: string | null
    finalized: Generated<boolean>
    failure: string | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
    settled_at: Date | null
    failed_block_number: string | null
    failed_block_hash: string | null
    failed_block_time: Date | null
  }
  payout_callbacks: {
    wallet: string
    url: string
    changed_at: Generated<Date>
  }
  payouts: {
    payout_id: string
    creator: string
    idempotency_key: string
    recipient: string
    amount_atomic: string
    memo: string
    rail_reference: string
    usage: 'synthetic' | 'operational' | 'unspecified'
    asset: string
    payout_wallet: string
    terms_sha256: string
    state: 'created' | 'authorized' | 'executed'
    created_at: Generated<Date>
    authorized_at: Date | null
    executed_at: Date | null
    expires_at: string | null
    authorize_idempotency_key: string | null
    authorize_fingerprint: string | null
    mandate_ref: string | null
    principal_signature: string | null
    transfer_nonce: string | null
  }
  pilot_activations: {
    activation_id: string
    audit_event_id: string
    pilot_id: string | null
    rail: RailKey
    agent_id: string
    credential_id: string
    objective: string
    tool_scope: Json<string[]>
    chain: Json<ChainStep[]>
    failed_step: string | null
    code: string | null
    begun_at: Generated<Date>
  }
  pilot_entries: {
    pilot_id: string
    number: number
    author_role: 'client' | 'operator' | 'service'
    author: string
    kind: 'message' | 'question' | 'answer' | 'decision' | 'next_step'
    text: string
    text_sha256: string
    due_at: Date | null
    prev_hash: string
    hash: string
    at: Date
  }
  pilot_paid_runs: {
    pilot_id: string
    task_id: string
    payment_reference_id: string
    completed_at: Date
  }
  pilot_runs: {
    task_id: string
    pilot_id: string
    audit_event_id: string
    asked_sha256: string
    customer_account: string
    started_at: Generated<Date>
  }
  pilot_trials: {
    task_id: string
    pilot_id: string
    operator_id: string
    note: string
    receipt_id: string
    started_at: Generated<Date>
  }
  pilots: {
    pilot_id: string
    source: 'intake' | 'invitation' | 'offer' | 'controlled'
    rail: RailKey
    tier: 'entry' | 'standard' | 'pro'
    total_usd: number
    client: Json<PilotClient>
    objective: string
    workflow_description: string | null
    desired_start: string | null
    agent_id: string | null
    work_order_id: string | null
    challenge_id: string | null
    status_token_sha256: string
    state:
      | 'requested'
      | 'invited'
      | 'accepted'
      | 'declined'
      | 'expired'
      | 'activated'
      | 'rejected'
      | 'running'
      | 'delivered'
      | 'paid_next_step_ready'
      | 'closed'
    state_since: Generated<Date>
    waiting_since: Date | null
    decision_id: string | null
    terms_sha256: string | null
    expires_at: Date | null
    reminded_at: Date | null
    created_at: Generated<Date>
    prospect_id: string | null
  }
  pilots_now: {
    pilot_id: string
    state_now: PilotState
  }
  postings: {
    posting_id: Generated<string>
    receipt_id: string
    account: Account
    units: number
    written_by: Generated<string>
    posted_at: Generated<Date>
  }
  product_links: {
    rail: RailKey
    tier: 'entry' | 'standard' | 'pro'
    url: string | null
    provider_price_usd: number
    outcome: 'live' | 'broken' | null
    checked_at: Date | null
    receipt_id: string
    changed_at: Generated<Date>
  }
  production_runs: {
    task_id: string
    audit_event_id: string
    customer_account: string
    started_at: Date
    agent_id: string
    rail: RailKey
    tier: Tier
  }
  production_writes: {
    audit_event_id: string
    kind: 'validated' | 'written'
    operation_id: string
    rail: RailKey
    agent_id: string | null
    credential_id: string | null
    tool: string | null
    subject: string
    payload_sha256: string | null
    callback_sha256: string | null
    checks: Json<GateCheck[]>
    passed: boolean
    receipt_id: string | null
    checked_at: Generated<Date>
    customer_account: string | null
  }
  proof_inboxes: {
    wallet: string
    records: number
    bytes: number
    head: string
  }
  proof_loops: {
    task_id: string
    agent_id: string
    credential_id: string
    begun_at: Generated<Date>
    due_at: Date | null
    proof_id: string | null
  }
  proof_nonces: {
    wallet: string
    nonce: string
    path: string
    body_sha256: string
    call_id: string
    used_at: Generated<Date>
  }
  proof_relays: {
    relay_id: string
    agent_id: string | null
    analysis_id: string | null
    payment_reference_id: string | null
    event_id: string
    receipt_id: string
    relayed_at: Generated<Date>
  }
  proofs: {
    proof_id: string
    wallet: string
    seq: number
    kind: 'receipt_passport' | 'handoff_pack' | 'evidence'
    label: string
    content: string
    bytes: number
    receipt_id: string
    stored_at: Date
  }
  prospect_events: {
    prospect_id: string
    seq: number
    event: 'created' | 'message_sent' | 'message_received' | 'moved' | 'bound'
    state: 'identified' | 'messaged' | 'replied' | 'qualified' | 'pilot_offered' | 'declined'
    message_sha256: string | null
    sent_at: Date | null
    reason: string | null
    operator: string | null
    at: Generated<Date>
    channel: 'email' | 'agent' | 'marketplace' | 'referral' | 'other' | null
    cites: string | null
    pilot_id: string | null
    agent_id: string | null
    customer_account: string | null
  }
  prospect_paid_runs: {
    prospect_id: string
    task_id: string
    payment_reference_id: string
    completed_at: Date
  }
  prospects: {
    prospect_id: string
    label: string
    channel: 'email' | 'agent' | 'marketplace' | 'referral' | 'other'
    rail: RailKey | null
    contact_reference: string | null
    agent_id: string | null
    customer_account: string | null
    state: Generated<RecordedState>
    state_since: Generated<Date>
    created_at: Generated<Date>
  }
  prospects_now: {
    prospect_id: string
    state_now: ProspectState
  }
  provider_events: {
    provider: string
    event_id: string
    type:
      | 'payment.settled'
      | 'payment.failed'
      | 'payment.refunded'
      | 'session.expired'
      | 'payment.partially_refunded'
      | 'refund.failed'
      | 'dispute.inquiry'
      | 'dispute.opened'
      | 'dispute.won'
      | 'dispute.lost'
    external_reference: string
    challenge_id: string | null
    amount_cents: string
    currency: string
    payment_reference_id: string | null
    outcome: string | null
    received_at: Generated<Date>
    applied_at: Date | null
    payment_intent: string | null
    dispute_id: string | null
    refund_id: string | null
    said_at: Date | null
    wallet_id: string | null
  }
  quotes: {
    quote_id: string
    task_id: string | null
    rail: Bought
    tier: 'entry' | 'standard' | 'pro'
    units: number
    base_usd: number
    rail_fee_usd: number
    total_usd: number
    pricing_model: string
    provider_route: Json<ProviderRoute>
    issued_at: Generated<Date>
    expires_at: Date
    bound_to: string | null
    token_sha256: string | null
    record_kind: Generated<'quote'>
  }
  receipt_passports: {
    passport_id: string
    wallet: string
    work: string
    usage: 'synthetic' | 'operational'
    jws: string
    kid: string
    receipt_id: string
    call_id: string
    issued_at: Date
  }
  receipts: {
    receipt_id: string
    subject: string
    seq: number
    kind: string
    jws: string
    prev: string | null
    kid: string
    payload_sha256: string
    issued_at: Generated<Date>
    set_aside_at: Date | null
  }
  reconciliation_suspects: {
    reconciliation_id: string
    section: string
    code: string
    subject: string
    block_number: string | null
    noted_at: Generated<Date>
  }
  reconciliations: {
    reconciliation_id: string
    scope: 'changed' | 'all'
    changed_since: string | null
    snapshot_xid: string
    from_block: string
    through_block: string
    compared: Generated<number>
    stage: Generated<number>
    after_key: string | null
    differences: number | null
    started_at: Generated<Date>
    completed_at: Date | null
  }
  recovery_requests: {
    recovery_id: string
    exception_id: string
    action:
      | 'supply_evidence'
      | 'correct_input'
      | 'retry_step'
      | 'redeliver_callback'
      | 'replay'
      | 'abandon'
    note: Generated<string>
    input_sha256: string | null
    state: Generated<'requested' | 'approved' | 'refused' | 'done' | 'proposed'>
    requested_by: string
    requested_at: Generated<Date>
    decided_by: string | null
    decided_at: Date | null
  }
  regression_reports: {
    report_id: string
    seq: Generated<string>
    origin: 'service' | 'caller'
    test_run_id: string | null
    agent_id: string | null
    suite: string
    steps: Json<ReportedStep[]>
    passed: number
    failed: number
    transcript_hash: string
    code_version: string
    note: string | null
    receipt_id: string | null
    at: Generated<Date>
  }
  replay_ledger: {
    kind: string
    key: string
    subject: string
    first_seen: Generated<Date>
  }
  return_packages: {
    return_package_id: string
    run_id: string
    partial: boolean
    package: Json<unknown>
    manifest_sha256: string
    result_sha256: string
    proof_hash: string
    completion_signature: string
    made_at: Generated<Date>
    record_kind: Generated<'result_contract'>
  }
  review_decisions: {
    decision_id: string
    seq: Generated<string>
    subject_kind:
      | 'agent'
      | 'service_candidate'
      | 'work_order'
      | 'task'
      | 'loop_step'
      | 'payment_reference'
      | 'listing'
      | 'pilot'
      | 'commerce_proof'
      | 'exception'
      | 'recovery'
      | 'workflow'
      | 'clearing'
    subject_id: string
    waiting_since: Date
    decision: 'approve' | 'reject' | 'revise' | 'hold'
    note: string
    limits: Json<JsonObject> | null
    evidence_seen_sha256: Json<string[]>
    operator_id: string
    operator_name: string
    receipt_id: string
    decided_at: Date
    evidence_root_sha256: string
    judgements: Json<Judgement[]>
  }
  run_drafts: {
    run_id: string
    attempt: number
    round: number
    drafts: Json<Drafts>
    drafts_sha256: string
  }
  runs: {
    run_id: string
    task_id: string
    attempt: Generated<number>
    round: Generated<number>
    step:
      | 'intake'
      | 'planner'
      | 'worker'
      | 'validator'
      | 'exception_agent'
      | 'revision_loop'
      | 'review_step'
      | 'return_package'
      | 'attestation'
      | null
    started_at: Generated<Date>
    finished_at: Date | null
    changed_at: Generated<Date>
    record_kind: Generated<'task_run'>
  }
  schema_version: {
    only_row: Generated<boolean>
    version: number
    oldest_program: number
    migrations: Json<JsonObject>
  }
  services: {
    service_id: string
    origin: Generated<'registry'>
    name: string
    url: string
    host: string
    description: string | null
    protocols: Json<string[]>
    schema: Json<JsonObject> | null
    agent_id: string | null
    state: Generated<'observed' | 'approved' | 'denied'>
    state_since: Generated<Date>
    decision_id: string | null
    inspection: Json<Inspection> | null
    inspected_at: Date | null
    inspection_began_at: Date | null
    submitted_at: Generated<Date>
  }
  signing_keys: {
    ring: string
    kid: string
    alg: 'EdDSA' | 'ES256'
    public_jwk: Json<JsonObject>
    published_at: Generated<Date>
    activated_at: Date | null
    superseded_at: Date | null
    retired_at: Date | null
    revoked_at: Date | null
  }
  sprint_summaries: {
    sprint: number
    seq: number
    note: string
    closes: boolean
    summary: Json<JsonObject>
    receipt_id: string
    at: Generated<Date>
  }
  statements: {
    day: string
    jws: string
    kid: string
    sha256: string
    prev: string | null
    made_at: Generated<Date>
  }
  step_attempts: {
    run_id: string
    attempt: number
    round: number
    step: 'worker' | 'validator'
    begun: number
  }
  task_credits: {
    task_id: string
    quote_id: string
    entitlement_id: string
    units: number
    state: 'reserved' | 'used' | 'released'
    usage_receipt_id: string | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
  }
  task_documents: {
    task_id: string
    sha256: string
    body: Json<unknown>
    stored_at: Generated<Date>
    kind: Generated<'document' | 'extraction'>
  }
  task_events: {
    task_id: string
    sequence: number
    event_id: string
    event: TaskEvent
    from_state: TaskState | 'none'
    to_state: TaskState
    actor: string
    data: Json<unknown>
    data_sha256: string
    decision_id: Generated<string | null>
    settlement_receipt_id: Generated<string | null>
    receipt_id: Generated<string | null>
    return_package_id: Generated<string | null>
    at: Date
    prev_hash: string
    hash: string
    record_kind: Generated<'lifecycle_event'>
  }
  task_exceptions: {
    exception_id: string
    task_id: string
    sequence: number
    code:
      | 'evidence_gap'
      | 'input_invalid'
      | 'input_too_complex'
      | 'worker_failed'
      | 'validator_failed'
      | 'payment_reversed'
      | 'credit_mismatch'
      | 'callback_failed'
      | 'deadline_passed'
      | 'operator_hold'
      | 'caller_dispute'
    detail: string
    state: 'open' | 'recovery_requested' | 'replay_ready' | 'resolved' | 'abandoned'
    resume_state: TaskState | null
    money_moved: 'no' | 'yes' | 'unknown'
    receipt_id: string
    opened_at: Generated<Date>
    closed_at: Date | null
    proposed_input_sha256: string | null
    proposal_note: string | null
    declined: Json<DeclinedInput> | null
  }
  task_records: {
    task_id: string
    record_kind: RecordKind
    record_id: string
    recorded_at: Date
  }
  task_transitions: {
    from_state: string
    event: string
    to_state: string
  }
  tasks: {
    task_id: string
    state:
      | 'created'
      | 'preflight_checked'
      | 'contract_ready'
      | 'contract_accepted'
      | 'trust_pending'
      | 'trusted'
      | 'quoted'
      | 'credit_pending'
      | 'credit_funded'
      | 'queued'
      | 'operating'
      | 'evidence_partial'
      | 'result_ready'
      | 'attested'
      | 'receipt_issued'
      | 'callback_pending'
      | 'callback_delivered'
      | 'exception_open'
      | 'replay_ready'
      | 'failed'
      | 'closed'
    resume_state: TaskState | null
    sequence: number
    head_hash: string
    agent_id: string | null
    network: string | null
    rail: RailKey
    tier: 'entry' | 'standard' | 'pro'
    usage: 'synthetic' | 'operational'
    on_gaps: 'ask' | 'report'
    callback_url: string | null
    terms_sha256: string
    input_sha256: string | null
    review_decision: string | null
    contract_id: string | null
    quote_id: string | null
    quote_expires_at: Date | null
    entitlement_id: string | null
    run_id: string | null
    due_at: Date | null
    created_at: Generated<Date>
    changed_at: Generated<Date>
  }
  transfers: {
    payout_id: string
    nonce: string
    wallet: string
    recipient: string
    amount_atomic: string
    valid_after: string
    valid_before: string
    signature: string | null
    status: 'reserved' | 'signed' | 'submitted' | 'included' | 'final' | 'dead'
    from_block: string | null
    transaction_hash: string | null
    block_number: string | null
    block_hash: string | null
    block_time: Date | null
    confirmations: Generated<number>
    parked: string | null
    exception: string | null
    call_id: string
    reserved_at: Generated<Date>
    changed_at: Generated<Date>
    dead_reason: 'expired' | 'canceled' | null
    dead_block_number: string | null
    dead_block_hash: string | null
    dead_block_time: Date | null
  }
  trust_badge_events: {
    fee_event_id: string
    trust_listing_id: string
    commercial_plan_id: string
    event: 'presented' | 'settled' | 'lapsed' | 'refunded'
    payment_reference_id: string
    actor: string
    receipt_id: string
    at: Generated<Date>
  }
  trust_listings: {
    trust_listing_id: string
    agent_id: string
    display_name: string
    summary: string
    rails: RailKey[]
    checks: Json<EvidenceCheck[]>
    review_state: Generated<'waiting' | 'approved' | 'rejected'>
    review_decision_id: string | null
    reviewed_at: Date | null
    trust_badge_state: Generated<'none' | 'quoted' | 'planned' | 'active' | 'lapsed'>
    quote_id: string | null
    commercial_plan_id: string | null
    fee_event_id: string | null
    active_until: Date | null
    listed_at: Generated<Date>
  }
  trust_listings_shown: {
    trust_listing_id: string
    badge_now: BadgeState
    is_public: boolean
  }
  update_leases: {
    resource: string
    slot: number
    holder: string
    lease_until: Date
  }
  upload_checks: {
    check_id: string
    owner: string
    sha256: string
    rail: RailKey
    list: string
    corrections: Json<ListCorrections>
    sheet: string | null
    began_at: Generated<Date>
    attempts: Generated<number>
    outcome: Json<UploadOutcome> | null
    extraction: Json<Extraction> | null
  }
  upload_readings: {
    check_id: string
    owner: string
    bytes: string
    began_at: Date
  }
  usage_events: {
    event_id: string
    chain: string
    sequence: number
    kind: 'run_usage' | 'tool_call' | 'model_tokens' | 'storage' | 'other' | 'audit'
    rail: RailKey | null
    units: string
    unit: string
    credit_units: Generated<number>
    occurred_at: Date
    recorded_at: Date
    agent_id: string | null
    run_id: string | null
    subject: string | null
    usage_receipt_id: string | null
    prev_hash: string | null
    hash: string
    record_kind: Generated<'ledger_event'>
  }
  window_counts: {
    key: string
    points: number
    window_ends_at: Date
  }
  work_order_tasks: {
    work_order_id: string
    step: number
    task_id: string
  }
  work_orders: {
    work_order_id: string
    intake_kind: 'external_agent_request' | 'workflow_intake'
    requested_tool_id: ToolId
    objective: string
    requester: Json<Requester>
    agent_id: string | null
    quote_id: string | null
    acceptance_criteria: Json<string[]>
    status_token_sha256: string
    decision: 'approve' | 'reject' | null
    decision_id: string | null
    created_at: Generated<Date>
    exchange_until: Date | null
    reward_note: string | null
  }
  workflow_firings: {
    firing_id: string
    workflow_id: string
    due_at: Date
    terms_sha256: string
    call_id: string
    mandate_id: string | null
    charged_usd: number | null
    state: Generated<'due' | 'started' | 'refused'>
    quote_id: string | null
    run_id: string | null
    work_order_id: string | null
    code: string | null
    detail: string | null
    fired_at: Generated<Date>
    ended_at: Date | null
  }
}
