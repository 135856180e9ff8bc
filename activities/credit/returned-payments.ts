import { move } from '#domain/core/state-table.ts'
import { referenceTransitions } from '#domain/payments/payment-reference.ts'
import { isOnePayment, names, withoutOthers } from '#domain/payments/provider-event.ts'
import { checkReturns } from '#domain/payments/returned-money.ts'
import { receiptView } from '../keys/receipt-view.ts'
import { lockWallet } from '../store/credit/allowance-wallets.ts'
import { eventsAbout, type ProviderEventRow } from '../store/credit/provider-events.ts'
import { type ReferenceRow, updateReference } from '../store/payments/payment-references.ts'
import { findReceipt, type ReceiptIssuer } from '../store/payouts/receipts.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { refundReference } from './credit.ts'
import type { MoneyDeps } from './deps.ts'
import { lockBoth } from './settlement.ts'

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
 * back, and a dispute blocks it. Another payment that names the same changes nothing, and is `paid_twice` with all that follows of it.
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
  if (verdict === 'returned' || reference.state === 'refunded')
    return takeBack(deps, tx, { reference, event })
  const isDisputed = reference.state === 'disputed'
  if (verdict === 'disputed') {
    const change = {
      event: 'dispute',
      reason: `event ${event.event_id}: the payment is disputed`,
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
  { reference, event: { event_id } }: Returning,
): Promise<Applied> {
  const referenceId = reference.payment_reference_id
  const refund = { referenceId, decidedBy: 'provider', reason: `event ${event_id}` }
  const refunded = await refundReference(deps, tx, refund)
  return {
    outcome: refunded.afterUse ? 'refunded_after_use' : 'refunded',
    reference: refunded.reference,
  }
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
