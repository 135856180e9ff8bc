import { receiptId } from '#domain/core/ids.ts'
import { move } from '#domain/core/state-table.ts'
import {
  clearingAccount,
  reverseRefund,
  transferLegs,
  walletAccount,
} from '#domain/credit/credit.ts'
import { referenceTransitions } from '#domain/payments/payment-reference.ts'
import { isOnePayment, names, withoutOthers } from '#domain/payments/provider-event.ts'
import { checkReturns, type ReturnStanding } from '#domain/payments/returned-money.ts'
import { receiptView } from '../keys/receipt-view.ts'
import { lockWallet } from '../store/credit/allowance-wallets.ts'
import { updateEntitlement } from '../store/credit/entitlements.ts'
import { listMovementsOf, postMovement } from '../store/credit/postings.ts'
import { eventsAbout, type ProviderEventRow } from '../store/credit/provider-events.ts'
import {
  lockName,
  type ReferenceRow,
  updateReference,
} from '../store/payments/payment-references.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { findReceipt, listReceipts, type ReceiptIssuer } from '../store/receipts/receipts.ts'
import { refundReference, refundSubject } from './credit.ts'
import { type MoneyDeps, writeMoneyReceipt } from './deps.ts'
import { requireEntitlement } from './returns.ts'
import { isTaken, lockBoth } from './settlement.ts'

/** What providers said of a reference, and the payment that settled it, or that may settle it. */
export async function paymentOf(tx: Tx, reference: ReferenceRow) {
  const events = withoutOthers(reference, await eventsAbout(tx, reference))
  const { settlement_receipt_id: receipt_id, external_reference } = reference
  const receipt = receipt_id === null ? undefined : await findReceipt(tx, { receipt_id })
  const evidence = receipt && receiptView(receipt.jws).payload['evidence']
  const { event_id } = Object(evidence) as { event_id?: string }
  // What an operator confirmed is the payment of its name.
  const isConfirmed = (event: ProviderEventRow) =>
    event_id === undefined
      ? event.external_reference === external_reference
      : event.event_id === event_id
  const isMeant = (event: ProviderEventRow) =>
    receipt === undefined ? names(event, reference) : isConfirmed(event)
  return { events, paid: events.find((one) => one.type === 'payment.settled' && isMeant(one)) }
}

/** Whether money came or goes back by the event. */
const movesMoney = ({ type }: ProviderEventRow): boolean =>
  type !== 'payment.failed' && type !== 'session.expired'

type Applied = { outcome: string; reference: ReferenceRow }

/**
 * Applies the refunds and disputes that the provider reported for the payment that settled a reference: a refund takes the credit
 * back, a dispute blocks it, and money that came again restores what the provider's word took. Another payment that names the same changes nothing, and is `paid_twice` with all that follows of it.
 * Returns the outcome; a repeat changes nothing.
 */
export async function applyReturns(
  deps: MoneyDeps,
  reference: ReferenceRow,
  event: ProviderEventRow,
): Promise<Applied> {
  return transaction(deps.db, async (tx) => {
    const locked = (await lockBoth(tx, reference.payment_reference_id))?.reference
    if (locked === undefined) throw new Error('a payment reference is missing')
    const { state, wallet_id } = locked
    // Names are locked before wallets, as where a payment settles.
    if (state === 'refunded') await lockName(tx, locked.external_reference)
    // What uses credit of the wallet locks it too.
    if (wallet_id !== null) await lockWallet(tx, wallet_id)
    if (state !== 'verified' && state !== 'disputed' && state !== 'refunded')
      return { outcome: state, reference: locked }
    return applyVerdict(deps, tx, { reference: locked, event })
  })
}

type Returning = { reference: ReferenceRow; event: ProviderEventRow }

async function applyVerdict(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, event }: Returning,
): Promise<Applied> {
  const { events, paid = { ...reference, provider: event.provider, payment_intent: null } } =
    await paymentOf(tx, reference)
  if (movesMoney(event) && !isOnePayment(paid, event)) return { outcome: 'paid_twice', reference }
  const own = events.filter((one) => isOnePayment(paid, one))
  const verdict = checkReturns(reference.amount_usd * 100, own)
  if (verdict === 'returned') return takeBack(deps, tx, { reference, event })
  const standing = await settleVerdict(deps, tx, { reference, event, verdict })
  if (!endsReturn(event, own) || standing.outcome === 'disputed') return standing
  const restored = await isRestoredBy(tx, standing.reference, event)
  return { ...standing, outcome: restored ? 'restored' : 'refund_failed' }
}

