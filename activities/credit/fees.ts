import { digestOf } from '#domain/core/canonical-json.ts'
import { lastingRefusal, refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { transferLegs, walletAccount } from '#domain/credit/credit.ts'
import { type FeeBasis, type FeeItem, type FeeSettings, feeUsd } from '#domain/credit/fees.ts'
import { lockWalletOf, type WalletRow } from '../store/credit/allowance-wallets.ts'
import {
  type FeeEventRow,
  heldForFees,
  lockDueFees,
  lockFeeEvent,
  updateFeeEvent,
} from '../store/credit/fee-events.ts'
import { postMovement, readBalance } from '../store/credit/postings.ts'
import { findWalletPause, shareSwitches } from '../store/operators/controls.ts'
import { disputedIn } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { findClaim } from '../store/work-orders/exchange.ts'
import { writeMoneyReceipt } from './deps.ts'

export type FeeDeps = ReceiptIssuer & { readonly fees: FeeSettings }
/** The rail fee is part of each price, and is posted with the usage of its run. */
export type PostedItem = Exclude<FeeItem, 'micro_routing_fee'>
/** Who pays what for; `subject` is what makes the fee one: a run, a claim, a badge, or an account and its month. */
export type Charge = FeeBasis & { agentId: string; subject: string }

/**
 * Posts a fee from the agent's wallet, once for each item and subject; a fee that was held is posted from what was held. Undefined
 * for an amount of 0. Throws 402 `payment_required` without a wallet that covers it, 503 `paused`.
 */
export async function accrueFee(
  deps: FeeDeps,
  tx: Tx,
  item: PostedItem,
  charge: Charge,
): Promise<FeeEventRow | undefined> {
  const event = await eventOf(deps, tx, item, charge)
  return event === undefined || event.state === 'accrued' ? event : postFee(deps, tx, event)
}

async function postFee(deps: ReceiptIssuer, tx: Tx, event: FeeEventRow): Promise<FeeEventRow> {
  const { wallet_id } = await payingWallet(tx, event)
  const { fee_event_id, item, subject, agent_id, amount_usd } = event
  const facts = { fee_event_id, item, subject, agent_id, wallet_id, amount_usd }
  const receipt = { subject: fee_event_id, kind: 'fee' as const, facts }
  const receipt_id = receiptId(await writeMoneyReceipt(deps, tx, receipt))
  const change = { state: 'accrued', wallet_id, receipt_id } as const
  const posted = await updateFeeEvent(tx, fee_event_id, change)
  await postMovement(tx, receipt_id, transferLegs(walletAccount(wallet_id), 'fees', amount_usd))
  return posted
}

/** Holds a fee in the agent's wallet until it is posted or released. Undefined for an amount of 0; throws as `accrueFee` does. */
export async function holdFee(
  deps: FeeDeps,
  tx: Tx,
  item: PostedItem,
  charge: Charge,
): Promise<FeeEventRow | undefined> {
  const event = await eventOf(deps, tx, item, charge)
  const isTaken = event === undefined || event.state === 'accrued' || event.state === 'held'
  return isTaken ? event : keepFee(tx, event)
}

async function keepFee(tx: Tx, event: FeeEventRow): Promise<FeeEventRow> {
  const { wallet_id } = await payingWallet(tx, event)
  return updateFeeEvent(tx, event.fee_event_id, { state: 'held', wallet_id })
}

/** Releases what is held for a fee, or ends one that is due; one that is posted stays. */
export async function releaseFee(
  deps: FeeDeps,
  tx: Tx,
  item: PostedItem,
  charge: Charge,
): Promise<void> {
  const event = await eventOf(deps, tx, item, charge)
  if (event !== undefined && event.state !== 'accrued')
    await updateFeeEvent(tx, event.fee_event_id, { state: 'released' })
}

/** Posts or holds a fee whose trigger cannot be refused: it is `due` where its wallet does not cover it now. */
const orOwe =
  (take: typeof accrueFee): typeof accrueFee =>
  async (deps, tx, item, charge) => {
    try {
      return await take(deps, tx, item, charge)
    } catch (error) {
      lastingRefusal(error)
      const event = await eventOf(deps, tx, item, charge)
      return event && updateFeeEvent(tx, event.fee_event_id, { state: 'due' })
    }
  }
export const accrueOrOwe = orOwe(accrueFee)
export const holdOrOwe = orOwe(holdFee)

/**
 * Takes the fees that an agent owes, or one of them, from its wallet: the oldest first, each once, and each that the wallet does not
 * cover or that a pause stops stays due. One whose claim is not delivered yet is held.
 */
export async function collectDue(
  deps: ReceiptIssuer,
  tx: Tx,
  of: { agentId: string } | { feeEventId: string },
): Promise<void> {
  for (const event of await lockDueFees(tx, of, limits.feesCollectedMax)) {
    const holds =
      event.item === 'escrow_fee' && (await findClaim(tx, event.subject))?.state === 'held'
    try {
      await (holds ? keepFee(tx, event) : postFee(deps, tx, event))
    } catch (error) {
      lastingRefusal(error)
      await updateFeeEvent(tx, event.fee_event_id, { state: 'due' })
    }
  }
}

async function eventOf(
  { fees }: FeeDeps,
  tx: Tx,
  item: PostedItem,
  { agentId: agent_id, subject, ...basis }: Charge,
): Promise<FeeEventRow | undefined> {
  const amount_usd = feeUsd(fees, item, basis)
  if (amount_usd === 0) return undefined
  const fee_event_id = `fe_${digestOf({ item, subject })}`
  const event = { fee_event_id, item, subject, agent_id, amount_usd, state: 'due' as const }
  return lockFeeEvent(tx, event)
}

/**
 * The locked wallet of the agent, which covers the fee and is not paused. The controls of its account judge what is bought; a fee was
 * accepted before, or is of work that is done.
 */
async function payingWallet(tx: Tx, event: FeeEventRow): Promise<WalletRow> {
  const { agent_id, amount_usd, state } = event
  const wallet = await lockWalletOf(tx, agent_id)
  const held = wallet === undefined ? 0 : await freeIn(tx, wallet.wallet_id)
  // A payment that was taken back may have left less than was held.
  const balance = wallet && (await readBalance(tx, walletAccount(wallet.wallet_id)))
  const covered = Math.min(balance ?? 0, held + (state === 'held' ? amount_usd : 0))
  if (wallet === undefined || covered < amount_usd)
    throw refuse('payment_required', {
      detail: `the wallet has ${covered} usd for a fee of ${amount_usd}`,
      next_action: 'Pay into your allowance wallet by fund_allowance, then send it again.',
      money_moved: 'no',
      extra: { shortfall_usd: amount_usd - covered },
    })
  await shareSwitches(tx)
  const paused = await findWalletPause(tx, wallet.wallet_id)
  if (paused !== undefined)
    throw refuse('paused', { detail: `payments from the wallet are paused: ${paused}` })
  return wallet
}

/** What a wallet has left after disputed payments and held fees, in whole usd. */
export const freeIn = async (tx: Tx, walletId: string): Promise<number> =>
  Math.max(
    0,
    (await readBalance(tx, walletAccount(walletId))) -
      (await disputedIn(tx, walletId)) -
      (await heldForFees(tx, walletId)),
  )
