import { id, recordKind, refusal } from './columns.ts'
import { appendOnly } from './guards.ts'

const withheld = `new.units < 0 and (select kind from receipts where receipt_id = new.receipt_id) = 'usage_receipt'
  and exists (select from entitlements e where e.entitlement_id = substr(new.account, 8) and e.source like 'wallet:%' and (
    exists (select from payment_references r where r.wallet_id = substr(e.source, 8) and r.state = 'disputed')
    or exists (select from account_balances b where b.account = 'debt:' || substr(e.source, 8) and b.units < 0)))`
const repaid = (account: string, negative: string) => `coalesce((select units from account_balances
    where account = '${account}:' || substr(new.account, position(':' in new.account) + 1)), 0) ${negative} 0`

/** Double-entry postings with the balances and limits that follow from them, and the events of usage. */
export const postings: readonly string[] = [
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
  `create function wallet_tier_limits() returns trigger language plpgsql as $$
  begin
    if (select kind from receipts where receipt_id = new.receipt_id) = 'settlement_receipt' and
      (select -sum(p.units) from postings p join receipts r on r.receipt_id = p.receipt_id
        where p.account = new.account and p.units < 0 and r.kind = 'settlement_receipt'
          and p.posted_at >= date_trunc('day', new.posted_at at time zone 'utc') at time zone 'utc')
      > (select tier_per_day_usd from allowance_wallets where wallet_id = substr(new.account, 8))
    then raise exception 'the tier of % does not allow this', new.account using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger wallet_tier_limits after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^wallet:' and new.units < 0) execute function wallet_tier_limits()`,
  // A wallet that owes holds nothing, so that what comes in pays its debt first.
  `create function wallet_debts() returns trigger language plpgsql as $$
  begin
    ${refusal(`${repaid('wallet', '>')} and ${repaid('debt', '<')}`, 'a wallet pays what it owes first')}
    return null;
  end $$`,
  `create constraint trigger wallet_debts after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^(wallet|debt):') execute function wallet_debts()`,
  // Nor is credit used that came from a wallet with a debt or a disputed payment.
  `create function withheld_credit() returns trigger language plpgsql as $$
  begin
    ${refusal(withheld, 'a payment into the wallet that paid was taken back or is disputed')}
    return null;
  end $$`,
  `create constraint trigger withheld_credit after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^credit:') execute function withheld_credit()`,
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
]
