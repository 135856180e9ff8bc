import { guard } from './guards.ts'

/** Inputs that agents upload before a run: files by digest, in chunks, the tasks that use them, and their checks by rails. */
export const inputs: readonly string[] = [
  // An upload. `reserved` counts the bytes that it may still take.
  `create table agent_input_blobs (
    blob_id uuid primary key default gen_random_uuid(),
    began_at timestamptz not null default clock_timestamp(),
    owner text not null default '',
    reserved bigint not null default 0 check (reserved >= 0),
    sandbox boolean not null default false
  )`,
  // Uncompressed, so that the length of a chunk is known without reading it.
  `create table agent_input_chunks (
    blob_id uuid not null references agent_input_blobs on delete cascade,
    seq integer not null check (seq >= 0),
    bytes bytea storage external not null check (octet_length(bytes) between 1 and 1048576),
    primary key (blob_id, seq)
  )`,
  `create index agent_input_blobs_owner on agent_input_blobs (owner, began_at)`,
  `create table agent_inputs (
    owner text not null,
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    blob_id uuid not null unique references agent_input_blobs,
    byte_length integer not null check (byte_length between 1 and 268435456),
    media_type text not null check (media_type in ('text/csv','application/x-ndjson','text/plain','text/tab-separated-values','application/json','application/xml','text/xml','application/pdf','image/png','image/jpeg',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document','application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')),
    stored_at timestamptz not null default clock_timestamp(),
    primary key (owner, sha256)
  )`,
  `create table agent_input_uses (
    owner text not null,
    sha256 text not null,
    subject text not null,
    since timestamptz not null default clock_timestamp(),
    released_at timestamptz,
    primary key (owner, sha256, subject),
    foreign key (owner, sha256) references agent_inputs on delete cascade
  )`,
  `create index agent_input_uses_subject on agent_input_uses (subject) where released_at is null`,
  // The content of a digest never changes and is complete.
  `create function agent_inputs_guard() returns trigger language plpgsql as $$
  declare
    total bigint;
  begin
    if tg_op = 'UPDATE' then raise exception 'an input stays as it was stored' using errcode = 'check_violation'; end if;
    select sum(octet_length(bytes)) into total from agent_input_chunks where blob_id = new.blob_id;
    if total is distinct from new.byte_length then raise exception 'the input has not all of its bytes' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger agent_inputs_guard before insert or update on agent_inputs for each row execute function agent_inputs_guard()`,
  `create function agent_input_chunks_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' or exists (select 1 from agent_inputs where blob_id = new.blob_id)
    then raise exception 'an input stays as it was stored' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger agent_input_chunks_guard before insert or update on agent_input_chunks for each row execute function agent_input_chunks_guard()`,
  `create function agent_inputs_kept() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from agent_input_uses where owner = old.owner and sha256 = old.sha256 and released_at is null)
    then raise exception 'the input is in use' using errcode = 'check_violation'; end if;
    return old;
  end $$`,
  `create trigger agent_inputs_kept before delete on agent_inputs for each row execute function agent_inputs_kept()`,
  // One reading of an upload as a list or a document of a rail, with what the caller says of how it is read.
  `create table upload_checks (
    check_id text primary key check (check_id ~ '^uc_[0-9a-f]{64}$'),
    owner text not null,
    sha256 text not null,
    rail text not null,
    list text not null,
    corrections jsonb not null,
    sheet text,
    began_at timestamptz not null default clock_timestamp(),
    attempts integer not null default 0 check (attempts between 0 and 3),
    outcome jsonb,
    extraction jsonb,
    check (extraction is null or outcome is not null),
    foreign key (owner, sha256) references agent_inputs on delete cascade
  )`,
  `create index upload_checks_owner on upload_checks (owner, began_at)`,
  // The readings of uploads, each kept for the day in which it counts, also where its upload is deleted.
  `create table upload_readings (
    check_id text not null check (check_id ~ '^uc_[0-9a-f]{64}$'),
    owner text not null,
    bytes bigint not null check (bytes >= 0),
    began_at timestamptz not null,
    primary key (check_id, began_at)
  )`,
  `create index upload_readings_owner on upload_readings (owner, began_at)`,
  ...guard('upload_checks', {
    updated: {
      'a check keeps its subject and its outcome': `old.outcome is not null or (new.check_id, new.owner, new.sha256, new.rail, new.list, new.corrections, new.sheet, new.began_at)
      is distinct from (old.check_id, old.owner, old.sha256, old.rail, old.list, old.corrections, old.sheet, old.began_at)`,
    },
  }),
]
