import { referenceTransitions } from '../../workflows/domain/payment-reference.ts'
import { judgeReturns } from '../../workflows/domain/returned-money.ts'
import { move } from '../../workflows/domain/state-table.ts'
import { type Tx, transaction } from '../store/db.ts'
import { type ReferenceRow, updateReference } from '../store/payment-references.ts'
import { eventsAbout } from '../store/provider-events.ts'
import { refundReference } from './credit.ts'
import type { MoneyDeps, ReceiptIssuer } from './deps.ts'
import { lockBoth } from './settlement.ts'

type Applied = { outcome: string; reference: ReferenceRow }

/**
 * Makes a settled payment stand as all that its provider said of refunds and disputes: money that went back takes its credit along,
 * and the credit of a disputed payment rests. Says how it stands; repeated, nothing more happens.
 */
export async function applyReturns(deps: MoneyDeps, reference: ReferenceRow, eventId: string): Promise<Applied> {
  return transaction(deps.db, async (tx) => {
    const locked = (await lockBoth(tx, reference.payment_reference_id))?.reference
    if (locked === undefined) throw new Error('a payment reference went away')
    const { state } = locked
    if (state !== 'verified' && state !== 'disputed' && state !== 'refunded')
      return { outcome: state, reference: locked }
    return stand(deps, tx, locked, eventId)
  })
}

async function stand(deps: ReceiptIssuer, tx: Tx, reference: ReferenceRow, eventId: string): Promise<Applied> {
  const standing = judgeReturns(reference.amount_usd * 100, await eventsAbout(tx, reference))
  if (standing === 'returned' || reference.state === 'refunded') return takeBack(deps, tx, reference, eventId)
  const kept = standing === 'kept' ? 'verified' : standing
  if (standing === 'disputed') {
    const reason = `event ${eventId}: the payment is disputed`
    const disputed = reference.state === 'disputed' ? reference : await moveTo(tx, reference, 'dispute', reason)
    return { outcome: kept, reference: disputed }
  }
  const upheld = reference.state === 'disputed' ? await moveTo(tx, reference, 'uphold', null) : reference
  return { outcome: kept, reference: upheld }
}

async function takeBack(deps: ReceiptIssuer, tx: Tx, reference: ReferenceRow, eventId: string): Promise<Applied> {
  const referenceId = reference.payment_reference_id
  const refund = { referenceId, decidedBy: 'provider', reason: `event ${eventId}` }
  const refunded = await refundReference(deps, tx, refund)
  return { outcome: refunded.afterUse ? 'refunded_after_use' : 'refunded', reference: refunded.reference }
}

const moveTo = (
  tx: Tx,
  { payment_reference_id, state }: ReferenceRow,
  event: 'dispute' | 'uphold',
  reason: string | null,
) =>
  updateReference(tx, payment_reference_id, {
    state: move('the payment reference', referenceTransitions, state, event),
    reason,
  })
