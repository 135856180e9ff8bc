/** Signed receipts, and the keys of effects that may be recorded only once. */
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
  // What `appendOnly` calls for its tables.
  `create function append_only() returns trigger language plpgsql as $$
  begin raise exception 'what stands in % stays as it was written', tg_table_name using errcode = 'check_violation'; end $$`,
]
