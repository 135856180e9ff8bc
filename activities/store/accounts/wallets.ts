import type { Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow, listRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type BoundWalletRow = Selectable<Database['account_wallets']>

/** The wallets of an account, as they were bound. */
export const listBoundWallets = (tx: Tx, accountId: string) =>
  listRows(tx, 'account_wallets', { account_id: accountId }, ['bound_at', 'wallet'])

export const findBoundWallet = (tx: Tx, wallet: string) =>
  findRow(tx, 'account_wallets', { wallet })

/** Binds a wallet; the caller holds `lockSwitches`, so that no payout of it is being reserved. */
export async function insertBoundWallet(
  tx: Tx,
  bound: Omit<BoundWalletRow, 'bound_at'>,
): Promise<BoundWalletRow> {
  return tx.insertInto('account_wallets').values(bound).returningAll().executeTakeFirstOrThrow()
}
