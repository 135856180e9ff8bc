import { hex, refusal } from './columns.ts'
import { appendOnly, guard } from './guards.ts'

const fewer = (column: string) =>
  `(old.${column} is not null and not coalesce(new.${column} <@ old.${column}, false))`
const higher = (column: string) =>
  `(old.${column} is not null and coalesce(new.${column} > old.${column}, true))`
const fixed = '(fee_event_id, item, subject, agent_id)'
const of = (row: string) => fixed.replaceAll(/\w+/g, (column) => `${row}.${column}`)

/**
 * Controls of customer accounts with their history, the wallets bound to accounts, what accounts spent, and commercial fees, each of which
 * is posted once under its receipt.
 */
export const accounts: readonly string[] = [
  `create table account_controls (
    account_id text primary key references accounts,
    allowed_rails text[],
    per_run_usd_max integer check (per_run_usd_max >= 0),
    per_day_usd_max integer check (per_day_usd_max >= 0),
    review_all boolean not null,
    callback_hosts text[] check (cardinality(callback_hosts) <= 16),
    paused boolean not null,
    credential_max_age_days integer check (credential_max_age_days between 1 and 365),
    set_by text not null,
    receipt_id text not null unique references receipts,
    set_at timestamptz not null default clock_timestamp()
  )`,
  // An agent narrows the controls of its account, whatever the code before it found.
  ...guard('account_controls', {
    deleted: 'controls of an account stay',
    updated: {
      'controls of an account stay': `new.account_id <> old.account_id`,
      'an agent only narrows the controls of its account': `new.set_by like 'agt_%' and (${[
        fewer('allowed_rails'),
        fewer('callback_hosts'),
        higher('per_run_usd_max'),
        higher('per_day_usd_max'),
        higher('credential_max_age_days'),
        '(old.paused and not new.paused)',
        '(old.review_all and not new.review_all)',
      ].join(' or ')})`,
    },
  }),
  `create table account_control_changes (
    change_id text primary key check (change_id ~ '^ctl_[0-9a-f]{64}$'),
    account_id text not null references accounts,
    before json not null,
    after json not null,
    reason text not null check (reason <> ''),
    set_by text not null,
    receipt_id text not null unique references receipts,
    changed_at timestamptz not null default clock_timestamp(),
    accepted_fee_usd integer check (accepted_fee_usd > 0),
    fee_ends_at timestamptz check (fee_ends_at is null or (accepted_fee_usd is not null and fee_ends_at > changed_at))
  )`,
  appendOnly('account_control_changes'),
  `create index account_control_changes_fee on account_control_changes (account_id, changed_at desc) where accepted_fee_usd is not null`,
  // The last change that says something of the fee: that it is accepted, or that it ends.
  `create view account_fees as
    select distinct on (account_id) account_id, accepted_fee_usd, fee_ends_at, coalesce(fee_ends_at > statement_timestamp(), true) as in_force
      from account_control_changes where accepted_fee_usd is not null order by account_id, changed_at desc`,
  // A wallet is bound once, by its own signature.
  `create table account_wallets (
    wallet text primary key ${hex('wallet', 40)},
    account_id text not null references accounts,
    signature text not null,
    receipt_id text not null unique references receipts,
    bound_at timestamptz not null default clock_timestamp()
  )`,
  `create index account_wallets_account on account_wallets (account_id, bound_at)`,
  appendOnly('account_wallets'),
  // What an account spends; \`units\` is the number of runs that a payment is for.
  `create table account_spends (
    kind text not null check (kind in ('run','payment','payout','fee','claim')),
    subject text not null,
    account_id text not null references accounts,
    rail text,
    usd integer not null check (usd >= 0),
    units integer not null default 1 check (units between 1 and 1000),
    spent_at timestamptz not null default clock_timestamp(),
    primary key (kind, subject)
  )`,
  `create index account_spends_day on account_spends (account_id, spent_at)`,
  ...guard('account_spends', {
    deleted: 'what an account spent stays its own',
    updated: {
      'what an account spent stays its own': `(new.kind, new.subject, new.account_id) is distinct from (old.kind, old.subject, old.account_id)`,
    },
  }),
  // The last lock of a spending transaction, taken when it commits: it sees each change of the controls that was committed
  // before, and a later one waits for it. The transaction is repeated, and its repeat is refused by the code. A payment and the run
  // that it is for are not added up: the limit of a day holds for payments, and again for everything else.
  `create function account_spends_allowed() returns trigger language plpgsql as $$
  declare c account_controls;
  begin
    perform from accounts where account_id = new.account_id for no key update;
    select * into c from account_controls where account_id = new.account_id;
    if c.paused or new.usd > c.per_run_usd_max::bigint * new.units or not (new.rail = any(c.allowed_rails))
      or (new.usd > 0 and c.per_day_usd_max is not null and (select sum(s.usd) from account_spends s where s.account_id = new.account_id
        and (s.kind = 'payment') = (new.kind = 'payment') and s.spent_at >= date_trunc('day', new.spent_at at time zone 'utc') at time zone 'utc') > c.per_day_usd_max)
    then raise exception 'the controls of the account have changed' using errcode = 'serialization_failure'; end if;
    return null;
  end $$`,
  `create constraint trigger account_spends_allowed after insert or update on account_spends deferrable initially deferred
    for each row execute function account_spends_allowed()`,
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
