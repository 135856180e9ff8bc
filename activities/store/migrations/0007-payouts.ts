import { hex } from './columns.ts'
import { definer, guardMandates, keepRows } from './guards.ts'

const since = (time: string) => `date_bin('10 minutes', ${time}, 'epoch')`

/**
 * Payouts and their transfers, the confirmed totals of each payout wallet, mandates, callbacks and the switches that pause payouts.
 * A trigger keeps the confirmed totals for every ten minutes of block time, so that the daily cap reads few rows on a busy day.
 */
export const payouts: readonly string[] = [
  `create table payouts (
    payout_id text primary key check (payout_id ~ '^po_[0-9a-f]{64}$'),
    creator text not null ${hex('creator', 40)},
    idempotency_key text not null,
    recipient text not null ${hex('recipient', 40)},
    amount_atomic numeric(78,0) not null check (amount_atomic between 1 and 25000000),
    memo text not null,
    rail_reference text not null,
    usage text not null check (usage in ('synthetic','operational','unspecified')),
    asset text not null ${hex('asset', 40)},
    payout_wallet text not null ${hex('payout_wallet', 40)},
    terms_sha256 text not null check (terms_sha256 ~ '^[0-9a-f]{64}$'),
    state text not null check (state in ('created','authorized','executed')),
    created_at timestamptz not null default clock_timestamp(),
    authorized_at timestamptz,
    executed_at timestamptz,
    expires_at bigint,
    authorize_idempotency_key text,
    authorize_fingerprint text,
    mandate_ref text,
    principal_signature text check (principal_signature ~ '^0x[0-9a-f]{130}$'),
    transfer_nonce text ${hex('transfer_nonce', 64)},
    unique (creator, idempotency_key),
    check ((state = 'created') = (authorized_at is null)),
    check ((state = 'executed') = (executed_at is not null)),
    check ((authorized_at is null) = (expires_at is null and mandate_ref is null and authorize_idempotency_key is null and authorize_fingerprint is null))
  )`,
  // The second guard of the state table and of the fixed terms: it also holds against SQL typed by hand.
  `create function payouts_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      if new.state <> 'created' then raise exception 'a payout begins as created' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.payout_id, old.creator, old.idempotency_key, old.recipient, old.amount_atomic, old.memo, old.rail_reference, old.usage, old.asset, old.payout_wallet, old.terms_sha256, old.created_at)
       is distinct from (new.payout_id, new.creator, new.idempotency_key, new.recipient, new.amount_atomic, new.memo, new.rail_reference, new.usage, new.asset, new.payout_wallet, new.terms_sha256, new.created_at)
    then raise exception 'the terms of a payout never change' using errcode = 'check_violation'; end if;
    if (old.state, new.state) not in (('created','created'), ('created','authorized'), ('authorized','authorized'), ('authorized','executed'), ('executed','executed'))
    then raise exception 'no such payout transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    if old.state <> 'created'
       and (old.authorized_at, old.expires_at, old.authorize_idempotency_key, old.authorize_fingerprint, old.mandate_ref, old.principal_signature, old.transfer_nonce)
       is distinct from (new.authorized_at, new.expires_at, new.authorize_idempotency_key, new.authorize_fingerprint, new.mandate_ref, new.principal_signature, new.transfer_nonce)
    then raise exception 'an authorization never changes' using errcode = 'check_violation'; end if;
    if old.state = 'created' and new.state = 'authorized'
       and (new.transfer_nonce is null or (new.principal_signature is null) <> (new.creator = new.payout_wallet))
    then raise exception 'an authorization carries the principal''s signature' using errcode = 'check_violation'; end if;
    if old.state = 'created' and new.state = 'authorized' and payout_mandate_revoked(new.payout_id)
    then raise exception 'the mandate of the payout is revoked' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger payouts_guard before insert or update on payouts for each row execute function payouts_guard()`,
  `create table transfers (
    payout_id text primary key references payouts,
    nonce text not null unique ${hex('nonce', 64)},
    wallet text not null ${hex('wallet', 40)},
    recipient text not null ${hex('recipient', 40)},
    amount_atomic numeric(78,0) not null check (amount_atomic between 1 and 25000000),
    valid_after bigint not null,
    valid_before bigint not null,
    signature text,
    status text not null check (status in ('reserved','signed','submitted','included','final','dead')),
    from_block bigint,
    transaction_hash text,
    block_number bigint,
    block_hash text,
    block_time timestamptz,
    confirmations integer not null default 0,
    parked text,
    exception text,
    call_id text not null references calls,
    reserved_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    dead_reason text check (dead_reason in ('expired','canceled')),
    dead_block_number bigint,
    dead_block_hash text ${hex('dead_block_hash', 64)},
    dead_block_time timestamptz,
    check (status in ('reserved','dead') or signature is not null),
    check (status not in ('included','final') or (transaction_hash is not null and block_number is not null and block_hash is not null and block_time is not null)),
    check (num_nonnulls(dead_reason, dead_block_number, dead_block_hash, dead_block_time) = case status when 'dead' then 4 else 0 end),
    check (dead_reason is distinct from 'expired' or extract(epoch from dead_block_time) >= valid_before)
  )`,
  `create index transfers_open on transfers (changed_at) where status not in ('final','dead')`,
  `create index transfers_under_way on transfers (wallet) where status in ('reserved','signed','submitted')`,
  `create index transfers_confirmed on transfers (wallet, block_time) where status in ('included','final')`,
  `create index transfers_mined on transfers (wallet, block_number) where status in ('included','final')`,
  // A signed authorization is never replaced: a second signature would allow a second payment.
  `create function transfers_guard() returns trigger language plpgsql as $$
  begin
    if (old.payout_id, old.nonce, old.wallet, old.recipient, old.amount_atomic, old.valid_after, old.valid_before, old.reserved_at)
       is distinct from (new.payout_id, new.nonce, new.wallet, new.recipient, new.amount_atomic, new.valid_after, new.valid_before, new.reserved_at)
       or (old.signature is not null and new.signature is distinct from old.signature)
    then raise exception 'the terms of a transfer never change' using errcode = 'check_violation'; end if;
    if new.status <> old.status and (old.status, new.status) not in (('reserved','signed'), ('reserved','dead'),
      ('signed','submitted'), ('signed','included'), ('signed','final'), ('signed','dead'),
      ('submitted','included'), ('submitted','final'), ('submitted','dead'),
      ('included','submitted'), ('included','final'), ('included','dead'))
    then raise exception 'no such transfer transition: % to %', old.status, new.status using errcode = 'check_violation'; end if;
    if current_user = 'agent_rails_signer' and (old.status <> 'reserved' or new.status not in ('reserved','signed')
      or (new.status = 'signed') <> (new.signature is not null))
    then raise exception 'a signer signs or parks a reserved transfer' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger transfers_guard before update on transfers for each row execute function transfers_guard()`,
  `create function transfers_begin() returns trigger language plpgsql as $$
  declare payout payouts;
  begin
    select * into payout from payouts where payout_id = new.payout_id;
    if payout.state is distinct from 'authorized'
       or (new.recipient, new.amount_atomic, new.wallet, new.nonce, new.valid_after, new.valid_before)
       is distinct from (payout.recipient, payout.amount_atomic, payout.payout_wallet, payout.transfer_nonce, 0::bigint, payout.expires_at)
    then raise exception 'a transfer has the terms of its authorized payout' using errcode = 'check_violation'; end if;
    if new.status not in ('reserved', 'signed') or (new.status = 'signed' and payout.principal_signature is null)
       or num_nonnulls(new.from_block, new.transaction_hash, new.block_number, new.block_hash, new.block_time, new.exception) > 0
    then raise exception 'a transfer begins as reserved, or as signed for its principal' using errcode = 'check_violation'; end if;
    if payout_mandate_revoked(new.payout_id)
    then raise exception 'the mandate of the payout is revoked' using errcode = 'check_violation'; end if;
    if not exists (select from calls where call_id = new.call_id and (operation, caller) =
      (case when payout.creator = payout.payout_wallet then 'canary' else 'payout-execute' end,
       case when payout.creator = payout.payout_wallet then 'service:canary' else 'wallet:' || payout.creator end))
    then raise exception 'a transfer is the effect of an execute by its creator' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger transfers_begin before insert on transfers for each row execute function transfers_begin()`,
  `create table confirmed_totals (
    wallet text not null,
    since timestamptz not null,
    amount_atomic numeric(78,0) not null check (amount_atomic >= 0),
    primary key (wallet, since)
  )`,
  `create function total_confirmed() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and old.status in ('included','final') then
      update confirmed_totals set amount_atomic = amount_atomic - old.amount_atomic
        where wallet = old.wallet and since = ${since('old.block_time')};
    end if;
    if new.status in ('included','final') then
      insert into confirmed_totals as t (wallet, since, amount_atomic)
        values (new.wallet, ${since('new.block_time')}, new.amount_atomic)
        on conflict (wallet, since) do update set amount_atomic = t.amount_atomic + excluded.amount_atomic;
    end if;
    return null;
  end $$`,
  `create trigger total_inserted after insert on transfers for each row
    when (new.status in ('included','final')) execute function total_confirmed()`,
  `create trigger total_updated after update of status, block_time on transfers for each row
    when ((old.status in ('included','final'), old.block_time) is distinct from (new.status in ('included','final'), new.block_time))
    execute function total_confirmed()`,
  `create table mandates (
    mandate_id text primary key,
    operator_id text not null,
    payout_id text not null references payouts,
    request_sha256 text not null,
    ap2_mandate text not null,
    replay_key text not null,
    issued_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    revoked_by text,
    revoke_reason text,
    check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revoke_reason is null))
  )`,
  `create index mandates_issued on mandates (issued_at, mandate_id)`,
  `create index mandates_payout on mandates (payout_id)`,
  ...guardMandates('mandates'),
  // Reads which mandate authorized the payout from the replay keys. The lock waits for a revocation that has begun, or makes it wait.
  `create function payout_mandate_revoked(payout text) returns boolean language plpgsql as $$
  begin
    return coalesce((select m.revoked_at is not null from mandates m where m.payout_id = payout and exists (
      select from replay_ledger l where l.kind = 'mandate' and l.key = m.replay_key and l.subject = payout) for share of m), false);
  end $$`,
  `create table payout_callbacks (
    wallet text primary key check (wallet ~ '^0x[0-9a-f]{40}$'),
    url text not null check (length(url) <= 2048),
    changed_at timestamptz not null default clock_timestamp()
  )`,
  `create table controls (scope text not null, target text not null, paused boolean not null, reason text not null, operator_id text not null,
    changed_at timestamptz not null default clock_timestamp(), primary key (scope, target))`,
  `create table control_changes (
    change_id text primary key check (change_id ~ '^ctl_[0-9a-f]{64}$'),
    seq bigint not null unique generated always as identity,
    scope text not null check (scope in ('service','payouts','wallet','payout','rail','agent')),
    target text not null check ((target = '') = (scope in ('service','payouts'))),
    paused boolean not null,
    reason text not null check (reason <> ''),
    operator_id text not null,
    operator_name text not null,
    receipt_id text not null references receipts,
    changed_at timestamptz not null
  )`,
  ...keepRows('control_changes', 'what was done to a switch is never rewritten'),
  // Switches are set by this function alone, so that no role needs the right to write them.
  `create function set_control(change control_changes) returns void ${definer} as $$
  begin
    insert into controls (scope, target, paused, reason, operator_id, changed_at)
      values (change.scope, change.target, change.paused, change.reason, change.operator_id, change.changed_at)
      on conflict (scope, target) do update set paused = excluded.paused, reason = excluded.reason,
        operator_id = excluded.operator_id, changed_at = excluded.changed_at;
    insert into control_changes (change_id, scope, target, paused, reason, operator_id, operator_name, receipt_id, changed_at)
      values (change.change_id, change.scope, change.target, change.paused, change.reason, change.operator_id,
        change.operator_name, change.receipt_id, change.changed_at);
  end $$`,
]
