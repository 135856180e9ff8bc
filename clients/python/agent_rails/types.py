# Made by `npm run client:python` from operations with SHA-256 5c80bbd41710aa35ec73dd3f97b5c2b3e880020efebfb6c1c1ae7d468daa87fa.
from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import NotRequired

class Transfer(TypedDict):
    status: Literal['none', 'signed', 'submitted', 'included', 'final', 'dead']
    authorization_nonce: str | None
    transaction_hash: str | None
    block_number: int | None
    confirmations: int
    next_poll_ms: int | None


class PayoutChallenge(TypedDict):
    challenge_token: str
    checkout_jwt: str
    checkout_hash: str
    nonce: str
    audience: str
    holder_binding: Any
    expires_at: int


class PayoutCallback(TypedDict):
    callback_url: str | None
    changed_at: str | None
    host_proven: bool


class Identity(TypedDict):
    public: str
    agent: str
    operator: str


class Enforcement(TypedDict):
    default: Literal['deny']
    precedence: Literal['deny']
    rules: list[str]
    contexts: dict[str, str]
    limits: dict[str, int]


class Key(TypedDict):
    alg: str
    key_id: str | None


class AuthorityContract(TypedDict):
    mandate_schema: str
    grant_schema: str
    identity: Identity
    tools: list[str]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    enforcement: Enforcement
    delegable_operations: list[str]
    key: Key


class Live(TypedDict):
    active_mandates: int
    revoked_mandates: int
    grants_last_hour: int
    paused: bool


class AuthorityControlPlane(TypedDict):
    mandate_schema: str
    grant_schema: str
    identity: Identity
    tools: list[str]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    enforcement: Enforcement
    delegable_operations: list[str]
    key: Key
    live: Live


AllowedOperation: TypeAlias = str


Resource: TypeAlias = str


class Limits(TypedDict):
    per_action_usd: int
    total_usd: int
    actions_max: int


class MandateDraft1(TypedDict):
    principal_id: str
    agent_id: str
    purpose: str
    allowed_operations: list[AllowedOperation]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    resources: list[Resource]
    limits: Limits
    valid_from: str
    expires_at: str


class MandateDraft(TypedDict):
    mandate_draft: MandateDraft1
    draft_id: str
    digest: str
    missing: list[str]
    warnings: list[str]


class SignedMandate(TypedDict):
    schema: Literal['authority-mandate.v1']
    context: Literal['service.authority.mandate.v1']
    version: Literal[1]
    mandate_id: str
    issuer: str
    principal_id: str
    agent_id: str
    purpose: str
    allowed_operations: list[AllowedOperation]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    resources: list[Resource]
    limits: Limits
    valid_from: str
    expires_at: str
    may_redelegate: Literal[False]
    key_id: str
    signature: str


class Receipt(TypedDict):
    receipt_id: str
    kind: str
    issuer: str
    key_id: str
    issued_at: str
    subject: str
    usage: Literal['synthetic', 'operational', 'unspecified']
    payload: dict[str, Any]
    payload_sha256: str
    prev_receipt_id: str | None
    jws: str


class IssuedAp2Mandates(TypedDict):
    mandate_id: str
    open_checkout_mandate: str
    open_payment_mandate: str
    open_checkout_hash: str
    expires_at: str
    receipt: Receipt


class IssuedMandate(TypedDict):
    mandate_id: str
    ap2_mandate: str
    request_sha256: str
    recipient: str
    amount_usdc: str
    amount_atomic: str
    expires_at: int
    receipt: str


class Check(TypedDict):
    check: str
    ok: bool
    detail: str


class Remaining(TypedDict):
    usd: int
    actions: int


class Grant(TypedDict):
    grant_id: str
    operation_id: str
    state: Literal['issued', 'consumed', 'expired', 'revoked']
    expires_at: str


class MandateInspection(TypedDict):
    valid: bool
    state: Literal['active', 'exhausted', 'expired', 'revoked'] | None
    checks: list[Check]
    remaining: Remaining | None
    grants: list[Grant]


class Constraint(TypedDict):
    constraint: str
    verdict: Literal['met', 'broken', 'not_judged']
    rule: str
    details: list[str]


class Budget(TypedDict):
    currency: str | None
    total: str | None
    spent: str | None
    left: str | None
    uses: int
    uses_max: int | None
    last_paid_at: str | None


class Key2(TypedDict):
    issuer: str
    kid: str
    alg: str
    standing: Literal['published', 'active', 'retired', 'revoked']
    activated_at: str | None
    retired_at: str | None
    revoked_at: str | None


class Mandates(TypedDict):
    open_payment: dict[str, Any] | None
    payment: dict[str, Any] | None
    open_checkout: dict[str, Any] | None
    checkout: dict[str, Any] | None


class Ap2Inspection(TypedDict):
    valid: bool
    state: Literal['active', 'exhausted', 'expired', 'revoked'] | None
    checks: list[Check]
    constraints: list[Constraint]
    budget: Budget | None
    key: Key2 | None
    mandates: Mandates


class SignedActionGrant(TypedDict):
    schema: Literal['action-grant.v1']
    context: Literal['service.authority.grant.v1']
    grant_id: str
    issuer: str
    mandate_id: str
    agent_id: str
    operation_id: str
    input_sha256: str
    spend_usd_max: int
    expires_at: str
    nonce: str
    key_id: str
    signature: str


class Reason(TypedDict):
    rule: str
    effect: Literal['allow', 'deny']
    detail: str


class AuthorityDecision(TypedDict):
    decision_id: str
    decision: Literal['allow', 'deny']
    reasons: list[Reason]
    would_spend_usd: int | None
    remaining: Remaining | None
    grant_required: bool
    receipt: Receipt


class MandateRemaining(TypedDict):
    usd: int
    actions: int


class SignedDelegatedAction(TypedDict):
    schema: Literal['delegated-action.v1']
    context: Literal['service.authority.action.v1']
    action_id: str
    issuer: str
    mandate_id: str
    grant_id: str
    agent_id: str
    operation_id: str
    input_sha256: str
    spent_usd: int
    result_status: int
    result_sha256: str
    executed_at: str
    key_id: str
    signature: str


class RevokedMandate(TypedDict):
    mandate_id: str
    state: Literal['revoked']
    revoked_grants: int
    receipt: Receipt


class Totals(TypedDict):
    entry: int
    standard: int
    pro: int


class TierTerms(TypedDict):
    depth: str
    leaves_out: list[str]
    leaves_out_codes: list[str]
    rows_max: int | None
    bytes_max: int
    reruns_max: int
    report_formats: list[Literal['json', 'html', 'markdown', 'csv', 'jsonl']]
    turnaround_hours: int


class Line(TypedDict):
    item: str
    usd: int


class ProviderRoute(TypedDict):
    route_id: str
    provider: str
    service_id: str


class Quote(TypedDict):
    quote_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    units: int
    base_usd: int
    rail_fee_usd: int
    total_usd: int
    currency: Literal['usd']
    pricing_model: str
    provider_route: ProviderRoute
    tier_terms: TierTerms
    expires_at: str


class QuoteState(TypedDict):
    quote: Quote
    lines: list[Line]
    quote_token: NotRequired[str]
    state: Literal['live', 'used', 'expired']


class PaymentChallenge(TypedDict):
    challenge_id: str
    quote_id: str
    entitlement_id: str | None
    state: Literal['open', 'pending', 'settled', 'expired']
    amount_usd: int
    currency: Literal['usd']
    accepted_methods: list[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]
    payment_paths: list[Literal['hosted_checkout_link', 'invoice_or_purchase_order', 'agent_credit', 'manual_operator_verified_reference']]
    accepts: list[dict[str, Any]]
    checkout_url: str | None
    reference_instructions: str
    expires_at: str
    next_action: str
    mandate: dict[str, Any] | None


class Method(TypedDict):
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    confirmed_by: list[str]


class Verification(TypedDict):
    how: str
    by: list[str]
    next_poll_ms: int | None
    settles: NotRequired[Literal['nothing']]


class PaymentReference(TypedDict):
    payment_reference_id: str
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    external_reference: str
    amount_usd: int
    challenge_id: str | None
    entitlement_id: str | None
    wallet_id: str | None
    state: Literal['presented', 'pending', 'verified', 'disputed', 'rejected', 'expired', 'refunded']
    reason: str | None
    evidence_sha256: str | None
    decided_by: str | None
    settlement_receipt_id: str | None


class PresentedPayment(TypedDict):
    payment_reference: PaymentReference
    verification: Verification


class ReceivedEvent(TypedDict):
    event_id: str | None
    accepted: bool
    duplicate: bool


class Rule(TypedDict):
    authority_type: Literal['checkout', 'stablecoin_checkout', 'agent_allowance_reference', 'wallet_reference']
    hosted_by: Literal['provider', 'service', 'wallet_owner']
    needs: str
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    rule: str


class Wallet(TypedDict):
    per_run_usd: int | None
    day_usd: int | None
    balance_usd: int


class LimitsLeft(TypedDict):
    agent_usd: int | None
    wallet: Wallet | None


class PaymentAuthority(TypedDict):
    authority_type: Literal['checkout', 'stablecoin_checkout', 'agent_allowance_reference', 'wallet_reference']
    decision: Literal['authorized', 'needs_provider', 'denied']
    reasons: list[str]
    amount_usd: int
    payment_reference: PaymentReference | None
    limits_left: LimitsLeft


class ProductCard(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int
    link_state: Literal['hosted', 'rail_checkout']
    url: str


class Pilot(TypedDict):
    pilot_id: str
    state: Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']


class OpenedCheckout(TypedDict):
    challenge: PaymentChallenge
    reference_instructions: str
    pilot: NotRequired[Pilot]


class DiligenceProductLinks(TypedDict):
    product_cards: list[ProductCard]


class ProductLinkCell(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    link: str | None
    checked_at: str | None
    state: Literal['missing', 'unchecked', 'live', 'broken', 'price_differs']


class Check2(TypedDict):
    reachable: bool
    price_matches: bool


class SetPaymentLink(TypedDict):
    cell: ProductLinkCell
    check: Check2
    receipt: Receipt


class Posting(TypedDict):
    posting_id: str
    debit: str
    credit: str
    units: int
    reason: str
    receipt_id: str
    at: str


class Entitlement(TypedDict):
    entitlement_id: str
    agent_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout', 'trust_badge_fee']
    tier: Literal['entry', 'standard', 'pro']
    state: Literal['pending', 'funded', 'consumed', 'returned']
    granted_units: int
    consumed_units: int
    returned_units: int
    postings: list[Posting]


class FundedCredit(TypedDict):
    payment_reference: PaymentReference
    verification: Verification
    entitlement: Entitlement
    balance_units: int
    settlement_receipts: list[str]
    usage_receipts: list[str]


class Limits2(TypedDict):
    per_run_usd: int | None
    per_day_usd: int | None
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None


class AllowanceWallet(TypedDict):
    wallet_id: str
    owner: str
    label: str
    tier: Literal['free', 'premium']
    tier_per_day_usd: int
    balance_units: int
    reserved_units: int
    held_units: int
    debt_units: int
    limits: Limits2
    postings: list[Posting]
    state: Literal['active', 'paused']


class CreatedWallet(TypedDict):
    wallet: AllowanceWallet
    receipt: Receipt


class FundedWallet(TypedDict):
    wallet: AllowanceWallet
    payment_reference: PaymentReference
    verification: Verification


class LimitedWallet(TypedDict):
    wallet: AllowanceWallet
    receipt: Receipt


class TieredWallet(TypedDict):
    wallet: AllowanceWallet
    fee_event_id: str | None
    receipt: Receipt


class CreditBinding(TypedDict):
    binding_id: str
    entitlement_id: str
    challenge_id: str
    state: Literal['open', 'pending', 'settled', 'expired']
    settlement_receipt_id: str | None


class BoundCredit(TypedDict):
    binding: CreditBinding
    entitlement: Entitlement
    challenge: PaymentChallenge


class FeeItem(TypedDict):
    item: Literal['micro_routing_fee', 'receipt_fee', 'escrow_fee', 'premium_wallet_tier', 'developer_fee', 'trust_badge_fee', 'enterprise_controls']
    rule: str
    amount: int
    unit: str


class Plan(TypedDict):
    plan: Literal['free', 'premium']
    usd_per_month: int
    wallet_usd_per_day: int


class FeeEvent(TypedDict):
    fee_event_id: str
    fee_item: Literal['micro_routing_fee', 'receipt_fee', 'escrow_fee', 'premium_wallet_tier', 'developer_fee', 'trust_badge_fee', 'enterprise_controls']
    subject: str
    amount_usd: int
    state: Literal['due', 'held', 'accrued', 'released']
    receipt_id: str | None
    created_at: str


class Line2(TypedDict):
    fee_item: Literal['micro_routing_fee', 'receipt_fee', 'escrow_fee', 'premium_wallet_tier', 'developer_fee', 'trust_badge_fee', 'enterprise_controls']
    rule: str
    basis_usd: int
    amount_usd: int


class AssessedFees(TypedDict):
    lines: list[Line2]
    total_usd: int
    fee_event_ids: list[str]
    receipt: Receipt | None


class ControlsCatalogItem(TypedDict):
    control: Literal['allowed_rails', 'per_run_usd_max', 'per_day_usd_max', 'review_all', 'callback_hosts', 'paused', 'credential_max_age_days']
    kind: str
    bounds: str
    enforced_at: list[str]


class Wallet1(TypedDict):
    wallet: str
    bound_at: str


CallbackHost: TypeAlias = str


class AccountControls(TypedDict):
    allowed_rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None
    per_run_usd_max: int | None
    per_day_usd_max: int | None
    review_all: bool
    callback_hosts: list[CallbackHost] | None
    paused: bool
    credential_max_age_days: int | None


class AccountControlsAskedInput(TypedDict):
    allowed_rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None]
    per_run_usd_max: NotRequired[int | None]
    per_day_usd_max: NotRequired[int | None]
    review_all: NotRequired[bool]
    callback_hosts: NotRequired[list[CallbackHost] | None]
    paused: NotRequired[bool]
    credential_max_age_days: NotRequired[int | None]


class ChangedControls(TypedDict):
    account_id: str
    controls: AccountControls
    set_by: str | None
    set_at: str | None
    fee_usd_per_month: int
    fee_accepted: bool
    fee_ends_at: str | None
    wallets: list[Wallet1]
    changed: list[Literal['allowed_rails', 'per_run_usd_max', 'per_day_usd_max', 'review_all', 'callback_hosts', 'paused', 'credential_max_age_days']]
    receipt: Receipt


class BoundWallet(TypedDict):
    account_id: str
    controls: AccountControls
    set_by: str | None
    set_at: str | None
    fee_usd_per_month: int
    fee_accepted: bool
    fee_ends_at: str | None
    wallets: list[Wallet1]
    receipt: Receipt


class UsageEvent(TypedDict):
    event_id: str
    kind: Literal['run_usage', 'tool_call', 'model_tokens', 'storage', 'other', 'audit']
    rail: str | None
    units: int
    unit: str
    credit_units: int
    entitlement_id: str | None
    at: str
    occurred_at: str
    agent_id: str | None
    run_id: str | None
    subject: str | None
    chain: str
    sequence: int
    prev_hash: str | None
    hash: str
    usage_receipt_id: str | None


class ByUnitItem(TypedDict):
    unit: str
    units: str


class Totals1(TypedDict):
    credit_units: int
    by_unit: list[ByUnitItem]


class PostedUsageEvent(TypedDict):
    event_id: str
    kind: Literal['run_usage', 'tool_call', 'model_tokens', 'storage', 'other', 'audit']
    rail: str | None
    units: int
    unit: str
    credit_units: int
    entitlement_id: str | None
    at: str
    occurred_at: str
    agent_id: str | None
    run_id: str | None
    subject: str | None
    chain: str
    sequence: int
    prev_hash: str | None
    hash: str
    usage_receipt_id: str | None
    postings: list[Posting]


class RecordedUsage(TypedDict):
    event: UsageEvent
    attribution: Literal['agent', 'unverified']
    receipt: Receipt | None


class RegistrationContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    manifest_schema: dict[str, Any]


class DeniedScope(TypedDict):
    scope: Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']
    reason: str


class Limits3(TypedDict):
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]]
    scopes: NotRequired[list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]]
    max_usd: NotRequired[int]
    concurrent_runs: NotRequired[int]


class Trust(TypedDict):
    state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    decided_at: str | None
    decision_id: str | None
    limits: Limits3 | None


class PublicKey(TypedDict):
    kty: Literal['OKP']
    crv: Literal['Ed25519']
    x: str


class Agent(TypedDict):
    agent_id: str
    account_id: str
    name: str
    trust: Trust
    capabilities: list[str]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    public_key: PublicKey
    callback_url: str | None
    publish_profile: bool
    created_at: str


class AgentIdentity(TypedDict):
    chain_id: int
    registry: str
    token_id: str
    owner: str


class Credential(TypedDict):
    state: Literal['pending', 'active', 'retiring', 'retired', 'revoked']
    version: int
    claimable: bool


class Record(TypedDict):
    record_kind: Literal['onboarding', 'trust_profile', 'credential_envelope', 'quote', 'provider_route', 'credit_entitlement', 'run_contract', 'task_run', 'lifecycle_event', 'result_contract', 'settlement_receipt', 'usage_receipt', 'callback_delivery', 'ledger_event', 'attestation']
    record_id: str
    recorded_at: str


class Step(TypedDict):
    step: str
    done: bool


class Gap(TypedDict):
    code: str
    kind: Literal['needed', 'advisory']
    detail: str
    filled_by: str
    pointers: list[str]


class RequiredAction(TypedDict):
    by: Literal['agent', 'operator']
    call: str | None
    arguments: dict[str, Any]
    choices: list[str]
    command: str | None


class Requester(TypedDict):
    name: str
    contact: str


class Requester1(TypedDict):
    agent_id: str


class Review(TypedDict):
    state: Literal['waiting', 'approved', 'rejected']
    decision_id: str | None


class WorkOrder(TypedDict):
    work_order_id: str
    intake_kind: Literal['external_agent_request', 'workflow_intake']
    state: Literal['queued', 'approved', 'claimed', 'operating', 'delivered', 'completed', 'rejected', 'failed']
    requested_tool_id: Literal['service_os', 'packetops', 'distributionops', 'tokenops']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout'] | None
    objective: str
    requester: Requester | Requester1
    agent_id: str | None
    run_id: str | None
    run_ids: list[str]
    review: Review
    continued_by: str | None
    created_at: str


class Client(TypedDict):
    name: str
    account_id: str | None
    customer_account: str | None


class PilotModel(TypedDict):
    pilot_id: str
    source: Literal['intake', 'invitation', 'offer', 'controlled']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int
    client: Client
    objective: str
    workflow_description: str | None
    desired_start: str | None
    state: Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']
    work_order_id: str | None
    run_work_order_id: str | None
    runs: list[str]
    payment: Literal['none', 'under_way', 'reserved', 'applied', 'returned', 'credit']
    next_step: str
    created_at: str


class WorkOrderStatus(TypedDict):
    kind: Literal['work_order']
    work_order: WorkOrder
    next_action: str


class PilotStatus(TypedDict):
    kind: Literal['pilot']
    pilot: PilotModel
    next_action: str


class Gateway(TypedDict):
    base_url: str


class HandshakeDocument(TypedDict):
    protocol_versions: list[str]
    nonce: str
    accepted_key_types: list[str]
    text: list[str]
    gateway: Gateway


class CredentialEnvelope(TypedDict):
    sealed: Literal[True]
    jwe: str


class CredentialEnvelope1(TypedDict):
    sealed: Literal[False]
    credential: str


class AgentCredential(TypedDict):
    credential_id: str
    version: int
    scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    state: Literal['pending', 'active', 'retiring', 'retired', 'revoked']
    rotate_by: str | None


class Operation(TypedDict):
    operation_id: str
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    gated: bool


class OrderOfCheck(TypedDict):
    check: Literal['state', 'expiry', 'trust', 'scope', 'rail', 'amount']
    code: Literal['invalid_request', 'invalid_json', 'unknown_mode', 'unsupported_request', 'candidate_denied', 'human_approval_required', 'idempotency_key_required', 'credential_required', 'credential_invalid', 'operator_required', 'wallet_proof_required', 'wallet_proof_invalid', 'wallet_proof_expired', 'proof_invalid', 'webhook_signature_invalid', 'payment_required', 'payment_invalid', 'scope_denied', 'trust_required', 'rail_not_allowed', 'holder_unknown', 'issuer_untrusted', 'mandate_invalid', 'key_binding_missing', 'key_binding_invalid', 'key_binding_expired', 'audience_mismatch', 'request_digest_mismatch', 'principal_signature_invalid', 'authority_denied', 'control_denied', 'not_owner', 'not_found', 'work_not_found', 'method_not_allowed', 'wallet_proof_replayed', 'payment_already_used', 'idempotency_in_flight', 'wrong_state', 'quote_mismatch', 'not_publishable', 'conditions_unmet', 'not_ready', 'recovery_not_allowed', 'presentation_consumed', 'challenge_consumed', 'mandate_consumed', 'key_already_registered', 'already_claimed', 'already_decided', 'evidence_changed', 'rotation_in_progress', 'daily_cap_exceeded', 'grant_consumed', 'already_exists', 'already_bound', 'already_funded', 'payment_pending', 'reference_already_used', 'work_already_attested', 'wallet_storage_full', 'credit_exhausted', 'wallet_underfunded', 'challenge_expired', 'payout_expired', 'invitation_expired', 'quote_expired', 'expired', 'payload_too_large', 'unsupported_media_type', 'idempotency_conflict', 'fee_not_accepted', 'terms_mismatch', 'evidence_mismatch', 'forbidden_material', 'amount_mismatch', 'payout_cap_exceeded', 'callback_refused', 'receipt_invalid', 'input_rejected', 'input_too_complex', 'limits_invalid', 'recipient_refused', 'rate_guardrail_reached', 'rate_limited', 'internal_error', 'provider_failed', 'unavailable', 'settlement_pending', 'contention', 'paused', 'grant_released']
    rule: str


class Live1(TypedDict):
    allow: int
    deny: int


class Audit(TypedDict):
    audit_event_id: str
    operation_id: str
    decision: Literal['allow', 'deny']
    reasons: list[Literal['invalid_request', 'invalid_json', 'unknown_mode', 'unsupported_request', 'candidate_denied', 'human_approval_required', 'idempotency_key_required', 'credential_required', 'credential_invalid', 'operator_required', 'wallet_proof_required', 'wallet_proof_invalid', 'wallet_proof_expired', 'proof_invalid', 'webhook_signature_invalid', 'payment_required', 'payment_invalid', 'scope_denied', 'trust_required', 'rail_not_allowed', 'holder_unknown', 'issuer_untrusted', 'mandate_invalid', 'key_binding_missing', 'key_binding_invalid', 'key_binding_expired', 'audience_mismatch', 'request_digest_mismatch', 'principal_signature_invalid', 'authority_denied', 'control_denied', 'not_owner', 'not_found', 'work_not_found', 'method_not_allowed', 'wallet_proof_replayed', 'payment_already_used', 'idempotency_in_flight', 'wrong_state', 'quote_mismatch', 'not_publishable', 'conditions_unmet', 'not_ready', 'recovery_not_allowed', 'presentation_consumed', 'challenge_consumed', 'mandate_consumed', 'key_already_registered', 'already_claimed', 'already_decided', 'evidence_changed', 'rotation_in_progress', 'daily_cap_exceeded', 'grant_consumed', 'already_exists', 'already_bound', 'already_funded', 'payment_pending', 'reference_already_used', 'work_already_attested', 'wallet_storage_full', 'credit_exhausted', 'wallet_underfunded', 'challenge_expired', 'payout_expired', 'invitation_expired', 'quote_expired', 'expired', 'payload_too_large', 'unsupported_media_type', 'idempotency_conflict', 'fee_not_accepted', 'terms_mismatch', 'evidence_mismatch', 'forbidden_material', 'amount_mismatch', 'payout_cap_exceeded', 'callback_refused', 'receipt_invalid', 'input_rejected', 'input_too_complex', 'limits_invalid', 'recipient_refused', 'rate_guardrail_reached', 'rate_limited', 'internal_error', 'provider_failed', 'unavailable', 'settlement_pending', 'contention', 'paused', 'grant_released']]
    at: str


class CredentialPolicy(TypedDict):
    scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    operations: list[Operation]
    order_of_checks: list[OrderOfCheck]
    error_codes: list[Literal['invalid_request', 'invalid_json', 'unknown_mode', 'unsupported_request', 'candidate_denied', 'human_approval_required', 'idempotency_key_required', 'credential_required', 'credential_invalid', 'operator_required', 'wallet_proof_required', 'wallet_proof_invalid', 'wallet_proof_expired', 'proof_invalid', 'webhook_signature_invalid', 'payment_required', 'payment_invalid', 'scope_denied', 'trust_required', 'rail_not_allowed', 'holder_unknown', 'issuer_untrusted', 'mandate_invalid', 'key_binding_missing', 'key_binding_invalid', 'key_binding_expired', 'audience_mismatch', 'request_digest_mismatch', 'principal_signature_invalid', 'authority_denied', 'control_denied', 'not_owner', 'not_found', 'work_not_found', 'method_not_allowed', 'wallet_proof_replayed', 'payment_already_used', 'idempotency_in_flight', 'wrong_state', 'quote_mismatch', 'not_publishable', 'conditions_unmet', 'not_ready', 'recovery_not_allowed', 'presentation_consumed', 'challenge_consumed', 'mandate_consumed', 'key_already_registered', 'already_claimed', 'already_decided', 'evidence_changed', 'rotation_in_progress', 'daily_cap_exceeded', 'grant_consumed', 'already_exists', 'already_bound', 'already_funded', 'payment_pending', 'reference_already_used', 'work_already_attested', 'wallet_storage_full', 'credit_exhausted', 'wallet_underfunded', 'challenge_expired', 'payout_expired', 'invitation_expired', 'quote_expired', 'expired', 'payload_too_large', 'unsupported_media_type', 'idempotency_conflict', 'fee_not_accepted', 'terms_mismatch', 'evidence_mismatch', 'forbidden_material', 'amount_mismatch', 'payout_cap_exceeded', 'callback_refused', 'receipt_invalid', 'input_rejected', 'input_too_complex', 'limits_invalid', 'recipient_refused', 'rate_guardrail_reached', 'rate_limited', 'internal_error', 'provider_failed', 'unavailable', 'settlement_pending', 'contention', 'paused', 'grant_released']]
    live: Live1
    audit: Audit | None


