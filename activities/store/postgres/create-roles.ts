import pg from 'pg'
import { type DatabaseRole, databaseRoles, roleName } from './roles.ts'

export type RolePasswords = Readonly<Record<DatabaseRole, string>>

/** The part of the server's connections that one role may take, so that none locks the others out. */
const connectionShares: Readonly<Record<DatabaseRole, number>> = {
  api: 0.6,
  worker: 0.6,
  signer: 0.1,
  reader: 0.05,
}

/**
 * Creates missing roles on the server of `url`, sets their passwords and limits, and closes the other databases of the same owner to
 * them. Several processes may do so at once.
 */
export async function createRoles(url: string, passwords: RolePasswords): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query("select pg_advisory_lock(hashtextextended('roles', 0))")
    for (const role of databaseRoles) {
      const known = await client.query('select 1 from pg_roles where rolname = $1', [
        roleName(role),
      ])
      const verb = known.rowCount === 0 ? 'create' : 'alter'
      await client.query(
        `${verb} role ${roleName(role)} login password ${client.escapeLiteral(passwords[role])}`,
      )
      const { rows } = await client.query(
        "select ceil(setting::int * $1::float8)::int as most from pg_settings where name = 'max_connections'",
        [connectionShares[role]],
      )
      await client.query(`alter role ${roleName(role)} connection limit ${rows[0].most}`)
    }
    await client.query(closeOtherDatabases)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The URL of the same database for one of the roles. */
export function roleUrl(
  url: string,
  role: DatabaseRole,
  { [role]: password }: RolePasswords,
): string {
  const target = new URL(url)
  target.username = roleName(role)
  target.password = encodeURIComponent(password)
  return target.href
}

const closeOtherDatabases = `do $$ declare d name; begin
  for d in select datname from pg_database join pg_roles o on o.oid = datdba
    where o.rolname = current_user and datname <> current_database()
      and exists (select from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0)
  loop execute format('revoke connect, temporary on database %I from public', d); end loop; end $$`
