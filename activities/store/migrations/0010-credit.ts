import type { StateTable } from '#domain/core/state-table.ts'
import { entitlementTransitions } from '#domain/credit/credit.ts'
import {
  challengeTransitions,
  referenceStates,
  referenceTransitions,
} from '#domain/payments/payment-reference.ts'
import { id, movesOtherwise, oneOf, recordKind } from './columns.ts'
import { appendOnly, operatorsAct } from './guards.ts'

const times = `created_at timestamptz not null default clock_timestamp(), changed_at timestamptz not null default clock_timestamp()`
const named = `method in ('hosted_checkout','payment_reference','invoice_reference')`
const isOpen = `state not in ('rejected','expired')`
const tier = `tier text not null check (tier in ('entry','standard','pro'))`

/** Refuses moves outside the table, another initial state than its first, changes of fixed columns, and deletions. */
const stateGuard = (
  table: string,
  states: StateTable<string, string>,
  fixed: string[],
  once: string[],
) => {
  const row = (of: string, columns: string[]) =>
    `(${columns.map((column) => `${of}.${column}`).join(', ')})`
  const [begin = ''] = Object.keys(states)
  const changedOnce = once.map(
    (column) => `(old.${column} is not null and new.${column} is distinct from old.${column})`,
  )
  return [
    `create function ${table}_guard() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then raise exception 'a row of ${table} is never deleted' using errcode = 'check_violation'; end if;
      if tg_op = 'INSERT' then
        if new.state <> '${begin}' then raise exception 'a row of ${table} begins as ${begin}' using errcode = 'check_violation'; end if;
        return new;
      end if;
      if ${[`row${row('old', fixed)} is distinct from row${row('new', fixed)}`, ...changedOnce].join(' or ')}
      then raise exception 'what a row of ${table} says never changes' using errcode = 'check_violation'; end if;
      if ${movesOtherwise('state', states)}
      then raise exception 'no such move of ${table}: % to %', old.state, new.state using errcode = 'check_violation'; end if;
      return new;
    end $$`,
    `create trigger ${table}_guard before insert or update or delete on ${table} for each row execute function ${table}_guard()`,
  ]
}