class Reason1(TypedDict):
    code: str
    detail: str


class CredentialDecision(TypedDict):
    decision: Literal['allow', 'deny']
    reasons: list[Reason1]
    credential: AgentCredential | None
    audit_event_id: str


class Reliability(TypedDict):
    runs: int
    finished: int
    exceptions: int


class Item(TypedDict):
    agent_id: str
    name: str
    description: str
    capabilities: list[str]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    trust_state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    badge_state: Literal['none', 'quoted', 'planned', 'active', 'lapsed']
    reliability: Reliability
    receipt_id: str
    changed_at: str


class AgentRegistry(TypedDict):
    items: list[Item]
    offset: int
    limit: int
    total: int


Capability: TypeAlias = str


class Profile(TypedDict):
    name: str
    description: str
    capabilities: list[Capability]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]


class AgentProfile(TypedDict):
    agent: Agent
    profile: Profile
    receipt: Receipt


class FreeTool(TypedDict):
    service_id: str
    operation_id: str
    method: str
    path: str


class FirstPartyService(TypedDict):
    service_id: str
    origin: Literal['first_party', 'registry']
    kind: Literal['rail', 'work_order', 'free_tool', 'candidate']
    name: str
    summary: str
    capabilities: list[str]
    protocols: list[str]
    price: int | None
    access: Literal['public', 'agent', 'outside']
    state: Literal['available', 'future', 'unapproved']


class Reason2(TypedDict):
    need: str
    capability: str


class Result(TypedDict):
    service_id: str
    origin: Literal['first_party', 'registry']
    kind: Literal['rail', 'work_order', 'free_tool', 'candidate']
    summary: str
    score: float
    match: Literal['clear', 'weak']
    available: bool
    price: int | None
    access: Literal['public', 'agent', 'outside']
    reasons: list[Reason2]


class FoundServices(TypedDict):
    results: list[Result]
    query_used: str
    registry_sha256: str


class Check3(TypedDict):
    check: str
    ok: bool
    detail: str


class OutsideService(TypedDict):
    service_id: str
    origin: Literal['registry']
    kind: Literal['candidate']
    name: str | None
    url: str | None
    summary: str | None
    protocols: list[str]
    state: Literal['observed', 'approved', 'denied']
    document_sha256: str | None
    inspected_at: str | None


class ServiceUse(TypedDict):
    use_decision: Literal['accepted_for_review', 'direct_free_tool', 'quote_required']
    work_order: WorkOrder | None
    next_action: str
    receipt: Receipt
    status_token: str | None


class Outcome(TypedDict):
    service_id: str
    operation_id: str
    result: dict[str, Any]
    recorded_at: str


class ServiceOutcome(TypedDict):
    outcome: Outcome
    usage_event_id: str
    receipt: Receipt


Need = TypedDict(
    'Need',
    {
        'pointer': str,
        'quote': str,
        'from': int,
        'to': int,
        'place': NotRequired[str],
    },
)


class Reason3(TypedDict):
    need: Need
    capability: str
    stems: list[str]
    score: float
    match: Literal['clear', 'weak']


MissingItem = TypedDict(
    'MissingItem',
    {
        'pointer': str,
        'quote': str,
        'from': int,
        'to': int,
        'place': NotRequired[str],
    },
)


class RankedItem(TypedDict):
    service_id: str
    name: str
    origin: Literal['first_party', 'registry']
    price_usd: int | None
    available: bool
    match: Literal['clear', 'weak']
    score: float
    reasons: list[Reason3]
    missing: list[MissingItem]


class ExcludedItem(TypedDict):
    service_id: str
    code: Literal['not_approved', 'id_taken', 'rail_not_wanted', 'price_too_high', 'without_price', 'protocol_missing', 'no_match', 'beyond_limit']
    reason: str


class Scouted(TypedDict):
    ranked: list[RankedItem]
    excluded: list[ExcludedItem]
    missing: list[MissingItem]
    registry_size: int
    registry_sha256: str


class Reason4(TypedDict):
    need: Need
    capability: str
    stems: list[str]
    score: float
    match: Literal['clear', 'weak']


class RankedItem1(TypedDict):
    service_id: str
    name: str
    origin: Literal['first_party', 'registry']
    price_usd: int | None
    available: bool
    match: Literal['clear', 'weak']
    score: float
    reasons: list[Reason4]
    missing: list[MissingItem]


class ScoutedWithReceipt(TypedDict):
    ranked: list[RankedItem1]
    excluded: list[ExcludedItem]
    missing: list[MissingItem]
    registry_size: int
    registry_sha256: str
    receipt: Receipt


class Step1(TypedDict):
    step: str
    expected: str
    ok: bool
    detail: str
    status: int | None
    ms: int
    request_sha256: str
    response_sha256: str


class Exchange(TypedDict):
    request: dict[str, Any]
    response: dict[str, Any]


class TranscriptItem(TypedDict):
    step: str
    exchanges: list[Exchange]


class ReadTestRun(TypedDict):
    test_run_id: str
    suite: Literal['agent-to-agent-test-harness', 'external-agent-invocation-test', 'external-agent-agent-test', 'credential-enforcement-agent-test']
    rail: Literal['packetops', 'diligenceops']
    state: Literal['running', 'completed']
    passed: int
    failed: int
    pending: list[str]
    steps: list[Step1]
    transcript_hash: str | None
    report_id: str | None
    usage: Literal['synthetic']
    code_version: str
    began_at: str
    transcript: list[TranscriptItem]


class Scenario(TypedDict):
    step: str
    expected: str


class TestOfTwoAgents(TypedDict):
    contents: list[Literal['discovery', 'MCP tools', 'payment reference', 'rail run', 'return package', 'receipt', 'verification packet', 'transcript hash']]
    scenarios: list[Scenario]


class TestRun(TypedDict):
    test_run_id: str
    suite: Literal['agent-to-agent-test-harness', 'external-agent-invocation-test', 'external-agent-agent-test', 'credential-enforcement-agent-test']
    rail: Literal['packetops', 'diligenceops']
    state: Literal['running', 'completed']
    passed: int
    failed: int
    pending: list[str]
    steps: list[Step1]
    transcript_hash: str | None
    report_id: str | None
    usage: Literal['synthetic']
    code_version: str
    began_at: str


class TestOfForeignClient(TypedDict):
    scenarios: list[Scenario]
    build_date: Literal['2026-06-17']


class TestOfHandedWork(TypedDict):
    scenarios: list[Scenario]


class MatrixItem(TypedDict):
    case: str
    expected: str


class TestOfAccessKeys(TypedDict):
    matrix: list[MatrixItem]


FailedThenNowItem: TypeAlias = int


class Trend(TypedDict):
    reports: int
    with_failures: int
    steps_passed: int
    steps_failed: int
    failed_then_now: list[FailedThenNowItem] | None


class RegressionReport(TypedDict):
    report_id: str
    test_run_id: str | None
    origin: Literal['service', 'caller']
    verified: bool
    suite: str
    passed: int
    failed: int
    transcript_hash: str
    code_version: str
    note: str | None
    at: str


class RegressionDiff(TypedDict):
    newly_failing: list[str]
    fixed: list[str]


class StoredRegressionReport(TypedDict):
    report: RegressionReport
    diff: RegressionDiff


class KeyVersion(TypedDict):
    version: int
    key_id: str
    public_key: PublicKey | None
    state: Literal['pending', 'active', 'retiring', 'retired', 'revoked']
    not_before: str | None
    retire_at: str | None
    revoked_at: str | None


class KeyRotation(TypedDict):
    version: KeyVersion
    previous: KeyVersion
    next_action: str
    receipt: Receipt


class ServiceKeyRotation(TypedDict):
    rotation_id: str
    ring: Literal['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log']
    state: Literal['requested', 'published', 'active', 'done']
    next_kid: str | None
    previous_kid: str | None
    revoke_old: bool
    overlap_seconds: int
    reason: str
    requested_at: str
    activate_at: str | None
    retire_at: str | None
    done_at: str | None


class AgentStatement(TypedDict):
    version: int
    key_id: str
    jws: str
    payload_sha256: str
    audit_event_id: str


class StatementVerification(TypedDict):
    valid: bool
    version: int | None
    key_id: str | None
    key_state_at_signing: Literal['pending', 'active', 'retired', 'revoked'] | None
    reasons: list[str]
    claims: dict[str, Any] | None


class Step3(TypedDict):
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']
    state: Literal['to_do', 'waits', 'done', 'refused', 'too_complex', 'gaps', 'revise', 'reject']
    started_at: str | None
    finished_at: str | None
    output_sha256: str | None
    tries: int


class Loop(TypedDict):
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation'] | None
    index: int | None
    steps: list[Step3]


class Run(TypedDict):
    run_id: str
    task_id: str
    task_token: str
    state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    waiting_for: list[Literal['credit', 'input', 'review', 'evidence', 'callback', 'recovery']]
    waiting_since: str | None
    gaps: list[Gap]
    required_action: RequiredAction | None
    next_action: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    loop: Loop
    work_order_id: str | None
    quote_id: str | None
    entitlement_id: str | None
    payment_reference_id: str | None
    return_package_id: str | None
    proof_hash: str | None
    completion_signature: str | None
    settlement_receipt_id: str | None
    usage_receipt_id: str | None
    links: dict[str, str]


class ResultContract(TypedDict):
    version: Literal['v2']
    split_version: Literal['1.0']
    settlement_receipt_id: str | None
    usage_receipt_id: str | None


class Key3(TypedDict):
    kid: str
    standing: Literal['published', 'active', 'retired', 'revoked']


class Completion(TypedDict):
    verdict: Literal['proven', 'refused', 'indeterminate']
    checks: list[Check3]
    keys: list[Key3]


class NextAction(TypedDict):
    action: Literal['fetch_receipt', 'verify_receipt', 'record_receipt']
    method: Literal['GET', 'POST']
    url: str
    purpose: str


class Citation(TypedDict):
    pointer: str
    quote: NotRequired[str]


class Finding(TypedDict):
    code: str
    detail: str
    citations: list[Citation]


class Gap1(TypedDict):
    code: str
    detail: str
    citations: list[Citation]
    kind: Literal['needed', 'advisory']
    pointer: str
    filled_by: str


class File(TypedDict):
    name: str
    sha256: str
    bytes: int


Citation2 = TypedDict(
    'Citation2',
    {
        'pointer': str,
        'quote': str,
        'from': int,
        'to': int,
        'place': NotRequired[str],
    },
)


class Sentence(TypedDict):
    text: str
    citations: list[Citation2]


class Draft(TypedDict):
    about: str
    sentences: list[Sentence]


class Citation3(TypedDict):
    pointer: str
    quote: NotRequired[str]


class Finding1(TypedDict):
    code: str
    detail: str
    citations: list[Citation3]


class Call(TypedDict):
    about: str
    prompt_sha256: str
    output_sha256: str | None
    model: str | None
    outcome: Literal['answered', 'budget_exhausted', 'rate_limited', 'refused', 'timeout', 'unreachable', 'unreadable', 'interrupted', 'not_configured', 'not_called']
    tokens: int | None


class Drafts(TypedDict):
    notice: Literal['A model wrote these drafts. They are no part of the result. Each sentence quotes the input at the places that it names; check what it says before you use it.']
    drafts: list[Draft]
    findings: list[Finding1]
    calls: list[Call]


class Signature(TypedDict):
    alg: str
    key_id: str | None
    key_state_at_issue: Literal['published', 'active', 'retired', 'revoked', 'unknown']
    key_state_at: Literal['published', 'active', 'retired', 'revoked', 'unknown']
    valid: bool


class VerificationPacket(TypedDict):
    verified: bool
    receipt_id: str
    kind: str | None
    usage: str | None
    log_state: Literal['included', 'pending', 'absent', 'exempt', 'not_checked']
    leaf_index: int | None
    tree_size: int | None
    checks: list[Check3]
    signature: Signature
    payload_sha256: str | None
    verified_at: str


class Completion1(TypedDict):
    verdict: Literal['proven', 'refused', 'indeterminate']
    checks: list[Check3]
    keys: list[Key3]


class Record1(TypedDict):
    verdict: Literal['proven', 'refused', 'indeterminate']
    checks: list[Check3]
    keys: list[Key3]


class Review1(TypedDict):
    decision_id: str
    subject_kind: str
    decision: Literal['approve', 'reject', 'revise', 'hold']
    operator_name: str
    receipt_id: str
    decided_at: str


class Criterion(TypedDict):
    criterion: str
    met: bool
    verdict: Literal['met', 'not_met', 'not_judged']
    note: str


