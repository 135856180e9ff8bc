import { sql } from 'kysely'
import type { Tx } from './db.ts'

/** The only Postgres channel. Its payload is the id of what changed and nothing else, because every role can listen and notify. */
export const CHANGES_CHANNEL = 'agent_rails_changes'

/** Wakes every process that waits for `id` when the transaction commits. */
export async function notifyChanged(tx: Tx, id: string): Promise<void> {
  await sql`select pg_notify(${CHANGES_CHANNEL}, ${id})`.execute(tx)
}
