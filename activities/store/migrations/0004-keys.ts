import { definer, operatorsAct } from './guards.ts'

const lockOf = (ring: string) => `hashtextextended('signing keys: ' || ${ring}, 0)`
const endKey = (name: string, column: 'retired_at' | 'revoked_at') =>
  `create function ${name}(a_ring text, a_kid text) returns setof signing_keys ${definer} as $$
  begin
    perform pg_advisory_xact_lock(${lockOf('a_ring')});
    return query update signing_keys set ${column} = coalesce(${column}, clock_timestamp()) where ring = a_ring and kid = a_kid returning *;
  end $$`
const current = `activated_at is not null and superseded_at is null and retired_at is null and revoked_at is null`
const rotationMoves = `(old.state, new.state) in (('requested','published'), ('published','active'), ('published','done'), ('active','done'))`
/** An order for an open rotation to revoke the previous key and to wait no longer, once; nothing else of it changes. */
const haste = `(old.state = new.state and new.state <> 'done' and new.revoke_old and not old.revoke_old
  and (new.activate_at <= old.activate_at) is not false and (new.retire_at <= old.retire_at) is not false
  and to_jsonb(new) - '{revoke_old,activate_at,retire_at}'::text[] = to_jsonb(old) - '{revoke_old,activate_at,retire_at}'::text[])`

/**
 * Signing keys, their rotations, operators and their sessions. A key is published, then active, superseded by the next one of its ring,
 * and retired. `signing_standing` reads the status of keys, and only functions change it, so that no process
 * needs the right to update the table. A signer holds the ring's lock shared until its transaction ends. Retiring and revoking take it
 * exclusively, so that no signature is dated after the end of its key.
 */
