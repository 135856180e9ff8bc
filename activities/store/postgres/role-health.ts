import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'
import { readPublicRights } from './public-rights.ts'
import { type DatabaseRole, databaseRoles, guardedTables, roleName } from './roles.ts'

/**
 * The state of the database roles: which are connected, which are missing, and which privileges differ from the
 * declaration.
 */
export type RoleHealth = {
  readonly user: string
  readonly missing: readonly string[]
  readonly differences: readonly string[]
  /** What every role of the server may do here, which only a superuser can revoke. */
  readonly publicRights: readonly string[]
}

const privileges = ['select', 'insert', 'update', 'delete'] as const

/** Compares the roles of the server with the declaration in `roles.ts`. Missing tables are left out. */
export async function readRoles(db: Kysely<Database>): Promise<RoleHealth> {
  const names = databaseRoles.map(roleName)
  const known = await sql<{ rolname: string; user: string }>`
    select rolname, current_user as user from pg_roles where rolname = any(${names}) or rolname = current_user`.execute(
    db,
  )
  const made = new Set(known.rows.map(({ rolname }) => rolname))
  const declared = databaseRoles.filter((role) => made.has(roleName(role))).flatMap(declaredFor)
  return {
    user: known.rows[0]?.user ?? '',
    missing: names.filter((name) => !made.has(name)),
    differences: await differing(db, declared),
    publicRights: await readPublicRights(db),
  }
}

type Declared = { role: string; table: string; privilege: string; allowed: boolean }

function declaredFor(role: DatabaseRole): Declared[] {
  return Object.entries(guardedTables).flatMap(([table, guarded]) => {
    const own = guarded[role]
    if (own === undefined) return []
    return privileges.map((privilege) => ({
      role: roleName(role),
      table,
      privilege,
      allowed: own.includes(privilege),
    }))
  })
}

async function differing(db: Kysely<Database>, declared: readonly Declared[]): Promise<string[]> {
  const { rows } = await sql<Declared>`
    select role, "table", privilege, allowed
    from jsonb_to_recordset(${JSON.stringify(declared)}::jsonb) as d(role text, "table" text, privilege text, allowed boolean)
    where case when to_regclass("table") is null then false
      else has_table_privilege(role, to_regclass("table")::oid, privilege) <> allowed end`.execute(
    db,
  )
  return rows.map(
    ({ role, table, privilege, allowed }) =>
      `${role} ${allowed ? 'may not' : 'may'} ${privilege} ${table}`,
  )
}
