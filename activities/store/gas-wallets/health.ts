import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { waits } from './gas-wallets.ts'

/** The queue of one gas wallet: the number of open EOA nonces, the oldest one, and since when it is the oldest. */
export type GasWalletHealth = {
  wallet: string
  open: number
  oldestNonce: string | null
  movedAt: Date
  /** How long the oldest open nonce has waited, in milliseconds; 0 if none is open. */
  idleMs: number
  jammed: boolean
}

/** The state of every queue from its rows alone, so that it is reported even when no worker runs. */
export async function readGasWallets(tx: Tx, jamAfterMs: number): Promise<GasWalletHealth[]> {
  const { rows } = await sql<Omit<GasWalletHealth, 'jammed'>>`
    select w.address as wallet, w.moved_at as "movedAt", o.open::integer, o.oldest as "oldestNonce",
      (case when o.open = 0 then 0 else extract(epoch from clock_timestamp() - w.moved_at) * 1000 end)::float8 as "idleMs"
    from gas_wallets w
    cross join lateral (
      select count(distinct eoa_nonce) as open, min(eoa_nonce) as oldest
      from gas_wallet_transactions t where t.gas_wallet = w.address and not t.final and ${waits('t')}
    ) o
    order by w.address`.execute(tx)
  return rows.map((row) => ({ ...row, jammed: row.idleMs > jamAfterMs }))
}

/** A change of a blocked queue that one check found. */
export type JamNews = { wallet: string; movedAt: Date; jammed: boolean }

/** Records which queues became blocked and which ones move again. Only the first process that sees a change gets it. */
export async function noteJams(
  tx: Tx,
  wallets: readonly string[],
  jamAfterMs: number,
): Promise<JamNews[]> {
  const { rows } = await sql<JamNews>`
    update gas_wallets w set jammed_at = case when jammed_at is null then clock_timestamp() end
    where w.address = any(${wallets}::text[]) and (w.jammed_at is not null) <> (
      w.moved_at < clock_timestamp() - ${jamAfterMs} * interval '1 millisecond'
      and exists (select from gas_wallet_transactions t where t.gas_wallet = w.address and not t.final and ${waits('t')}))
    returning w.address as wallet, w.moved_at as "movedAt", w.jammed_at is not null as jammed`.execute(
    tx,
  )
  return rows
}

/** A sentence for operators: `3 gas wallets move`, or which ones have not moved since when. */
export function describeGasWallets(gasWallets: readonly GasWalletHealth[]): string {
  const jammed = gasWallets.filter((gasWalletQueue) => gasWalletQueue.jammed)
  if (jammed.length === 0) return `${gasWallets.length} gas wallets move`
  return jammed
    .map(
      ({ wallet, movedAt, open }) =>
        `gas wallet ${wallet} has not moved since ${movedAt.toISOString()}, ${open} wait`,
    )
    .join('; ')
}
