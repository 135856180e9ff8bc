import { sql } from 'kysely'
import type { Tx } from './db.ts'

/** The one Postgres channel; its payload is the id of the call, payout or payment that changed, and after a space an optional text. */
export const CHANGES_CHANNEL = 'agent_rails_changes'

/** Wakes every process that waits on `id`, when the transaction commits. */
export async function notifyChanged(tx: Tx, id: string): Promise<void> {
  await sql`select pg_notify(${CHANGES_CHANNEL}, ${id})`.execute(tx)
}