class LedgerEntry(TypedDict):
    sequence: int
    event: Literal['submit', 'preflight_passed', 'preflight_rejected', 'contract_prepared', 'contract_accepted', 'contract_declined', 'contract_lapsed', 'trust_requested', 'trust_granted', 'trust_denied', 'quote_issued', 'credit_requested', 'quote_lapsed', 'credit_funded', 'credit_lapsed', 'enqueued', 'review_rejected', 'started', 'evidence_missing', 'result_produced', 'evidence_supplied', 'evidence_waived', 'result_attested', 'receipts_issued', 'callback_scheduled', 'callback_delivered', 'closed', 'exception_raised', 'input_proposed', 'input_declined', 'replay_prepared', 'replayed', 'abandoned']
    from_state: Literal['none', 'created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    to_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    at: str
    actor: str
    data_sha256: str
    prev_hash: str
    hash: str


class DeclinedInput(TypedDict):
    input_sha256: str
    reason: str
    by: str
    at: str


class TaskException(TypedDict):
    exception_id: str
    task_id: str
    code: Literal['evidence_gap', 'input_invalid', 'input_too_complex', 'worker_failed', 'validator_failed', 'payment_reversed', 'credit_mismatch', 'callback_failed', 'deadline_passed', 'operator_hold', 'caller_dispute']
    detail: str
    state: Literal['open', 'recovery_requested', 'replay_ready', 'resolved', 'abandoned']
    resume_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed'] | None
    allowed_recoveries: list[Literal['supply_evidence', 'correct_input', 'retry_step', 'redeliver_callback', 'replay', 'abandon']]
    money_moved: Literal['no', 'yes', 'unknown']
    receipt_id: str
    proposed_input_sha256: str | None
    declined_input: DeclinedInput | None
    opened_at: str
    closed_at: str | None


class AgentRuns(TypedDict):
    items: list[Run]
    offset: int
    limit: int
    total: int
    totals: dict[Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed'], int]


class Completion2(TypedDict):
    criteria: list[Criterion]


class SelfServeRun(TypedDict):
    run: Run
    completion: Completion2


class SelfServeLoopContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    sequence: list[str]


class SubmittedRun(TypedDict):
    run: Run
    waiting_for: list[Literal['credit', 'input', 'review', 'evidence', 'callback', 'recovery']]


class ReturnPackageTarget(TypedDict):
    return_package_id: str
    url: str


class WalletRun(TypedDict):
    wallet_id: str
    payment_intent_id: str
    settlement_reference: str
    receipt_id: str
    work_order: WorkOrder
    return_package_target: ReturnPackageTarget
    run: Run


class WalletRunContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    fee_model: str


class StartedWalletRun(TypedDict):
    wallet_id: str
    payment_intent_id: str
    settlement_reference: str
    receipt_id: str
    work_order: WorkOrder
    return_package_target: ReturnPackageTarget
    run: Run
    status_token: str


class Sample(TypedDict):
    key: Literal['soc2_evidence_packet', 'vendor_security_questionnaire', 'insurance_renewal_compliance_packet']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    section_count: int
    url: str


class ComplianceSamples(TypedDict):
    samples: list[Sample]


class ObligationObject(TypedDict):
    statement: str
    due_at: str | None
    amount_usd: int | None


class Check8(TypedDict):
    check: Literal['run', 'package', 'receipts', 'payment', 'obligation', 'policy']
    outcome: Literal['passed', 'open', 'review', 'failed']
    detail: str


class EvidenceEnvelope(TypedDict):
    run_id: str
    usage: Literal['synthetic', 'operational']
    task_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    ledger_head: str
    ledger_entries: int
    contract_id: str | None
    terms_sha256: str | None
    return_package_id: str | None
    manifest_sha256: str | None
    proof_hash: str | None
    settlement_receipt_id: str | None
    usage_receipt_id: str | None
    envelope_sha256: str
    checks: list[Check8]


class PolicyScope(TypedDict):
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None
    amount_usd_max: int | None
    data: str | None


class PaymentReference1(TypedDict):
    payment_reference_id: str
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    amount_usd: int
    state: str
    settlement_receipt_id: str | None


class Clearing(TypedDict):
    clearing_id: str
    obligation_object: ObligationObject
    evidence_envelope: EvidenceEnvelope
    policy_scope: PolicyScope
    payment_reference: PaymentReference1 | None
    run_receipt: Receipt
    proof_state: Literal['missing', 'partial', 'proven', 'invalid']
    clearing_decision: Literal['cleared', 'retry', 'human_review', 'blocked']
    retry_available: bool
    handoff_ready: bool
    next_endpoint: str


class SampleClearing(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    clearing: Clearing


class LoopRun(TypedDict):
    run: Run


class LoopPattern(TypedDict):
    pattern: list[Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']]
    current_rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    future_rail: NotRequired[str]
    live: dict[Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation'], int]
    counted_max: int


Period = TypedDict(
    'Period',
    {
        'from': str,
        'to': str,
    },
)


class Item1(TypedDict):
    name: str
    section: str
    sha256: str
    bytes: int | None
    issued_at: str | None
    expires_at: str | None
    source: str | None
    digest: Literal['verified', 'computed', 'claimed', 'mismatch']
    validity: Literal['current', 'expired', 'stale', 'future', 'undated', 'unjudged']
    reading: Literal['written', 'failing', 'empty', 'placeholder', 'unfinished', 'thin', 'contradicted', 'binary', 'unread']
    owner: str | None
    approved_by: str | None
    period: Period | None
    superseded_by: str | None
    points: int
    leaf_sha256: str


class Item2(TypedDict):
    pointer: str
    quote: str


class SectionCoverageItem(TypedDict):
    section: str
    title: str
    required: bool
    max_age_days: int | None
    state: Literal['present', 'partial', 'unusable', 'failing', 'missing']
    points: int
    reasons: list[str]
    items: list[Item2]


class Readiness(TypedDict):
    score: int
    rule: str


class PacketManifest(TypedDict):
    state: Literal['provisional', 'final']
    items: list[Item1]
    merkle_root: str
    section_coverage: list[SectionCoverageItem]
    readiness: Readiness
    complete: bool


class RequiredSection(TypedDict):
    section: str
    title: str


class PacketLoop(TypedDict):
    manifest_schema: dict[str, Any]
    required_sections: dict[Literal['soc2_evidence_packet', 'iso27001_evidence_packet', 'vendor_security_questionnaire', 'insurance_renewal_compliance_packet'], list[RequiredSection]]


class StartedPacketRun(TypedDict):
    run: Run
    challenge: PaymentChallenge | None
    receipts: list[Receipt]
    result_contract: ResultContract
    manifest: PacketManifest | None


class Stage(TypedDict):
    stage: Literal['product_card', 'quote', 'checkout', 'run', 'return_package', 'proof', 'receipt']
    state: Literal['to_do', 'done', 'held']
    evidence_id: str | None


class ProductRun(TypedDict):
    run: Run
    stages: list[Stage]


class ProductLoop(TypedDict):
    stages: list[Literal['product_card', 'quote', 'checkout', 'run', 'return_package', 'proof', 'receipt']]
    product_cards: list[ProductCard]
    sample_path: str


class StartedProductRun(TypedDict):
    run: Run
    challenge: PaymentChallenge | None
    receipts: list[Receipt]
    result_contract: ResultContract
    stages: list[Stage]


class DecidedBy(TypedDict):
    operator_id: str
    operator_name: str


class Decision(TypedDict):
    decision_id: str
    subject_kind: str
    subject_id: str
    decision: Literal['approve', 'reject', 'revise', 'hold']
    note: str
    decided_by: DecidedBy
    waiting_since: str
    decided_at: str
    evidence_root_sha256: str
    receipt_id: str


class Step4(TypedDict):
    attempt: int
    round: int
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']
    verdict: str | None
    output_sha256: str | None
    decided_by: str | None
    finished_at: str | None


class Loop1(TypedDict):
    run_id: str
    task_id: str
    steps: list[Step4]


class LedgerHead(TypedDict):
    task_id: str
    state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    entries: int
    head_hash: str
    review_decision: str | None


class Receipt1(TypedDict):
    receipt_id: str
    kind: str
    subject: str
    jws: str


class LoopAuditPack(TypedDict):
    decisions: list[Decision]
    loops: list[Loop1]
    ledger_heads: list[LedgerHead]
    receipts: list[Receipt1]
    offset: int
    limit: int
    total: int
    pack_sha256: str
    jws: str


class ChainItem(TypedDict):
    step: Literal['request', 'auth_validation', 'tool_scope', 'payload_validation', 'runtime_write', 'audit_event', 'controlled_pilot']
    ok: bool
    detail: str
    evidence_id: str | None


class Granted(TypedDict):
    credential_id: str
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]


class Step5(TypedDict):
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']
    state: Literal['to_do', 'waits', 'done', 'refused', 'too_complex', 'gaps', 'revise', 'reject']
    started_at: str | None
    finished_at: str | None
    output_sha256: str | None
    tries: int


class Loop2(TypedDict):
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation'] | None
    index: int | None
    steps: list[Step5]


class RunOfPilot(TypedDict):
    run_id: str
    task_id: str
    state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    waiting_for: list[Literal['credit', 'input', 'review', 'evidence', 'callback', 'recovery']]
    waiting_since: str | None
    gaps: list[Gap]
    required_action: RequiredAction | None
    next_action: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    loop: Loop2
    work_order_id: str | None
    quote_id: str | None
    entitlement_id: str | None
    payment_reference_id: str | None
    return_package_id: str | None
    proof_hash: str | None
    completion_signature: str | None
    settlement_receipt_id: str | None
    usage_receipt_id: str | None


class ControlledPilotContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    chain: list[Literal['request', 'auth_validation', 'tool_scope', 'payload_validation', 'runtime_write', 'audit_event', 'controlled_pilot']]
    tool_scope: list[str]


class ActivatedPilot(TypedDict):
    activation_id: str | None
    chain: list[ChainItem]
    tool_scope: list[str]
    granted: Granted | None
    pilot: PilotModel
    run: Run
    audit_event_id: str
    challenge: PaymentChallenge | None
    status_token: str | None


class ReadyToRunItem(TypedDict):
    pilot_id: str
    evidence_root_sha256: str
    is_paid: bool


class ReviewDecision(TypedDict):
    decision: Literal['approve', 'reject', 'revise', 'hold']
    work_order_id: str
    receipt_id: str


class BegunPilot(TypedDict):
    activation_id: str | None
    chain: list[ChainItem]
    tool_scope: list[str]
    granted: Granted | None
    pilot: PilotModel
    run: RunOfPilot | None
    audit_event_id: str | None
    funding: Literal['settled_payment', 'granted_entitlement', 'synthetic'] | None
    synthetic_runs: list[str]
    review_decision: ReviewDecision | None


class Check9(TypedDict):
    check: Literal['scoped_key', 'idempotency', 'allowed_rail', 'https_callback', 'audit_event']
    rule: str


class OperationsBehindGateItem(TypedDict):
    operation_id: str
    method: str
    path: str
    tool: Literal['list_rails', 'quote_run', 'create_payment_challenge', 'start_rail_run', 'get_run_status', 'fetch_return_package', 'record_receipt', 'validate_production_write', 'find_services', 'inspect_service', 'request_service_use', 'run_service', 'execute_first_paid_production_run', 'run_agent_to_agent_test', 'get_provider_callback_receiver_examples', 'publish_verified_commerce_proof', 'read_verified_commerce_activity', 'run_external_agent_invocation_test', 'persist_regression_report', 'store_regression_report', 'read_recent_regressions', 'enforce_agent_credential', 'read_signing_versions', 'rotate_signing_credential', 'sign_with_active_signing_version', 'verify_signature_by_version', 'execute_directory_submission'] | None
    scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    callback: Literal['required', 'if_given']
    written: int
    validated: int
    refused: int


class Check10(TypedDict):
    check: str
    ok: bool
    detail: str


class Event(TypedDict):
    audit_event_id: str
    kind: Literal['validated', 'written', 'refused']
    operation_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    subject: str
    passed: bool
    code: str | None
    checks: list[Check10]
    at: str


class WriteGate(TypedDict):
    checks: list[Check9]
    allowed_rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    operations_behind_gate: list[OperationsBehindGateItem]
    paused: str | None
    event: Event | None


class GateCheck(TypedDict):
    check: Literal['scoped_key', 'idempotency', 'allowed_rail', 'https_callback', 'audit_event']
    ok: bool
    detail: str


class Gate(TypedDict):
    checks: list[GateCheck]


class ProductionBinding(TypedDict):
    customer_account: str
    work_order_id: str | None
    payment_reference_id: str | None
    return_package_id: str | None
    receipt_id: str | None
    completion_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']


class StartedProductionRun(TypedDict):
    binding: ProductionBinding
    run: Run
    gate: Gate
    audit_event_id: str
    challenge: PaymentChallenge | None


class SuccessCondition(TypedDict):
    condition: Literal['customer_account', 'work_order', 'payment_reference', 'mcp_tool_path', 'return_package', 'receipt', 'proof_hash', 'completion_signature']
    met: bool
    evidence_id: str | None
    detail: str


class Runs(TypedDict):
    running: int
    reached: int
    unmet: int


class FirstPaidRunContract(TypedDict):
    success_condition: list[Literal['customer_account', 'work_order', 'payment_reference', 'mcp_tool_path', 'return_package', 'receipt', 'proof_hash', 'completion_signature']]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    reached: bool
    first_run_id: str | None
    runs: Runs


class StartedFirstPaidRun(TypedDict):
    binding: ProductionBinding
    run: Run
    gate: Gate
    audit_event_id: str
    success_condition: list[SuccessCondition]
    reached: bool | None
    publication_consent: bool
    receipt: Receipt | None
    challenge: PaymentChallenge | None


class Step6(TypedDict):
    step: Literal['registered', 'trusted', 'quoted', 'paid', 'work_order_approved', 'first_run_completed', 'receipt_issued']
    state: Literal['done', 'open']
    evidence_id: str | None


class CustomerActivation(TypedDict):
    activation_id: str
    customer_account: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    started_at: str
    steps: list[Step6]
    next_action: str


class StartedCustomerActivation(TypedDict):
    activation: CustomerActivation


AcceptanceCriterion: TypeAlias = str


class FiringTerms(TypedDict):
    version: Literal['firing-terms-v1']
    contract: str
    data_policy: str
    data_declaration: str


class WorkflowFiring(TypedDict):
    firing_id: str
    due_at: str
    state: Literal['due', 'started', 'refused']
    run_id: str | None
    work_order_id: str | None
    code: str | None
    detail: str | None
    terms_sha256: str
    charged_usd: int | None


class Review2(TypedDict):
    subject_kind: Literal['workflow']
    subject_id: str
    state: Literal['waiting']


class OwnPilot(TypedDict):
    pilot: PilotModel


class PilotIntakeContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    requirements: list[str]


class RequestedPilot(TypedDict):
    pilot: PilotModel
    work_order: WorkOrder
    receipt: Receipt
    status_token: str


class PilotEntry(TypedDict):
    entry_id: str
    number: int
    at: str
    author_role: Literal['client', 'operator', 'service']
    kind: Literal['message', 'question', 'answer', 'decision', 'next_step']
    text: str
    text_sha256: str
    next_step: bool
    due_at: str | None
    prev_hash: str


class AddedPilotEntry(TypedDict):
    entry: PilotEntry
    pilot: PilotModel


class PilotInvitation(TypedDict):
    pilot: PilotModel
    invitation_token: str
    response_url: str
    expires_at: str


class Terms(TypedDict):
    pilot_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int
    currency: Literal['usd']
    objective: str
    expires_at: str
    runs: Literal[1]
    rules: list[str]


class Invitation(TypedDict):
    terms: Terms
    terms_sha256: str
    expires_at: str
    state: Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']


class InvitationContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]


class AnsweredInvitation(TypedDict):
    pilot: PilotModel
    next_action: str
    receipt: Receipt


class Condition(TypedDict):
    condition: Literal['activated', 'paid', 'approved', 'delivered', 'charged']
    met: bool


class PilotRun(TypedDict):
    pilot: PilotModel
    run: RunOfPilot | None
    conditions: list[Condition]


class PilotRunContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]


class StartedPilotRun(TypedDict):
    pilot: PilotModel
    binding: ProductionBinding
    run: Run
    gate: Gate
    audit_event_id: str
    challenge: PaymentChallenge | None


class Tier(TypedDict):
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int


class PilotOffer(TypedDict):
    rail: Literal['tokenops', 'financeops', 'energyops']
    tiers: list[Tier]
    sample_url: str
    requirements: list[str]


class LaunchedPilot(TypedDict):
    pilot: PilotModel
    quote: Quote
    challenge: PaymentChallenge
    receipt: Receipt
    status_token: str


class StoredInput(TypedDict):
    sha256: str
    byte_length: int
    media_type: Literal['text/csv', 'application/x-ndjson', 'application/pdf', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'image/png', 'image/jpeg', 'text/plain']
    stored_at: str
    kept_until: str | None


class WebhookRules(TypedDict):
    signatures: list[str]
    age_seconds_max: int
    event_types: list[Literal['payment.settled', 'payment.failed', 'payment.refunded', 'refund.failed', 'session.expired']]
    amount: str
    repeated: str


class Step7(TypedDict):
    step: Literal['provider_event', 'webhook_verification', 'provider_confirmation', 'credit_funding_event', 'settlement_receipt', 'run_eligibility', 'result_contract', 'callback']
    done_at: str | None
    evidence_id: str | None


class OperatorDecision(TypedDict):
    decision: Literal['approve', 'reject', 'revise', 'hold']
    decided_at: str
    receipt_id: str


class ProviderActivation(TypedDict):
    sequence: list[Literal['provider_event', 'webhook_verification', 'provider_confirmation', 'credit_funding_event', 'settlement_receipt', 'run_eligibility', 'result_contract', 'callback']]
    webhook_rules: WebhookRules
    steps: list[Step7] | None
    operator_decision: OperatorDecision | None


class Event1(TypedDict):
    event: str
    headers: dict[str, str]
    body: str
    signature: str
    public_key: str
    verifies: bool


class Receiver(TypedDict):
    language: Literal['typescript', 'python', 'go', 'shell']
    code: str


class RetryRules(TypedDict):
    attempts: int
    seconds_before_each: list[int]
    jitter: str
    taken_by: str
    ended_by: str


class CallbackExamples(TypedDict):
    signed_at: int
    events: list[Event1]
    receivers: list[Receiver]
    retry_rules: RetryRules


class Check11(TypedDict):
    check: Literal['headers', 'time', 'signature']
    ok: bool


class ReceivedCallback(TypedDict):
    verified: Literal[True]
    checks: list[Check11]
    delivery_id: str
    duplicate: bool
    nonce: NotRequired[str]


class Item3(TypedDict):
    delivery_id: str
    event: str
    verified: Literal[True]
    received_at: str | None
    attempts: int


class CallbackInbox(TypedDict):
    items: list[Item3]


class Check12(TypedDict):
    check: str
    ok: bool
    detail: str


class Payment(TypedDict):
    quote_id: str | None
    entitlement_id: str | None


class ResultContract1(TypedDict):
    version: Literal['v2']
    split_version: Literal['1.0']


class RunContract(TypedDict):
    contract_id: str | None
    version: Literal['v2']
    task_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    terms_sha256: str | None
    accepted_by: str | None
    input_sha256: str | None
    review_decision: str | None
    payment: Payment
    result_contract: ResultContract1


class Record2(TypedDict):
    record_kind: Literal['onboarding', 'trust_profile', 'credential_envelope', 'quote', 'provider_route', 'credit_entitlement', 'run_contract', 'task_run', 'lifecycle_event', 'result_contract', 'settlement_receipt', 'usage_receipt', 'callback_delivery', 'ledger_event', 'attestation']
    record_id: str
    recorded_at: str


class TakenStep(TypedDict):
    name: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']
    attempt: int
    round: int
    verdict: Literal['done', 'refused', 'too_complex', 'gaps', 'revise', 'reject'] | None
    started_at: str
    ended_at: str | None
    tries: int
    decided_by: str | None
    output: Any
    output_sha256: str | None
    output_bytes: int | None


class TaskAttestation(TypedDict):
    attestation: Receipt
    verification_packet: VerificationPacket


class TaskExceptions(TypedDict):
    items: list[TaskException]
    allowed_recoveries: list[Literal['supply_evidence', 'correct_input', 'retry_step', 'redeliver_callback', 'replay', 'abandon']]
    proposed_input: dict[str, Any] | None
    waiting_for: list[Literal['credit', 'input', 'review', 'evidence', 'callback', 'recovery']]
    waiting_since: str | None
    gaps: list[Gap]
    required_action: RequiredAction | None
    next_action: str


class RecoveryRequest(TypedDict):
    recovery_id: str
    action: Literal['supply_evidence', 'correct_input', 'retry_step', 'redeliver_callback', 'replay', 'abandon']
    state: Literal['requested', 'approved', 'refused', 'done']
    needs_review: bool
    input_sha256: str | None
    requested_by: str
    requested_at: str
    decided_by: str | None


class LoopStep(TypedDict):
    attempt: int
    round: int
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']
    verdict: Literal['done', 'refused', 'too_complex', 'gaps', 'revise', 'reject'] | None
    output_sha256: str | None


class Document(TypedDict):
    sha256: str
    content: Any


class ReturnPackage1(TypedDict):
    return_package_id: str
    run_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    partial: bool
    input_sha256: str
    loop_sha256: str
    result_sha256: str
    manifest_sha256: str
    report_version: NotRequired[int]
    drafts_sha256: NotRequired[str]
    proof_hash: str
    completion_signature: str


class Key6(TypedDict):
    kid: str
    kty: str
    crv: NotRequired[str]
    x: NotRequired[str]
    use_for: str
    activated_at: NotRequired[str | None]
    retired_at: str | None
    revoked_at: str | None


class Keys(TypedDict):
    keys: list[Key6]


class LedgerEntryWithData(TypedDict):
    sequence: int
    event: Literal['submit', 'preflight_passed', 'preflight_rejected', 'contract_prepared', 'contract_accepted', 'contract_declined', 'contract_lapsed', 'trust_requested', 'trust_granted', 'trust_denied', 'quote_issued', 'credit_requested', 'quote_lapsed', 'credit_funded', 'credit_lapsed', 'enqueued', 'review_rejected', 'started', 'evidence_missing', 'result_produced', 'evidence_supplied', 'evidence_waived', 'result_attested', 'receipts_issued', 'callback_scheduled', 'callback_delivered', 'closed', 'exception_raised', 'input_proposed', 'input_declined', 'replay_prepared', 'replayed', 'abandoned']
    from_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed', 'none']
    to_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    at: str
    actor: str
    data_sha256: str
    prev_hash: str
    hash: str
    data: dict[str, Any]


class WorkOrderProposal(TypedDict):
    run_id: str
    exception_id: str
    reason: str
    input_sha256: str
    proposed_input_sha256: str
    proposed_input: dict[str, Any]


class QueuedWorkOrder(TypedDict):
    work_order: WorkOrder
    rail_run: Run
    rail_runs: list[Run]
    receipt: Receipt
    verification_packet: VerificationPacket
    trust_ledger_record: LedgerEntry
    status_token: str


class Claim(TypedDict):
    claim_id: str
    work_order_id: str
    agent_id: str
    state: Literal['held', 'delivered', 'accepted', 'rejected', 'released', 'expired']
    claimed_at: str
    expires_at: str
    delivered_at: str | None
    ended_at: str | None
    reason: str | None
    terms_sha256: str | None
    receipt_id: str | None
    input: dict[str, Any] | None


class OpenWorkOrder(TypedDict):
    work_order_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    objective_summary: str
    acceptance_criteria: list[str]
    deadline: str
    reward_note: str


class ClaimedWorkOrder(TypedDict):
    work_order_id: str
    state: Literal['queued', 'approved', 'claimed', 'operating', 'delivered', 'completed', 'rejected', 'failed']
    objective: str
    acceptance_criteria: list[str]
    deadline: str
    reward_note: str


class WorkOrderClaim(TypedDict):
    claim_id: str
    work_order_id: str
    agent_id: str
    state: Literal['held', 'delivered', 'accepted', 'rejected', 'released', 'expired']
    claimed_at: str
    expires_at: str
    delivered_at: str | None
    ended_at: str | None
    reason: str | None
    terms_sha256: str | None
    receipt_id: str | None


class WorkOrderInputReference(TypedDict):
    run_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    input_sha256: str
    url: str


class Artifact(TypedDict):
    name: str
    sha256: str
    bytes: NotRequired[int]
    content: str


class Claim1(TypedDict):
    claim: str
    artifact: str


class DeliveredPackageInput(TypedDict):
    artifacts: list[Artifact]
    claims: NotRequired[list[Claim1]]


class Validation(TypedDict):
    checks: list[Check12]


class Review3(TypedDict):
    subject_kind: Literal['loop_step']
    subject_id: str
    state: Literal['waiting', 'approved', 'rejected']


class DeliveredToExchange(TypedDict):
    work_order: ClaimedWorkOrder
    claim: WorkOrderClaim
    validation: Validation
    review: Review3
    receipt: Receipt


class ReleasedToExchange(TypedDict):
    work_order: ClaimedWorkOrder
    claim: WorkOrderClaim


class WaitingSubject(TypedDict):
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    subject_id: str
    state: str
    waiting_since: str
    rail: str | None
    summary: str
    evidence_links: list[str]
    amount_usd: int | None
    evidence_root_sha256: str | None
    criteria_sha256: str | None
    allowed_decisions: list[Literal['approve', 'reject', 'revise', 'hold']]
    waiting_for: list[Literal['credit', 'input', 'review', 'evidence', 'callback', 'recovery']]
    gaps: list[Gap]
    required_action: RequiredAction | None


class CompactWaitingSubject(TypedDict):
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    subject_id: str
    state: str
    waiting_since: str


class Part(TypedDict):
    name: str
    sha256: str
    bytes: int
    media_type: Literal['application/json', 'text/csv', 'application/x-ndjson']
    content: Any


class ReviewEvidence(TypedDict):
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    subject_id: str
    waiting_since: str
    parts: list[Part]
    root_sha256: str


class ReviewEvidencePart(TypedDict):
    name: str
    sha256: str
    bytes: int
    offset: int
    next_offset: int | None
    text: str


class Judgement(TypedDict):
    criterion: str
    verdict: Literal['met', 'not_met', 'not_judged']
    note: str


class ReviewDecision2(TypedDict):
    decision_id: str
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    subject_id: str
    decision: Literal['approve', 'reject', 'revise', 'hold']
    note: str
    judgements: list[Judgement]
    decided_by: DecidedBy
    at: str


class Subject(TypedDict):
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    subject_id: str
    state: str
    view: dict[str, Any]


class ReviewDecision1(TypedDict):
    review_decision: ReviewDecision2
    subject: Subject
    receipt: Receipt


class Refused(TypedDict):
    code: str
    detail: str


class ActOutcome(TypedDict):
    id: str
    state: str | None
    receipt_id: str | None
    refused: Refused | None


class HardeningControl(TypedDict):
    control: Literal['webhook_verification', 'release_controls', 'rate_limits', 'abuse_controls', 'legal_terms', 'pauses', 'key_age', 'log_checkpoint_age', 'credential_enforcement']
    state: Literal['on', 'off', 'stale']
    measured_at: str
    detail: str
    read: list[str]


class Operator(TypedDict):
    operator_id: str
    name: str


class Control(TypedDict):
    scope: Literal['service', 'payouts', 'wallet', 'payout', 'rail', 'agent']
    target: str | None
    paused: bool
    reason: str
    operator: Operator
    changed_at: str


class Affected(TypedDict):
    tasks: int
    payouts: int


class ControlChange(TypedDict):
    control: Control
    affected: Affected
    receipt: Receipt


class LastRun(TypedDict):
    reconciliation_id: str
    scope: Literal['changed', 'all']
    from_block: int
    through_block: int
    compared: int
    differences: int
    started_at: str
    completed_at: str | None


class ReconciliationException(TypedDict):
    exception_id: str
    code: str
    subject: str
    state: Literal['open', 'closed']
    evidence: dict[str, Any]
    seen: bool
    first_seen_at: str
    last_seen_at: str
    closed_at: str | None
    closed_by: str | None
    reason: str | None


class ClosedException(TypedDict):
    exception: ReconciliationException
    receipt: Receipt


class OperatorModel(TypedDict):
    operator_id: str
    name: str
    created_at: str
    revoked_at: str | None


class RevokedOperator(TypedDict):
    operator: OperatorModel
    receipt: Receipt


class OperatorSession(TypedDict):
    operator_id: str
    name: str
    expires_at: str | None


class CurrentSession(TypedDict):
    session: OperatorSession


class EndedSession(TypedDict):
    ended: Literal[True]


class Count(TypedDict):
    action: Literal['decide', 'recover', 'close_difference']
    kind: str
    count: int


class InboxItem(TypedDict):
    action: Literal['decide', 'recover', 'close_difference']
    kind: str
    id: str
    state: str
    code: str | None
    rail: str | None
    amount_usd: str | None
    summary: str
    waiting_since: str
    allowed_decisions: list[Literal['approve', 'reject', 'revise', 'hold']]
    evidence_root_sha256: str | None
    criteria_sha256: str | None


class WorkLine(TypedDict):
    kind: Literal['payout', 'task']
    id: str
    state: str
    rail: str
    usage: str
    owner: str | None
    amount_usd: str | None
    created_at: str


class RunProgress(TypedDict):
    run_id: str
    step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation'] | None
    done: int
    of: int
    attempt: int
    round: int
    bytes_read: int | None
    bytes_total: int | None


class WorkTrace(TypedDict):
    trace_id: str
    url: str | None


class TimelineEvent(TypedDict):
    at: str
    what: Literal['state', 'receipt', 'transaction', 'step']
    name: str
    detail: str
    reference: str | None
    url: str | None


class RecoveryOutcomes(TypedDict):
    outcomes: list[ActOutcome]


class PayoutWallet(TypedDict):
    address: str
    balance_usdc: str | None


class DailyCap(TypedDict):
    cap_usdc: str
    used_usdc: str
    left_usdc: str


class GasWallet(TypedDict):
    address: str
    balance_wei: str | None
    open_transactions: int
    oldest_nonce: str | None
    waiting_seconds: int
    jammed: bool


class Credit1(TypedDict):
    outstanding_units: int
    funded: int
    reserved_units: int
    wallet_units: int
    debt_units: int
    revenue_units: int
    fee_units: int


class CallFees(TypedDict):
    settled: int
    usdc: str
    credits: int


class Series(TypedDict):
    at: str
    paid_out: float
    earned: float
    credited: float


class Statement(TypedDict):
    day: str
    sha256: str
    kid: str
    made_at: str


class Money(TypedDict):
    payout_wallet: PayoutWallet
    daily_cap: DailyCap
    gas_wallets: list[GasWallet]
    credit: Credit1
    call_fees: CallFees
    series: list[Series]
    statements: list[Statement]
    open_differences: int


class PilotLine(TypedDict):
    pilot_id: str
    source: Literal['intake', 'invitation', 'offer', 'controlled']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int
    client: Client
    objective: str
    workflow_description: str | None
    desired_start: str | None
    state: Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']
    work_order_id: str | None
    run_work_order_id: str | None
    runs: list[str]
    payment: Literal['none', 'under_way', 'reserved', 'applied', 'returned', 'credit']
    next_step: str
    created_at: str
    contact: str | None
    agent_id: str | None
    state_since: str
    waiting_since: str | None


class AgentLine(TypedDict):
    agent_id: str
    name: str
    sandbox: bool
    trust_state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    trust_since: str
    rails: list[str]
    limits: dict[str, Any] | None
    credential_id: str | None
    credential_state: str | None
    credential_expires_at: str | None
    open_tasks: int
    created_at: str


class Trust1(TypedDict):
    state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    decided_at: str | None
    decision_id: str | None
    limits: Limits3 | None


class AgentOfOperators(TypedDict):
    agent_id: str
    account_id: str
    name: str
    trust: Trust1
    capabilities: list[str]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    callback_url: str | None
    publish_profile: bool
    created_at: str


class AccessKey(TypedDict):
    credential_id: str
    version: int
    scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    state: Literal['pending', 'active', 'retiring', 'retired', 'revoked']
    rotate_by: str | None
    created_at: str
    claimed_at: str | None
    revoked_at: str | None


class TrustDecision(TypedDict):
    decision: Literal['approve', 'reject', 'revise', 'hold']
    note: str
    limits: dict[str, Any] | None
    operator_name: str
    decided_at: str
    receipt_id: str


class PreviousLimits(TypedDict):
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]]
    scopes: NotRequired[list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]]
    max_usd: NotRequired[int]
    concurrent_runs: NotRequired[int]


class AgentLimitsChange(TypedDict):
    agent_id: str
    limits: Limits3
    previous_limits: PreviousLimits | None
    receipt: Receipt


class RevokedAccessKey(TypedDict):
    credential: AgentCredential
    receipt: Receipt


class ActivePause(TypedDict):
    scope: Literal['service', 'payouts', 'wallet', 'payout', 'rail', 'agent']
    target: str | None
    reason: str
    operator_name: str
    changed_at: str


class PauseChange(TypedDict):
    scope: Literal['service', 'payouts', 'wallet', 'payout', 'rail', 'agent']
    target: str | None
    reason: str
    operator_name: str
    changed_at: str
    change_id: str
    paused: bool
    receipt_id: str


class Budget1(TypedDict):
    currency: str
    total: str
    used: str
    left: str


class MandateLine(TypedDict):
    kind: Literal['authority', 'ap2', 'payout']
    mandate_id: str
    agent_id: str | None
    agent_name: str | None
    principal: str
    state: Literal['active', 'exhausted', 'expired', 'revoked']
    budget: Budget1 | None
    uses: int
    uses_max: int | None
    issued_by: str | None
    known_since: str
    expires_at: str | None


class Revocation(TypedDict):
    at: str
    by: str
    reason: str


class Rule1(TypedDict):
    rule: str
    effect: Literal['allow', 'deny']
    detail: str


class AuthorityDecisionLine(TypedDict):
    decision_id: str
    purpose: Literal['evaluate', 'grant', 'execute']
    decision: Literal['allow', 'deny']
    operation_id: str
    grant_id: str | None
    price_usd: int | None
    rules: list[Rule1]
    receipt_id: str
    decided_at: str


class GrantLine(TypedDict):
    grant_id: str
    mandate_id: str
    agent_id: str
    agent_name: str
    operation_id: str
    state: Literal['issued', 'consumed', 'expired', 'revoked']
    spend_usd_max: int
    issued_by: str
    issued_at: str
    expires_at: str


class Refusal(TypedDict):
    code: str
    detail: str


class Decision1(TypedDict):
    decision_id: str
    rules: list[Rule1]
    receipt_id: str


class DelegatedActionLine(TypedDict):
    action_id: str
    mandate_id: str
    grant_id: str
    agent_id: str
    agent_name: str
    operation_id: str
    state: Literal['reserved', 'started', 'done', 'refused']
    price_usd: int
    released_usd: int | None
    status: int | None
    refusal: Refusal | None
    decision: Decision1 | None
    receipt_id: str | None
    reserved_at: str
    finished_at: str | None
    temporal_url: str | None


class ChargedFiringLine(TypedDict):
    firing_id: str
    workflow_id: str
    workflow_name: str
    action_id: str
    state: Literal['due', 'started', 'refused']
    run_id: str | None
    charged_usd: int
    due_at: str


class MandatePayment(TypedDict):
    payment_reference_id: str
    state: str
    amount: str
    currency: str
    instrument_type: str
    instrument_id: str
    paid_at: str


class GrantLines(TypedDict):
    items: list[GrantLine]
    offset: int
    limit: int


class DelegatedActionLines(TypedDict):
    items: list[DelegatedActionLine]
    offset: int
    limit: int


class ServiceKey(TypedDict):
    ring: str
    kid: str
    alg: Literal['EdDSA', 'ES256']
    state: Literal['published', 'active', 'retiring', 'retired', 'revoked']
    published_at: str
    activated_at: str | None
    retired_at: str | None
    revoked_at: str | None


class RingRotation1(TypedDict):
    rotation_id: str
    ring: Literal['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log']
    state: Literal['requested', 'published', 'active', 'done']
    next_kid: str | None
    previous_kid: str | None
    revoke_old: bool
    overlap_seconds: int
    reason: str
    requested_at: str
    activate_at: str | None
    retire_at: str | None
    done_at: str | None
    temporal_url: str | None


RingRotation: TypeAlias = RingRotation1 | None


class ServiceKeys(TypedDict):
    keys: list[ServiceKey]
    rotations: list[ServiceKeyRotation]
    receipt: Receipt


class PublishedKeys(TypedDict):
    published: list[ServiceKey]
    receipt: Receipt


class RetiredKey(TypedDict):
    key: ServiceKey
    receipt: Receipt


class RevokedKey(TypedDict):
    key: ServiceKey
    receipt: Receipt


PathItem: TypeAlias = str


class InclusionProof(TypedDict):
    entry: str
    leaf_index: int
    tree_size: int
    root: str
    path: list[PathItem]
    checkpoint: str | None


ConsistencyProof = TypedDict(
    'ConsistencyProof',
    {
        'from': int,
        'to': int,
        'from_root': str,
        'root': str,
        'path': list[PathItem],
        'checkpoint': str | None,
    },
)


class Key7(TypedDict):
    kty: str
    kid: str


class ReceiptBundle(TypedDict):
    receipt_id: str
    receipt: str
    entry: str
    leaf_index: int
    tree_size: int
    root: str
    path: list[PathItem]
    checkpoint: str
    log_key: str | None
    tlog_proof: str
    cose_receipt: str
    keys: list[Key7]


class Work(TypedDict):
    kind: Literal['wallet_free_call']
    nonce: str


class Work1(TypedDict):
    kind: Literal['settled_payment']
    payment_id: str


class Payment2(TypedDict):
    payment_id: str
    network: str
    asset: str
    payer: str
    pay_to: str
    amount_atomic: str
    transaction_hash: str
    block_number: int


class Proven(TypedDict):
    outcome: Literal['succeeded', 'settled']
    operation: str | None
    path: str | None
    body_sha256: str | None
    status: int | None
    at: int
    payment: Payment2 | None


class Claims(TypedDict):
    iss: str
    iat: int
    jti: str
    sub: str
    kind: Literal['receipt_passport']
    usage: Literal['synthetic', 'operational']
    environment: str
    work: Work | Work1
    proven: Proven


class IssuedPassport(TypedDict):
    passport: str
    passport_id: str
    claims: Claims
    receipt: Receipt


class Work2(TypedDict):
    kind: Literal['wallet_free_call']
    nonce: str


class Work3(TypedDict):
    kind: Literal['settled_payment']
    payment_id: str


class Proven1(TypedDict):
    outcome: Literal['succeeded', 'settled']
    operation: str | None
    path: str | None
    body_sha256: str | None
    status: int | None
    at: int
    payment: Payment2 | None


class Claims1(TypedDict):
    iss: str
    iat: int
    jti: str
    sub: str
    kind: Literal['receipt_passport']
    usage: Literal['synthetic', 'operational']
    environment: str
    work: Work2 | Work3
    proven: Proven1


class Key8(TypedDict):
    kid: str
    standing_at_issue: Literal['published', 'active', 'retired', 'revoked']
    standing_now: Literal['published', 'active', 'retired', 'revoked']


