import { refusal } from './columns.ts'

const fixed = '(fee_event_id, item, subject, agent_id)'
const of = (row: string) => fixed.replaceAll(/\w+/g, (column) => `${row}.${column}`)

/** Commercial fees, each of which is posted once under its receipt, and the tiers of wallets. */
export const fees: readonly string[] = [
  `alter table allowance_wallets
    add column tier text not null default 'free' check (tier in ('free','premium')),
    add column tier_per_day_usd integer not null default 100000 check (tier_per_day_usd >= 0)`,
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
  `create table fee_events (
    fee_event_id text primary key check (fee_event_id ~ '^fe_[0-9a-f]{64}$'),
    item text not null check (item in ('receipt_fee','escrow_fee','premium_wallet_tier','developer_fee','trust_badge_fee','enterprise_controls')),
    subject text not null,
    agent_id text not null references agents,
    wallet_id text references allowance_wallets,
    amount_usd integer not null check (amount_usd > 0),
    state text not null check (state in ('due','held','accrued','released')),
    receipt_id text unique references receipts,
    created_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    unique (item, subject),
    check ((state = 'accrued') = (receipt_id is not null)),
    check (state not in ('held','accrued') or wallet_id is not null)
  )`,
  `create index fee_events_agent on fee_events (agent_id, created_at desc, fee_event_id)`,
  `create index fee_events_held on fee_events (wallet_id) where state = 'held'`,
  // A fee that is posted stays posted.
  `create function fee_events_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `tg_op = 'DELETE' or old.state = 'accrued' or ${of('new')} is distinct from ${of('old')}`,
      'a fee is posted once and stays as it was',
    )}
    return new;
  end $$`,
  `create trigger fee_events_guard before update or delete on fee_events for each row execute function fee_events_guard()`,
  // As before, and a fee moves from its wallet as much as its event says.
  `create or replace function postings_movement() returns trigger language plpgsql as $$
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
      when kind = 'fee' then exists (select from fee_events e where e.receipt_id = new.receipt_id
        and (new.account, new.units) in (('wallet:' || e.wallet_id, -e.amount_usd), ('fees', e.amount_usd)))
      end, false)
    then raise exception 'a % does not move % by %', kind, new.account, new.units using errcode = 'check_violation'; end if;
    return null;
  end $$`,
]
