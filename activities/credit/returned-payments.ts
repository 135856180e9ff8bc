import { move } from '#domain/core/state-table.ts'
import { referenceTransitions } from '#domain/payments/payment-reference.ts'
import { withoutOthers } from '#domain/payments/provider-event.ts'
import { checkReturns } from '#domain/payments/returned-money.ts'
import { lockWallet } from '../store/credit/allowance-wallets.ts'
import { eventsAbout } from '../store/credit/provider-events.ts'
import { type ReferenceRow, updateReference } from '../store/payments/payment-references.ts'
import type { ReceiptIssuer } from '../store/payouts/receipts.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { refundReference } from './credit.ts'
import type { MoneyDeps } from './deps.ts'
import { lockBoth } from './settlement.ts'

type Applied = { outcome: string; reference: ReferenceRow }

/**
 * Applies the refunds and disputes that the provider reported for a settled payment: a refund takes the credit back, and a dispute
 * blocks it. Returns the outcome; a repeat changes nothing.
 */
export async function applyReturns(
  deps: MoneyDeps,
  reference: ReferenceRow,
  eventId: string,
): Promise<Applied> {
  return transaction(deps.db, async (tx) => {
    const locked = (await lockBoth(tx, reference.payment_reference_id))?.reference
    if (locked === undefined) throw new Error('a payment reference is missing')
    const { state, wallet_id } = locked
    // What uses credit of the wallet locks it too.
    if (wallet_id !== null) await lockWallet(tx, wallet_id)
    if (state !== 'verified' && state !== 'disputed' && state !== 'refunded')
      return { outcome: state, reference: locked }
    return applyVerdict(deps, tx, { reference: locked, eventId })
  })
}

type Returning = { reference: ReferenceRow; eventId: string }

async function applyVerdict(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, eventId }: Returning,
): Promise<Applied> {
  const events = withoutOthers(reference, await eventsAbout(tx, reference))
  const verdict = checkReturns(reference.amount_usd * 100, events)
  if (verdict === 'returned' || reference.state === 'refunded')
    return takeBack(deps, tx, { reference, eventId })
  const isDisputed = reference.state === 'disputed'
  if (verdict === 'disputed') {
    const change = {
      event: 'dispute',
      reason: `event ${eventId}: the payment is disputed`,
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
  { reference, eventId }: Returning,
): Promise<Applied> {
  const referenceId = reference.payment_reference_id
  const refund = { referenceId, decidedBy: 'provider', reason: `event ${eventId}` }
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