export const keys: readonly string[] = [
  `create table signing_keys (ring text not null, kid text not null, alg text not null, public_jwk jsonb not null,
    published_at timestamptz not null default clock_timestamp(), activated_at timestamptz, superseded_at timestamptz,
    retired_at timestamptz, revoked_at timestamptz, primary key (ring, kid),
    check (superseded_at is null or superseded_at >= activated_at),
    check (retired_at is null or activated_at is not null))`,
  // Each key has one purpose and one name.
  `create unique index signing_keys_kid on signing_keys (kid)`,
  `create unique index signing_keys_public on signing_keys ((public_jwk->>'x'))`,
  // One key of a ring signs.
  `create unique index signing_keys_current on signing_keys (ring) where ${current}`,
  `create function keep_signing_key() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      raise exception 'a signing key is never removed' using errcode = 'check_violation';
    end if;
    if (new.ring, new.kid, new.alg, new.public_jwk, new.published_at) is distinct from
        (old.ring, old.kid, old.alg, old.public_jwk, old.published_at)
      or (old.activated_at is not null and new.activated_at is distinct from old.activated_at)
      or (old.superseded_at is not null and new.superseded_at is distinct from old.superseded_at)
      or (old.retired_at is not null and new.retired_at is distinct from old.retired_at)
      or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) then
      raise exception 'a signing key never changes, and ends once' using errcode = 'check_violation';
    end if;
    return new;
  end $$`,
  `create trigger signing_key_kept before update or delete on signing_keys for each row execute function keep_signing_key()`,
  // Volatile: it reads the rows after it has the locks.
  `create function signing_standing(rings text[])
  returns table (ring text, kid text, x text, activated_at float8, superseded_at float8, retired_at float8, revoked_at float8, read_at float8)
  language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock_shared(${lockOf('each')}) from unnest(rings) as each;
    return query select k.ring, k.kid, k.public_jwk->>'x', extract(epoch from k.activated_at)::float8,
      extract(epoch from k.superseded_at)::float8, extract(epoch from k.retired_at)::float8, extract(epoch from k.revoked_at)::float8, extract(epoch from clock_timestamp())::float8
      from signing_keys k where k.ring = any(rings);
  end $$`,
  // A key that is new here and active in its file signs from now on; one that its file has put aside is superseded at once.
  `create function register_signing_key(a_ring text, a_kid text, a_alg text, a_jwk jsonb, a_state text) returns setof signing_keys ${definer} as $$
  declare
    activated timestamptz;
    superseded timestamptz;
  begin
    if not exists (select 1 from signing_keys where kid = a_kid or public_jwk->>'x' = a_jwk->>'x') then
      perform pg_advisory_xact_lock(${lockOf('a_ring')});
      if not exists (select 1 from signing_keys where kid = a_kid or public_jwk->>'x' = a_jwk->>'x') then
        if a_state <> 'published' then activated := clock_timestamp(); end if;
        if a_state = 'active' then
          update signing_keys set superseded_at = activated where ring = a_ring and ${current};
        else
          superseded := activated;
        end if;
        insert into signing_keys (ring, kid, alg, public_jwk, activated_at, superseded_at)
          values (a_ring, a_kid, a_alg, a_jwk, activated, superseded) on conflict do nothing;
      end if;
    end if;
    return query select * from signing_keys where ring = a_ring and kid = a_kid;
  end $$`,
  `create function activate_signing_key(a_ring text, a_kid text) returns setof signing_keys ${definer} as $$
  declare
    now_at timestamptz;
  begin
    perform pg_advisory_xact_lock(${lockOf('a_ring')});
    now_at := clock_timestamp();
    if exists (select 1 from signing_keys where ring = a_ring and kid = a_kid and activated_at is null and revoked_at is null) then
      update signing_keys set superseded_at = now_at where ring = a_ring and ${current};
      update signing_keys set activated_at = now_at where ring = a_ring and kid = a_kid;
    end if;
    return query select * from signing_keys where ring = a_ring and kid = a_kid;
  end $$`,
  endKey('retire_signing_key', 'retired_at'),
  endKey('revoke_signing_key', 'revoked_at'),
  // A rotation of one ring; one at a time.
  `create table key_rotations (
    rotation_id text primary key check (rotation_id ~ '^kr_[0-9a-f]{64}$'),
    ring text not null,
    state text not null default 'requested' check (state in ('requested','published','active','done')),
    reason text not null,
    delay_seconds integer not null check (delay_seconds >= 0),
    overlap_seconds integer not null check (overlap_seconds between 0 and 604800),
    revoke_old boolean not null,
    requested_by text not null,
    requested_by_name text not null,
    requested_at timestamptz not null default clock_timestamp(),
    next_kid text unique references signing_keys (kid),
    previous_kid text references signing_keys (kid),
    activate_at timestamptz,
    retire_at timestamptz,
    done_at timestamptz,
    changed_at timestamptz not null default clock_timestamp(),
    check (next_kid <> previous_kid),
    check ((next_kid is null) = (state = 'requested') and (activate_at is null) = (state = 'requested')),
    check (case state when 'active' then retire_at is not null when 'done' then true else retire_at is null end),
    check ((done_at is null) = (state <> 'done'))
  )`,
  `create unique index key_rotations_open on key_rotations (ring) where state <> 'done'`,
  `create function keep_key_rotation() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' or not (${rotationMoves} or ${haste})
      or (new.rotation_id, new.ring, new.requested_at, new.requested_by) is distinct from (old.rotation_id, old.ring, old.requested_at, old.requested_by)
      or (old.next_kid is not null and new.next_kid is distinct from old.next_kid) then
      raise exception 'a rotation only moves to its next state' using errcode = 'check_violation';
    end if;
    if new.state = 'active' and not exists (select 1 from signing_keys where kid = new.next_kid and activated_at is not null) then
      raise exception 'the next key of a rotation is not active' using errcode = 'check_violation';
    end if;
    new.changed_at := clock_timestamp();
    return new;
  end $$`,
  `create trigger key_rotation_kept before update or delete on key_rotations for each row execute function keep_key_rotation()`,
  operatorsAct('key_rotations', 'requested_by'),
  `create table operators (operator_id text primary key, name text not null, secret_sha256 text not null,
    created_at timestamptz not null default clock_timestamp(), revoked_at timestamptz)`,
  // A session holds the rights of its operator until it ends, or until the operator's credential is revoked.
  `create table operator_sessions (
    session_sha256 text primary key check (session_sha256 ~ '^[0-9a-f]{64}$'),
    operator_id text not null,
    operator_name text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null check (expires_at > created_at),
    ended_at timestamptz,
    mac text not null check (mac ~ '^[0-9a-f]{64}$'),
    check (expires_at <= created_at + interval '1 day')
  )`,
  `create function operator_sessions_guard() returns trigger language plpgsql as $$
  begin
    if old.ended_at is not null and new.ended_at is null
    then raise exception 'an ended session stays ended' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger operator_sessions_guard before update on operator_sessions for each row execute function operator_sessions_guard()`,
  `create index operator_sessions_operator on operator_sessions (operator_id, created_at)`,
  `create function revoke_operator(an_operator text) returns setof operators ${definer} as $$
  begin
    return query update operators set revoked_at = coalesce(revoked_at, clock_timestamp())
      where operator_id = an_operator returning *;
  end $$`,
]
