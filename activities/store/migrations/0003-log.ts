import { refusal } from './columns.ts'
import { definer } from './guards.ts'

const kept = ['log_leaves', 'log_tiles', 'log_checkpoints', 'log_cosignatures']

/**
 * The transparency log: an outbox that each stored receipt enters in its own transaction, the leaves, the full tiles, the signed
 * checkpoints and the cosignatures of witnesses. Partial tiles are read from the leaves, or from the roots one level below.
 */
export const log: readonly string[] = [
  `create table log_outbox (
    position bigint generated always as identity primary key,
    entry bytea not null unique check (octet_length(entry) = 32),
    queued_at timestamptz not null default clock_timestamp(),
    receipt_id text references receipts
  )`,
  `create table log_leaves (
    idx bigint primary key check (idx >= 0),
    entry bytea not null unique check (octet_length(entry) = 32)
  )`,
  // The hashes are stored as they are: they do not compress.
  `create table log_tiles (
    level integer not null check (level between 0 and 6),
    idx bigint not null check (idx >= 0),
    hashes bytea storage external not null check (octet_length(hashes) = 8192),
    root bytea not null check (octet_length(root) = 32),
    primary key (level, idx)
  )`,
  `create table log_checkpoints (
    size bigint primary key check (size >= 0),
    root bytea not null check (octet_length(root) = 32),
    origin text not null,
    note text not null,
    cose_signature bytea not null check (octet_length(cose_signature) = 64),
    kid text not null,
    signed_at timestamptz not null default clock_timestamp()
  )`,
  `create table log_cosignatures (
    size bigint not null references log_checkpoints (size),
    witness text not null check (length(witness) between 1 and 255),
    line text not null check (length(line) between 1 and 1024),
    received_at timestamptz not null default clock_timestamp(),
    primary key (size, witness)
  )`,
  // The inner digest is in the receipt's id, which reads the receipt: the public entry does not disclose it.
  `create function log_entry(jws text) returns bytea language sql immutable parallel safe
    return sha256(sha256(convert_to(jws, 'UTF8')))`,
  `create function queue_receipt() returns trigger ${definer} as $$
  begin
    insert into log_outbox (entry, receipt_id) values (log_entry(new.jws), new.receipt_id) on conflict (entry) do nothing;
    return null;
  end $$`,
  `create trigger receipt_queued after insert on receipts for each row execute function queue_receipt()`,
  `create function keep_log() returns trigger language plpgsql as $$
  begin
    raise exception 'the log only grows' using errcode = 'check_violation';
  end $$`,
  ...kept.flatMap((table) => [
    `create trigger ${table}_kept before update or delete on ${table} for each row execute function keep_log()`,
    `create trigger ${table}_whole before truncate on ${table} for each statement execute function keep_log()`,
  ]),
  `create trigger log_outbox_kept before update on log_outbox for each row execute function keep_log()`,
  `create trigger log_outbox_whole before truncate on log_outbox for each statement execute function keep_log()`,
  // A leaf is a queued receipt, and a receipt leaves the outbox as a leaf.
  `create function log_leaves_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `exists (select 1 from added a where not exists (select 1 from log_outbox o where o.entry = a.entry))`,
      'a leaf is the digest of a queued receipt',
    )}
    return null;
  end $$`,
  `create trigger log_leaves_guard after insert on log_leaves referencing new table as added
    for each statement execute function log_leaves_guard()`,
  `create function log_outbox_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `exists (select 1 from removed r where not exists (select 1 from log_leaves l where l.entry = r.entry)
        and not exists (select 1 from receipts x where x.receipt_id = r.receipt_id and x.set_aside_at is not null))`,
      'a receipt leaves the outbox as a leaf',
    )}
    return null;
  end $$`,
  `create trigger log_outbox_guard after delete on log_outbox referencing old table as removed
    for each statement execute function log_outbox_guard()`,
  `create function log_tiles_guard() returns trigger language plpgsql as $$
  declare
    below bytea;
  begin
    if new.level = 0 then
      select string_agg(sha256('\\x00'::bytea || l.entry), ''::bytea order by l.idx) into below
        from log_leaves l where l.idx between new.idx * 256 and new.idx * 256 + 255;
    else
      select string_agg(t.root, ''::bytea order by t.idx) into below from log_tiles t
        where t.level = new.level - 1 and t.idx between new.idx * 256 and new.idx * 256 + 255;
    end if;
    ${refusal('below is distinct from new.hashes', 'a tile holds the hashes below it')}
    return new;
  end $$`,
  `create trigger log_tiles_guard before insert on log_tiles for each row execute function log_tiles_guard()`,
  `create function log_checkpoints_guard() returns trigger language plpgsql as $$
  declare
    before bigint := coalesce((select max(c.size) from log_checkpoints c), 0);
  begin
    ${refusal(
      `new.size < before or (select count(*) from log_leaves l where l.idx >= before and l.idx < new.size) <> new.size - before
        or exists (select 1 from log_leaves l where l.idx >= new.size)`,
      'a checkpoint covers every leaf, and no more',
    )}
    ${refusal(
      `new.size >= 256 and not exists (select 1 from log_tiles t where t.level = 0 and t.idx = new.size / 256 - 1)`,
      'a checkpoint covers stored tiles',
    )}
    return new;
  end $$`,
  `create trigger log_checkpoints_guard before insert on log_checkpoints
    for each row execute function log_checkpoints_guard()`,
]
