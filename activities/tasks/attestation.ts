import type { Tx } from '../store/db.ts'
import type { TaskDeps } from './deps.ts'
import { writeTaskReceipt } from './receipt.ts'
import type { Moved } from './transition.ts'

/** The attestation of a whole task: how it ended, and the head of its ledger, which nothing follows. */
export async function attestTask(deps: TaskDeps, tx: Tx, { before, after, entry, nowSeconds }: Moved): Promise<void> {
  const facts = {
    task_id: after.task_id,
    outcome: before?.state === 'failed' ? 'failed' : 'completed',
    run_id: after.run_id,
    ledger_head: entry.hash,
    ledger_entries: entry.sequence,
  }
  const about = { task: after, subject: after.task_id, kind: 'attestation', facts }
  await writeTaskReceipt(deps, tx, about, nowSeconds)
}
