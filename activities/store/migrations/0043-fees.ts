import { refusal } from './columns.ts'
import { guard } from './guards.ts'

const fixed = '(fee_event_id, item, subject, agent_id)'
const of = (row: string) => fixed.replaceAll(/\w+/g, (column) => `${row}.${column}`)

/** Commercial fees, each of which is posted once under its receipt, and the tiers of wallets. */
export const fees: readonly string[] = [
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
  `create index fee_events_due on fee_events (agent_id, created_at, fee_event_id) where state = 'due'`,
  `create index fee_events_due_tried on fee_events (changed_at) where state = 'due'`,
  // A fee that is posted stays posted.
  ...guard('fee_events', {
    deleted: 'a fee is posted once and stays as it was',
    updated: {
      'a fee is posted once and stays as it was': `old.state = 'accrued' or ${of('new')} is distinct from ${of('old')}`,
    },
  }),
  // An account pays no fee for a month after the one in which it ended it.
  `create function control_fees_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `exists (select from account_fees f where f.account_id = split_part(new.subject, ':', 1)
        and f.fee_ends_at <= (split_part(new.subject, ':', 2) || '-01')::timestamp at time zone 'utc')`,
      'the account ended this fee',
    )}
    return new;
  end $$`,
  `create trigger control_fees_guard before insert on fee_events for each row
    when (new.item = 'enterprise_controls') execute function control_fees_guard()`,
]
