import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow } from '../postgres/rows.ts'

/** The callback URL for the payouts of this wallet. Undefined if there is none. */
export const findPayoutCallback = (tx: Tx, wallet: string) =>
  findRow(tx, 'payout_callbacks', { wallet })

/** Sets the URL, or removes it with null. Stored deliveries keep their URL. */
export async function setPayoutCallback(tx: Tx, wallet: string, url: string | null): Promise<void> {
  if (url === null) {
    await tx.deleteFrom('payout_callbacks').where('wallet', '=', wallet).execute()
    return
  }
  await tx
    .insertInto('payout_callbacks')
    .values({ wallet, url })
    .onConflict((conflict) =>
      conflict.column('wallet').doUpdateSet({ url, changed_at: sql`clock_timestamp()` }),
    )
    .execute()
}

/** Whether the host has returned a nonce for this owner. */
export async function isHostProven(
  tx: Tx,
  owner: string,
  host: string,
  lifeMs: number,
): Promise<boolean> {
  const row = await tx
    .selectFrom('callback_hosts')
    .select('host')
    .where('owner', '=', owner)
    .where('host', '=', host)
    .where('proven_at', '>', sql<Date>`clock_timestamp() - ${lifeMs} * interval '1 millisecond'`)
    .executeTakeFirst()
  return row !== undefined
}
