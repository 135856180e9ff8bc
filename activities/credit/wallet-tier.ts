import type { Kysely } from 'kysely'
import { feeUsd, type MonthlyItem, type WalletTier } from '#domain/credit/fees.ts'
import { insistAccountAllows } from '../accounts/controls.ts'
import { updateTier, type WalletRow } from '../store/credit/allowance-wallets.ts'
import {
  currentMonth,
  type FeeEventRow,
  listDueFees,
  listMonthsDue,
  type MonthDue,
} from '../store/credit/fee-events.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import type { Database } from '../store/schema/schema.ts'
import { ownWallet } from './allowance.ts'
import {
  accrueFee,
  accrueOrOwe,
  type Charge,
  collectDue,
  type FeeDeps,
  releaseFee,
} from './fees.ts'

/**
 * Posts the month of a plan. What was not accepted before is a purchase: the controls of the account judge it, 403 `control_denied`.
 * Throws as `accrueFee` does.
 */
export async function payMonth(
  deps: FeeDeps,
  tx: Tx,
  item: MonthlyItem,
  { isAccepted, ...charge }: Charge & { isAccepted: boolean },
): Promise<FeeEventRow | undefined> {
  const { agentId, subject } = charge
  const purchase = { kind: 'fee', subject, rail: null, usd: feeUsd(deps.fees, item, {}) } as const
  if (!isAccepted) await insistAccountAllows(tx, { agentId }, purchase)
  return accrueFee(deps, tx, item, charge)
}

/**
 * Sets the tier of an agent's wallet, which changes what it pays in a day. Premium posts the fee of the current month, where it is not
 * posted; a month is not returned. Throws as `payMonth` does, and 404, 403 `not_owner`.
 */
export async function setTier(
  deps: FeeDeps,
  tx: Tx,
  { agentId, walletId, tier }: { agentId: string; walletId: string; tier: WalletTier },
): Promise<{ before: WalletRow; after: WalletRow; fee: FeeEventRow | undefined }> {
  const before = await ownWallet(tx, walletId, agentId)
  const subject = `${walletId}:${await currentMonth(tx)}`
  const month = { agentId, subject, isAccepted: before.tier === 'premium' }
  const fee =
    tier === 'premium' ? await payMonth(deps, tx, 'premium_wallet_tier', month) : undefined
  const perDayUsd = deps.fees.wallet_per_day_usd[tier]
  return { before, after: await updateTier(tx, walletId, { tier, perDayUsd }), fee }
}

const PAGE = 100

/**
 * Posts the fees of the month that are due: once for each month and wallet or account, however many workers do it. A premium wallet that
 * does not cover its month is free again; controls whose month is not covered stay, and their fee is due.
 */
export async function accrueMonths(
  deps: FeeDeps & { readonly db: Kysely<Database> },
): Promise<void> {
  const due = (item: MonthlyItem) =>
    listMonthsDue(deps.db, { item, usd: feeUsd(deps.fees, item, {}) }, PAGE)
  for (const wallet of await due('premium_wallet_tier'))
    await transaction(deps.db, (tx) => renew(deps, tx, wallet))
  for (const { agent_id: agentId, subject } of await due('enterprise_controls'))
    await transaction(deps.db, (tx) =>
      accrueOrOwe(deps, tx, 'enterprise_controls', { agentId, subject }),
    )
}

/** Tries again each fee that is due, once a day, however many workers do it. */
export async function collectFees(
  deps: FeeDeps & { readonly db: Kysely<Database> },
): Promise<void> {
  for (const feeEventId of await listDueFees(deps.db, PAGE))
    await transaction(deps.db, (tx) => collectDue(deps, tx, { feeEventId }))
}

async function renew(
  deps: FeeDeps,
  tx: Tx,
  { agent_id: agentId, wallet_id, subject }: MonthDue,
): Promise<void> {
  const charge = { agentId, subject }
  const fee = await accrueOrOwe(deps, tx, 'premium_wallet_tier', charge)
  if (fee === undefined || fee.state === 'accrued') return
  await releaseFee(deps, tx, 'premium_wallet_tier', charge)
  await updateTier(tx, wallet_id, { tier: 'free', perDayUsd: deps.fees.wallet_per_day_usd.free })
}
