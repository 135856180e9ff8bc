import type { Tx } from '../store/postgres/db.ts'
import type { TaskDeps } from './deps.ts'
import { writeTaskReceipt } from './receipt.ts'
import type { Transition } from './task-event.ts'

/** Attests a closed task: its outcome and the head of its ledger, which no entry follows. */
export async function attestTask(
  deps: TaskDeps,
  tx: Tx,
  { before, after, entry, nowSeconds }: Transition,
): Promise<void> {
  const facts = {
    task_id: after.task_id,
    outcome: before?.state === 'failed' ? 'failed' : 'completed',
    run_id: after.run_id,
    ledger_head: entry.hash,
    ledger_entries: entry.sequence,
  }
  const subject = after.task_id
  await writeTaskReceipt(deps, tx, { task: after, subject, kind: 'attestation', facts, nowSeconds })
}