/** Credit: quotes, challenges and references of payments, allowance wallets, provider events and checkouts. */
export const credit: readonly string[] = [
  `create table quotes (
    ${id('quote_id', 'qt')},
    task_id text,
    rail text not null,
    ${tier},
    units integer not null check (units between 1 and 1000),
    base_usd integer not null check (base_usd >= 0),
    rail_fee_usd integer not null check (rail_fee_usd >= 0),
    total_usd integer not null check (total_usd = base_usd + rail_fee_usd),
    pricing_model text not null,
    provider_route json not null,
    issued_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null check (expires_at > issued_at),
    bound_to text,
    token_sha256 text unique check (token_sha256 ~ '^[0-9a-f]{64}$'),
    ${recordKind('quote')},
    constraint quotes_owner check (bound_to is not null or token_sha256 is not null)
  )`,
  `create function quotes_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' or old.bound_to is not null or new.bound_to is null
      or to_jsonb(new) - 'bound_to' <> to_jsonb(old) - 'bound_to'
    then raise exception 'a quote is bound once and never changes' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger quotes_guard before update or delete on quotes for each row execute function quotes_guard()`,
  `create table entitlements (
    ${id('entitlement_id', 'en')},
    quote_id text not null unique references quotes,
    agent_id text not null,
    rail text not null,
    ${tier},
    state text not null check (state in ('pending','funded','consumed','returned')),
    granted_units integer not null check (granted_units >= 0),
    fee_units integer not null check (fee_units between 0 and granted_units),
    consumed_units integer not null default 0 check (consumed_units >= 0),
    returned_units integer not null default 0 check (returned_units >= 0),
    source text,
    settlement_receipt_id text unique references receipts,
    ${times},
    ${recordKind('credit_entitlement')},
    check (consumed_units + returned_units <= granted_units),
    check ((state = 'pending') = (source is null and settlement_receipt_id is null)),
    check (state <> 'pending' or consumed_units + returned_units = 0),
    check ((state = 'returned') = (returned_units > 0)),
    constraint entitlements_spent check (granted_units = 0
      or (state in ('consumed','returned')) = (consumed_units + returned_units = granted_units))
  )`,
  `create index entitlements_agent on entitlements (agent_id, created_at desc)`,
  `create index entitlements_of_wallets on entitlements (created_at desc) where source like 'wallet:%'`,
  ...stateGuard(
    'entitlements',
    entitlementTransitions,
    [
      'entitlement_id',
      'quote_id',
      'agent_id',
      'rail',
      'tier',
      'granted_units',
      'fee_units',
      'created_at',
    ],
    ['source', 'settlement_receipt_id'],
  ),
  `create function entitlements_owner() returns trigger language plpgsql as $$
  begin
    if new.agent_id is distinct from (select bound_to from quotes where quote_id = new.quote_id)
    then raise exception 'credit belongs to whom its quote is bound to' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger entitlements_owner before insert on entitlements for each row execute function entitlements_owner()`,
  `create table payment_challenges (
    ${id('challenge_id', 'ch')},
    quote_id text not null references quotes,
    entitlement_id text references entitlements,
    state text not null check (state in ('open','pending','settled','expired')),
    amount_usd integer not null check (amount_usd > 0),
    expires_at timestamptz not null,
    ${times},
    check (state not in ('pending','settled') or entitlement_id is not null)
  )`,
  // A quote is paid once: it has one challenge that is open, pending or settled.
  `create unique index payment_challenges_live on payment_challenges (quote_id) where state <> 'expired'`,
  `create unique index payment_challenges_entitlement on payment_challenges (entitlement_id) where state <> 'expired'`,
  `create index payment_challenges_bound on payment_challenges (state) where entitlement_id is not null`,
  ...stateGuard(
    'payment_challenges',
    challengeTransitions,
    ['challenge_id', 'quote_id', 'amount_usd', 'expires_at', 'created_at'],
    ['entitlement_id'],
  ),
  `create table allowance_wallets (
    ${id('wallet_id', 'aw')},
    agent_id text not null,
    label text not null,
    per_run_usd integer check (per_run_usd >= 0),
    per_day_usd integer check (per_day_usd >= 0),
    rails text[],
    ${times},
    tier text not null default 'free' check (tier in ('free','premium')),
    tier_per_day_usd integer not null default 100000 check (tier_per_day_usd >= 0)
  )`,
  // An agent has one allowance wallet.
  `create unique index allowance_wallets_agent on allowance_wallets (agent_id)`,
  `create table payment_references (
    ${id('payment_reference_id', 'pr')},
    agent_id text not null,
    method text not null check (method in ('hosted_checkout','agent_allowance','payment_reference','invoice_reference',
      'stablecoin_reference','x402_reference','ap2_mandate_reference')),
    external_reference text not null,
    amount_usd integer not null check (amount_usd > 0),
    challenge_id text references payment_challenges,
    entitlement_id text references entitlements,
    wallet_id text references allowance_wallets,
    payer text,
    authority_type text check (authority_type in ('checkout','stablecoin_checkout','agent_allowance_reference','wallet_reference')),
    evidence_sha256 text check (evidence_sha256 ~ '^[0-9a-f]{64}$'),
    evidence_url text,
    proof json,
    state text not null ${oneOf('state', referenceStates)},
    reason text,
    decided_by text,
    settlement_receipt_id text unique references receipts,
    checked_at timestamptz,
    ${times},
    provider text,
    reason_code text check (reason_code in ('amount_mismatch','unclear_payment')),
    is_only_checked boolean not null default false,
    refunds_failed integer not null default 0 check (refunds_failed >= 0),
    check ((challenge_id is null) = (entitlement_id is null)),
    check ((entitlement_id is null) <> (wallet_id is null)),
    constraint payment_references_settled
      check ((state in ('verified','disputed','refunded')) = (settlement_receipt_id is not null and decided_by is not null))
  )`,
  // A payment counts once. A rejected or expired reference may be presented again.
  `create unique index payment_references_external on payment_references (method, external_reference)
    where not (${named}) and ${isOpen}`,
  // Anyone may present the name of a payment, so that only a confirmed one has it; an event names what it pays.
  `create unique index payment_references_session on payment_references (external_reference)
    where ${named} and state in ('verified','disputed')`,
  `create unique index payment_references_top_up on payment_references (wallet_id, method, external_reference)
    where wallet_id is not null and ${isOpen}`,
  `create index payment_references_names on payment_references (external_reference)`,
  `create unique index payment_references_challenge on payment_references (challenge_id) where state not in ('rejected','expired')`,
  `create index payment_references_due on payment_references (checked_at) where state in ('presented','pending')`,
  `create index payment_references_waiting on payment_references (created_at) where state in ('presented','pending')`,
  `create index payment_references_entitlement on payment_references (entitlement_id)`,
  `create index payment_references_payer on payment_references (payer) where method in ('stablecoin_reference', 'x402_reference', 'ap2_mandate_reference')`,
  `create index payment_references_agent on payment_references (agent_id, external_reference)`,
  `create index payment_references_disputed on payment_references (wallet_id) where state = 'disputed'`,
  ...stateGuard(
    'payment_references',
    referenceTransitions,
    [
      'payment_reference_id',
      'agent_id',
      'method',
      'external_reference',
      'amount_usd',
      'challenge_id',
      'entitlement_id',
      'wallet_id',
      'payer',
      'created_at',
    ],
    ['settlement_receipt_id', 'provider'],
  ),
  operatorsAct('payment_references', 'decided_by'),
  `create table provider_events (
    provider text not null,
    event_id text not null,
    type text not null check (type in ('payment.settled','payment.failed','payment.refunded','session.expired',
      'payment.partially_refunded','refund.failed','dispute.inquiry','dispute.opened','dispute.won','dispute.lost')),
    external_reference text not null,
    challenge_id text,
    amount_cents bigint not null check (amount_cents >= 0),
    currency text not null,
    payment_reference_id text references payment_references,
    outcome text,
    received_at timestamptz not null default clock_timestamp(),
    applied_at timestamptz,
    payment_intent text,
    dispute_id text,
    refund_id text,
    said_at timestamptz,
    wallet_id text,
    primary key (provider, event_id),
    check ((outcome is null) = (applied_at is null)),
    check (dispute_id is null or type like 'dispute.%'),
    check (refund_id is null or type = 'refund.failed')
  )`,
  `create index provider_events_reference on provider_events (external_reference, received_at)`,
  `create index provider_events_challenge on provider_events (challenge_id, received_at) where challenge_id is not null`,
  `create index provider_events_open on provider_events (received_at) where applied_at is null`,
  `create index provider_events_intent on provider_events (provider, payment_intent) where payment_intent is not null`,
  `create index provider_events_unmatched on provider_events (received_at) where outcome = 'unmatched'`,
  `create index provider_events_unnamed on provider_events (received_at) where outcome = 'pending'`,
  `create index provider_events_refused on provider_events (applied_at) where outcome like 'refused\\_%'`,
  `create table product_links (
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    url text,
    provider_price_usd integer not null check (provider_price_usd > 0),
    outcome text check (outcome in ('live','broken')),
    checked_at timestamptz,
    receipt_id text not null unique references receipts,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (rail, tier),
    check ((outcome is null) = (checked_at is null)),
    check (url is not null or outcome is null)
  )`,
  `create table checkouts (
    checkout_id text primary key,
    challenge_id text not null references payment_challenges,
    payment_path text not null check (payment_path in ('hosted_checkout_link','invoice_or_purchase_order','agent_credit',
      'manual_operator_verified_reference')),
    customer_name text not null check (customer_name <> ''),
    customer_email text not null check (customer_email <> ''),
    purchase_order text,
    opened_at timestamptz not null default clock_timestamp()
  )`,
  `create index checkouts_challenge on checkouts (challenge_id, opened_at desc)`,
  appendOnly('checkouts'),
]