class VerifiedPassport(TypedDict):
    valid: bool
    reasons: list[str]
    checks: list[Check12]
    claims: Claims1 | None
    key: Key8 | None
    verification_packet: VerificationPacket | None


class Used(TypedDict):
    records: int
    bytes: int


class StoredProofAnswer(TypedDict):
    proof_id: str
    bytes: int
    stored_at: str
    verified: bool
    used: Used
    inclusion_receipt: Receipt


class Proof(TypedDict):
    proof_id: str
    kind: Literal['receipt_passport', 'handoff_pack', 'evidence']
    label: str
    bytes: int
    stored_at: str


class ProofList(TypedDict):
    proofs: list[Proof]
    offset: int
    limit: int
    total: int
    used: Used


class Proof1(TypedDict):
    kind: Literal['receipt_passport', 'handoff_pack', 'evidence']
    content: str
    label: str


class RetrievedProof(TypedDict):
    proof: Proof1
    proof_id: str
    stored_at: str
    inclusion_receipt: Receipt


class Score(TypedDict):
    value: int
    band: Literal['unproven', 'low', 'medium', 'high']


class Component(TypedDict):
    component: Literal['work_completed', 'payments_settled', 'distinct_counterparties', 'refund_rate', 'recency']
    weight: int
    value: int
    evidence: list[str]


class RejectedItem(TypedDict):
    item: str
    reason: str


class Refund(TypedDict):
    id: str
    payment: str
    amount_atomic: str


class Formula(TypedDict):
    version: str


class Scorecard(TypedDict):
    score: Score
    confidence: Literal['none', 'low', 'medium', 'high']
    components: list[Component]
    rejected: list[RejectedItem]
    refunds: list[Refund]
    formula: Formula
    as_of: int
    inputs_sha256: str
    completed_work_sha256: str
    payments_sha256: str
    receipt: Receipt


class BuiltHandoffPack(TypedDict):
    handoff_pack: str
    pack_id: str
    pack_sha256: str
    expires_at: int
    receipt: Receipt


class Permitted(TypedDict):
    allowed_actions: list[str]
    resources: list[str]


class Task1(TypedDict):
    task_id: str
    objective: str
    context: str


class Permissions(TypedDict):
    allowed_actions: list[str]
    resources: list[str]
    expires_at: int
    may_redelegate: Literal[False]


EvidenceSha256Item: TypeAlias = str


class State(TypedDict):
    status: Literal['pending', 'in_progress', 'blocked', 'completed']
    checkpoint: str
    evidence_sha256: list[EvidenceSha256Item]


class Pack(TypedDict):
    iss: str
    iat: int
    exp: int
    jti: str
    sub: str
    aud: str
    kind: Literal['handoff_pack']
    usage: Literal['synthetic', 'operational']
    environment: str
    task: Task1
    permissions: Permissions
    state: State


class VerifiedHandoffPack(TypedDict):
    valid: bool
    reasons: list[str]
    expired: bool | None
    recipient_matches: bool | None
    permitted: Permitted
    checks: list[Check12]
    pack: Pack | None
    key: Key8 | None
    verification_packet: VerificationPacket | None


class Mission(TypedDict):
    kind: Literal['rail_run', 'work_order_delivery', 'agent_handoff', 'pilot_delivery', 'free_proof']
    needs: list[str]
    payment: Literal['required', 'if_named']
    needs_agent: bool


class ProtocolBinding(TypedDict):
    binding: Literal['mcp', 'http', 'a2a', 'x402', 'ap2']
    url: str | None
    held_against: Literal['x402_reference', 'ap2_mandate_reference'] | None


class SafetyBoundary(TypedDict):
    money_movement: Literal[False]
    rules: list[str]
    forbidden_claims: list[str]
    evidence_days_max: int
    body_bytes_max: int


class CommerceContract(TypedDict):
    schema: dict[str, Any]
    decisions: list[Literal['eligible_to_continue', 'human_review_required', 'payment_hold']]
    missions: list[Mission]
    protocol_bindings: list[ProtocolBinding]
    checks: list[Literal['hashes', 'required_items', 'claims', 'policy', 'evidence_age', 'evidence_owner', 'payment', 'authority', 'protocol', 'duplicates']]
    claim_states: list[Literal['bound', 'contradicted', 'not_stated', 'not_given', 'unknown_item']]
    safety_boundary: SafetyBoundary
    live: dict[str, int]


class Reason5(TypedDict):
    check: Literal['hashes', 'required_items', 'claims', 'policy', 'evidence_age', 'evidence_owner', 'payment', 'authority', 'protocol', 'duplicates']
    reason: str | None
    detail: str


class Mission1(TypedDict):
    mission_id: str
    kind: Literal['rail_run', 'work_order_delivery', 'agent_handoff', 'pilot_delivery', 'free_proof']
    objective: str


class Agent1(TypedDict):
    agent_id: str | None
    name: str | None
    wallet: str | None
    credential_bound: bool


class Persistence(TypedDict):
    state: Literal['persisted']
    published: bool
    publication_consent: bool
    activity_id: str | None
    review_state: Literal['waiting', 'approved', 'rejected'] | None
    review_decision_id: str | None
    evaluated_at: str
    record_url: str


class Input(TypedDict):
    kind: Literal['artifact', 'file', 'evidence']
    name: str
    sha256: str
    recomputed: bool


class Claim2(TypedDict):
    claim: str
    artifact: str
    state: Literal['bound', 'contradicted', 'not_stated', 'not_given', 'unknown_item']
    forbidden: str | None


class Check16(TypedDict):
    check: Literal['hashes', 'required_items', 'claims', 'policy', 'evidence_age', 'evidence_owner', 'payment', 'authority', 'protocol', 'duplicates']
    outcome: Literal['passed', 'failed', 'unverified', 'not_needed']
    reason: str | None
    detail: str


class Payment4(TypedDict):
    payment_reference_id: str
    method: str
    state: str
    amount_usd: int
    settlement_receipt_id: str | None


class CommercePacket(TypedDict):
    proof_id: str
    request_sha256: str
    package_sha256: str
    inputs: list[Input]
    claims: list[Claim2]
    checks: list[Check16]
    payment: Payment4 | None
    keys_url: str
    offline_verification: list[str]


class AgentCommercePassport(TypedDict):
    receipt_id: str
    kind: str
    issuer: str
    key_id: str
    issued_at: str
    subject: str
    usage: Literal['synthetic', 'operational', 'unspecified']
    payload: dict[str, Any]
    payload_sha256: str
    prev_receipt_id: str | None
    jws: str
    claims: dict[str, Any]
    verify_url: str


class Check17(TypedDict):
    check: Literal['hashes', 'required_items', 'claims', 'policy', 'evidence_age', 'evidence_owner', 'payment', 'authority', 'protocol', 'duplicates']
    outcome: Literal['passed', 'failed', 'unverified', 'not_needed']
    reason: str | None


class PublicCommerceProof(TypedDict):
    proof_id: str
    decision: Literal['eligible_to_continue', 'human_review_required', 'payment_hold']
    checks: list[Check17]
    mission_kind: Literal['rail_run', 'work_order_delivery', 'agent_handoff', 'pilot_delivery', 'free_proof']
    agent_id: str | None
    protocol_binding: Literal['mcp', 'http', 'a2a', 'x402', 'ap2'] | None
    usage: Literal['synthetic', 'operational', 'unspecified']
    package_sha256: str
    packet_sha256: str
    receipt: Receipt
    passport: AgentCommercePassport
    persistence: Persistence
    log_state: Literal['included', 'pending', 'absent', 'exempt', 'not_checked']
    money_movement: Literal[False]


class PublicationPolicy(TypedDict):
    conditions: list[Literal['bound_to_credential', 'publication_consent', 'verified_signed_receipt', 'persisted_proof_record']]
    consent: str
    shown: str
    profiles: str


class EmptyState(TypedDict):
    reason: Literal['nothing_qualifies', 'nothing_matches', 'past_the_end']
    detail: str


class CommerceActivity(TypedDict):
    activity_id: str
    proof_id: str
    agent_id: str
    mission_kind: Literal['rail_run', 'work_order_delivery', 'agent_handoff', 'pilot_delivery', 'free_proof']
    protocol_binding: Literal['mcp', 'http', 'a2a', 'x402', 'ap2'] | None
    usage: Literal['synthetic', 'operational', 'unspecified']
    decision: Literal['eligible_to_continue', 'human_review_required', 'payment_hold']
    reviewed: bool
    receipt_id: str
    passport_receipt_id: str
    evaluated_at: str
    published_at: str
    verify_url: str


class ReliabilityProfile(TypedDict):
    agent_id: str
    published: int
    synthetic: int
    eligible_to_continue: int
    human_review_required: int
    payment_hold: int
    eligible_percent: int
    first_published_at: str
    last_published_at: str


class Condition1(TypedDict):
    condition: Literal['bound_to_credential', 'publication_consent', 'verified_signed_receipt', 'persisted_proof_record']
    ok: bool


class PublishedActivity(TypedDict):
    published: bool
    activity_id: str
    conditions: list[Condition1]
    receipt: Receipt | None


class Citation4(TypedDict):
    pointer: str
    quote: str | None


class Finding2(TypedDict):
    finding: str
    severity: Literal['warning', 'info']
    source: Literal['rules', 'model']
    detail: str
    item: str | None
    citation: Citation4 | None


class Section(TypedDict):
    section: str
    required: bool
    state: str


class Coverage(TypedDict):
    sections: list[Section]
    readiness_score: int
    questions: int
    answered: int


class Gap2(TypedDict):
    gap: str
    kind: Literal['needed', 'advisory']
    detail: str


class UnsupportedClaim(TypedDict):
    claim: str
    item: str
    reason: Literal['bound', 'contradicted', 'not_stated', 'not_given', 'unknown_item']


class EvidenceAnalysis(TypedDict):
    analysis_id: str
    analysis_mode: Literal['model', 'fallback']
    model: str | None
    findings: list[Finding2]
    coverage: Coverage
    gaps: list[Gap2]
    unsupported_claims: list[UnsupportedClaim]
    as_of: str | None
    input_sha256: str
    usage: Literal['synthetic', 'operational', 'unspecified']


class StoredAnalysis(TypedDict):
    analysis: EvidenceAnalysis
    analysis_sha256: str
    proof_id: str
    proof_url: str
    made_at: str


class Guardrails(TypedDict):
    calls_left: int | None
    bytes: int


class ProvenAnalysis(TypedDict):
    analysis: EvidenceAnalysis
    proof_id: str
    decision: Literal['eligible_to_continue', 'human_review_required', 'payment_hold']
    receipt: Receipt
    passport: AgentCommercePassport
    verification_packet: CommercePacket
    guardrails: Guardrails


class ProofRelay(TypedDict):
    relay_id: str
    receipt_id: str
    entry_hash: str
    state: Literal['recorded', 'retry_available', 'handed_off']
    retry_available: bool
    handoff_ready: bool
    next_endpoint: str


class RelayedAnalysis(TypedDict):
    analysis_result: EvidenceAnalysis
    proof_id: str
    receipt_passport: AgentCommercePassport
    run_ledger: UsageEvent
    proof_relay: ProofRelay
    retry_handoff_state: Literal['recorded', 'retry_available', 'handed_off']
    receipt: Receipt


class Proof2(TypedDict):
    analysis: EvidenceAnalysis
    decision: Literal['eligible_to_continue', 'human_review_required', 'payment_hold']


