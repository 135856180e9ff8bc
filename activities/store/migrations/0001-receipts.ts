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
    unique (subject, seq),
    unique (subject, kind),
    check ((seq = 0) = (prev is null))
  )`,
  `create index receipts_payload on receipts (payload_sha256)`,
  `create table replay_ledger (kind text not null, key text not null, subject text not null,
    first_seen timestamptz not null default clock_timestamp(), primary key (kind, key))`,
  // What `appendOnly` calls for its tables.
  `create function append_only() returns trigger language plpgsql as $$
  begin raise exception 'what stands in % stays as it was written', tg_table_name using errcode = 'check_violation'; end $$`,
]
