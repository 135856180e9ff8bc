import { refuse } from '../../workflows/domain/errors.ts'
import type { ReceiptIssuer } from '../money/deps.ts'
import { decideReference, operatorDecisions } from '../money/references.ts'
import { referenceView } from '../money/views.ts'
import { countAwaiting, findReference, listAwaiting } from '../store/payment-references.ts'
import { listTasksOn } from '../store/task-credits.ts'
import type { ReviewSubject } from './subject.ts'

/** Invoices and plain references, which an operator confirms who has looked at the account, and payments of a wrong amount. */
export const referenceSubject = (deps: ReceiptIssuer): ReviewSubject => ({
  kind: 'payment_reference',
  list: async (tx, filter, most) =>
    (await listAwaiting(tx, filter, most)).map((one) => ({
      subject_kind: 'payment_reference',
      subject_id: one.payment_reference_id,
      state: one.state,
      waiting_since: one.created_at.toISOString(),
      rail: one.rail,
      summary: `${one.amount_usd} usd by ${one.method} ${one.external_reference}${one.reason === null ? '' : `: ${one.reason}`}`,
      evidence_links: one.evidence_url === null ? [] : [one.evidence_url],
      allowed_decisions: operatorDecisions(one),
    })),
  count: (tx, filter) => countAwaiting(tx, filter),
  tasksOf: async (tx, referenceId) => {
    const entitlementId = (await findReference(tx, referenceId))?.entitlement_id ?? null
    return entitlementId === null ? [] : listTasksOn(tx, entitlementId)
  },
  decide: async (tx, referenceId, { decision, note, operator }, assertWaiting) => {
    if (decision !== 'approve' && decision !== 'reject')
      throw refuse('wrong_state', `a payment is not decided by ${decision}`, 'Approve or reject it.', {
        extra: { allowed_decisions: ['approve', 'reject'] },
      })
    const before = await findReference(tx, referenceId)
    if (before === undefined) throw refuse('not_found', 'no such payment reference', 'Take the id from the console.')
    assertWaiting(before.created_at)
    const decidedBy = `operator:${operator.operatorId}`
    const decided = await decideReference(deps, tx, { referenceId, approve: decision === 'approve', decidedBy, note })
    return { state: decided.state, view: referenceView(decided) }
  },
})