class FreeProofSample(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    proof: Proof2
    passport: AgentCommercePassport
    verification_packet: CommercePacket


class FreeProof(TypedDict):
    proof_id: str
    receipt: Receipt
    passport: AgentCommercePassport
    verification_packet: CommercePacket
    proof: Proof2
    usage: Literal['synthetic']


class Reliability1(TypedDict):
    published: int
    synthetic: int
    eligible_to_continue: int
    human_review_required: int
    payment_hold: int


class Claims2(TypedDict):
    agent_id: str
    trust_state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    badge_state: Literal['none', 'quoted', 'planned', 'active', 'lapsed']
    credential_bound: bool
    completed_runs: int | None
    verified_receipts: int | None
    open_exceptions: int | None
    reliability: Reliability1 | None
    as_of: str


class AgentPassport(TypedDict):
    receipt_id: str
    kind: str
    issuer: str
    key_id: str
    issued_at: str
    subject: str
    usage: Literal['synthetic', 'operational', 'unspecified']
    payload: dict[str, Any]
    payload_sha256: str
    prev_receipt_id: str | None
    jws: str
    claims: Claims2
    verify_url: str


class Check18(TypedDict):
    check: str
    ok: bool
    detail: str


class VerifiedAgentPassport(TypedDict):
    verified: bool
    receipt_id: str
    kind: str | None
    checks: list[Check18]
    signature: Signature
    payload_sha256: str | None
    verified_at: str
    current_claims_differ: list[str]


class CompletionSample(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    receipt_passport: AgentCommercePassport
    ledger_entry: UsageEvent
    proof_relay: ProofRelay
    completion_state: Literal['completed', 'awaiting_provider', 'unmatched', 'synthetic']


class ReceiptCompletion(TypedDict):
    receipt_passport: AgentCommercePassport
    ledger_entry: UsageEvent
    proof_relay: ProofRelay
    completion_state: Literal['completed', 'awaiting_provider', 'unmatched', 'synthetic']


class FreeProof1(TypedDict):
    proof_id: str | None
    analysis: EvidenceAnalysis
    decision: Literal['eligible_to_continue', 'human_review_required', 'payment_hold']
    passport: AgentCommercePassport


class Live2(TypedDict):
    ledger_events: int
    logged_receipts: int


class InvestorDemo(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    free_proof: FreeProof1
    analysis_proof_relay: ProofRelay
    ledger: list[UsageEvent]
    relay_state: Literal['recorded', 'retry_available', 'handed_off']
    description: str
    steps: list[Literal['free_proof', 'proof_relay', 'ledger', 'receipt', 'relay_state']]
    model_calls: Literal[0]
    live: Live2


class InvestorDemoRun(TypedDict):
    free_proof: FreeProof1
    analysis_proof_relay: ProofRelay
    ledger: list[UsageEvent]
    receipt: Receipt
    relay_state: Literal['recorded', 'retry_available', 'handed_off']
    context_sha256: str
    unread_members: list[str]


class InvestorDemoV2(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    free_proof: FreeProof1
    analysis_proof_relay: ProofRelay
    ledger: list[UsageEvent]
    relay_state: Literal['recorded', 'retry_available', 'handed_off']
    description: str
    steps: list[Literal['free_proof', 'proof_relay', 'ledger', 'receipt', 'relay_state']]
    model_calls: Literal[0]
    live: Live2
    verification_packet: CommercePacket


class StepTiming(TypedDict):
    step: Literal['free_proof', 'proof_relay', 'ledger', 'receipt', 'relay_state']
    ms: int


class InvestorDemoV2Run(TypedDict):
    free_proof: FreeProof1
    analysis_proof_relay: ProofRelay
    ledger: list[UsageEvent]
    receipt: Receipt
    relay_state: Literal['recorded', 'retry_available', 'handed_off']
    context_sha256: str
    unread_members: list[str]
    verification_packet: CommercePacket
    step_timings: list[StepTiming]


class EvidenceItem(TypedDict):
    receipt_id: str
    kind: str | None


class TrustListing(TypedDict):
    trust_listing_id: str
    commercial_plan_id: str | None
    trust_badge_state: Literal['none', 'quoted', 'planned', 'active', 'lapsed']
    fee_event_id: str | None
    agent_id: str
    display_name: str
    summary: str
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    evidence: list[EvidenceItem]
    review_state: Literal['waiting', 'approved', 'rejected']
    active_until: str | None
    listed_at: str


class Fee(TypedDict):
    fee_item: Literal['trust_badge_fee']
    usd_by_months: list[int]


class TrustListingContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    fee: Fee


class Check19(TypedDict):
    receipt_id: str
    kind: str | None
    ok: bool
    detail: str


class CreatedTrustListing(TypedDict):
    listing: TrustListing
    checks: list[Check19]


class BadgeQuote(TypedDict):
    quote_id: str
    fee_item: Literal['trust_badge_fee']
    months: int
    total_usd: int
    currency: Literal['usd']
    pricing_model: Literal['trust_badge_fee']
    expires_at: str


class PlannedBadge(TypedDict):
    listing: TrustListing
    challenge: PaymentChallenge


class RecordedBadgeFee(TypedDict):
    listing: TrustListing
    receipt: Receipt


class TrustListings(TypedDict):
    items: list[TrustListing]
    offset: int
    limit: int
    total: int


class Target(TypedDict):
    messages_sent: Literal[5]
    qualified_conversations: Literal[2]
    paid_runs: Literal[1]


class Actual(TypedDict):
    messages_sent: int
    qualified_conversations: int
    paid_runs: int


class Sprint(TypedDict):
    sprint_id: str
    target: Target
    actual: Actual
    met: bool
    started_at: str | None


class HistoryItem(TypedDict):
    seq: int
    event: Literal['created', 'message_sent', 'message_received', 'moved', 'bound']
    state: Literal['identified', 'messaged', 'replied', 'qualified', 'pilot_offered', 'declined']
    message_sha256: str | None
    sent_at: str | None
    channel: Literal['email', 'agent', 'marketplace', 'referral', 'other'] | None
    cites: str | None
    pilot_id: str | None
    agent_id: str | None
    customer_account: str | None
    reason: str | None
    operator: str | None
    at: str


class Prospect(TypedDict):
    prospect_id: str
    label: str
    channel: Literal['email', 'agent', 'marketplace', 'referral', 'other']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout'] | None
    contact_reference: str | None
    agent_id: str | None
    customer_account: str | None
    state: Literal['identified', 'messaged', 'replied', 'qualified', 'pilot_offered', 'declined', 'paid_next_step_ready', 'converted_to_paid']
    rests_on: int | None
    created_at: str
    history: list[HistoryItem]


class Prospects(TypedDict):
    items: list[Prospect]
    offset: int
    limit: int
    total: int
    counts: dict[Literal['identified', 'messaged', 'replied', 'qualified', 'pilot_offered', 'declined', 'paid_next_step_ready', 'converted_to_paid'], int]


class Summary(TypedDict):
    target: Target
    actual: Actual
    met: bool
    started_at: str | None
    note: str


class SprintSummary(TypedDict):
    sprint_id: str
    summary: Summary
    receipt: Receipt


class Counts(TypedDict):
    paid_next_step_ready: int
    converted_to_paid: int


class PilotCounts(TypedDict):
    paid_next_step_ready: int
    converted_to_paid: int


class Evidence(TypedDict):
    return_package_id: str | None
    receipt_id: str | None


class Offer(TypedDict):
    quote_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int
    note: str | None


class Paid(TypedDict):
    run_id: str
    payment_reference_id: str
    completed_at: str


class PaidNextStep(TypedDict):
    prospect_id: str
    label: str
    state: Literal['paid_next_step_ready', 'converted_to_paid']
    evidence: Evidence
    offer: NotRequired[Offer]
    checkout_url: str | None
    paid: NotRequired[Paid]


class PaidNextStepOfPilot(TypedDict):
    pilot_id: str
    state: Literal['paid_next_step_ready', 'converted_to_paid']
    evidence: Evidence
    offer: NotRequired[Offer]
    checkout_url: str | None
    paid: NotRequired[Paid]


class OfferedNextStep(TypedDict):
    prospect: Prospect | None
    pilot: PilotModel | None
    quote: Quote
    challenge: PaymentChallenge
    receipt: Receipt


class Message(TypedDict):
    purpose: Literal['introduction', 'follow_up', 'qualification', 'pilot_offer', 'reminder', 'paid_next_step']
    text: str
    message_sha256: str


class PriceCardItem(TypedDict):
    tier: Literal['entry', 'standard', 'pro']
    total_usd: int


class InvitationLink(TypedDict):
    pilot_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    state: Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']
    response_url: str
    expires_at: str


class Pack1(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    messages: list[Message]
    sample_package_url: str
    price_card: list[PriceCardItem]
    invitation_links: list[InvitationLink]
    checkout_url: str | None


class Prospect1(TypedDict):
    prospect_id: str
    label: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout'] | None
    state: Literal['identified', 'messaged', 'replied', 'qualified', 'pilot_offered', 'declined', 'paid_next_step_ready', 'converted_to_paid']


class OutreachPack(TypedDict):
    pack: Pack1
    prospects: list[Prospect1]
    offset: int
    limit: int


class Directory(TypedDict):
    directory: str
    configured: bool


class DirectorySubmission(TypedDict):
    submission_id: str
    directory: str
    state: Literal['prepared', 'submitted', 'accepted', 'refused', 'failed']
    document_sha256: str
    attempts: int
    last_failure: str | None
    at: str


class Mcp(TypedDict):
    endpoint: str
    transport: Literal['streamable-http']
    protocol_versions: list[str]
    descriptor: str


class Price(TypedDict):
    atomic: str
    decimals: Literal[6]


class Tool(TypedDict):
    name: str
    description: str
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    price: Literal['quote'] | Price | None


class Rail1(TypedDict):
    rail: str
    summary: str
    capabilities: list[str]


class DirectoryDocument(TypedDict):
    type: Literal['service.directory-submission.v1']
    name: str
    title: str
    version: str
    description: str
    url: str
    mcp: Mcp
    openapi: str
    agent_card: str
    agent_tools: str
    documentation: str
    tools: list[Tool]
    rails: list[Rail1]


class Checks(TypedDict):
    ok: bool
    detail: str


class Readiness1(TypedDict):
    ok: bool
    degraded: list[str]
    checks: dict[str, Checks]


class Mcp1(TypedDict):
    endpoint: str
    descriptor: str


class AuthKind(TypedDict):
    kind: Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']
    header: str | None


class PaymentProtocol(TypedDict):
    protocol: Literal['x402', 'mpp']
    challenge_header: str
    credential_headers: list[str]
    receipt_header: str


class Annotations(TypedDict):
    readOnlyHint: bool
    destructiveHint: bool
    idempotentHint: bool
    openWorldHint: bool


class Tool1(TypedDict):
    name: str
    title: str
    description: str
    operation_id: str
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    scopes: list[str]
    price: Literal['quote'] | Price | None
    annotations: Annotations
    reference: str


class Operation1(TypedDict):
    operation_id: str
    summary: str
    method: Literal['GET', 'POST', 'PUT']
    path: str
    aliases: list[str]
    mode: str | None
    host: Literal['base', 'os', 'both']
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    scopes: list[str]
    price: Literal['quote'] | Price | None
    status: list[int]
    idempotency: Literal['read', 'effect', 'body', 'natural']
    errors: list[Literal['invalid_request', 'invalid_json', 'unknown_mode', 'unsupported_request', 'candidate_denied', 'human_approval_required', 'idempotency_key_required', 'credential_required', 'credential_invalid', 'operator_required', 'wallet_proof_required', 'wallet_proof_invalid', 'wallet_proof_expired', 'proof_invalid', 'webhook_signature_invalid', 'payment_required', 'payment_invalid', 'scope_denied', 'trust_required', 'rail_not_allowed', 'holder_unknown', 'issuer_untrusted', 'mandate_invalid', 'key_binding_missing', 'key_binding_invalid', 'key_binding_expired', 'audience_mismatch', 'request_digest_mismatch', 'principal_signature_invalid', 'authority_denied', 'control_denied', 'not_owner', 'not_found', 'work_not_found', 'method_not_allowed', 'wallet_proof_replayed', 'payment_already_used', 'idempotency_in_flight', 'wrong_state', 'quote_mismatch', 'not_publishable', 'conditions_unmet', 'not_ready', 'recovery_not_allowed', 'presentation_consumed', 'challenge_consumed', 'mandate_consumed', 'key_already_registered', 'already_claimed', 'already_decided', 'evidence_changed', 'rotation_in_progress', 'daily_cap_exceeded', 'grant_consumed', 'already_exists', 'already_bound', 'already_funded', 'payment_pending', 'reference_already_used', 'work_already_attested', 'wallet_storage_full', 'credit_exhausted', 'wallet_underfunded', 'challenge_expired', 'payout_expired', 'invitation_expired', 'quote_expired', 'expired', 'payload_too_large', 'unsupported_media_type', 'idempotency_conflict', 'fee_not_accepted', 'terms_mismatch', 'evidence_mismatch', 'forbidden_material', 'amount_mismatch', 'payout_cap_exceeded', 'callback_refused', 'receipt_invalid', 'input_rejected', 'input_too_complex', 'limits_invalid', 'recipient_refused', 'rate_guardrail_reached', 'rate_limited', 'internal_error', 'provider_failed', 'unavailable', 'settlement_pending', 'contention', 'paused', 'grant_released']]
    schemas: str
    tool: str | None


class Sequence(TypedDict):
    name: str
    steps: list[str]


class Schema(TypedDict):
    name: str
    version: str
    url: str
    sha256: str


class Totals2(TypedDict):
    entry: int
    standard: int
    pro: int


class Tiers(TypedDict):
    entry: TierTerms
    standard: TierTerms
    pro: TierTerms


class Rail2(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    status: Literal['active', 'offered', 'free', 'paused']
    entry: int
    standard: int
    pro: int
    rail_fee: int
    totals: Totals2
    paid_surfaces: list[Literal['agent_use', 'mcp', 'first_paid_production_run', 'wallet_bound_run', 'customer_production_run', 'customer_workflow', 'first_pilot_run']]
    tiers: Tiers


class Payment5(TypedDict):
    posture: list[Literal['reference_based', 'provider_webhooks']]
    paths: list[Literal['hosted_checkout_link', 'invoice_or_purchase_order', 'agent_credit', 'manual_operator_verified_reference']]
    methods: list[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]


class AgentTools(TypedDict):
    name: str
    version: str
    base_url: str
    os_url: str
    mcp: Mcp1
    openapi: str
    auth_kinds: list[AuthKind]
    payment_protocols: list[PaymentProtocol]
    tools: list[Tool1]
    operations: list[Operation1]
    sequences: list[Sequence]
    policy_rules: list[str]
    schemas: list[Schema]
    rails: list[Rail2]
    payment: Payment5


class SupportedInterface(TypedDict):
    url: str
    protocolBinding: Literal['MCP', 'OPENAPI']
    protocolVersion: str


class Provider(TypedDict):
    organization: str
    url: str


class HttpAuthSecurityScheme(TypedDict):
    scheme: Literal['Bearer']
    description: str


class Agent2(TypedDict):
    httpAuthSecurityScheme: HttpAuthSecurityScheme


class SecuritySchemes(TypedDict):
    agent: Agent2


class Skill(TypedDict):
    id: str
    name: str
    description: str
    tags: list[str]
    examples: list[str]


class Header(TypedDict):
    jku: str


class Signature2(TypedDict):
    protected: str
    signature: str
    header: Header


class AgentCard(TypedDict):
    name: str
    description: str
    supportedInterfaces: list[SupportedInterface]
    provider: Provider
    version: str
    documentationUrl: str
    capabilities: dict[str, Any]
    securitySchemes: SecuritySchemes
    defaultInputModes: list[str]
    defaultOutputModes: list[str]
    skills: list[Skill]
    signatures: list[Signature2]


class Service(TypedDict):
    name: str
    endpoint: str
    version: str


class Registration(TypedDict):
    agentId: int
    agentRegistry: str


class IdentityRegistration(TypedDict):
    type: Literal['https://eips.ethereum.org/EIPS/eip-8004#registration-v1']
    name: str
    description: str
    image: str
    services: list[Service]
    x402Support: bool
    active: bool
    registrations: list[Registration]
    supportedTrust: list[str]


ReplaceItem = TypedDict(
    'ReplaceItem',
    {
        'place': Literal['body', 'header', 'path'],
        'name': str,
        'from': str | None,
        'pointer': str | None,
        'how': str,
    },
)


class Step8(TypedDict):
    step: int
    operation_id: str
    summary: str
    method: Literal['GET', 'POST', 'PUT']
    url: str
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    header: str | None
    price: Literal['quote'] | Price | None
    example_body: dict[str, Any] | None
    replace: list[ReplaceItem]


class RateLimitPolicy(TypedDict):
    policy: str
    calls: int
    window_seconds: int
    counts: str


class QuickstartCall(TypedDict):
    step: int
    operation_id: str
    summary: str
    method: Literal['GET', 'POST', 'PUT']
    url: str
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    header: str | None
    price: Literal['quote'] | Price | None
    example_body: dict[str, Any] | None
    replace: list[ReplaceItem]
    curl: str


class QuickstartRun(TypedDict):
    run: Run
    status_token: str
    callback_url: str | None
    receipts: list[Receipt]
    result_contract: ResultContract
    calls: list[QuickstartCall]


class LedgerHead1(TypedDict):
    sequence: int
    hash: str


class FollowedSandboxRun(TypedDict):
    run: Run
    ledger_head: LedgerHead1


class SandboxContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]


class SandboxRun(TypedDict):
    run: Run
    status_token: str
    callback_url: str | None
    receipts: list[Receipt]
    result_contract: ResultContract


class AuthenticationItem(TypedDict):
    kind: Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']
    header: str
    tools: list[str]


class Tool2(TypedDict):
    name: str
    title: str
    description: str
    operation_id: str
    access: list[Literal['public', 'wallet', 'agent', 'operator', 'status', 'provider']]
    scopes: list[str]
    price: Literal['quote'] | Price | None
    annotations: Annotations
    reference: str


class McpDescriptor(TypedDict):
    name: str
    title: str
    version: str
    description: str
    endpoint: str
    aliases: list[str]
    transport: Literal['streamable-http']
    methods: list[str]
    extensions: list[str]
    protocol_versions: list[str]
    authentication: list[AuthenticationItem]
    tools: list[Tool2]
    policy_rules: list[str]
    links: dict[str, str]


class Key10(TypedDict):
    kty: str
    kid: str


class Jwks(TypedDict):
    keys: list[Key10]


class SchemaIndex(TypedDict):
    schemas: list[Schema]


SchemaDocument = TypedDict(
    'SchemaDocument',
    {
        '$schema': str,
        '$id': str,
    },
)


class PayoutCreateRequest(TypedDict):
    recipient: str
    amount_usdc: str
    idempotency_key: str
    memo: str
    rail_reference: str
    usage: NotRequired[Literal['synthetic', 'operational', 'unspecified']]


class PayoutChallengeRequest(TypedDict):
    holder_wallet: str
    request_sha256: str


PayoutChallengeAnswer: TypeAlias = PayoutChallenge


class PayoutAuthorizeRequest(TypedDict):
    payout_id: str
    idempotency_key: str
    presentation: str
    challenge_token: str
    expires_at: int
    principal_signature: str


class PayoutExecuteRequest(TypedDict):
    payout_id: str
    idempotency_key: str


class PayoutStatusRequest1(TypedDict):
    payout_id: str
    idempotency_key: NotRequired[str]


class PayoutStatusRequest2(TypedDict):
    payout_id: NotRequired[str]
    idempotency_key: str


PayoutStatusRequest: TypeAlias = PayoutStatusRequest1 | PayoutStatusRequest2


class PayoutCallbackSetRequest(TypedDict):
    mode: Literal['set_callback']
    callback_url: str | None


PayoutCallbackSetAnswer: TypeAlias = PayoutCallback


class PayoutCallbackReadRequest(TypedDict):
    mode: Literal['read_callback']


PayoutCallbackReadAnswer: TypeAlias = PayoutCallback


class AuthorityContractRequest(TypedDict):
    pass


AuthorityContractAnswer: TypeAlias = AuthorityContract


class ReadControlPlaneRequest(TypedDict):
    mode: Literal['read_control_plane']


ReadControlPlaneAnswer: TypeAlias = AuthorityControlPlane


class Limits6(TypedDict):
    per_action_usd: int
    total_usd: int
    actions_max: int


class Action(TypedDict):
    principal_id: str
    agent_id: str
    purpose: str
    allowed_operations: list[AllowedOperation]
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]]
    resources: NotRequired[list[Resource]]
    limits: Limits6
    valid_from: NotRequired[str]
    expires_at: str


class DraftMandateRequest(TypedDict):
    mode: Literal['draft_mandate']
    action: Action


DraftMandateAnswer: TypeAlias = MandateDraft


class Action1(TypedDict):
    draft_id: str
    idempotency_key: str


class Action2(TypedDict):
    principal_id: str
    agent_id: str
    purpose: str
    allowed_operations: list[AllowedOperation]
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]]
    resources: NotRequired[list[Resource]]
    limits: Limits6
    valid_from: NotRequired[str]
    expires_at: str
    idempotency_key: str


class Payout1(TypedDict):
    payout_id: str
    expires_at: int
    authorize_idempotency_key: str


class HolderProof(TypedDict):
    binding_version: Literal[1, 2]
    holder_wallet: str
    signature: str


class Action3(TypedDict):
    payout: Payout1
    checkout_jwt: str
    holder_proof: HolderProof
    idempotency_key: str


class AgentKey(TypedDict):
    kty: Literal['EC']
    crv: Literal['P-256']
    x: str
    y: str
    kid: NotRequired[str]
    alg: NotRequired[Literal['ES256']]
    use: NotRequired[Literal['sig']]


class AllowedItem(TypedDict):
    id: str
    name: str
    website: NotRequired[str]


class Constraints(TypedDict):
    type: Literal['checkout.allowed_merchants']
    allowed: list[AllowedItem]


class AcceptableItem(TypedDict):
    id: str
    title: str


class Item4(TypedDict):
    id: str
    acceptable_items: list[AcceptableItem]
    quantity: int


class Constraints1(TypedDict):
    type: Literal['checkout.line_items']
    items: list[Item4]


class Checkout(TypedDict):
    constraints: list[Constraints | Constraints1]


class Constraints2(TypedDict):
    type: Literal['payment.agent_recurrence']
    frequency: Literal['ON_DEMAND', 'DAILY', 'WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'ANNUALLY']
    max_occurrences: NotRequired[int]


class Constraints3(TypedDict):
    type: Literal['payment.allowed_payees']
    allowed: list[AllowedItem]


class AllowedItem2(TypedDict):
    id: str
    type: str
    description: NotRequired[str]


class Constraints4(TypedDict):
    type: Literal['payment.allowed_payment_instruments']
    allowed: list[AllowedItem2]


class AllowedItem3(TypedDict):
    legal_name: str
    brand_name: str
    domain_name: str


class Constraints5(TypedDict):
    type: Literal['payment.allowed_pisps']
    allowed: list[AllowedItem3]


class Constraints6(TypedDict):
    type: Literal['payment.amount_range']
    currency: str
    max: int
    min: NotRequired[int]


class Constraints7(TypedDict):
    type: Literal['payment.budget']
    max: float
    currency: str


class Constraints8(TypedDict):
    type: Literal['payment.execution_date']
    not_before: NotRequired[str]
    not_after: NotRequired[str]


class Payee(TypedDict):
    id: str
    name: str
    website: NotRequired[str]


class PaymentAmount(TypedDict):
    amount: int
    currency: str


class PaymentInstrument(TypedDict):
    id: str
    type: str
    description: NotRequired[str]


class Pisp(TypedDict):
    legal_name: str
    brand_name: str
    domain_name: str


class Payment6(TypedDict):
    constraints: list[Constraints2 | Constraints3 | Constraints4 | Constraints5 | Constraints6 | Constraints7 | Constraints8]
    payee: NotRequired[Payee]
    payment_amount: NotRequired[PaymentAmount]
    payment_instrument: NotRequired[PaymentInstrument]
    pisp: NotRequired[Pisp]
    execution_date: NotRequired[str]


class Ap2(TypedDict):
    agent_id: str
    agent_key: AgentKey
    checkout: Checkout
    payment: Payment6
    expires_at: str


class Action4(TypedDict):
    ap2: Ap2
    idempotency_key: str


class IssueMandateRequest(TypedDict):
    mode: Literal['issue_mandate']
    action: Action1 | Action2 | Action3 | Action4


class Ap21(TypedDict):
    payment: str
    checkout: NotRequired[str]
    challenge_token: NotRequired[str]


class Action5(TypedDict):
    ap2: Ap21


class InspectMandateRequest(TypedDict):
    mode: Literal['inspect_mandate']
    signed_mandate: NotRequired[dict[str, Any]]
    action: NotRequired[Action5]


InspectMandateAnswer: TypeAlias = MandateInspection | Ap2Inspection


class Action6(TypedDict):
    operation_id: str
    input: dict[str, Any]
    spend_usd: NotRequired[int]
    idempotency_key: str
    expires_in_seconds: NotRequired[int]


class IssueActionGrantRequest(TypedDict):
    mode: Literal['issue_action_grant']
    signed_mandate: dict[str, Any]
    action: Action6


class Action7(TypedDict):
    operation_id: str
    input: dict[str, Any]
    spend_usd: NotRequired[int]
    idempotency_key: str


class EvaluateActionRequest(TypedDict):
    mode: Literal['evaluate_action']
    signed_mandate: dict[str, Any]
    signed_action_grant: NotRequired[dict[str, Any]]
    action: Action7


EvaluateActionAnswer: TypeAlias = AuthorityDecision


class ExecuteDelegatedActionRequest(TypedDict):
    mode: Literal['execute_delegated_action']
    signed_mandate: dict[str, Any]
    signed_action_grant: dict[str, Any]
    action: Action7


class Action9(TypedDict):
    mandate_id: NotRequired[str]
    reason: str


class RevokeMandateRequest(TypedDict):
    mode: Literal['revoke_mandate']
    signed_mandate: NotRequired[dict[str, Any]]
    action: Action9


RevokeMandateAnswer: TypeAlias = RevokedMandate


class AgentPricingRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    surface: NotRequired[Literal['agent', 'movement_fee', 'all']]


class AgentPricingQuoteRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    input: NotRequired[dict[str, Any]]
    idempotency_key: NotRequired[str]


class AgentQuoteReadRequest(TypedDict):
    quote_id: str


AgentQuoteReadAnswer: TypeAlias = QuoteState


class AgentQuoteRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    task_token: NotRequired[str]
    units: NotRequired[int]
    input: NotRequired[dict[str, Any]]
    idempotency_key: NotRequired[str]


class QuoteRunRequest(TypedDict):
    mode: Literal['quote_run']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    input: NotRequired[dict[str, Any]]
    idempotency_key: NotRequired[str]


class CreatePaymentChallengeRequest(TypedDict):
    mode: Literal['create_payment_challenge']
    quote_id: str
    method: NotRequired[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]
    idempotency_key: str


class PaymentRailReadRequest(TypedDict):
    payment_reference_id: NotRequired[str]


class Proof4(TypedDict):
    signature: NotRequired[str]
    payment: NotRequired[str]
    challenge_token: NotRequired[str]


class Evidence2(TypedDict):
    sha256: NotRequired[str]
    url: NotRequired[str]
    presentation: NotRequired[str]
    checkout_presentation: NotRequired[str]


class PaymentReferenceCreateRequest1(TypedDict):
    challenge_id: str
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    external_reference: str
    payer: NotRequired[str]
    proof: NotRequired[Proof4]
    evidence: NotRequired[Evidence2]
    provider: NotRequired[str]
    idempotency_key: str


class PaymentReferenceCreateRequest2(TypedDict):
    challenge_id: NotRequired[str]
    quote_id: str
    quote_token: NotRequired[str]
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    external_reference: str
    payer: NotRequired[str]
    proof: NotRequired[Proof4]
    evidence: NotRequired[Evidence2]
    provider: NotRequired[str]
    idempotency_key: str


PaymentReferenceCreateRequest: TypeAlias = PaymentReferenceCreateRequest1 | PaymentReferenceCreateRequest2


PaymentReferenceCreateAnswer: TypeAlias = PresentedPayment


ProviderEventReceiveRequest: TypeAlias = dict[str, Any]


ProviderEventReceiveAnswer: TypeAlias = ReceivedEvent


class PaymentAuthorityReadRequest(TypedDict):
    payment_reference_id: NotRequired[str]


class WalletProof(TypedDict):
    wallet: str
    transaction_hash: str
    signature: str


class PaymentAuthorityCheckRequest1(TypedDict):
    authority_type: Literal['checkout', 'stablecoin_checkout', 'agent_allowance_reference', 'wallet_reference']
    quote_id: str
    wallet_id: str
    provider_session_id: NotRequired[str]
    wallet_proof: NotRequired[WalletProof]
    idempotency_key: str


class PaymentAuthorityCheckRequest2(TypedDict):
    authority_type: Literal['checkout', 'stablecoin_checkout', 'agent_allowance_reference', 'wallet_reference']
    quote_id: str
    wallet_id: NotRequired[str]
    provider_session_id: str
    wallet_proof: NotRequired[WalletProof]
    idempotency_key: str


class PaymentAuthorityCheckRequest3(TypedDict):
    authority_type: Literal['checkout', 'stablecoin_checkout', 'agent_allowance_reference', 'wallet_reference']
    quote_id: str
    wallet_id: NotRequired[str]
    provider_session_id: NotRequired[str]
    wallet_proof: WalletProof
    idempotency_key: str


PaymentAuthorityCheckRequest: TypeAlias = PaymentAuthorityCheckRequest1 | PaymentAuthorityCheckRequest2 | PaymentAuthorityCheckRequest3


PaymentAuthorityCheckAnswer: TypeAlias = PaymentAuthority


class RailCheckoutReadRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    tier: NotRequired[Literal['entry', 'standard', 'pro']]
    challenge_id: NotRequired[str]


class Customer(TypedDict):
    name: str
    email: str
    purchase_order: NotRequired[str]


class RailCheckoutOpenRequest(TypedDict):
    quote_id: str
    payment_path: Literal['hosted_checkout_link', 'invoice_or_purchase_order', 'agent_credit', 'manual_operator_verified_reference']
    customer: Customer
    invitation_token: NotRequired[str]
    idempotency_key: str


RailCheckoutOpenAnswer: TypeAlias = OpenedCheckout


class DiligenceProductLinksRequest(TypedDict):
    tier: NotRequired[Literal['entry', 'standard', 'pro']]


DiligenceProductLinksAnswer: TypeAlias = DiligenceProductLinks


class PaymentLinksReadRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]


class PaymentLinksSetRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    url: str | None
    provider_price_usd: int
    idempotency_key: str


PaymentLinksSetAnswer: TypeAlias = SetPaymentLink


class AgentCreditReadRequest(TypedDict):
    entitlement_id: str


class AgentCreditFundRequest1(TypedDict):
    entitlement_id: str
    method: NotRequired[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]
    external_reference: NotRequired[str]
    payer: NotRequired[str]
    proof: NotRequired[Proof4]
    evidence: NotRequired[Evidence2]
    provider: NotRequired[str]
    payment_reference_id: str
    amount_usd: NotRequired[int]
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    idempotency_key: str


class AgentCreditFundRequest2(TypedDict):
    entitlement_id: str
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    external_reference: str
    payer: NotRequired[str]
    proof: NotRequired[Proof4]
    evidence: NotRequired[Evidence2]
    provider: NotRequired[str]
    payment_reference_id: NotRequired[str]
    amount_usd: int
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    idempotency_key: str


AgentCreditFundRequest: TypeAlias = AgentCreditFundRequest1 | AgentCreditFundRequest2


AgentCreditFundAnswer: TypeAlias = FundedCredit


class AllowanceWalletReadRequest(TypedDict):
    wallet_id: NotRequired[str]


class Limits8(TypedDict):
    per_run_usd: NotRequired[int | None]
    per_day_usd: NotRequired[int | None]
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None]


class AllowanceWalletCreateRequest(TypedDict):
    mode: NotRequired[Literal['create_wallet']]
    label: NotRequired[str]
    limits: NotRequired[Limits8]
    idempotency_key: str


AllowanceWalletCreateAnswer: TypeAlias = CreatedWallet


class AllowanceFundRequest1(TypedDict):
    mode: Literal['fund_allowance']
    wallet_id: str
    method: NotRequired[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]
    external_reference: NotRequired[str]
    payer: NotRequired[str]
    proof: NotRequired[Proof4]
    evidence: NotRequired[Evidence2]
    provider: NotRequired[str]
    payment_reference_id: str
    amount_usd: NotRequired[int]
    idempotency_key: str


class AllowanceFundRequest2(TypedDict):
    mode: Literal['fund_allowance']
    wallet_id: str
    method: Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']
    external_reference: str
    payer: NotRequired[str]
    proof: NotRequired[Proof4]
    evidence: NotRequired[Evidence2]
    provider: NotRequired[str]
    payment_reference_id: NotRequired[str]
    amount_usd: int
    idempotency_key: str


AllowanceFundRequest: TypeAlias = AllowanceFundRequest1 | AllowanceFundRequest2


AllowanceFundAnswer: TypeAlias = FundedWallet


class AllowanceLimitsRequest(TypedDict):
    mode: Literal['set_limits']
    wallet_id: str
    limits: Limits8
    idempotency_key: str


AllowanceLimitsAnswer: TypeAlias = LimitedWallet


class AllowanceTierRequest(TypedDict):
    mode: Literal['set_tier']
    wallet_id: str
    tier: Literal['free', 'premium']
    idempotency_key: str


AllowanceTierAnswer: TypeAlias = TieredWallet


class CreditBindingReadRequest(TypedDict):
    binding_id: NotRequired[str]
    entitlement_id: NotRequired[str]


class CreditBindingCreateRequest(TypedDict):
    entitlement_id: str
    challenge_id: str
    idempotency_key: str


CreditBindingCreateAnswer: TypeAlias = BoundCredit


class CommercialLayerReadRequest(TypedDict):
    wallet_id: NotRequired[str]


class Item5(TypedDict):
    fee_item: Literal['micro_routing_fee', 'receipt_fee', 'escrow_fee', 'premium_wallet_tier', 'developer_fee', 'trust_badge_fee', 'enterprise_controls']
    basis_usd: NotRequired[int]
    count: NotRequired[int]


class CommercialFeesAssessRequest(TypedDict):
    run_id: NotRequired[str]
    quote_id: NotRequired[str]
    items: NotRequired[list[Item5]]
    accrue: NotRequired[bool]
    wallet_id: NotRequired[str]
    idempotency_key: NotRequired[str]


CommercialFeesAssessAnswer: TypeAlias = AssessedFees


class EnterpriseControlsReadRequest(TypedDict):
    account_id: NotRequired[str]


class EnterpriseControlsSetRequest(TypedDict):
    mode: NotRequired[Literal['set_controls']]
    account_id: NotRequired[str]
    controls: AccountControlsAskedInput
    reason: str
    accept_fee: NotRequired[bool]
    idempotency_key: str


EnterpriseControlsSetAnswer: TypeAlias = ChangedControls


class EnterpriseWalletBindRequest(TypedDict):
    mode: Literal['bind_wallet']
    wallet: str
    signature: str
    idempotency_key: str


EnterpriseWalletBindAnswer: TypeAlias = BoundWallet


class UsageLedgerReadRequest(TypedDict):
    kind: NotRequired[Literal['ledger_event']]
    event_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class UsageLedgerRecordRequest(TypedDict):
    kind: Literal['run_usage', 'tool_call', 'model_tokens', 'storage', 'other']
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    units: int
    unit: str
    occurred_at: NotRequired[str]
    run_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    subject: NotRequired[str]
    idempotency_key: str


UsageLedgerRecordAnswer: TypeAlias = RecordedUsage


class AgentRegisterReadRequest(TypedDict):
    pass


AgentRegisterReadAnswer: TypeAlias = RegistrationContract


class Contact(TypedDict):
    email: NotRequired[str]
    callback_url: NotRequired[str]


class EncryptionKey(TypedDict):
    kty: Literal['OKP']
    crv: Literal['X25519']
    x: str


class Account(TypedDict):
    name: str
    country: NotRequired[str]


class Identity2(TypedDict):
    chain_id: int
    registry: str
    token_id: str
    owner: str
    signature: str


class AgentRegisterRequest(TypedDict):
    name: str
    contact: Contact
    capabilities: NotRequired[list[Capability]]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    public_key: PublicKey
    encryption_key: NotRequired[EncryptionKey]
    protocols: NotRequired[list[Literal['mcp', 'http', 'a2a']]]
    account: NotRequired[Account]
    identity: NotRequired[Identity2]
    requested_scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    sandbox: NotRequired[bool]
    idempotency_key: str


class AgentStatusRequest(TypedDict):
    kind: NotRequired[Literal['onboarding', 'trust_profile', 'credential_envelope', 'quote', 'provider_route', 'credit_entitlement']]


class HandshakeReadRequest(TypedDict):
    pass


HandshakeReadAnswer: TypeAlias = HandshakeDocument


class HandshakeRequest(TypedDict):
    nonce: str
    signature: str
    protocol_version: Literal['1']
    claim_credential: NotRequired[bool]


class CredentialPolicyReadRequest(TypedDict):
    audit_event_id: NotRequired[str]


CredentialPolicyReadAnswer: TypeAlias = CredentialPolicy


class CredentialEnforceRequest(TypedDict):
    operation_id: str
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    amount_usd: NotRequired[int]
    idempotency_key: NotRequired[str]


CredentialEnforceAnswer: TypeAlias = CredentialDecision


class AgentRegistryListRequest(TypedDict):
    query: NotRequired[str]
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    capability: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


AgentRegistryListAnswer: TypeAlias = AgentRegistry


class AgentRegistryProfileRequest(TypedDict):
    name: str
    description: str
    capabilities: list[Capability]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    publish_profile: bool
    idempotency_key: NotRequired[str]


AgentRegistryProfileAnswer: TypeAlias = AgentProfile


class ResolverReadRequest(TypedDict):
    pass


class FindServicesRequest1(TypedDict):
    mode: Literal['find_services']
    query: str
    task: NotRequired[str]
    include_registry: NotRequired[bool]


class FindServicesRequest2(TypedDict):
    mode: Literal['find_services']
    query: NotRequired[str]
    task: str
    include_registry: NotRequired[bool]


FindServicesRequest: TypeAlias = FindServicesRequest1 | FindServicesRequest2


FindServicesAnswer: TypeAlias = FoundServices


class Candidate(TypedDict):
    name: str
    url: str
    description: NotRequired[str]
    protocols: NotRequired[list[Literal['http', 'mcp', 'a2a', 'x402']]]
    schema: NotRequired[dict[str, Any]]


class InspectServiceRequest1(TypedDict):
    mode: Literal['inspect_service']
    service_id: str
    candidate: NotRequired[Candidate]


class InspectServiceRequest2(TypedDict):
    mode: Literal['inspect_service']
    service_id: NotRequired[str]
    candidate: Candidate


InspectServiceRequest: TypeAlias = InspectServiceRequest1 | InspectServiceRequest2


class RequestServiceUseRequest1(TypedDict):
    mode: Literal['request_service_use']
    service_id: str
    candidate: NotRequired[Candidate]
    task: str
    idempotency_key: NotRequired[str]


class RequestServiceUseRequest2(TypedDict):
    mode: Literal['request_service_use']
    service_id: NotRequired[str]
    candidate: Candidate
    task: str
    idempotency_key: NotRequired[str]


RequestServiceUseRequest: TypeAlias = RequestServiceUseRequest1 | RequestServiceUseRequest2


RequestServiceUseAnswer: TypeAlias = ServiceUse


class RunServiceRequest(TypedDict):
    mode: Literal['run_service']
    service_id: str
    task: str
    idempotency_key: NotRequired[str]


RunServiceAnswer: TypeAlias = ServiceOutcome


class ServiceScoutReadRequest(TypedDict):
    task: str
    limit: NotRequired[str]
    include_registry: NotRequired[Literal['true', 'false']]


ServiceScoutReadAnswer: TypeAlias = Scouted


Protocol: TypeAlias = str


class Constraints9(TypedDict):
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]]
    price_max_usd: NotRequired[int]
    protocols: NotRequired[list[Protocol]]


class ServiceScoutRunRequest(TypedDict):
    task: str
    constraints: NotRequired[Constraints9]
    limit: NotRequired[int]
    include_registry: NotRequired[bool]
    idempotency_key: NotRequired[str]


ServiceScoutRunAnswer: TypeAlias = ScoutedWithReceipt


class AgentHarnessReadRequest(TypedDict):
    test_run_id: NotRequired[str]


AgentHarnessReadAnswer: TypeAlias = ReadTestRun | TestOfTwoAgents


class AgentHarnessRunRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops']]
    idempotency_key: NotRequired[str]
    scenarios: NotRequired[list[Literal['discovery', 'MCP tools', 'payment reference', 'rail run', 'return package', 'receipt', 'verification packet', 'transcript hash']]]


AgentHarnessRunAnswer: TypeAlias = TestRun


class ExternalInvocationReadRequest(TypedDict):
    test_run_id: NotRequired[str]


ExternalInvocationReadAnswer: TypeAlias = ReadTestRun | TestOfForeignClient


class ExternalInvocationRunRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops']]
    idempotency_key: NotRequired[str]
    scenarios: NotRequired[list[Literal['descriptor', 'initialize', 'tools/list', 'list_rails', 'quote_run', 'find_services', 'inspect_service', 'request_service_use', 'run_service', 'validate_production_write', 'get_provider_callback_receiver_examples', 'read_verified_commerce_activity', 'read_recent_regressions', 'enforce_agent_credential', 'read_signing_versions', 'verify_signature_by_version', 'paid tool without money', 'unknown tool', 'replayed key']]]


ExternalInvocationRunAnswer: TypeAlias = TestRun


class ExternalAgentReadRequest(TypedDict):
    test_run_id: NotRequired[str]


ExternalAgentReadAnswer: TypeAlias = ReadTestRun | TestOfHandedWork


class ExternalAgentRunRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops']]
    idempotency_key: NotRequired[str]
    scenarios: NotRequired[list[Literal['hand over', 'run', 'verify', 'counterpart tools']]]
    counterpart_mcp_url: NotRequired[str]


ExternalAgentRunAnswer: TypeAlias = TestRun


class CredentialTestReadRequest(TypedDict):
    test_run_id: NotRequired[str]


CredentialTestReadAnswer: TypeAlias = ReadTestRun | TestOfAccessKeys


class CredentialTestRunRequest(TypedDict):
    scenarios: NotRequired[list[Literal['none', 'malformed', 'unknown', 'revoked', 'expired', 'wrong scope', 'wrong rail', 'retiring version', 'active', 'cross-account']]]
    idempotency_key: NotRequired[str]


CredentialTestRunAnswer: TypeAlias = TestRun


class RegressionReadRequest(TypedDict):
    kind: NotRequired[str]
    failed: NotRequired[Literal['true', 'false']]
    since: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class RegressionPersistRequest(TypedDict):
    mode: Literal['persist_regression_report']
    test_run_id: str
    note: NotRequired[str]
    idempotency_key: NotRequired[str]


class Step9(TypedDict):
    step: str
    ok: bool


class Report(TypedDict):
    suite: str
    passed: int
    failed: int
    steps: NotRequired[list[Step9]]
    transcript_hash: str
    code_version: str


class RegressionStoreRequest(TypedDict):
    mode: Literal['store_regression_report']
    report: Report
    idempotency_key: str


RegressionStoreAnswer: TypeAlias = StoredRegressionReport


class SigningVersionsReadRequest(TypedDict):
    agent_id: NotRequired[str]


class NextKey(TypedDict):
    public_key: PublicKey
    signed_by_old: str
    signed_by_next: str


class SigningRotateRequest1(TypedDict):
    mode: Literal['rotate_signing_credential']
    target: Literal['own_signing']
    agent_id: NotRequired[str]
    next_key: NextKey
    ring: NotRequired[Literal['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log']]
    overlap_seconds: NotRequired[int]
    revoke_old: NotRequired[bool]
    reason: str
    idempotency_key: str


class NextKey1(TypedDict):
    public_key: PublicKey
    signed_by_old: str
    signed_by_next: str


class SigningRotateRequest2(TypedDict):
    mode: Literal['rotate_signing_credential']
    target: Literal['own_access_key']
    agent_id: NotRequired[str]
    next_key: NotRequired[NextKey1]
    ring: NotRequired[Literal['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log']]
    overlap_seconds: NotRequired[int]
    revoke_old: NotRequired[bool]
    reason: str
    idempotency_key: str


class NextKey2(TypedDict):
    public_key: PublicKey
    signed_by_old: str
    signed_by_next: str


class SigningRotateRequest3(TypedDict):
    mode: Literal['rotate_signing_credential']
    target: Literal['service']
    agent_id: NotRequired[str]
    next_key: NotRequired[NextKey2]
    ring: NotRequired[Literal['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log']]
    overlap_seconds: NotRequired[int]
    revoke_old: NotRequired[bool]
    reason: str
    idempotency_key: str


SigningRotateRequest: TypeAlias = SigningRotateRequest1 | SigningRotateRequest2 | SigningRotateRequest3


class SigningSignRequest1(TypedDict):
    mode: Literal['sign_with_active_signing_version']
    payload: dict[str, Any]
    payload_sha256: NotRequired[str]
    context: NotRequired[str]


class SigningSignRequest2(TypedDict):
    mode: Literal['sign_with_active_signing_version']
    payload: NotRequired[dict[str, Any]]
    payload_sha256: str
    context: NotRequired[str]


SigningSignRequest: TypeAlias = SigningSignRequest1 | SigningSignRequest2


SigningSignAnswer: TypeAlias = AgentStatement


class SigningVerifyRequest(TypedDict):
    mode: Literal['verify_signature_by_version']
    jws: str
    payload: NotRequired[dict[str, Any]]
    payload_sha256: NotRequired[str]
    version: NotRequired[int]


SigningVerifyAnswer: TypeAlias = StatementVerification


class AgentUseReadRequest(TypedDict):
    run_id: NotRequired[str]


class ReadAgentUsePackRequest(TypedDict):
    mode: Literal['read_agent_use_pack']


