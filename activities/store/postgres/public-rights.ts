import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'

/**
 * Functions that Postgres gives to every role and that reach beyond a role's own tables: advisory locks hold up the processes that take
 * the same lock, large objects and logical messages fill the disk.
 */
const LOCKS = '^pg_(try_)?advisory_'
const SPACE = '^(lo_creat|lo_create|lo_from_bytea|pg_logical_emit_message)$'

/**
 * Takes from PUBLIC what Postgres gives to every role of a database: to connect, to make temporary tables, to take advisory locks and
 * to make large objects. `roles` may connect; `lockers` may lock. A right that only a superuser can take stays, and `readPublicRights` names it.
 */
export const withoutPublicRights = (
  roles: readonly string[],
  lockers: readonly string[],
): string => `do $$ declare f regprocedure; begin
  execute format('revoke connect, temporary on database %I from public', current_database());
  execute format('grant connect on database %I to ${roles.join(', ')}', current_database());
  if not (select rolsuper from pg_roles where rolname = current_user) then return; end if;
  for f in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${LOCKS}|${SPACE}'
  loop execute format('revoke execute on function %s from public', f); end loop;
  ${lockers.map(letLock).join('\n  ')}
end $$`

const letLock = (role: string): string =>
  `for f in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${LOCKS}'
  loop execute format('grant execute on function %s to ${role}', f); end loop;`

/** What PUBLIC may still do in this database, in words. */
export async function readPublicRights(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ right: string }>`
    select lower(privilege_type) || ' on the database' as right from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
      where datname = current_database() and grantee = 0
    union
    select 'execute ' || proname from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
      where pronamespace = 'pg_catalog'::regnamespace and proname ~ ${`${LOCKS}|${SPACE}`} and grantee = 0
    order by 1`.execute(db)
  return rows.map(({ right }) => `every role may ${right}`)
}
