import type { StateTable } from '#domain/core/state-table.ts'
import { entitlementTransitions } from '#domain/credit/credit.ts'
import {
  challengeTransitions,
  referenceStates,
  referenceTransitions,
} from '#domain/payments/payment-reference.ts'
import { id, movesOtherwise, oneOf, recordKind } from './columns.ts'
import { appendOnly } from './guards.ts'

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

/** Credit: quotes, challenges and references of payments, double-entry postings, allowance wallets, usage and provider events. */
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
  // A movement is the legs of one receipt. Each account of an agent has a balance row, so that concurrent
  // debits of one account wait for each other and never make it negative.
  `create table postings (
    posting_id bigint generated always as identity primary key,
    receipt_id text not null references receipts,
    account text not null check (account ~ '^(credit:en_[0-9a-f]{64}|(wallet|debt):aw_[0-9a-f]{64}|revenue:[a-z_0-9]+|clearing:[a-z_0-9]+|fees)$'),
    units integer not null check (units <> 0),
    written_by xid8 not null default pg_current_xact_id(),
    posted_at timestamptz not null default clock_timestamp(),
    unique (receipt_id, account)
  )`,
  `create index postings_account on postings (account, posting_id) include (units)`,
  appendOnly('postings'),
  `create table account_balances (
    account text primary key check (account ~ '^(credit|wallet|debt):'),
    units integer not null,
    constraint account_balances_units_check check (case when account ~ '^debt:' then units <= 0 else units >= 0 end)
  )`,
  `create function postings_balance() returns trigger language plpgsql as $$
  begin
    if new.account !~ '^(credit|wallet|debt):' then return new; end if;
    insert into account_balances (account, units) values (new.account, 0) on conflict do nothing;
    update account_balances set units = units + new.units where account = new.account;
    return new;
  end $$`,
  `create trigger postings_balance after insert on postings for each row execute function postings_balance()`,
  `create function account_balances_guard() returns trigger language plpgsql as $$
  begin
    if pg_trigger_depth() < 2 then raise exception 'a balance follows its postings alone' using errcode = 'check_violation'; end if;
    return coalesce(new, old);
  end $$`,
  `create trigger account_balances_guard before insert or update or delete on account_balances for each row execute function account_balances_guard()`,
  // A movement sums to zero, is written in one transaction, and fits the kind of its receipt. A fee moves as much as its event says.
  `create function postings_movement() returns trigger language plpgsql as $$
  declare kind text;
  begin
    if (select sum(units) from postings where receipt_id = new.receipt_id) <> 0
    then raise exception 'the postings of % do not balance', new.receipt_id using errcode = 'check_violation'; end if;
    if exists (select 1 from postings where receipt_id = new.receipt_id and written_by <> new.written_by)
    then raise exception 'the movement of % was written before', new.receipt_id using errcode = 'check_violation'; end if;
    kind := (select r.kind from receipts r where r.receipt_id = new.receipt_id);
    if not coalesce(case
      when kind = 'settlement_receipt' then new.account !~ '^(revenue:|fees)' and (new.account !~ '^(credit|debt):' or new.units > 0)
      when kind = 'usage_receipt' then (new.account ~ '^credit:' and new.units < 0) or (new.account ~ '^(revenue:|fees)' and new.units > 0)
      when kind = 'credit_return' then (new.account ~ '^credit:' and new.units < 0) or (new.account ~ '^(wallet|debt|clearing):' and new.units > 0)
      when kind = 'refund' then (new.account ~ '^(credit:|revenue:|fees)' and new.units < 0) or (new.account ~ '^(wallet|debt|clearing):')
      -- What a refund took of credit and earnings comes back once, exactly.
      when kind = 'refund_failed' then new.account ~ '^(wallet|debt|clearing):' or exists (
        select from receipts f join receipts r on r.subject = f.subject and r.kind = 'refund' join postings p on p.receipt_id = r.receipt_id
        where f.receipt_id = new.receipt_id and p.account = new.account and p.units = -new.units)
      when kind = 'fee' then exists (select from fee_events e where e.receipt_id = new.receipt_id
        and (new.account, new.units) in (('wallet:' || e.wallet_id, -e.amount_usd), ('fees', e.amount_usd)))
      end, false)
    then raise exception 'a % does not move % by %', kind, new.account, new.units using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger postings_movement after insert on postings deferrable initially deferred
    for each row execute function postings_movement()`,
  // The units of an entitlement equal the balance of its account.
  `create function entitlement_books(entitlement text) returns void language plpgsql as $$
  begin
    if (select case when e.state = 'pending' then 0 else e.granted_units - e.consumed_units - e.returned_units end
        from entitlements e where e.entitlement_id = entitlement)
      is distinct from coalesce((select units from account_balances where account = 'credit:' || entitlement), 0)
    then raise exception 'the books of % differ from its account', entitlement using errcode = 'check_violation'; end if;
  end $$`,
  `create function postings_books() returns trigger language plpgsql as $$
  begin perform entitlement_books(substr(new.account, 8)); return null; end $$`,
  `create constraint trigger postings_books after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^credit:') execute function postings_books()`,
  `create function entitlements_books() returns trigger language plpgsql as $$
  begin perform entitlement_books(new.entitlement_id); return null; end $$`,
  `create constraint trigger entitlements_books after update on entitlements deferrable initially deferred
    for each row execute function entitlements_books()`,
  // Sandbox credit moves only between sandbox accounts.
  `create function postings_sandbox() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from postings p join entitlements e on p.account = 'credit:' || e.entitlement_id
      where p.receipt_id = new.receipt_id and coalesce(e.source = 'clearing:sandbox', false) <> (new.account ~ ':sandbox$'))
    then raise exception 'the movement of % mixes test money with money', new.receipt_id using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger postings_sandbox after insert on postings deferrable initially deferred
    for each row when (new.account !~ '^credit:') execute function postings_sandbox()`,
  // A debit outside the limits of its wallet is never committed. The debit holds the lock of the balance row until
  // the commit, so that two debits of one day are checked one after the other.
  `create function wallet_limits() returns trigger language plpgsql as $$
  declare wallet allowance_wallets; spent integer; paid_for text;
  begin
    if (select kind from receipts where receipt_id = new.receipt_id) <> 'settlement_receipt' then return null; end if;
    select * into wallet from allowance_wallets where wallet_id = substr(new.account, 8);
    spent := (select -sum(p.units) from postings p join receipts r on r.receipt_id = p.receipt_id
      where p.account = new.account and p.units < 0 and r.kind = 'settlement_receipt'
        and p.posted_at >= date_trunc('day', new.posted_at at time zone 'utc') at time zone 'utc');
    paid_for := (select e.rail from postings p join entitlements e on p.account = 'credit:' || e.entitlement_id
      where p.receipt_id = new.receipt_id);
    if -new.units > wallet.per_run_usd or spent > wallet.per_day_usd
      or (wallet.rails is not null and not coalesce(paid_for = any(wallet.rails), false))
    then raise exception 'the wallet % may not pay this', wallet.wallet_id using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger wallet_limits after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^wallet:' and new.units < 0) execute function wallet_limits()`,
  `create table usage_events (
    ${id('event_id', 'ue')},
    chain text not null,
    sequence integer not null check (sequence >= 0),
    kind text not null check (kind in ('run_usage','tool_call','model_tokens','storage','other','audit')),
    rail text,
    units bigint not null check (units >= 0),
    unit text not null,
    credit_units integer not null default 0 check (credit_units >= 0),
    occurred_at timestamptz not null,
    recorded_at timestamptz not null,
    agent_id text,
    run_id text,
    subject text,
    usage_receipt_id text unique references receipts,
    prev_hash text,
    hash text not null check (hash ~ '^[0-9a-f]{64}$'),
    ${recordKind('ledger_event')},
    unique (chain, sequence),
    constraint usage_events_receipt check (credit_units = 0 or usage_receipt_id is not null),
    constraint usage_events_check1 check (credit_units = 0 or chain ~ '^en_')
  )`,
  `create index usage_events_agent on usage_events (agent_id, recorded_at desc)`,
  `create index usage_events_run on usage_events (run_id) where run_id is not null`,
  appendOnly('usage_events'),
  `create function usage_events_chain() returns trigger language plpgsql as $$
  begin
    if new.prev_hash is distinct from (select hash from usage_events where chain = new.chain and sequence = new.sequence - 1)
      or (new.sequence = 0) <> (new.prev_hash is null)
    then raise exception 'the event does not follow the last one of its chain' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger usage_events_chain before insert on usage_events for each row execute function usage_events_chain()`,
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
