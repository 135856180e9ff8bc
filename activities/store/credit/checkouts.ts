import type { Insertable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

/** Stores once who opened a checkout. */
export async function insertCheckout(
  tx: Tx,
  checkout: Omit<Insertable<Database['checkouts']>, 'opened_at'>,
): Promise<void> {
  await tx
    .insertInto('checkouts')
    .values(checkout)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
