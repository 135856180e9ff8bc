import type { Insertable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

/** Stores a decision with the rules that decided. Decisions do not change. */
export async function insertDecision(
  tx: Tx,
  decision: Insertable<Database['authority_decisions']>,
): Promise<void> {
  await tx.insertInto('authority_decisions').values(decision).execute()
}
