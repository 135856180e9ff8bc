import { type Selectable, sql } from 'kysely'
import { walletAccount } from '#domain/credit/credit.ts'
import type { Tx } from '../postgres/db.ts'
import { changeRow, findRow, insertNew, lockRow, type NewRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type WalletRow = Selectable<Database['allowance_wallets']>
export type WalletLimits = Pick<WalletRow, 'per_run_usd' | 'per_day_usd' | 'rails'>

export const findWallet = (tx: Tx, walletId: string) =>
  findRow(tx, 'allowance_wallets', { wallet_id: walletId })

/** The one wallet of an agent. */
export const findWalletOf = (tx: Tx, agentId: string) =>
  findRow(tx, 'allowance_wallets', { agent_id: agentId })

/** The row, locked for the rest of the transaction, so that limits over several payments are exact. */
export const lockWallet = (tx: Tx, walletId: string) =>
  lockRow(tx, 'allowance_wallets', { wallet_id: walletId })

/** Creates a wallet. Returns undefined if the agent already has one. */
export const insertWallet = (tx: Tx, wallet: NewRow<'allowance_wallets'>) =>
  insertNew(tx, 'allowance_wallets', wallet)

export const updateLimits = (tx: Tx, walletId: string, limits: WalletLimits) =>
  changeRow(tx, 'allowance_wallets', { wallet_id: walletId }, { ...limits, changed_at: now })

/** Credit that this wallet paid for and that is neither used nor returned, in whole USD. */
export async function reservedUnits(tx: Tx, walletId: string): Promise<number> {
  const row = await tx
    .selectFrom('entitlements')
    .select(
      sql<number>`coalesce(sum(granted_units - consumed_units - returned_units), 0)::int`.as(
        'reserved',
      ),
    )
    .where('source', '=', walletAccount(walletId))
    .where('state', '=', 'funded')
    .executeTakeFirstOrThrow()
  return row.reserved
}

/**
 * Whether credit from this account may not be used: the wallet that paid for it has a payment in dispute, or owes one that was taken
 * back. No payment into the wallet is disputed or taken back until the transaction ends.
 */
export async function isWithheld(tx: Tx, source: string | null): Promise<boolean> {
  const [, walletId] = /^wallet:(.+)$/.exec(source ?? '') ?? []
  if (walletId === undefined) return false
  await lockWallet(tx, walletId)
  const { rows } = await sql<{ withheld: boolean }>`
    select ${withheldFrom} as withheld from (select ${source}::text as source) e`.execute(tx)
  return rows[0]?.withheld ?? false
}

/** The same over the entitlement `e` of a query. */
export const withheldFrom = sql<boolean>`(e.source like 'wallet:%' and (
  exists (select from payment_references d where d.wallet_id = substr(e.source, 8) and d.state = 'disputed')
  or exists (select from account_balances b where b.account = 'debt:' || substr(e.source, 8) and b.units < 0)))`

/** The wallet of an agent, locked for the rest of the transaction. */
export const lockWalletOf = (tx: Tx, agentId: string) =>
  lockRow(tx, 'allowance_wallets', { agent_id: agentId })

export function updateTier(
  tx: Tx,
  walletId: string,
  { tier, perDayUsd }: { tier: WalletRow['tier']; perDayUsd: number },
): Promise<WalletRow> {
  const change = { tier, tier_per_day_usd: perDayUsd, changed_at: now }
  return changeRow(tx, 'allowance_wallets', { wallet_id: walletId }, change)
}
