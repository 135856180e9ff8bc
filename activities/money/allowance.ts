import { type AllowanceLimits, assertWithinAllowance, narrows } from '../../workflows/domain/allowance.ts'
import { walletAccount } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { insertWallet, lockWallet, updateLimits, type WalletRow } from '../store/allowance-wallets.ts'
import type { Tx } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import type { ReferenceRow } from '../store/payment-references.ts'
import { readBalance, spentToday } from '../store/postings.ts'
import { newId } from './quotes.ts'

const unlimited = { per_run_usd: null, per_day_usd: null, rails: null }

/** The one free wallet of an agent; 409 `already_exists` for a second one. */
export async function createWallet(
  tx: Tx,
  { agentId, label, limits = {} }: { agentId: string; label: string; limits?: Partial<WalletRow> },
): Promise<WalletRow> {
  const { per_run_usd, per_day_usd, rails } = { ...unlimited, ...limits }
  const terms = { label, per_run_usd, per_day_usd, rails }
  const wallet = await insertWallet(tx, { wallet_id: newId('aw'), agent_id: agentId, tier: 'free', ...terms })
  if (wallet !== undefined) return wallet
  throw refuse('already_exists', 'the agent has its free wallet', 'Use the wallet that is there.')
}

/** Sets limits: an agent may only narrow those of its wallet, an operator may widen any. 404, 403 `control_denied`. */
export async function setWalletLimits(
  tx: Tx,
  {
    walletId,
    by,
    limits,
  }: { walletId: string; by: { agentId: string } | { operator: string }; limits: AllowanceLimits },
): Promise<WalletRow> {
  const wallet = await ownWallet(tx, walletId, 'agentId' in by ? by.agentId : undefined)
  if ('agentId' in by && !narrows(wallet, limits))
    throw refuse('control_denied', 'the new limits are wider', 'An agent may only narrow them; ask an operator.')
  const { per_run_usd, per_day_usd, rails } = limits
  return updateLimits(tx, walletId, { per_run_usd, per_day_usd, rails: rails === null ? null : [...rails] })
}

/** Refuses what the wallet may or can not pay; the debit itself is posted with the settlement, in the same transaction. */
export async function payFromWallet(tx: Tx, reference: ReferenceRow): Promise<void> {
  const wallet = await ownWallet(tx, reference.payer ?? '', reference.agent_id)
  const entitlement = await findEntitlement(tx, reference.entitlement_id ?? '')
  const account = walletAccount(wallet.wallet_id)
  const { amount_usd } = reference
  assertWithinAllowance(wallet, { rail: entitlement?.rail ?? '', amount_usd }, await spentToday(tx, account))
  const held = await readBalance(tx, account)
  if (held >= amount_usd) return
  throw refuse(
    'wallet_underfunded',
    `the wallet holds ${held} usd, ${amount_usd - held} too little`,
    'Fund the wallet.',
    {
      extra: { shortfall_usd: amount_usd - held },
    },
  )
}

/** A wallet, locked; 404 for one of another agent too. Without an agent, anybody's. */
export async function ownWallet(tx: Tx, walletId: string, agentId: string | undefined): Promise<WalletRow> {
  const wallet = await lockWallet(tx, walletId)
  if (wallet !== undefined && (agentId === undefined || wallet.agent_id === agentId)) return wallet
  throw refuse('not_found', 'no such wallet', 'Check the wallet id.')
}
