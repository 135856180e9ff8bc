import type { Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

export type BoundWalletRow = Selectable<Database['account_wallets']>

/** The wallets of an account, as they were bound. */
export async function listBoundWallets(tx: Tx, accountId: string): Promise<BoundWalletRow[]> {
  return tx
    .selectFrom('account_wallets')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('bound_at')
    .orderBy('wallet')
    .execute()
}

export async function findBoundWallet(tx: Tx, wallet: string): Promise<BoundWalletRow | undefined> {
  return tx
    .selectFrom('account_wallets')
    .selectAll()
    .where('wallet', '=', wallet)
    .executeTakeFirst()
}

/** Binds a wallet; the caller holds `lockSwitches`, so that no payout of it is being reserved. */
export async function insertBoundWallet(
  tx: Tx,
  bound: Omit<BoundWalletRow, 'bound_at'>,
): Promise<BoundWalletRow> {
  return tx.insertInto('account_wallets').values(bound).returningAll().executeTakeFirstOrThrow()
}