/** Whether an event is the first to say that money, which was said to go back, did not, or that it came again. */
function endsReturn(event: ProviderEventRow, own: readonly ProviderEventRow[]): boolean {
  const { type, refund_id, dispute_id } = event
  const isFirst = (one: string, id: string | null, key: 'refund_id' | 'dispute_id') =>
    id === null ||
    own.find((other) => other.type === one && other[key] === id)?.event_id === event.event_id
  if (type === 'refund.failed') return isFirst(type, refund_id, 'refund_id')
  const wasLost = own.some(
    (other) => other.type === 'dispute.lost' && other.dispute_id === dispute_id,
  )
  return type === 'dispute.won' && wasLost && isFirst(type, dispute_id, 'dispute_id')
}

type Judged = Returning & { verdict: Exclude<ReturnStanding, 'returned'> }

async function settleVerdict(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference: before, event, verdict }: Judged,
): Promise<Applied> {
  const reference = before.state === 'refunded' ? await restore(deps, tx, before, event) : before
  if (reference.state === 'refunded') return { outcome: 'refunded', reference }
  const isDisputed = reference.state === 'disputed'
  if (verdict === 'disputed') {
    const change = {
      event: 'dispute',
      reason: `${becauseOf(event)}: the payment is disputed`,
    } as const
    const disputed = isDisputed ? reference : await changeState(tx, reference, change)
    return { outcome: 'disputed', reference: disputed }
  }
  const upheld = isDisputed
    ? await changeState(tx, reference, { event: 'uphold', reason: null })
    : reference
  return { outcome: verdict === 'kept' ? 'verified' : verdict, reference: upheld }
}

async function takeBack(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, event }: Returning,
): Promise<Applied> {
  const referenceId = reference.payment_reference_id
  const refund = { referenceId, decidedBy: 'provider', reason: becauseOf(event) }
  const refunded = await refundReference(deps, tx, refund)
  return {
    outcome: refunded.afterUse ? 'refunded_after_use' : 'refunded',
    reference: refunded.reference,
  }
}

const becauseOf = ({ event_id }: ProviderEventRow): string => `event ${event_id}`

/** The receipt of a kind under a refund's subject: what it says, and its number. */
async function refundReceipt(tx: Tx, subject: string, kind: 'refund' | 'refund_failed') {
  const receipt = (await listReceipts(tx, subject)).find((one) => one.kind === kind)
  return receipt && { id: receipt.receipt_id, says: receiptView(receipt.jws).payload }
}

/** Restores what the latest refund took, exactly, where a provider's word took it and no other payment of its name was confirmed since. */
async function restore(
  deps: ReceiptIssuer,
  tx: Tx,
  reference: ReferenceRow,
  event: ProviderEventRow,
): Promise<ReferenceRow> {
  const { payment_reference_id, entitlement_id, wallet_id, amount_usd, refunds_failed } = reference
  const subject = refundSubject(reference)
  const refund = await refundReceipt(tx, subject, 'refund')
  if (refund?.says['decided_by'] !== 'provider' || (await isTaken(tx, reference))) return reference
  const moved =
    entitlement_id === null
      ? undefined
      : reverseRefund(
          await requireEntitlement(tx, entitlement_id),
          await listMovementsOf(tx, [refund.id]),
        )
  const source = clearingAccount(reference.method)
  const legs = moved?.legs ?? transferLegs(source, walletAccount(wallet_id ?? ''), amount_usd)
  const said = { payment_reference_id, amount_usd, entitlement_id, wallet_id }
  const facts = { ...said, refund_receipt_id: refund.id, reason: becauseOf(event) }
  const receipt = { subject, kind: 'refund_failed' as const, facts }
  await postMovement(tx, receiptId(await writeMoneyReceipt(deps, tx, receipt)), legs)
  if (moved !== undefined) await updateEntitlement(tx, moved.entitlement)
  const state = move('the payment reference', referenceTransitions, reference.state, 'restore')
  const change = { state, reason: null, refunds_failed: refunds_failed + 1 }
  return updateReference(tx, payment_reference_id, change)
}

/** Whether the latest refund that failed was reversed because of this event. */
async function isRestoredBy(
  tx: Tx,
  reference: ReferenceRow,
  event: ProviderEventRow,
): Promise<boolean> {
  if (reference.refunds_failed === 0) return false
  const subject = refundSubject({ ...reference, refunds_failed: reference.refunds_failed - 1 })
  const failure = await refundReceipt(tx, subject, 'refund_failed')
  return failure?.says['reason'] === becauseOf(event)
}

type StateChange = { event: 'dispute' | 'uphold'; reason: string | null }

function changeState(
  tx: Tx,
  { payment_reference_id, state: before }: ReferenceRow,
  { event, reason }: StateChange,
): Promise<ReferenceRow> {
  const state = move('the payment reference', referenceTransitions, before, event)
  return updateReference(tx, payment_reference_id, { state, reason })
}
