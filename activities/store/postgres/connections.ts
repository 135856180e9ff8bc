import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from './db.ts'

/** Connections of a process that are not in its pool: one listens for changes. */
export const LISTENERS = 1

/** The name of a process in `pg_stat_activity`. It says how many connections the process may open. */
export const nameProcess = (program: string, connections: number): string =>
  `agent-rails ${program}, ${connections} connections, ${randomBytes(4).toString('hex')}`

/** What Postgres allows, and what may be taken of it. */
export type Connections = {
  /** Those that others than a superuser may open. */
  allowed: number
  processes: number
  /** What those processes may open at most. */
  budget: number
  /** Connections of all other programs that are open now. */
  others: number
}

/**
 * Reads the connections of the server; a process without one is not seen. Postgres shows a role the `backend_type` of its own
 * connections only, so clients are known by their database and user.
 */
export async function readConnections(tx: Tx): Promise<Connections> {
  const { rows } = await sql<Connections>`
    with clients as (
      select application_name as name,
             substring(application_name from '^agent-rails [a-z]+, ([0-9]+) connections, [0-9a-f]{8}$')::int as budget
      from pg_stat_activity where datid is not null and usesysid is not null and pid <> pg_backend_pid()
    ), processes as (select distinct name, budget from clients where budget is not null)
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - current_setting('reserved_connections')::int as allowed,
           (select count(*)::int from processes) as processes,
           (select coalesce(sum(budget), 0)::int from processes) as budget,
           (select count(*)::int from clients where budget is null and name <> 'agent-rails changes') as others`.execute(
    tx,
  )
  const [row] = rows
  if (row === undefined) throw new Error('Postgres returned no row')
  return row
}
