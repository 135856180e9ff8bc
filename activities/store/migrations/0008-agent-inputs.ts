/** Inputs that agents upload before a run: files by digest, in chunks, and the tasks that use them. */
export const agentInputs: readonly string[] = [
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
    media_type text not null check (media_type in ('text/csv','application/x-ndjson')),
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
]
