import { digest, hex } from './columns.ts'
import { appendOnly } from './guards.ts'

const signed = `jws text not null unique,
    kid text not null,
    receipt_id text not null unique references receipts deferrable initially deferred,
    call_id text not null unique,
    issued_at timestamptz not null`

/**
 * Signed receipts, the keys of effects that may be recorded only once, passports, proofs with a counter for each wallet, and handoff
 * packs.
 */
export const receipts: readonly string[] = [
  `create table receipts (
    receipt_id text primary key check (receipt_id ~ '^rc_[0-9a-f]{64}$'),
    subject text not null,
    seq integer not null check (seq >= 0),
    kind text not null,
    jws text not null,
    prev text,
    kid text not null,
    payload_sha256 text not null,
    issued_at timestamptz not null default clock_timestamp(),
    set_aside_at timestamptz,
    check ((seq = 0) = (prev is null))
  )`,
  // One text is one row, so that each row is in the queue of the log and is judged there.
  `create function receipts_guard() returns trigger language plpgsql as $$
  begin
    if current_user in ('agent_rails_api','agent_rails_worker')
      and (new.receipt_id <> 'rc_' || encode(sha256(convert_to(new.jws, 'UTF8')), 'hex') or new.set_aside_at is not null)
    then raise exception 'a receipt is named by its digest' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger receipts_guard before insert on receipts for each row execute function receipts_guard()`,
  // A row that no key of ours signed is set aside, and the genuine receipt takes its place.
  `create unique index receipts_subject_seq_key on receipts (subject, seq) where set_aside_at is null`,
  `create unique index receipts_subject_kind_key on receipts (subject, kind) where set_aside_at is null`,
  `create index receipts_set_aside on receipts (set_aside_at) where set_aside_at is not null`,
  `create index receipts_payload on receipts (payload_sha256)`,
  `create table replay_ledger (kind text not null, key text not null, subject text not null,
    first_seen timestamptz not null default clock_timestamp(), primary key (kind, key))`,
  `create table receipt_passports (
    passport_id text primary key check (passport_id ~ '^pp_[0-9a-f]{64}$'),
    wallet text not null ${hex('wallet', 40)},
    work text not null check (work ~ '^(wallet_free_call:[0-9a-f]{32,64}|settled_payment:[0-9a-f]{64})$'),
    usage text not null check (usage in ('synthetic','operational')),
    ${signed},
    constraint receipt_passports_one unique (wallet, work)
  )`,
  appendOnly('receipt_passports'),
  // The row is the limit: it changes only by one proof at a time.
  `create table proof_inboxes (
    wallet text primary key ${hex('wallet', 40)},
    records integer not null check (records between 1 and 256),
    bytes integer not null check (bytes between 1 and 4194304),
    head text not null ${digest('head')}
  )`,
  `create function proof_inboxes_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then raise exception 'an inbox is never deleted' using errcode = 'check_violation'; end if;
    if tg_op = 'INSERT' and new.records = 1 then return new; end if;
    if tg_op = 'UPDATE' and new.wallet = old.wallet and new.records = old.records + 1 and new.bytes > old.bytes and new.head <> old.head
    then return new; end if;
    raise exception 'an inbox grows by one proof at a time' using errcode = 'check_violation';
  end $$`,
  `create trigger proof_inboxes_guard before insert or update or delete on proof_inboxes for each row execute function proof_inboxes_guard()`,
  `create table proofs (
    proof_id text primary key ${digest('proof_id')},
    wallet text not null references proof_inboxes,
    seq integer not null check (seq between 1 and 256),
    kind text not null check (kind in ('receipt_passport','handoff_pack','evidence')),
    label text not null check (char_length(label) between 1 and 160),
    content text not null check (char_length(content) between 1 and 24000),
    bytes integer not null check (bytes = octet_length(content)),
    receipt_id text not null unique references receipts deferrable initially deferred,
    stored_at timestamptz not null,
    unique (wallet, seq)
  )`,
  appendOnly('proofs'),
  // At the end of a transaction the counter is what is there.
  `create function proofs_counted() returns trigger language plpgsql as $$
  begin
    if not exists (select 1 from proof_inboxes i where i.wallet = new.wallet
      and (i.records, i.bytes) = (select count(*), sum(p.bytes) from proofs p where p.wallet = new.wallet))
    then raise exception 'the inbox of % does not count its proofs', new.wallet using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger proofs_counted after insert on proofs deferrable initially deferred for each row execute function proofs_counted()`,
  `create constraint trigger proof_inboxes_counted after insert or update on proof_inboxes deferrable initially deferred
    for each row execute function proofs_counted()`,
  `create table handoff_packs (
    pack_id text primary key check (pack_id ~ '^hp_[0-9a-f]{64}$'),
    builder text not null ${hex('builder', 40)},
    recipient text not null ${hex('recipient', 40)} check (recipient <> '0x' || repeat('0', 40)),
    task_id text not null check (task_id ~ '^[A-Za-z0-9_-]{1,96}$'),
    seq integer not null check (seq >= 1),
    status text not null check (status in ('pending','in_progress','blocked','completed')),
    pack_sha256 text not null unique ${digest('pack_sha256')},
    expires_at timestamptz not null check (expires_at > issued_at),
    ${signed},
    unique (builder, task_id, seq)
  )`,
  appendOnly('handoff_packs'),
  `create function handoff_packs_guard() returns trigger language plpgsql as $$
  declare last handoff_packs;
  begin
    select * into last from handoff_packs p where p.builder = new.builder and p.task_id = new.task_id order by p.seq desc limit 1;
    if new.seq <> coalesce(last.seq, 0) + 1 then raise exception 'a pack follows the last one' using errcode = 'check_violation'; end if;
    if last.status is not null and (last.status || ' ' || new.status) not in
      ('pending pending', 'pending in_progress', 'in_progress in_progress', 'in_progress blocked', 'in_progress completed',
       'blocked blocked', 'blocked in_progress')
    then raise exception 'no such move of a handoff: % to %', last.status, new.status using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger handoff_packs_guard before insert on handoff_packs for each row execute function handoff_packs_guard()`,
]
