import type { Difference } from '#domain/core/difference.ts'
import { setControl } from '../payout/controls.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReconciliationDeps } from './deps.ts'

/**
 * Pauses the payouts in the transaction that opens the exception of an outgoing transfer without a row: its sender has the key of
 * the payout wallet. Other differences pause nothing.
 */
export async function pauseAfterUnexplained(
  deps: ReconciliationDeps,
  tx: Tx,
  { code, subject, reconciliationId }: Difference & { reconciliationId: string },
): Promise<void> {
  if (code !== 'unexplained_outgoing') return
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
