import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  findReceipt,
  listReceipts,
  type ReceiptRow,
} from '../../../activities/store/receipts/receipts.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { type RunViewDeps, runView } from './views.ts'

/** The receipts of a run's contract, payment, work and task that exist so far. */
export async function receiptsOfRun(
  deps: RunViewDeps,
  tx: Tx,
  task: TaskRow,
): Promise<ReceiptRow[]> {
  const { settlement_receipt_id, usage_receipt_id } = await runView(deps, tx, task)
  const ids = [settlement_receipt_id, usage_receipt_id].filter((id) => id !== null)
  const paid = await Promise.all(ids.map((receipt_id) => findReceipt(tx, { receipt_id })))
  return [
    ...(await listReceipts(tx, task.contract_id ?? '')),
    ...paid.filter((row) => row !== undefined),
    ...(await listReceipts(tx, runIdOf(task.task_id))),
    ...(await listReceipts(tx, task.task_id)),
  ]
}
