import { refuse } from '#domain/core/errors.ts'
import {
  type AllowanceLimits,
  allowanceDenials,
  dayLeft,
  denied,
  narrows,
} from '#domain/credit/allowance.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import {
  findWallet,
  findWalletOf,
  insertWallet,
  lockWallet,
  updateLimits,
  type WalletRow,
} from '../store/credit/allowance-wallets.ts'
import { findEntitlement } from '../store/credit/entitlements.ts'
import { spentToday } from '../store/credit/postings.ts'
import { findWalletPause, shareSwitches } from '../store/operators/controls.ts'
import type { ReferenceRow } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { freeIn } from './fees.ts'
import { newId } from './quotes.ts'
import { closeReference, lockBoth, settle } from './settlement.ts'
import { insistPayment } from './spending-limit.ts'

/** The one wallet of an agent, made at no charge; 409 `already_exists` for a second one. */
export async function createWallet(
  tx: Tx,
  {
    agentId,
    label,
    limits = {},
    tierPerDayUsd,
  }: {
    agentId: string
    label: string
    limits?: Partial<AllowanceLimits>
    tierPerDayUsd?: number
  },
): Promise<WalletRow> {
  const { per_run_usd = null, per_day_usd = null, rails = null } = limits
  const terms = { label, per_run_usd, per_day_usd, rails: rails === null ? null : [...rails] }
  const tier = tierPerDayUsd === undefined ? {} : { tier_per_day_usd: tierPerDayUsd }
  const wallet = await insertWallet(tx, {
    wallet_id: newId('aw'),
    agent_id: agentId,
    ...terms,
    ...tier,
  })
  if (wallet !== undefined) return wallet
  throw refuse('already_exists', {
    detail: 'the agent has its wallet',
    next_action: 'Use the wallet that "wallet_id" names.',
    extra: { wallet_id: (await findWalletOf(tx, agentId))?.wallet_id },
  })
}

/** The actor that sets limits: the agent of the wallet, or an operator. */
export type LimitsBy = { agentId: string } | { operator: string }

/**
 * Sets the limits that are given and leaves the others: an agent may only narrow those of its wallet, an operator may widen any.
 * 404, 403 `not_owner`, `control_denied`.
 */
export async function setWalletLimits(
  tx: Tx,
  { walletId, by, limits }: { walletId: string; by: LimitsBy; limits: Partial<AllowanceLimits> },
): Promise<{ before: WalletRow; after: WalletRow }> {
  const before = await ownWallet(tx, walletId, 'agentId' in by ? by.agentId : undefined)
  const {
    per_run_usd = before.per_run_usd,
    per_day_usd = before.per_day_usd,
    rails = before.rails,
  } = limits
  if ('agentId' in by && !narrows(before, { per_run_usd, per_day_usd, rails }))
    throw refuse('control_denied', {
      detail: 'the new limits are wider',
      next_action: 'An agent may only narrow them; ask an operator.',
    })
  const set = { per_run_usd, per_day_usd, rails: rails === null ? null : [...rails] }
  return { before, after: await updateLimits(tx, walletId, set) }
}

/** The reasons that forbid a payment from a locked wallet now, and the amounts left; in whole usd, null means no limit. */
export type WalletVerdict = {
  paused: string | undefined
  denials: string[]
  shortfall_usd: number
  left: { per_run_usd: number | null; day_usd: number | null; balance_usd: number }
}

export async function checkWallet(
  tx: Tx,
  wallet: WalletRow,
  payment: { rail: string; amount_usd: number },
): Promise<WalletVerdict> {
  const account = walletAccount(wallet.wallet_id)
  await shareSwitches(tx)
  const paused = await findWalletPause(tx, wallet.wallet_id)
  const spent = await spentToday(tx, account)
  const held = await freeIn(tx, wallet.wallet_id)
  const limits = ofTier(wallet)
  return {
    paused,
    denials: allowanceDenials(limits, payment, spent),
    shortfall_usd: Math.max(0, payment.amount_usd - held),
    left: { per_run_usd: wallet.per_run_usd, day_usd: dayLeft(limits, spent), balance_usd: held },
  }
}

/** The limits of a wallet within those of its tier. */
const ofTier = ({ per_day_usd, tier_per_day_usd, ...limits }: WalletRow): AllowanceLimits => ({
  ...limits,
  per_day_usd: Math.min(per_day_usd ?? tier_per_day_usd, tier_per_day_usd),
})

/**
 * Refuses a payment that the wallet may not or cannot make; the debit itself is posted with the settlement, in the same transaction. Throws
 * 503 `paused`, 403 `control_denied`, 409 `wallet_underfunded` with the shortfall.
 */
export async function payFromWallet(tx: Tx, reference: ReferenceRow): Promise<void> {
  const wallet = await ownWallet(tx, reference.payer ?? '', reference.agent_id)
  const entitlement = await findEntitlement(tx, reference.entitlement_id ?? '')
  const { amount_usd } = reference
  const { paused, denials, shortfall_usd, left } = await checkWallet(tx, wallet, {
    rail: entitlement?.rail ?? '',
    amount_usd,
  })
  if (paused !== undefined)
    throw refuse('paused', {
      detail: `payments from the wallet are paused: ${paused}`,
    })
  const [denial] = denials
  if (denial !== undefined) throw denied(denial)
  if (shortfall_usd === 0) return
  throw refuse('wallet_underfunded', {
    detail: `the wallet holds ${left.balance_usd} usd, ${shortfall_usd} too little`,
    extra: { shortfall_usd },
  })
}

/** Debits the wallet for a payment that was authorized before, once; one that was not debited before its challenge ended expires. */
export async function debit(
  deps: ReceiptIssuer,
  tx: Tx,
  referenceId: string,
): Promise<ReferenceRow> {
  const locked = await lockBoth(tx, referenceId)
  if (locked === undefined) throw new Error('a payment reference is missing')
  const { state, payer } = locked.reference
  if (state !== 'presented' && state !== 'pending') return locked.reference
  if (locked.challenge?.lapsed === true)
    return closeReference(tx, locked, {
      event: 'expire',
      reason: 'the wallet was not debited in time',
    })
  if (locked.challenge !== undefined)
    await insistPayment(tx, locked.reference.agent_id, locked.challenge)
  await payFromWallet(tx, locked.reference)
  const [wallet_id, source] = [payer ?? '', walletAccount(payer ?? '')]
  const proof = { decidedBy: 'wallet', evidence: { wallet_id }, source }
  return settle(deps, tx, { ...locked, proof })
}

export function debited(reference: ReferenceRow): ReferenceRow {
  if (reference.state !== 'expired') return reference
  throw refuse('challenge_expired', {
    detail: 'the challenge has ended',
    next_action: 'Open a new challenge for the quote.',
  })
}

/** A locked wallet; without an agent, the wallet of any agent. 404, 403 `not_owner`. */
export const ownWallet = async (
  tx: Tx,
  walletId: string,
  agentId: string | undefined,
): Promise<WalletRow> => owned(await lockWallet(tx, walletId), agentId)

/** As `ownWallet`, without the lock. */
export const readWallet = async (
  tx: Tx,
  walletId: string,
  agentId: string | undefined,
): Promise<WalletRow> => owned(await findWallet(tx, walletId), agentId)

function owned(wallet: WalletRow | undefined, agentId: string | undefined): WalletRow {
  if (wallet === undefined) throw refuse('not_found', { detail: 'no such wallet' })
  if (agentId === undefined || wallet.agent_id === agentId) return wallet
  throw refuse('not_owner', {
    detail: 'the wallet belongs to another agent',
  })
}
