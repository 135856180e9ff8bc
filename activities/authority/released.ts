import { findAction } from '../store/authority/actions.ts'
import { addUse, lockAuthorityMandate } from '../store/authority/mandates.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { CustomerWorkflowRow } from '../store/production/customer-workflows.ts'
import { releaseReserved } from '../store/production/firing-charges.ts'

/**
 * Gives back to a mandate what its actions have used for workflows that are over, or that it lets start no run any more, and that
 * no run has used; returns the sum. The actions stay counted.
 */
export async function releaseUnused(tx: Tx, mandateId: string): Promise<number> {
  await lockAuthorityMandate(tx, mandateId)
  const usd = await releaseReserved(tx, mandateId)
  if (usd > 0) await addUse(tx, mandateId, { usd: -usd, actions: 0 })
  return usd
}

/** As `releaseUnused`, for the mandate under which a workflow that is over was made; 0 for one without a mandate. */
export async function releaseOfWorkflow(
  tx: Tx,
  { action_id }: Pick<CustomerWorkflowRow, 'action_id'>,
): Promise<number> {
  const action = action_id === null ? undefined : await findAction(tx, action_id)
  return action === undefined ? 0 : releaseUnused(tx, action.mandate_id)
}
