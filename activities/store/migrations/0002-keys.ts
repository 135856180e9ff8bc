const lockOf = (ring: string) => `hashtextextended('signing keys: ' || ${ring}, 0)`
const definer = `language plpgsql security definer set search_path = pg_catalog, public, pg_temp`

const endKey = (name: string, column: 'retired_at' | 'revoked_at') =>
  `create function ${name}(a_ring text, a_kid text) returns setof signing_keys ${definer} as $$
  begin
    perform pg_advisory_xact_lock(${lockOf('a_ring')});
    return query update signing_keys set ${column} = coalesce(${column}, clock_timestamp()) where ring = a_ring and kid = a_kid returning *;
  end $$`

/**
 * Signing keys, operators and their sessions. `signing_standing` reads the status of keys, and only functions change it, so that no process
 * needs the right to update the table. A signer holds the ring's lock shared until its transaction ends. Retiring and revoking take it
 * exclusively, so that no signature is dated after the end of its key.
 */
export const keys: readonly string[] = [
  `create table signing_keys (ring text not null, kid text not null, alg text not null, public_jwk jsonb not null,
    activated_at timestamptz not null default clock_timestamp(), retired_at timestamptz, revoked_at timestamptz, primary key (ring, kid))`,
  // Each key has one purpose and one name.
  `create unique index signing_keys_kid on signing_keys (kid)`,
  `create unique index signing_keys_public on signing_keys ((public_jwk->>'x'))`,
  `create function keep_signing_key() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      raise exception 'a signing key is never removed' using errcode = 'check_violation';
    end if;
    if (new.ring, new.kid, new.alg, new.public_jwk, new.activated_at) is distinct from
        (old.ring, old.kid, old.alg, old.public_jwk, old.activated_at)
      or (old.retired_at is not null and new.retired_at is distinct from old.retired_at)
      or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) then
      raise exception 'a signing key never changes, and ends once' using errcode = 'check_violation';
    end if;
    return new;
  end $$`,
  `create trigger signing_key_kept before update or delete on signing_keys for each row execute function keep_signing_key()`,
  // Volatile: it reads the rows after it has the locks.
  `create function signing_standing(rings text[])
  returns table (ring text, kid text, x text, retired_at float8, revoked_at float8, read_at float8) language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock_shared(${lockOf('each')}) from unnest(rings) as each;
    return query select k.ring, k.kid, k.public_jwk->>'x', extract(epoch from k.retired_at)::float8,
      extract(epoch from k.revoked_at)::float8, extract(epoch from clock_timestamp())::float8
      from signing_keys k where k.ring = any(rings);
  end $$`,
  `create function register_signing_key(a_ring text, a_kid text, a_alg text, a_jwk jsonb) returns setof signing_keys ${definer} as $$
  begin
    insert into signing_keys (ring, kid, alg, public_jwk) values (a_ring, a_kid, a_alg, a_jwk)
      on conflict do nothing;
    return query select * from signing_keys where ring = a_ring and kid = a_kid;
  end $$`,
  endKey('retire_signing_key', 'retired_at'),
  endKey('revoke_signing_key', 'revoked_at'),
  `create table operators (operator_id text primary key, name text not null, secret_sha256 text not null,
    created_at timestamptz not null default clock_timestamp(), revoked_at timestamptz)`,
  // A session holds the rights of its operator until it ends, or until the operator's credential is revoked.
  `create table operator_sessions (
    session_sha256 text primary key check (session_sha256 ~ '^[0-9a-f]{64}$'),
    operator_id text not null,
    operator_name text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null check (expires_at > created_at),
    ended_at timestamptz
  )`,
  `create index operator_sessions_operator on operator_sessions (operator_id, created_at)`,
  `create function revoke_operator(an_operator text) returns setof operators ${definer} as $$
  begin
    return query update operators set revoked_at = coalesce(revoked_at, clock_timestamp())
      where operator_id = an_operator returning *;
  end $$`,
]
