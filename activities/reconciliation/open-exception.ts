import type { Difference } from '#domain/core/difference.ts'
import { setControl } from '../payouts/controls.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { recordDifference } from '../store/tasks/exceptions.ts'
import type { ReconciliationDeps } from './deps.ts'

/**
 * Records a difference and answers whether it opened an exception. A transfer out of the payout wallet that no payout explains also
 * pauses the payouts, in the same transaction: its sender has the key of the wallet. Other differences pause nothing.
 */
export function openException(
  deps: ReconciliationDeps,
  reconciliationId: string,
  difference: Difference,
): Promise<boolean> {
  return transaction(deps.db, async (tx) => {
    const opened = await recordDifference(tx, reconciliationId, difference)
    if (opened && difference.code === 'unexplained_outgoing')
      await pausePayouts(deps, tx, { ...difference, reconciliationId })
    return opened
  })
}

async function pausePayouts(
  deps: ReconciliationDeps,
  tx: Tx,
  { code, subject, reconciliationId }: Difference & { reconciliationId: string },
): Promise<void> {
  const actor = {
    operatorId: 'reconciliation',
    name: 'reconciliation',
    idempotencyKey: `${reconciliationId}.${code}.${subject}`,
  }
  const reason = `the payout wallet sent what no payout explains: ${subject}`
  const issuing = { ...deps.rail, signReceipt: deps.signReceipt }
  await setControl(issuing, tx, actor, { scope: 'payouts', paused: true, reason })
  deps.log.error({ subject, reconciliationId }, 'an unexplained transfer, the payouts are paused')
}