class StartAgentRunRequest(TypedDict):
    mode: Literal['start_agent_run']
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: NotRequired[str]
    customer_account: NotRequired[str]
    usage: NotRequired[Literal['synthetic', 'operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


class GetRunStatusRequest(TypedDict):
    mode: Literal['get_run_status']
    run_id: str
    wait_ms: NotRequired[int]


class FetchReturnPackageRequest(TypedDict):
    mode: Literal['fetch_return_package']
    run_id: str
    include_files: NotRequired[bool]


ReturnPackageReadRequest = TypedDict(
    'ReturnPackageReadRequest',
    {
        'as': NotRequired[Literal['json', 'zip']]
    },
)


class RecordAgentUseReceiptRequest1(TypedDict):
    mode: Literal['record_agent_use_receipt']
    run_id: str
    receipt_id: str
    receipt: NotRequired[str]
    accepted: bool
    note: NotRequired[str]
    idempotency_key: str


class RecordAgentUseReceiptRequest2(TypedDict):
    mode: Literal['record_agent_use_receipt']
    run_id: str
    receipt_id: NotRequired[str]
    receipt: str
    accepted: bool
    note: NotRequired[str]
    idempotency_key: str


RecordAgentUseReceiptRequest: TypeAlias = RecordAgentUseReceiptRequest1 | RecordAgentUseReceiptRequest2


class ReadAgentUseRunsRequest(TypedDict):
    mode: Literal['read_agent_use_runs']
    state: NotRequired[Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']]
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    offset: NotRequired[int]
    limit: NotRequired[int]


ReadAgentUseRunsAnswer: TypeAlias = AgentRuns


class SelfServeLoopReadRequest(TypedDict):
    run_id: NotRequired[str]


SelfServeLoopReadAnswer: TypeAlias = SelfServeRun | SelfServeLoopContract


class SelfServeLoopSubmitRequest(TypedDict):
    task_token: str
    contract_id: str
    input: dict[str, Any]
    idempotency_key: str


SelfServeLoopSubmitAnswer: TypeAlias = SubmittedRun


class WalletRunReadRequest(TypedDict):
    run_id: NotRequired[str]


WalletRunReadAnswer: TypeAlias = WalletRun | WalletRunContract


class WalletRunStartRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: NotRequired[str]
    customer_account: NotRequired[str]
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    wallet_id: str
    acceptance_criteria: NotRequired[list[AcceptanceCriterion]]


WalletRunStartAnswer: TypeAlias = StartedWalletRun


class SampleReturnPackagesRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    tier: NotRequired[Literal['entry', 'standard', 'pro']]
    offset: NotRequired[str]
    limit: NotRequired[str]


class ComplianceSamplesReadRequest(TypedDict):
    sample: NotRequired[Literal['soc2_evidence_packet', 'vendor_security_questionnaire', 'insurance_renewal_compliance_packet']]


class ClearingReadRequest(TypedDict):
    clearing_id: NotRequired[str]
    run_id: NotRequired[str]


ClearingReadAnswer: TypeAlias = Clearing | SampleClearing


class Obligation(TypedDict):
    statement: str
    due_at: NotRequired[str | None]
    amount_usd: NotRequired[int | None]


class PolicyScope1(TypedDict):
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None]
    amount_usd_max: NotRequired[int | None]
    data: NotRequired[str | None]


class ClearingRunRequest(TypedDict):
    run_id: str
    obligation: Obligation
    policy_scope: NotRequired[PolicyScope1]
    idempotency_key: str


ClearingRunAnswer: TypeAlias = Clearing


class LoopsReadRequest(TypedDict):
    run_id: NotRequired[str]
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]


LoopsReadAnswer: TypeAlias = LoopRun | LoopPattern


class LoopStartRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: NotRequired[str]
    customer_account: NotRequired[str]
    usage: NotRequired[Literal['synthetic', 'operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


class PacketLoopReadRequest(TypedDict):
    run_id: NotRequired[str]


class PacketLoopStartRequest(TypedDict):
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: NotRequired[str]
    customer_account: NotRequired[str]
    usage: NotRequired[Literal['synthetic', 'operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]
    manifest_only: NotRequired[bool]


PacketLoopStartAnswer: TypeAlias = StartedPacketRun


class DiligenceLoopReadRequest(TypedDict):
    run_id: NotRequired[str]


DiligenceLoopReadAnswer: TypeAlias = ProductRun | ProductLoop


class DiligenceLoopStartRequest(TypedDict):
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: NotRequired[str]
    customer_account: NotRequired[str]
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


DiligenceLoopStartAnswer: TypeAlias = StartedProductRun


LoopAuditPackRequest = TypedDict(
    'LoopAuditPackRequest',
    {
        'from': NotRequired[str],
        'to': NotRequired[str],
        'run_id': NotRequired[str],
        'decided_by': NotRequired[str],
        'offset': NotRequired[str],
        'limit': NotRequired[str],
    },
)


LoopAuditPackAnswer: TypeAlias = LoopAuditPack


class TokenopsControlledPilotReadRequest(TypedDict):
    run_id: NotRequired[str]


class Request(TypedDict):
    objective: str
    customer_account: NotRequired[str]
    pilot_id: NotRequired[str]


class TokenopsControlledPilotRunRequest(TypedDict):
    request: Request
    tool_scope: list[Literal['tokenops', 'financeops', 'energyops', 'runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: str
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


TokenopsControlledPilotRunAnswer: TypeAlias = ActivatedPilot


class FinanceopsControlledPilotReadRequest(TypedDict):
    run_id: NotRequired[str]


class FinanceopsControlledPilotRunRequest(TypedDict):
    request: Request
    tool_scope: list[Literal['tokenops', 'financeops', 'energyops', 'runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: str
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


FinanceopsControlledPilotRunAnswer: TypeAlias = ActivatedPilot


class EnergyopsControlledPilotReadRequest(TypedDict):
    run_id: NotRequired[str]


class EnergyopsControlledPilotRunRequest(TypedDict):
    request: Request
    tool_scope: list[Literal['tokenops', 'financeops', 'energyops', 'runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: str
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


EnergyopsControlledPilotRunAnswer: TypeAlias = ActivatedPilot


class EnergyopsRuntimeRunsReadRequest(TypedDict):
    state: NotRequired[Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']]
    offset: NotRequired[str]
    limit: NotRequired[str]


class EnergyopsRuntimeRunRequest(TypedDict):
    pilot_id: str
    funding: NotRequired[Literal['settled_payment', 'granted_entitlement', 'synthetic']]
    input: NotRequired[dict[str, Any]]
    decision_note: str
    evidence_root_sha256: NotRequired[str]
    idempotency_key: str


EnergyopsRuntimeRunAnswer: TypeAlias = BegunPilot


class FinanceopsRuntimeRunsReadRequest(TypedDict):
    state: NotRequired[Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']]
    offset: NotRequired[str]
    limit: NotRequired[str]


class FinanceopsRuntimeRunRequest(TypedDict):
    pilot_id: str
    funding: NotRequired[Literal['settled_payment', 'granted_entitlement', 'synthetic']]
    input: NotRequired[dict[str, Any]]
    decision_note: str
    evidence_root_sha256: NotRequired[str]
    idempotency_key: str


FinanceopsRuntimeRunAnswer: TypeAlias = BegunPilot


class WriteGateReadRequest(TypedDict):
    audit_event_id: NotRequired[str]


WriteGateReadAnswer: TypeAlias = WriteGate


class WriteGateValidateRequest(TypedDict):
    operation_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    callback_url: str
    payload_sha256: NotRequired[str]
    idempotency_key: str


class ProductionRunsReadRequest(TypedDict):
    run_id: NotRequired[str]
    customer_account: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class ProductionRunStartRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: str
    customer_account: str
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


ProductionRunStartAnswer: TypeAlias = StartedProductionRun


class FirstPaidRunReadRequest(TypedDict):
    run_id: NotRequired[str]


class FirstPaidRunExecuteRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: str
    customer_account: str
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]
    publication_consent: NotRequired[bool]


FirstPaidRunExecuteAnswer: TypeAlias = StartedFirstPaidRun


class ActivationPathReadRequest(TypedDict):
    activation_id: NotRequired[str]


class ActivationStartRequest(TypedDict):
    customer_account: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    idempotency_key: str


ActivationStartAnswer: TypeAlias = StartedCustomerActivation


class CustomerWorkflowReadRequest(TypedDict):
    workflow_id: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class CustomerWorkflowCreateRequest(TypedDict):
    mode: NotRequired[Literal['create_workflow']]
    customer_account: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    name: str
    acceptance_criteria: list[AcceptanceCriterion]
    callback_url: str
    wallet_id: str
    cadence: Literal['on_demand', 'daily', 'weekly', 'monthly']
    input: dict[str, Any]
    accept_terms: Literal[True]
    idempotency_key: str


class CustomerWorkflowPauseRequest(TypedDict):
    mode: Literal['pause_workflow']
    workflow_id: str
    idempotency_key: str


class CustomerWorkflowResumeRequest(TypedDict):
    mode: Literal['resume_workflow']
    workflow_id: str
    idempotency_key: str
    accept_terms: Literal[True]


class CustomerWorkflowDeleteRequest(TypedDict):
    mode: Literal['delete_workflow']
    workflow_id: str
    idempotency_key: str


class CustomerWorkflowRunRequest(TypedDict):
    mode: Literal['run_workflow']
    workflow_id: str
    idempotency_key: str


class PilotIntakeReadRequest(TypedDict):
    pass


PilotIntakeReadAnswer: TypeAlias = OwnPilot | PilotIntakeContract


class Client2(TypedDict):
    name: str
    contact: str
    account_id: NotRequired[str]


class PilotIntakeSubmitRequest(TypedDict):
    client: Client2
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: NotRequired[Literal['entry', 'standard', 'pro']]
    objective: str
    workflow_description: NotRequired[str]
    desired_start: NotRequired[str]
    invitation_token: NotRequired[str]
    data_declaration: Literal['no_regulated_or_confidential_data']
    idempotency_key: str


PilotIntakeSubmitAnswer: TypeAlias = RequestedPilot


class PilotConversationReadRequest(TypedDict):
    pilot_id: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class PilotConversationAddRequest(TypedDict):
    pilot_id: NotRequired[str]
    kind: Literal['message', 'question', 'answer', 'decision', 'next_step']
    text: str
    due_at: NotRequired[str]
    idempotency_key: str


PilotConversationAddAnswer: TypeAlias = AddedPilotEntry


class Client3(TypedDict):
    name: str
    contact: NotRequired[str]


class PilotInviteRequest(TypedDict):
    client: Client3
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: NotRequired[Literal['entry', 'standard', 'pro']]
    objective: str
    prospect_id: NotRequired[str]
    valid_for_seconds: NotRequired[int]
    idempotency_key: str


PilotInviteAnswer: TypeAlias = PilotInvitation


class InvitationReadRequest(TypedDict):
    pass


InvitationReadAnswer: TypeAlias = Invitation | InvitationContract


class Client4(TypedDict):
    name: str
    contact: str


class InvitationRespondRequest(TypedDict):
    response: Literal['accept', 'decline', 'request_changes', 'ask_question']
    terms_sha256: NotRequired[str]
    message: NotRequired[str]
    client: NotRequired[Client4]
    idempotency_key: str


InvitationRespondAnswer: TypeAlias = AnsweredInvitation


class FirstPilotReadRequest(TypedDict):
    pilot_id: NotRequired[str]


FirstPilotReadAnswer: TypeAlias = PilotRun | PilotRunContract


class FirstPilotRunRequest(TypedDict):
    pilot_id: str
    pilot_token: NotRequired[str]
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    quote_id: str
    quote_token: NotRequired[str]
    input: dict[str, Any]
    callback_url: str
    usage: NotRequired[Literal['operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    accept_terms: Literal[True]
    idempotency_key: str
    payment_reference_id: NotRequired[str]
    entitlement_id: NotRequired[str]
    wallet_id: NotRequired[str]
    ap2_mandate_reference: NotRequired[str]


FirstPilotRunAnswer: TypeAlias = StartedPilotRun


class OffersReadRequest(TypedDict):
    rail: NotRequired[Literal['tokenops', 'financeops', 'energyops']]


class OfferLaunchRequest(TypedDict):
    rail: Literal['tokenops', 'financeops', 'energyops']
    tier: Literal['entry', 'standard', 'pro']
    objective: str
    customer_account: NotRequired[str]
    idempotency_key: str


OfferLaunchAnswer: TypeAlias = LaunchedPilot


class InputUploadRequest(TypedDict):
    sha256: str


InputUploadAnswer: TypeAlias = StoredInput


class InputReadRequest(TypedDict):
    sha256: str


InputReadAnswer: TypeAlias = StoredInput


class CallbackCompletionReadRequest(TypedDict):
    payment_reference_id: NotRequired[str]
    run_id: NotRequired[str]


CallbackCompletionReadAnswer: TypeAlias = ProviderActivation


class CallbackExamplesRequest(TypedDict):
    language: NotRequired[Literal['typescript', 'python', 'go', 'shell']]


CallbackExamplesAnswer: TypeAlias = CallbackExamples


class CallbackDemoReceiveRequest(TypedDict):
    receiver: str
    fail: NotRequired[str]


CallbackDemoReceiveAnswer: TypeAlias = ReceivedCallback


class CallbackDemoReadRequest(TypedDict):
    receiver: str
    delivery_id: NotRequired[str]


CallbackDemoReadAnswer: TypeAlias = CallbackInbox


class InputManifestItem(TypedDict):
    name: str
    sha256: str
    bytes: int


class PreflightRequest1(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    input_manifest: list[InputManifestItem]
    input: NotRequired[dict[str, Any]]
    objective: str
    callback_url: NotRequired[str]
    usage: NotRequired[Literal['synthetic', 'operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    idempotency_key: str


class PreflightRequest2(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    input_manifest: NotRequired[list[InputManifestItem]]
    input: dict[str, Any]
    objective: str
    callback_url: NotRequired[str]
    usage: NotRequired[Literal['synthetic', 'operational']]
    on_gaps: NotRequired[Literal['ask', 'report']]
    idempotency_key: str


PreflightRequest: TypeAlias = PreflightRequest1 | PreflightRequest2


class ContractPrepareRequest(TypedDict):
    task_token: str
    acceptance_criteria: NotRequired[list[AcceptanceCriterion]]
    idempotency_key: str


class ContractReadRequest(TypedDict):
    contract_id: str


class ContractAcceptRequest(TypedDict):
    contract_id: str
    terms_sha256: str
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    signature: str
    idempotency_key: str


class TaskLedgerRequest(TypedDict):
    kind: NotRequired[Literal['onboarding', 'trust_profile', 'credential_envelope', 'quote', 'provider_route', 'credit_entitlement', 'run_contract', 'task_run', 'lifecycle_event', 'result_contract', 'settlement_receipt', 'usage_receipt', 'callback_delivery', 'ledger_event', 'attestation']]
    from_sequence: NotRequired[str]
    limit: NotRequired[str]


class TaskStepsRequest(TypedDict):
    pass


class TaskAttestationRequest(TypedDict):
    pass


TaskAttestationAnswer: TypeAlias = TaskAttestation


class TaskExceptionsRequest(TypedDict):
    state: NotRequired[Literal['open', 'recovery_requested', 'replay_ready', 'resolved', 'abandoned']]


TaskExceptionsAnswer: TypeAlias = TaskExceptions


class TaskExceptionRaiseRequest(TypedDict):
    code: Literal['evidence_gap', 'input_invalid', 'input_too_complex', 'worker_failed', 'validator_failed', 'payment_reversed', 'credit_mismatch', 'callback_failed', 'deadline_passed', 'operator_hold', 'caller_dispute']
    detail: str
    idempotency_key: str


class InputPatch(TypedDict):
    op: Literal['add', 'replace', 'test']
    path: str
    value: Any


class InputPatch1(TypedDict):
    op: Literal['remove']
    path: str


class TaskRecoverRequest(TypedDict):
    exception_id: NotRequired[str]
    action: Literal['supply_evidence', 'correct_input', 'retry_step', 'redeliver_callback', 'replay', 'abandon']
    input: NotRequired[dict[str, Any]]
    input_patch: NotRequired[list[InputPatch | InputPatch1]]
    note: NotRequired[str]
    idempotency_key: str


class TaskProposalDeclineRequest(TypedDict):
    proposed_input_sha256: str
    reason: str
    idempotency_key: str


class TaskReplayPackageRequest(TypedDict):
    pass


class TaskReplayPrepareRequest(TypedDict):
    exception_id: str
    from_step: NotRequired[Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation']]
    idempotency_key: str


class WorkOrdersReadRequest(TypedDict):
    work_order_id: NotRequired[str]


class Step10(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    input: dict[str, Any]


class Requester2(TypedDict):
    name: str
    contact: str


class Requester3(TypedDict):
    agent_id: str


class Exchange1(TypedDict):
    deadline: str
    reward_note: NotRequired[str]


class WorkOrderCreateRequest1(TypedDict):
    intake_kind: Literal['external_agent_request', 'workflow_intake']
    requested_tool_id: Literal['service_os', 'packetops', 'distributionops', 'tokenops']
    objective: str
    input: dict[str, Any]
    steps: NotRequired[list[Step10]]
    tier: NotRequired[Literal['entry', 'standard', 'pro']]
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    payment_reference_id: NotRequired[str]
    requester: Requester2 | Requester3
    callback_url: NotRequired[str]
    acceptance_criteria: NotRequired[list[AcceptanceCriterion]]
    exchange: NotRequired[Exchange1]
    data_declaration: Literal['no_regulated_or_confidential_data']
    idempotency_key: str


class Requester4(TypedDict):
    name: str
    contact: str


class Requester5(TypedDict):
    agent_id: str


class WorkOrderCreateRequest2(TypedDict):
    intake_kind: Literal['external_agent_request', 'workflow_intake']
    requested_tool_id: Literal['service_os', 'packetops', 'distributionops', 'tokenops']
    objective: str
    input: NotRequired[dict[str, Any]]
    steps: list[Step10]
    tier: NotRequired[Literal['entry', 'standard', 'pro']]
    quote_id: NotRequired[str]
    quote_token: NotRequired[str]
    payment_reference_id: NotRequired[str]
    requester: Requester4 | Requester5
    callback_url: NotRequired[str]
    acceptance_criteria: NotRequired[list[AcceptanceCriterion]]
    exchange: NotRequired[Exchange1]
    data_declaration: Literal['no_regulated_or_confidential_data']
    idempotency_key: str


WorkOrderCreateRequest: TypeAlias = WorkOrderCreateRequest1 | WorkOrderCreateRequest2


WorkOrderCreateAnswer: TypeAlias = QueuedWorkOrder


class WorkOrderConsentRequest(TypedDict):
    work_order_id: str
    run_id: str
    proposed_input_sha256: str
    note: NotRequired[str]
    idempotency_key: str


class WorkOrderDeclineRequest(TypedDict):
    work_order_id: str
    run_id: str
    proposed_input_sha256: str
    reason: str
    idempotency_key: str


class ExchangeReadRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    claim_id: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class ExchangeClaimRequest(TypedDict):
    mode: Literal['claim_work_order']
    work_order_id: str
    accept_terms: Literal[True]
    idempotency_key: str


class ExchangeDeliverRequest(TypedDict):
    mode: Literal['deliver_work_order']
    work_order_id: str
    claim_id: str
    return_package: DeliveredPackageInput
    handoff_pack: NotRequired[str]
    accept_terms: Literal[True]
    idempotency_key: str


ExchangeDeliverAnswer: TypeAlias = DeliveredToExchange


class ExchangeReleaseRequest(TypedDict):
    mode: Literal['release_work_order']
    work_order_id: str
    claim_id: str
    reason: NotRequired[str]


ExchangeReleaseAnswer: TypeAlias = ReleasedToExchange


class LoopReviewConsoleRequest(TypedDict):
    compact: NotRequired[Literal['true', 'false']]
    kind: NotRequired[Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']]
    subject_id: NotRequired[str]
    part: NotRequired[str]
    part_offset: NotRequired[str]
    state: NotRequired[str]
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    needs_attention: NotRequired[Literal['true', 'false']]
    older_than_seconds: NotRequired[str]
    min_amount_usd: NotRequired[str]
    evidence_roots: NotRequired[Literal['true', 'false']]
    offset: NotRequired[str]
    limit: NotRequired[str]


class Limits10(TypedDict):
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]]
    scopes: NotRequired[list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]]
    max_usd: NotRequired[int]
    concurrent_runs: NotRequired[int]


EvidenceSeenSha256Item: TypeAlias = str


class Revision(TypedDict):
    parameters: dict[str, Any]


class Revision1(TypedDict):
    input: dict[str, Any]


class LoopReviewRecordRequest(TypedDict):
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    subject_id: str
    decision: Literal['approve', 'reject', 'revise', 'hold']
    note: str
    waiting_since: NotRequired[str]
    limits: NotRequired[Limits10]
    contact_notified: NotRequired[bool]
    evidence_seen_sha256: list[EvidenceSeenSha256Item]
    judgements: NotRequired[list[Judgement]]
    revision: NotRequired[Revision | Revision1]
    idempotency_key: str


LoopReviewRecordAnswer: TypeAlias = ReviewDecision1


class Item6(TypedDict):
    subject_id: str
    evidence_root_sha256: str


class Revision2(TypedDict):
    parameters: dict[str, Any]


class LoopReviewRecordBatchRequest(TypedDict):
    subject_kind: Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']
    decision: Literal['approve', 'reject', 'revise', 'hold']
    note: str
    items: list[Item6]
    judgements: NotRequired[list[Judgement]]
    revision: NotRequired[Revision2]
    dry_run: NotRequired[bool]
    idempotency_key: str


class HardeningReadRequest(TypedDict):
    pass


class PauseSetRequest(TypedDict):
    scope: Literal['service', 'payouts', 'wallet', 'payout', 'rail', 'agent']
    target: NotRequired[str]
    paused: bool
    reason: str
    idempotency_key: str


PauseSetAnswer: TypeAlias = ControlChange


class ReconciliationRequest(TypedDict):
    day: NotRequired[str]


class CloseExceptionRequest(TypedDict):
    mode: Literal['close_exception']
    exception_id: str
    reason: str
    idempotency_key: str


CloseExceptionAnswer: TypeAlias = ClosedException


class OperatorsListRequest(TypedDict):
    pass


class OperatorsRevokeRequest(TypedDict):
    mode: Literal['revoke_operator']
    operator_id: str
    reason: str
    idempotency_key: str


OperatorsRevokeAnswer: TypeAlias = RevokedOperator


class SessionOpenRequest(TypedDict):
    pass


class SessionReadRequest(TypedDict):
    pass


SessionReadAnswer: TypeAlias = CurrentSession


class SessionEndRequest(TypedDict):
    operator_id: NotRequired[str]


SessionEndAnswer: TypeAlias = EndedSession


class InboxRequest(TypedDict):
    action: NotRequired[Literal['decide', 'recover', 'close_difference']]
    kind: NotRequired[Literal['agent', 'service_candidate', 'work_order', 'task', 'loop_step', 'payment_reference', 'recovery', 'commerce_proof', 'pilot', 'listing', 'clearing', 'workflow']]
    code: NotRequired[str]
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    evidence_roots: NotRequired[Literal['true', 'false']]
    older_than_seconds: NotRequired[str]
    min_amount_usd: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class WorkListRequest(TypedDict):
    kind: NotRequired[Literal['payout', 'task']]
    state: NotRequired[str]
    q: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class WorkReadRequest(TypedDict):
    id: str


Id: TypeAlias = str


class RecoveryActRequest(TypedDict):
    act: Literal['wake', 'supply_evidence', 'correct_input', 'retry_step', 'redeliver_callback', 'replay', 'abandon']
    ids: list[Id]
    reason: str
    input: NotRequired[dict[str, Any]]
    dry_run: NotRequired[bool]
    idempotency_key: str


RecoveryActAnswer: TypeAlias = RecoveryOutcomes


class MoneyRequest(TypedDict):
    span: NotRequired[Literal['day', 'month']]


MoneyAnswer: TypeAlias = Money


class PilotsListRequest(TypedDict):
    q: NotRequired[str]
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    state: NotRequired[Literal['requested', 'invited', 'accepted', 'declined', 'expired', 'activated', 'rejected', 'running', 'delivered', 'paid_next_step_ready', 'converted_to_paid', 'closed']]
    source: NotRequired[Literal['intake', 'invitation', 'offer', 'controlled']]
    offset: NotRequired[str]
    limit: NotRequired[str]


class AgentsListRequest(TypedDict):
    q: NotRequired[str]
    state: NotRequired[Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']]
    offset: NotRequired[str]
    limit: NotRequired[str]


class AgentReadRequest(TypedDict):
    agent_id: str


class Limits11(TypedDict):
    rails: NotRequired[list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']] | None]
    scopes: NotRequired[list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']] | None]
    max_usd: NotRequired[int | None]
    concurrent_runs: NotRequired[int | None]


class AgentLimitsSetRequest(TypedDict):
    agent_id: str
    limits: Limits11
    reason: str
    idempotency_key: str


AgentLimitsSetAnswer: TypeAlias = AgentLimitsChange


class AccessKeyRevokeRequest(TypedDict):
    credential_id: str
    reason: str
    idempotency_key: str


AccessKeyRevokeAnswer: TypeAlias = RevokedAccessKey


class PausesRequest(TypedDict):
    pass


class MandatesListRequest(TypedDict):
    kind: NotRequired[Literal['authority', 'ap2', 'payout']]
    state: NotRequired[Literal['active', 'exhausted', 'expired', 'revoked']]
    q: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class MandateReadRequest(TypedDict):
    mandate_id: str


class GrantsListRequest(TypedDict):
    state: NotRequired[Literal['issued', 'consumed', 'expired', 'revoked']]
    q: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


GrantsListAnswer: TypeAlias = GrantLines


class DelegatedActionsListRequest(TypedDict):
    state: NotRequired[Literal['reserved', 'started', 'done', 'refused']]
    q: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


DelegatedActionsListAnswer: TypeAlias = DelegatedActionLines


class KeyRingsRequest(TypedDict):
    pass


class KeysListRequest(TypedDict):
    pass


KeysListAnswer: TypeAlias = ServiceKeys


class KeysPublishRequest(TypedDict):
    mode: Literal['publish_keys']
    reason: str
    idempotency_key: str


KeysPublishAnswer: TypeAlias = PublishedKeys


class KeysRetireRequest(TypedDict):
    mode: Literal['retire_key']
    kid: str
    reason: str
    idempotency_key: str


KeysRetireAnswer: TypeAlias = RetiredKey


class KeysRevokeRequest(TypedDict):
    mode: Literal['revoke_key']
    kid: str
    reason: str
    idempotency_key: str


KeysRevokeAnswer: TypeAlias = RevokedKey


class VerifyReceiptRequest1(TypedDict):
    receipt_id: str
    receipt: NotRequired[str]
    payload_sha256: NotRequired[str]
    at: NotRequired[str]
    tree_size: NotRequired[str]


class VerifyReceiptRequest2(TypedDict):
    receipt_id: NotRequired[str]
    receipt: str
    payload_sha256: NotRequired[str]
    at: NotRequired[str]
    tree_size: NotRequired[str]


class VerifyReceiptRequest3(TypedDict):
    receipt_id: NotRequired[str]
    receipt: NotRequired[str]
    payload_sha256: str
    at: NotRequired[str]
    tree_size: NotRequired[str]


VerifyReceiptRequest: TypeAlias = VerifyReceiptRequest1 | VerifyReceiptRequest2 | VerifyReceiptRequest3


VerifyReceiptAnswer: TypeAlias = VerificationPacket


class LogInclusionRequest(TypedDict):
    receipt_id: str
    tree_size: NotRequired[str]


LogInclusionAnswer: TypeAlias = InclusionProof


LogConsistencyRequest = TypedDict(
    'LogConsistencyRequest',
    {
        'from': str,
        'to': NotRequired[str],
    },
)


LogConsistencyAnswer: TypeAlias = ConsistencyProof


class ReceiptBundleRequest(TypedDict):
    receipt_id: str


ReceiptBundleAnswer: TypeAlias = ReceiptBundle


class Work4(TypedDict):
    kind: Literal['wallet_free_call']
    nonce: str


class Work5(TypedDict):
    kind: Literal['settled_payment']
    payment_id: str


class PassportIssueRequest(TypedDict):
    mode: Literal['issue']
    idempotency_key: str
    work: Work4 | Work5
    usage: Literal['synthetic', 'operational']


PassportIssueAnswer: TypeAlias = IssuedPassport


Passport: TypeAlias = str


class PassportVerifyRequest(TypedDict):
    mode: Literal['verify']
    passport: Passport


PassportVerifyAnswer: TypeAlias = VerifiedPassport


Content: TypeAlias = str


class Proof10(TypedDict):
    kind: Literal['receipt_passport']
    content: Content
    label: str


class Proof11(TypedDict):
    kind: Literal['handoff_pack']
    content: Content
    label: str


class Proof12(TypedDict):
    kind: Literal['evidence']
    content: str
    label: str


class ProofStoreRequest(TypedDict):
    mode: Literal['store']
    idempotency_key: str
    proof: Proof10 | Proof11 | Proof12


ProofStoreAnswer: TypeAlias = StoredProofAnswer


class ProofListRequest(TypedDict):
    mode: Literal['list']
    offset: int
    limit: int


ProofListAnswer: TypeAlias = ProofList


class ProofRetrieveRequest(TypedDict):
    mode: Literal['retrieve']
    proof_id: str


ProofRetrieveAnswer: TypeAlias = RetrievedProof


class CompletedWork(TypedDict):
    kind: Literal['wallet_free_call']
    nonce: str


class CompletedWork1(TypedDict):
    kind: Literal['settled_payment']
    payment_id: str


class Payment7(TypedDict):
    transaction_hash: str
    payee: str
    amount_atomic: str
    authorization_nonce: str


class ScorecardComputeRequest(TypedDict):
    mode: Literal['compute']
    completed_work: list[CompletedWork | CompletedWork1]
    payments: list[Payment7]


ScorecardComputeAnswer: TypeAlias = Scorecard


AllowedAction: TypeAlias = str


class Permissions1(TypedDict):
    allowed_actions: list[AllowedAction]
    resources: list[Resource]
    expires_at: int
    may_redelegate: Literal[False]


class State1(TypedDict):
    status: Literal['pending', 'in_progress', 'blocked', 'completed']
    checkpoint: str
    evidence_sha256: list[EvidenceSha256Item]


class HandoffBuildRequest(TypedDict):
    mode: Literal['build']
    idempotency_key: str
    recipient_wallet: str
    task: Task1
    permissions: Permissions1
    state: State1
    usage: Literal['synthetic', 'operational']


HandoffBuildAnswer: TypeAlias = BuiltHandoffPack


HandoffPack: TypeAlias = str


class HandoffVerifyRequest(TypedDict):
    mode: Literal['verify']
    handoff_pack: HandoffPack


HandoffVerifyAnswer: TypeAlias = VerifiedHandoffPack


class CommerceProofReadRequest(TypedDict):
    proof_id: NotRequired[str]


class Mission2(TypedDict):
    mission_id: str
    kind: Literal['rail_run', 'work_order_delivery', 'agent_handoff', 'pilot_delivery', 'free_proof']
    objective: str
    publication_consent: NotRequired[bool]


class Agent3(TypedDict):
    agent_id: str
    name: NotRequired[str]
    wallet: NotRequired[str]


class Agent4(TypedDict):
    agent_id: NotRequired[str]
    name: str
    wallet: NotRequired[str]


class Claim3(TypedDict):
    claim: str
    artifact: str


class ReturnPackage2(TypedDict):
    return_package_id: str
    claims: NotRequired[list[Claim3]]


class Artifact1(TypedDict):
    name: str
    sha256: str
    bytes: NotRequired[int]
    content: NotRequired[str]


class ReturnPackage3(TypedDict):
    artifacts: list[Artifact1]
    claims: NotRequired[list[Claim3]]


class EvidenceItem1(TypedDict):
    id: str
    sha256: str
    text: NotRequired[str]
    dated: NotRequired[str]
    receipt_id: NotRequired[str]


class Payment8(TypedDict):
    payment_reference_id: str
    amount_usd: NotRequired[int]


class Authority(TypedDict):
    mandate_id: str


class CommerceProofEvaluateRequest(TypedDict):
    schema_version: Literal['v1']
    mission: Mission2
    agent: Agent3 | Agent4
    return_package: ReturnPackage2 | ReturnPackage3
    evidence: NotRequired[list[EvidenceItem1]]
    payment: NotRequired[Payment8]
    authority: NotRequired[Authority]
    protocol_binding: NotRequired[Literal['mcp', 'http', 'a2a', 'x402', 'ap2']]
    idempotency_key: NotRequired[str]


class ActivityFeedReadRequest(TypedDict):
    agent_id: NotRequired[str]
    mission_kind: NotRequired[Literal['rail_run', 'work_order_delivery', 'agent_handoff', 'pilot_delivery', 'free_proof']]
    since: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class ActivityFeedPublishRequest(TypedDict):
    proof_id: str
    publication_consent: bool
    idempotency_key: NotRequired[str]


ActivityFeedPublishAnswer: TypeAlias = PublishedActivity


class ModelAnalysisReadRequest(TypedDict):
    analysis_id: NotRequired[str]


RequiredSection1: TypeAlias = str


class Item7(TypedDict):
    name: str
    section: str
    text: str
    issued_at: NotRequired[str]
    expires_at: NotRequired[str]


class Claim5(TypedDict):
    claim: str
    item: NotRequired[str]


class Packet(TypedDict):
    title: str
    purpose: NotRequired[str]
    as_of: NotRequired[str]
    required_sections: NotRequired[list[RequiredSection1]]
    items: list[Item7]
    claims: NotRequired[list[Claim5]]


Question: TypeAlias = str


class ModelAnalysisRunRequest(TypedDict):
    packet: Packet
    questions: NotRequired[list[Question]]
    force_fallback: NotRequired[bool]
    usage: NotRequired[Literal['synthetic']]


ModelAnalysisRunAnswer: TypeAlias = ProvenAnalysis


class ModelRelayReadRequest(TypedDict):
    pass


class AnalysisResult(TypedDict):
    analysis_id: str


class Packet1(TypedDict):
    title: str
    purpose: NotRequired[str]
    as_of: NotRequired[str]
    required_sections: NotRequired[list[RequiredSection1]]
    items: list[Item7]
    claims: NotRequired[list[Claim5]]


class Context(TypedDict):
    packet: Packet1
    questions: NotRequired[list[Question]]
    force_fallback: NotRequired[bool]
    usage: NotRequired[Literal['synthetic']]


class ModelRelayRunRequest(TypedDict):
    analysis_result: NotRequired[AnalysisResult]
    context: NotRequired[Context]


ModelRelayRunAnswer: TypeAlias = RelayedAnalysis


class FreeProofReadRequest(TypedDict):
    pass


FreeProofReadAnswer: TypeAlias = FreeProofSample


class EvidenceItem2(TypedDict):
    name: str
    text: str
    section: NotRequired[str]
    issued_at: NotRequired[str]
    expires_at: NotRequired[str]


class FreeProofRunRequest(TypedDict):
    evidence: NotRequired[list[EvidenceItem2]]
    as_of: NotRequired[str]
    claims: NotRequired[list[Claim5]]
    mission_id: NotRequired[str]
    publication_consent: NotRequired[bool]


FreeProofRunAnswer: TypeAlias = FreeProof


class AgentPassportReadRequest1(TypedDict):
    agent_id: str
    proof_id: NotRequired[str]


class AgentPassportReadRequest2(TypedDict):
    agent_id: NotRequired[str]
    proof_id: str


AgentPassportReadRequest: TypeAlias = AgentPassportReadRequest1 | AgentPassportReadRequest2


AgentPassportReadAnswer: TypeAlias = AgentPassport


class AgentPassportVerifyRequest(TypedDict):
    passport: str


AgentPassportVerifyAnswer: TypeAlias = VerifiedAgentPassport


class ReceiptCompletionReadRequest(TypedDict):
    pass


ReceiptCompletionReadAnswer: TypeAlias = CompletionSample


class ReceiptCompletionRunRequest(TypedDict):
    rail_key: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    movement_amount_units: NotRequired[float]
    movement_type: NotRequired[Literal['settlement', 'usage', 'refund', 'adjustment']]
    payment_reference: NotRequired[str]
    provider_session_id: NotRequired[str]


ReceiptCompletionRunAnswer: TypeAlias = ReceiptCompletion


class InvestorDemoReadRequest(TypedDict):
    pass


InvestorDemoReadAnswer: TypeAlias = InvestorDemo


class Packet2(TypedDict):
    title: str
    purpose: NotRequired[str]
    as_of: NotRequired[str]
    required_sections: NotRequired[list[RequiredSection1]]
    items: list[Item7]
    claims: NotRequired[list[Claim5]]


class InvestorDemoRunRequest(TypedDict):
    packet: NotRequired[Packet2]
    evidence: NotRequired[list[EvidenceItem2]]


InvestorDemoRunAnswer: TypeAlias = InvestorDemoRun


class InvestorDemoDetailReadRequest(TypedDict):
    pass


InvestorDemoDetailReadAnswer: TypeAlias = InvestorDemoV2


class Packet3(TypedDict):
    title: str
    purpose: NotRequired[str]
    as_of: NotRequired[str]
    required_sections: NotRequired[list[RequiredSection1]]
    items: list[Item7]
    claims: NotRequired[list[Claim5]]


class InvestorDemoDetailRunRequest(TypedDict):
    packet: NotRequired[Packet3]
    evidence: NotRequired[list[EvidenceItem2]]


InvestorDemoDetailRunAnswer: TypeAlias = InvestorDemoV2Run


class TrustListingReadRequest(TypedDict):
    trust_listing_id: NotRequired[str]


EvidenceReceiptId: TypeAlias = str


class CreateTrustListingRequest(TypedDict):
    mode: Literal['create_trust_listing']
    display_name: str
    summary: str
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    evidence_receipt_ids: list[EvidenceReceiptId]
    idempotency_key: str


CreateTrustListingAnswer: TypeAlias = CreatedTrustListing


class QuoteTrustBadgeFeeRequest(TypedDict):
    mode: Literal['quote_trust_badge_fee']
    trust_listing_id: str
    months: NotRequired[int]


class CreateTrustBadgePlanRequest(TypedDict):
    mode: Literal['create_trust_badge_plan']
    trust_listing_id: str
    quote_id: str
    idempotency_key: str


CreateTrustBadgePlanAnswer: TypeAlias = PlannedBadge


class RecordTrustBadgeFeeEventRequest(TypedDict):
    mode: Literal['record_trust_badge_fee_event']
    trust_listing_id: str
    commercial_plan_id: str
    event: Literal['presented', 'settled', 'lapsed', 'refunded']
    payment_reference_id: NotRequired[str]
    wallet_id: NotRequired[str]
    idempotency_key: str


RecordTrustBadgeFeeEventAnswer: TypeAlias = RecordedBadgeFee


class ReadTrustListingsRequest(TypedDict):
    mode: Literal['read_trust_listings']
    agent_id: NotRequired[str]
    trust_badge_state: NotRequired[Literal['none', 'quoted', 'planned', 'active', 'lapsed']]
    offset: NotRequired[int]
    limit: NotRequired[int]


ReadTrustListingsAnswer: TypeAlias = TrustListings


class SprintReadRequest(TypedDict):
    pass


SprintReadAnswer: TypeAlias = Sprint


class ReadLiveProspectSprintRequest(TypedDict):
    mode: Literal['read_live_prospect_sprint']


ReadLiveProspectSprintAnswer: TypeAlias = Sprint


class CreateProspectRequest(TypedDict):
    mode: Literal['create_prospect']
    label: str
    channel: Literal['email', 'agent', 'marketplace', 'referral', 'other']
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    contact_reference: NotRequired[str]
    agent_id: NotRequired[str]
    customer_account: NotRequired[str]
    idempotency_key: str


class RecordMessageSentRequest(TypedDict):
    mode: Literal['record_message_sent']
    prospect_id: str
    message_sha256: str
    sent_at: str
    channel: NotRequired[Literal['email', 'agent', 'marketplace', 'referral', 'other']]
    idempotency_key: str


class Received(TypedDict):
    message_sha256: str
    channel: Literal['email', 'agent', 'marketplace', 'referral', 'other']
    received_at: str


class UpdateProspectStateRequest(TypedDict):
    mode: Literal['update_prospect_state']
    prospect_id: str
    to: Literal['identified', 'messaged', 'replied', 'qualified', 'pilot_offered', 'declined', 'paid_next_step_ready', 'converted_to_paid']
    reason: NotRequired[str]
    received: NotRequired[Received]
    conversation_sha256: NotRequired[str]
    agent_id: NotRequired[str]
    customer_account: NotRequired[str]
    idempotency_key: str


class ReadProspectsRequest(TypedDict):
    mode: Literal['read_prospects']
    state: NotRequired[Literal['identified', 'messaged', 'replied', 'qualified', 'pilot_offered', 'declined', 'paid_next_step_ready', 'converted_to_paid']]
    offset: NotRequired[int]
    limit: NotRequired[int]


ReadProspectsAnswer: TypeAlias = Prospects


class RecordSprintSummaryRequest(TypedDict):
    mode: Literal['record_sprint_summary']
    note: str
    close: NotRequired[bool]
    idempotency_key: str


RecordSprintSummaryAnswer: TypeAlias = SprintSummary


class PaidNextStepReadRequest(TypedDict):
    state: NotRequired[Literal['paid_next_step_ready', 'converted_to_paid']]
    prospect_id: NotRequired[str]
    pilot_id: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


class PaidNextStepMarkRequest(TypedDict):
    prospect_id: NotRequired[str]
    pilot_id: NotRequired[str]
    to: Literal['paid_next_step_ready']
    tier: Literal['entry', 'standard', 'pro']
    note: NotRequired[str]
    idempotency_key: str


PaidNextStepMarkAnswer: TypeAlias = OfferedNextStep


class OutreachPackRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    prospect_id: NotRequired[str]
    offset: NotRequired[str]
    limit: NotRequired[str]


OutreachPackAnswer: TypeAlias = OutreachPack


class DirectoryReadRequest(TypedDict):
    submission_id: NotRequired[str]


class DirectorySubmitRequest(TypedDict):
    directory: str
    dry_run: NotRequired[bool]
    idempotency_key: str


class HealthzRequest(TypedDict):
    pass


class HealthzAnswer(TypedDict):
    ok: Literal[True]


ReadyzRequest = TypedDict(
    'ReadyzRequest',
    {
        'for': NotRequired[Literal['payouts']]
    },
)


ReadyzAnswer: TypeAlias = Readiness1


class OpenapiRequest(TypedDict):
    pass


class OpenapiAnswer(TypedDict):
    openapi: str
    info: Any
    paths: Any


class AgentToolsRequest(TypedDict):
    pass


AgentToolsAnswer: TypeAlias = AgentTools


class AgentCardRequest(TypedDict):
    pass


AgentCardAnswer: TypeAlias = AgentCard


class AgentRegistrationRequest(TypedDict):
    pass


AgentRegistrationAnswer: TypeAlias = IdentityRegistration


class AgentsStartHereRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]


class AgentQuickstartReadRequest(TypedDict):
    rail: NotRequired[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]


class AgentQuickstartRunRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    input: NotRequired[dict[str, Any]]
    callback_url: NotRequired[str]
    idempotency_key: str


AgentQuickstartRunAnswer: TypeAlias = QuickstartRun


class AgentSandboxReadRequest(TypedDict):
    pass


AgentSandboxReadAnswer: TypeAlias = FollowedSandboxRun | SandboxContract


class AgentSandboxRunRequest(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    input: NotRequired[dict[str, Any]]
    callback_url: NotRequired[str]
    idempotency_key: str
    fault: NotRequired[Literal['none', 'missing_evidence', 'worker_exception', 'callback_failure']]


AgentSandboxRunAnswer: TypeAlias = SandboxRun


class McpDescriptorRequest(TypedDict):
    pass


McpDescriptorAnswer: TypeAlias = McpDescriptor


class JwksRequest(TypedDict):
    pass


JwksAnswer: TypeAlias = Jwks


class AuthorityKeyRequest(TypedDict):
    pass


class AuthorityKeyAnswer(TypedDict):
    alg: str
    contexts: list[str]
    version: int
    key_id: str | None


class TrustContractRequest(TypedDict):
    pass


class TrustContractAnswer(TypedDict):
    service_id: Literal['service-trust-v1']
    issuer: str
    alg: str
    key_id: str | None
    payout: dict[str, Any]


class SchemaIndexRequest(TypedDict):
    pass


SchemaIndexAnswer: TypeAlias = SchemaIndex


class SchemaReadRequest(TypedDict):
    schema_name: str


SchemaReadAnswer: TypeAlias = SchemaDocument


class Payout(TypedDict):
    payout_id: str
    state: Literal['created', 'authorized', 'executed']
    recipient: str
    amount_usdc: str
    amount_atomic: str
    network: Literal['eip155:8453']
    asset: str
    payout_wallet: str
    memo: str
    rail_reference: str
    usage: Literal['synthetic', 'operational', 'unspecified']
    environment: Literal['local', 'live']
    terms_sha256: str
    creator: str
    created_at: str
    authorized_at: str | None
    executed_at: str | None
    expires_at: int | None
    mandate_ref: str | None
    payout_principal_is_fee: Literal[False]
    money_moved: Literal['no', 'yes', 'unknown']
    next_action: str
    transfer: Transfer


class IssuedAuthority(TypedDict):
    signed_mandate: SignedMandate
    mandate_id: str
    receipt: Receipt


class IssuedActionGrant(TypedDict):
    signed_action_grant: SignedActionGrant
    grant_id: str
    expires_at: str
    receipt: Receipt


class DelegatedAction(TypedDict):
    action_id: str
    operation_id: str
    status: int
    result: dict[str, Any]
    signed_action: SignedDelegatedAction


class ExecutedAction(TypedDict):
    delegated_action: DelegatedAction
    grant_id: str
    mandate_remaining: MandateRemaining
    receipt: Receipt


class Rail(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    status: Literal['active', 'offered', 'free', 'paused']
    entry: int
    standard: int
    pro: int
    rail_fee: int
    totals: Totals
    paid_surfaces: list[Literal['agent_use', 'mcp', 'first_paid_production_run', 'wallet_bound_run', 'customer_production_run', 'customer_workflow', 'first_pilot_run']]
    tiers: Tiers


class AgentPricing(TypedDict):
    currency: Literal['usd']
    pricing_model: Literal['free_tools_movement_fee'] | None
    rails: list[Rail]
    fee_rule: str
    quote_how: str


class Quoted(TypedDict):
    quote: Quote
    lines: list[Line]
    quote_token: NotRequired[str]


class PaymentRequired(TypedDict):
    challenge: PaymentChallenge
    accepted_methods: list[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]


class PaymentRail(TypedDict):
    posture: list[Literal['reference_based', 'provider_webhooks']]
    payment_paths: list[Literal['hosted_checkout_link', 'invoice_or_purchase_order', 'agent_credit', 'manual_operator_verified_reference']]
    methods: list[Method]
    payment_reference: PaymentReference | None
    verification: Verification | None


class PaymentAuthorityRead(TypedDict):
    authority_types: list[Literal['checkout', 'stablecoin_checkout', 'agent_allowance_reference', 'wallet_reference']]
    rules: list[Rule]
    authority: PaymentAuthority | None


class RailCheckout(TypedDict):
    product_cards: list[ProductCard]
    challenge: PaymentChallenge | None


class PaymentLinks(TypedDict):
    cells: list[ProductLinkCell]
    done: int
    left: int


class Credit(TypedDict):
    entitlement: Entitlement
    balance_units: int
    settlement_receipts: list[str]
    usage_receipts: list[str]


class AllowanceWalletRead(TypedDict):
    product_parts: list[Literal['free_agent_allowance_wallet', 'agent_allowance', 'payment_router', 'receipt_ledger']]
    fee_model: str
    wallet: AllowanceWallet | None


class CreditBindingContract(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    binding: CreditBinding | None


class CommercialLayer(TypedDict):
    fee_items: list[FeeItem]
    plans: list[Plan]
    accrued: list[FeeEvent]
    micro_routing_fees_usd: int | None


class Own(TypedDict):
    account_id: str
    controls: AccountControls
    set_by: str | None
    set_at: str | None
    fee_usd_per_month: int
    fee_accepted: bool
    fee_ends_at: str | None
    wallets: list[Wallet1]


class EnterpriseControls(TypedDict):
    controls_catalog: list[ControlsCatalogItem]
    fee_usd_per_month: int
    own: Own | None


class UsageSample(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    event: UsageEvent
    schema: dict[str, Any]


class UsagePage(TypedDict):
    items: list[PostedUsageEvent]
    offset: int
    limit: int
    total: int
    totals: Totals1


class RegisteredAgent(TypedDict):
    agent: Agent
    trust_state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    identity: AgentIdentity | None
    granted_scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    denied_scopes: list[DeniedScope]
    status_token: str
    status_url: str
    next_action: str
    receipt: Receipt


class Task(TypedDict):
    task_id: str
    state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    resume_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed'] | None
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    agent_id: str | None
    run_id: str | None
    contract_id: str | None
    quote_id: str | None
    entitlement_id: str | None
    updated_at: str
    waiting_for: list[Literal['credit', 'input', 'review', 'evidence', 'callback', 'recovery']]
    waiting_since: str | None
    gaps: list[Gap]
    required_action: RequiredAction | None
    next_action: str


class TaskStatus(TypedDict):
    kind: Literal['task']
    task: Task
    return_package_id: str | None
    next_action: str


class Handshake(TypedDict):
    trust_state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    gateway_state: Literal['not_ready', 'key_ready', 'gateway_ready']
    credential_envelope: CredentialEnvelope | CredentialEnvelope1 | None
    credential: AgentCredential | None


class ServiceResolver(TypedDict):
    version: str
    modes: list[str]
    tools: list[str]
    services: list[FirstPartyService]
    safety_boundary: list[str]
    free_tools: list[FreeTool]


class ServiceInspection(TypedDict):
    service: FirstPartyService | OutsideService
    checks: list[Check3]
    risk: Literal['low', 'medium', 'high']
    decision: Literal['allowed', 'denied', 'human_approval_required']


class RegressionReports(TypedDict):
    items: list[RegressionReport]
    offset: int
    limit: int
    total: int
    trend: Trend


class PersistedRegressionReport(TypedDict):
    report: RegressionReport
    receipt: Receipt
    diff: RegressionDiff


class SigningVersions(TypedDict):
    owner: Literal['service'] | str
    versions: list[KeyVersion]


class ServiceKeyRotations(TypedDict):
    rotations: list[ServiceKeyRotation]
    next_action: str
    receipt: Receipt | None


class RunStatus(TypedDict):
    run: Run


class AgentUsePack(TypedDict):
    modes: list[Literal['read_agent_use_pack', 'quote_run', 'create_payment_challenge', 'start_agent_run', 'get_run_status', 'fetch_return_package', 'record_agent_use_receipt', 'read_agent_use_runs']]
    rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    prices: AgentPricing
    accepted_methods: list[Literal['hosted_checkout', 'agent_allowance', 'payment_reference', 'invoice_reference', 'stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']]
    sequence: list[str]
    example_bodies: dict[Literal['read_agent_use_pack', 'quote_run', 'create_payment_challenge', 'start_agent_run', 'get_run_status', 'fetch_return_package', 'record_agent_use_receipt', 'read_agent_use_runs'], dict[str, Any]]


class StartedRun(TypedDict):
    run: Run
    challenge: PaymentChallenge | None
    receipts: list[Receipt]
    result_contract: ResultContract


class ReturnPackage(TypedDict):
    return_package_id: str
    run_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    partial: bool
    input_sha256: str
    loop_sha256: str
    result_sha256: str
    manifest_sha256: str
    report_version: NotRequired[int]
    drafts_sha256: NotRequired[str]
    result: Any
    findings: list[Finding]
    gaps: list[Gap1]
    drafts: NotRequired[Drafts]
    files: list[File]
    proof_hash: str
    completion_signature: str
    result_contract: ResultContract


class ReturnPackageRecord(TypedDict):
    task: Task
    ordered: list[str]
    return_package: ReturnPackage
    completion: Completion1
    verification_packet: VerificationPacket
    record: Record1
    review_policy: Literal['sandbox_policy', 'operator_review'] | None
    reviews: list[Review1]
    criteria: list[Criterion]
    receipts: list[Receipt]


class AcknowledgedReceipt(TypedDict):
    acknowledgement: Receipt
    ledger_entry: LedgerEntry
    dispute: TaskException | None


class SampleReturnPackage(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    return_package: ReturnPackage


class ComplianceSample(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    return_package: ReturnPackage
    input: Any
    verification_packet: VerificationPacket


class PacketRun(TypedDict):
    run: Run
    manifest: PacketManifest | None


class PilotWork(TypedDict):
    activation_id: str | None
    chain: list[ChainItem]
    tool_scope: list[str]
    granted: Granted | None
    pilot: PilotModel
    run: RunOfPilot | None
    audit_event_id: str | None
    funding: Literal['settled_payment', 'granted_entitlement', 'synthetic'] | None
    synthetic_runs: list[str]


class RuntimePilots(TypedDict):
    items: list[PilotWork]
    offset: int
    limit: int
    total: int
    ready_to_run: list[ReadyToRunItem]


ValidatedWrite = TypedDict(
    'ValidatedWrite',
    {
        'pass': bool,
        'checks': list[GateCheck],
        'audit_event_id': str,
        'executed': Literal[False],
        'money_movement': Literal[False],
        'receipt': Receipt,
    },
)


class ProductionRun(TypedDict):
    binding: ProductionBinding
    run: Run
    gate: Gate
    audit_event_id: str


class FirstPaidRun(TypedDict):
    binding: ProductionBinding
    run: Run
    gate: Gate
    audit_event_id: str
    success_condition: list[SuccessCondition]
    reached: bool | None
    publication_consent: bool
    receipt: Receipt | None


class CustomerActivationPath(TypedDict):
    path: str
    version: str
    operations: list[dict[str, Any]]
    policy_rules: list[str]
    contract_sets: list[Literal['pricing-model-v2', 'runtime-data-binding-v1']]
    live: dict[str, int]
    steps: list[Literal['registered', 'trusted', 'quoted', 'paid', 'work_order_approved', 'first_run_completed', 'receipt_issued']]
    activation: CustomerActivation | None


class CustomerWorkflow(TypedDict):
    workflow_id: str
    customer_account: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    name: str
    acceptance_criteria: list[AcceptanceCriterion]
    callback_url: str
    wallet_id: str
    cadence: Literal['on_demand', 'daily', 'weekly', 'monthly']
    input_sha256: str
    accepted_terms: FiringTerms
    terms_sha256: str
    state: Literal['waiting', 'active', 'paused', 'rejected', 'deleted']
    decision_id: str | None
    action_id: str | None
    created_at: str
    firings: list[WorkflowFiring]


class CreatedWorkflow(TypedDict):
    workflow: CustomerWorkflow
    gate: Gate
    review: Review2
    receipt: Receipt


class MovedWorkflow(TypedDict):
    workflow: CustomerWorkflow
    receipt: Receipt


class FiredWorkflow(TypedDict):
    workflow: CustomerWorkflow
    firing_id: str


class PilotConversation(TypedDict):
    pilot: PilotModel
    entries: list[PilotEntry]
    offset: int
    limit: int
    total: int
    next_step: str


class PilotOffers(TypedDict):
    offers: list[PilotOffer]


class Preflight(TypedDict):
    task: Task
    task_token: str
    links: dict[str, str]
    checks: list[Check12]
    blocking: list[str]


class Contract(TypedDict):
    contract_id: str
    version: Literal['v2']
    task_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    tier: Literal['entry', 'standard', 'pro']
    usage: Literal['synthetic', 'operational']
    tier_terms: TierTerms
    scope: list[str]
    acceptance_criteria: list[str]
    review_policy: Literal['sandbox_policy', 'operator_review']
    data_policy: str
    data_declaration: str
    payment: Payment
    terms_sha256: str
    state: Literal['ready', 'accepted', 'sealed', 'void']
    accepted_by: str | None
    accepted_at: str | None
    run_contract: RunContract | None


class ContractAsRead(TypedDict):
    contract: Contract


class AcceptedContract(TypedDict):
    contract: Contract
    task: Task
    entitlement: Entitlement | None
    challenge: PaymentChallenge | None


class TaskLedger(TypedDict):
    task: Task
    entries: list[LedgerEntry]
    head_hash: str
    records: list[Record2]
    complete: bool


class TaskSteps(TypedDict):
    task_id: str
    state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed']
    run_id: str | None
    steps: list[TakenStep]


class RaisedException(TypedDict):
    exception: TaskException
    task: Task


class Recovery(TypedDict):
    recovery_request: RecoveryRequest | None
    task: Task
    exception: TaskException | None
    receipt: Receipt | None


class ReplayPackage(TypedDict):
    replay_id: str
    issuer: str
    code_version: str
    task_id: str
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    exception_id: str | None
    resume_state: Literal['created', 'preflight_checked', 'contract_ready', 'contract_accepted', 'trust_pending', 'trusted', 'quoted', 'credit_pending', 'credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested', 'receipt_issued', 'callback_pending', 'callback_delivered', 'exception_open', 'replay_ready', 'failed', 'closed'] | None
    from_step: Literal['intake', 'planner', 'worker', 'validator', 'exception_agent', 'revision_loop', 'review_step', 'return_package', 'attestation'] | None
    ledger: list[LedgerEntryWithData]
    loop_steps: list[LoopStep]
    receipts: list[str]
    inputs: list[str]
    documents: list[Document]
    return_package: ReturnPackage1 | None
    keys: Keys
    package_sha256: str


class PreparedReplay(TypedDict):
    replay_package: ReplayPackage
    jws: str
    verify_instructions: str
    task: Task
    receipt: Receipt


class WorkOrders(TypedDict):
    schema: dict[str, Any]
    example: dict[str, Any]
    work_order: WorkOrder | None
    proposals: list[WorkOrderProposal]


class WorkOrderExchange(TypedDict):
    items: list[OpenWorkOrder]
    offset: int
    limit: int
    total: int
    claims: list[Claim]


class ClaimedOnExchange(TypedDict):
    work_order: ClaimedWorkOrder
    claim: WorkOrderClaim
    input_reference: WorkOrderInputReference


class ReviewConsole(TypedDict):
    items: list[WaitingSubject] | list[CompactWaitingSubject]
    offset: int
    limit: int
    total: int
    counts: dict[str, int]
    evidence: ReviewEvidence | None
    evidence_part: ReviewEvidencePart | None


class ReviewOutcomes(TypedDict):
    outcomes: list[ActOutcome]


class Hardening(TypedDict):
    controls: list[HardeningControl]


class Reconciliation(TypedDict):
    day: str | None
    statement: dict[str, Any] | None
    jws: str | None
    last_run: LastRun | None
    exceptions: list[ReconciliationException]


class Operators(TypedDict):
    operators: list[OperatorModel]
    receipt: Receipt


class OpenedSession(TypedDict):
    session: OperatorSession


class Inbox(TypedDict):
    items: list[InboxItem]
    counts: list[Count]
    total: int
    offset: int
    limit: int


class WorkList(TypedDict):
    items: list[WorkLine]
    offset: int
    limit: int


class WorkDetail(TypedDict):
    kind: Literal['payout', 'task']
    id: str
    state: str
    rail: str
    usage: str
    owner: str | None
    amount_usd: str | None
    created_at: str
    explanation: dict[str, str | float | bool | None]
    progress: RunProgress | None
    commands: list[Literal['wake', 'supply_evidence', 'correct_input', 'retry_step', 'redeliver_callback', 'replay', 'abandon']]
    traces: list[WorkTrace]
    timeline: list[TimelineEvent]
    steps: list[TakenStep]
    temporal_url: str | None


class PilotLines(TypedDict):
    items: list[PilotLine]
    offset: int
    limit: int
    total: int


class AgentLines(TypedDict):
    items: list[AgentLine]
    offset: int
    limit: int


class AgentDetail(TypedDict):
    agent: AgentOfOperators
    sandbox: bool
    email: str | None
    requested_scopes: list[Literal['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'production:write', 'controls:write', 'exchange:write', 'profile:write', 'signing:use', 'proofs:publish', 'listings:write', 'regression:write', 'authority:read', 'actions:execute']]
    allowed_decisions: list[Literal['approve', 'reject', 'revise', 'hold']]
    access_keys: list[AccessKey]
    signing_keys: list[KeyVersion]
    decisions: list[TrustDecision]


class Pauses(TypedDict):
    active: list[ActivePause]
    changes: list[PauseChange]


class MandateLines(TypedDict):
    items: list[MandateLine]
    offset: int
    limit: int


class MandateDetail(TypedDict):
    kind: Literal['authority', 'ap2', 'payout']
    mandate_id: str
    agent_id: str | None
    agent_name: str | None
    principal: str
    state: Literal['active', 'exhausted', 'expired', 'revoked']
    budget: Budget1 | None
    uses: int
    uses_max: int | None
    issued_by: str | None
    known_since: str
    expires_at: str | None
    revocation: Revocation | None
    document: dict[str, Any] | None
    decisions: list[AuthorityDecisionLine]
    grants: list[GrantLine]
    actions: list[DelegatedActionLine]
    firings: list[ChargedFiringLine]
    payments: list[MandatePayment]


class KeyRing(TypedDict):
    ring: Literal['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log']
    keys: list[ServiceKey]
    rotation: RingRotation


class CommerceProof(TypedDict):
    proof_id: str
    decision: Literal['eligible_to_continue', 'human_review_required', 'payment_hold']
    reasons: list[Reason5]
    mission: Mission1
    agent: Agent1
    protocol_binding: Literal['mcp', 'http', 'a2a', 'x402', 'ap2'] | None
    usage: Literal['synthetic', 'operational', 'unspecified']
    verification_packet: CommercePacket
    receipt: Receipt
    passport: AgentCommercePassport
    persistence: Persistence
    log_state: Literal['included', 'pending', 'absent', 'exempt', 'not_checked']
    money_movement: Literal[False]


class CommerceActivityFeed(TypedDict):
    items: list[CommerceActivity]
    reliability_profiles: list[ReliabilityProfile]
    publication_policy: PublicationPolicy
    empty_state: EmptyState | None
    offset: int
    limit: int
    total: int


class AnalysisSample(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    analysis: EvidenceAnalysis
    force_fallback: Literal[True]


class RelaySample(TypedDict):
    sample: Literal[True]
    usage: Literal['synthetic']
    fixture_id: str
    code_version: str
    persisted: Literal[False]
    receipt: Receipt
    analysis_result: EvidenceAnalysis
    ledger_entry: UsageEvent
    proof_relay: ProofRelay


class ReadTrustListing(TypedDict):
    listing: TrustListing


class QuotedBadge(TypedDict):
    quote: BadgeQuote
    listing: TrustListing


class RecordedProspect(TypedDict):
    prospect: Prospect
    actual: Actual


class PaidNextSteps(TypedDict):
    items: list[PaidNextStep]
    pilots: list[PaidNextStepOfPilot]
    offset: int
    limit: int
    counts: Counts
    pilot_counts: PilotCounts


class DirectorySubmissions(TypedDict):
    directories: list[Directory]
    submissions: list[DirectorySubmission]


class SubmittedToDirectory(TypedDict):
    submission: DirectorySubmission
    document: DirectoryDocument
    document_sha256: str


class AgentsStartHere(TypedDict):
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    steps: list[Step8]
    sequences: list[Sequence]
    policy_rules: list[str]
    links: dict[str, str]
    rate_limits: list[RateLimitPolicy]


class Quickstart(TypedDict):
    allowed_rails: list[Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']]
    rail: Literal['packetops', 'diligenceops', 'energyops', 'distributionops', 'tokenops', 'financeops', 'contractops', 'scout']
    calls: list[QuickstartCall]


IssueMandateAnswer: TypeAlias = IssuedAuthority | IssuedAp2Mandates | IssuedMandate


IssueActionGrantAnswer: TypeAlias = IssuedActionGrant


ExecuteDelegatedActionAnswer: TypeAlias = ExecutedAction


AgentPricingAnswer: TypeAlias = AgentPricing


AgentPricingQuoteAnswer: TypeAlias = Quoted


AgentQuoteAnswer: TypeAlias = Quoted


QuoteRunAnswer: TypeAlias = Quoted


CreatePaymentChallengeAnswer: TypeAlias = PaymentRequired


PaymentRailReadAnswer: TypeAlias = PaymentRail


PaymentAuthorityReadAnswer: TypeAlias = PaymentAuthorityRead


RailCheckoutReadAnswer: TypeAlias = RailCheckout


PaymentLinksReadAnswer: TypeAlias = PaymentLinks


AgentCreditReadAnswer: TypeAlias = Credit


AllowanceWalletReadAnswer: TypeAlias = AllowanceWalletRead


CreditBindingReadAnswer: TypeAlias = CreditBindingContract


CommercialLayerReadAnswer: TypeAlias = CommercialLayer


EnterpriseControlsReadAnswer: TypeAlias = EnterpriseControls


UsageLedgerReadAnswer: TypeAlias = UsageSample | UsagePage


AgentRegisterAnswer: TypeAlias = RegisteredAgent


HandshakeAnswer: TypeAlias = Handshake


ResolverReadAnswer: TypeAlias = ServiceResolver


InspectServiceAnswer: TypeAlias = ServiceInspection


RegressionReadAnswer: TypeAlias = RegressionReports


RegressionPersistAnswer: TypeAlias = PersistedRegressionReport


SigningVersionsReadAnswer: TypeAlias = SigningVersions


SigningRotateAnswer: TypeAlias = KeyRotation | ServiceKeyRotations


AgentUseReadAnswer: TypeAlias = RunStatus | AgentUsePack


ReadAgentUsePackAnswer: TypeAlias = AgentUsePack


StartAgentRunAnswer: TypeAlias = StartedRun


GetRunStatusAnswer: TypeAlias = RunStatus


ReturnPackageReadAnswer: TypeAlias = ReturnPackageRecord


RecordAgentUseReceiptAnswer: TypeAlias = AcknowledgedReceipt


ComplianceSamplesReadAnswer: TypeAlias = ComplianceSamples | ComplianceSample


LoopStartAnswer: TypeAlias = StartedRun


PacketLoopReadAnswer: TypeAlias = PacketRun | PacketLoop


TokenopsControlledPilotReadAnswer: TypeAlias = PilotWork | ControlledPilotContract


FinanceopsControlledPilotReadAnswer: TypeAlias = PilotWork | ControlledPilotContract


EnergyopsControlledPilotReadAnswer: TypeAlias = PilotWork | ControlledPilotContract


EnergyopsRuntimeRunsReadAnswer: TypeAlias = RuntimePilots


FinanceopsRuntimeRunsReadAnswer: TypeAlias = RuntimePilots


WriteGateValidateAnswer: TypeAlias = ValidatedWrite


FirstPaidRunReadAnswer: TypeAlias = FirstPaidRun | FirstPaidRunContract


ActivationPathReadAnswer: TypeAlias = CustomerActivationPath


CustomerWorkflowCreateAnswer: TypeAlias = CreatedWorkflow


CustomerWorkflowPauseAnswer: TypeAlias = MovedWorkflow


CustomerWorkflowResumeAnswer: TypeAlias = MovedWorkflow


CustomerWorkflowDeleteAnswer: TypeAlias = MovedWorkflow


CustomerWorkflowRunAnswer: TypeAlias = FiredWorkflow


PilotConversationReadAnswer: TypeAlias = PilotConversation


OffersReadAnswer: TypeAlias = PilotOffers


PreflightAnswer: TypeAlias = Preflight


ContractReadAnswer: TypeAlias = ContractAsRead


ContractAcceptAnswer: TypeAlias = AcceptedContract


TaskLedgerAnswer: TypeAlias = TaskLedger


TaskStepsAnswer: TypeAlias = TaskSteps


TaskExceptionRaiseAnswer: TypeAlias = RaisedException


TaskRecoverAnswer: TypeAlias = Recovery


TaskProposalDeclineAnswer: TypeAlias = Recovery


class TaskReplayPackageAnswer(TypedDict):
    replay_package: ReplayPackage
    jws: str
    verify_instructions: str


TaskReplayPrepareAnswer: TypeAlias = PreparedReplay


WorkOrdersReadAnswer: TypeAlias = WorkOrders


WorkOrderConsentAnswer: TypeAlias = Recovery


WorkOrderDeclineAnswer: TypeAlias = Recovery


ExchangeReadAnswer: TypeAlias = WorkOrderExchange


ExchangeClaimAnswer: TypeAlias = ClaimedOnExchange


LoopReviewConsoleAnswer: TypeAlias = ReviewConsole


LoopReviewRecordBatchAnswer: TypeAlias = ReviewOutcomes


HardeningReadAnswer: TypeAlias = Hardening


ReconciliationAnswer: TypeAlias = Reconciliation


OperatorsListAnswer: TypeAlias = Operators


SessionOpenAnswer: TypeAlias = OpenedSession


InboxAnswer: TypeAlias = Inbox


WorkListAnswer: TypeAlias = WorkList


WorkReadAnswer: TypeAlias = WorkDetail


PilotsListAnswer: TypeAlias = PilotLines


AgentsListAnswer: TypeAlias = AgentLines


AgentReadAnswer: TypeAlias = AgentDetail


PausesAnswer: TypeAlias = Pauses


MandatesListAnswer: TypeAlias = MandateLines


MandateReadAnswer: TypeAlias = MandateDetail


CommerceProofReadAnswer: TypeAlias = CommerceContract | CommerceProof | PublicCommerceProof


CommerceProofEvaluateAnswer: TypeAlias = CommerceProof


ActivityFeedReadAnswer: TypeAlias = CommerceActivityFeed


ModelAnalysisReadAnswer: TypeAlias = AnalysisSample | StoredAnalysis


ModelRelayReadAnswer: TypeAlias = RelaySample


TrustListingReadAnswer: TypeAlias = ReadTrustListing | TrustListingContract


QuoteTrustBadgeFeeAnswer: TypeAlias = QuotedBadge


CreateProspectAnswer: TypeAlias = RecordedProspect


RecordMessageSentAnswer: TypeAlias = RecordedProspect


UpdateProspectStateAnswer: TypeAlias = RecordedProspect


PaidNextStepReadAnswer: TypeAlias = PaidNextSteps


DirectoryReadAnswer: TypeAlias = DirectorySubmissions


DirectorySubmitAnswer: TypeAlias = SubmittedToDirectory


AgentsStartHereAnswer: TypeAlias = AgentsStartHere


AgentQuickstartReadAnswer: TypeAlias = Quickstart


class PayoutAnswer(TypedDict):
    payout: Payout
    receipt: str | None
    receipts: list[str]


class AgentStatus(TypedDict):
    kind: Literal['agent']
    agent_id: str
    trust_state: Literal['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']
    credential: Credential | None
    tasks: list[Task]
    work_orders: list[WorkOrder]
    pilots: list[PilotModel]
    records: list[Record]
    next_action: str
    steps: list[Step]


class FetchedReturnPackage(TypedDict):
    return_package: ReturnPackage
    completion: Completion
    verification_packet: VerificationPacket
    next_actions: list[NextAction]
    file_contents: dict[str, str] | None


class SampleReturnPackages(TypedDict):
    items: list[SampleReturnPackage]
    offset: int
    limit: int
    total: int


class ProductionRuns(TypedDict):
    items: list[ProductionRun]
    offset: int
    limit: int
    total: int


class CustomerWorkflows(TypedDict):
    items: list[CustomerWorkflow]
    offset: int
    limit: int
    total: int


class PreparedContract(TypedDict):
    contract: Contract
    receipt: Receipt


class KeyRings(TypedDict):
    rings: list[KeyRing]


PayoutCreateAnswer: TypeAlias = PayoutAnswer


PayoutAuthorizeAnswer: TypeAlias = PayoutAnswer


PayoutExecuteAnswer: TypeAlias = PayoutAnswer


PayoutStatusAnswer: TypeAlias = PayoutAnswer


AgentStatusAnswer: TypeAlias = AgentStatus | TaskStatus | WorkOrderStatus | PilotStatus


FetchReturnPackageAnswer: TypeAlias = FetchedReturnPackage


SampleReturnPackagesAnswer: TypeAlias = SampleReturnPackages


ProductionRunsReadAnswer: TypeAlias = ProductionRuns


CustomerWorkflowReadAnswer: TypeAlias = CustomerWorkflows


ContractPrepareAnswer: TypeAlias = PreparedContract


KeyRingsAnswer: TypeAlias = KeyRings
