import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { receiptId } from '#domain/core/ids.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../activities/store/receipts/receipts.ts'
import { findTask, type TaskRow } from '../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../activities/tasks/deps.ts'
import { writeTaskReceipt } from '../../activities/tasks/receipt.ts'
import type { TaskEventInput } from '../../activities/tasks/task-event.ts'
import { recordTransition } from '../../activities/tasks/transition.ts'

/** Records an event by hand, as `recordTransition` does, with the evidence that SQL asks for where it names some that is not there. */
export async function recordEvidenced(
  deps: TaskDeps,
  tx: Tx,
  input: TaskEventInput,
): Promise<TaskRow> {
  const task = await findTask(tx, input.taskId)
  const make = task?.run_id == null ? undefined : makers[input.event]
  if (task === undefined || make === undefined) return recordTransition(deps, tx, input)
  const data = { ...input.data, ...(await make(deps, tx, task)) }
  return recordTransition(deps, tx, { ...input, data } as TaskEventInput)
}

type Make = (deps: TaskDeps, tx: Tx, task: TaskRow) => Promise<Record<string, string>>
const makers: Partial<Record<TaskEventInput['event'], Make>> = {
  result_produced: async (_deps, tx, { run_id }) => {
    const id = `rp_${createHash('sha256').update(String(run_id)).digest('hex')}`
    const hash = 'a'.repeat(64)
    await sql`insert into return_packages (return_package_id, run_id, partial, package, manifest_sha256, result_sha256, proof_hash, completion_signature)
      values (${id}, ${run_id}, false, '{}', ${hash}, ${hash}, ${hash}, 'by hand') on conflict do nothing`.execute(
      tx,
    )
    const { rows } = await sql<Record<string, string>>`
      select return_package_id, result_sha256 from return_packages where run_id = ${run_id}`.execute(
      tx,
    )
    return rows[0] ?? {}
  },
  result_attested: async (deps, tx, task) => {
    const about = { task, subject: String(task.run_id), kind: 'attestation', facts: {} }
    return { receipt_id: receiptId(await writeTaskReceipt(deps, tx, about)) }
  },
  receipts_issued: async (deps, tx, { task_id, usage }) => {
    const { rows } = await sql<{ usage_receipt_id: string | null }>`
      select usage_receipt_id from task_credits where task_id = ${task_id} and state <> 'released'`.execute(
      tx,
    )
    const known = rows[0]?.usage_receipt_id
    if (known != null) return { usage_receipt_id: known }
    const facts = { task_id }
    const subject = `us_${task_id.slice(5)}`
    const about = { subject, kind: 'usage_receipt', usage, facts }
    const usage_receipt_id = receiptId(await issueReceipt(deps, tx, about))
    await sql`set local session_replication_role = replica`.execute(tx)
    if (rows.length > 0)
      await sql`update task_credits set state = 'used', usage_receipt_id = ${usage_receipt_id}
        where task_id = ${task_id} and state <> 'released'`.execute(tx)
    else
      await sql`insert into task_credits (task_id, quote_id, entitlement_id, units, state, usage_receipt_id)
        values (${task_id}, 'qt_by_hand', 'en_by_hand', 0, 'used', ${usage_receipt_id})`.execute(tx)
    await sql`set local session_replication_role = origin`.execute(tx)
    return { usage_receipt_id }
  },
}
