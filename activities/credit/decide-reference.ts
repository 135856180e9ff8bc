import { refuse } from '#domain/core/errors.ts'
import { isConfirmedBy } from '#domain/payments/payment-reference.ts'
import type { ReferenceRow } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { isUnknownSession } from './quotes.ts'
import { closeReference, lockBoth, settle } from './settlement.ts'

type ReferenceDecision = {
  referenceId: string
  approve: boolean
  decidedBy: string
  note: string
}

/** What an operator may decide about a payment. */
export function operatorDecisions(reference: ReferenceRow): ('approve' | 'reject')[] {
  const { method, reason_code } = reference
  if (isConfirmedBy(method, 'operator') || reason_code === 'unclear_payment')
    return ['approve', 'reject']
  return reason_code === 'amount_mismatch' || isUnknownSession(reference) ? ['reject'] : []
}

/**
 * An operator's decision on a payment that no machine confirms. Only invoices, plain references and paid sessions that name nothing
 * can be approved; a chain, a wallet or a mandate decides the other methods. A payment of a wrong amount can always be rejected: it has to be returned.
 * 404, 403 `control_denied`, 409 `wrong_state`, `reference_already_used`.
 */
export async function decideReference(
  deps: ReceiptIssuer,
  tx: Tx,
  decision: ReferenceDecision,
): Promise<ReferenceRow> {
  const locked = await lockBoth(tx, decision.referenceId)
  if (locked === undefined) throw refuse('not_found', { detail: 'no such payment reference' })
  const { reference } = locked
  const decided = decision.approve ? 'verified' : 'rejected'
  if (reference.state === decided && reference.decided_by === decision.decidedBy) return reference
  if (!operatorDecisions(reference).includes(decision.approve ? 'approve' : 'reject'))
    throw refuse('control_denied', {
      detail: `${reference.method} is not for an operator to decide`,
      next_action: 'Wait for its proof.',
    })
  const { decidedBy, note } = decision
  if (decision.approve)
    return settle(deps, tx, { ...locked, proof: { decidedBy, evidence: { note } } })
  return closeReference(tx, locked, { event: 'reject', reason: note, decidedBy })
}
