import { type Kysely, sql } from 'kysely'

/**
 * Keys stand active, retired or revoked. Everyone reads their standing by `signing_standing`, and only the functions write it, so
 * that a process needs no right to update the table. What signs holds the ring's lock shared until its transaction ends; retiring
 * and revoking take it alone, so that no signature is dated after the end of its key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const lockOf = (ring: string) => `hashtextextended('signing keys: ' || ${ring}, 0)`
const definer = `language plpgsql security definer set search_path = pg_catalog, public, pg_temp`
const ended = (kind: 'retired' | 'revoked') => `${kind}_at = coalesce(${kind}_at, clock_timestamp())`

const endKey = (name: string, kind: 'retired' | 'revoked') => `create function ${name}(a_ring text, a_kid text)
  returns setof signing_keys ${definer} as $$
  begin
    perform pg_advisory_xact_lock(${lockOf('a_ring')});
    return query update signing_keys set ${ended(kind)} where ring = a_ring and kid = a_kid returning *;
  end $$`

const statements = [
  // No key serves two purposes, none has two names, and no name stands for two.
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
  // Volatile: the rows are read after the locks are held, as they are then.
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
  endKey('retire_signing_key', 'retired'),
  endKey('revoke_signing_key', 'revoked'),
  `create function revoke_operator(an_operator text) returns setof operators ${definer} as $$
  begin
    return query update operators set revoked_at = coalesce(revoked_at, clock_timestamp())
      where operator_id = an_operator returning *;
  end $$`,
]
