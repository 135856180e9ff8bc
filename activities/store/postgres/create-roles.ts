import pg from 'pg'
import { type DatabaseRole, databaseRoles, roleName } from './roles.ts'

export type RolePasswords = Readonly<Record<DatabaseRole, string>>

/** Creates missing roles on the server of `url` and sets their passwords. Several processes may do so at once. */
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
    }
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
