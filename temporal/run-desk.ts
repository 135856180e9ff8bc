import { receiptView } from '../activities/receipt-view.ts'
import { openRunReads, ownRun, type RunReadDeps, receiptsOfRun } from '../activities/runs/reading.ts'
import { clockSeconds, type Tx, transaction } from '../activities/store/db.ts'
import { listTaskExceptions } from '../activities/store/task-exceptions.ts'
import { findTaskEvent, listLedger } from '../activities/store/tasks.ts'
import { writeTaskReceipt } from '../activities/tasks/receipt.ts'
import { taskExceptionView } from '../activities/tasks/views.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { answerOnce } from './task-acts.ts'
import type { Mover, TaskDeskDeps } from './task-desk.ts'

export type RunDeskDeps = TaskDeskDeps & RunReadDeps
export type RunDesk = ReturnType<typeof openRunDesk>

/** Runs as their agents follow and acknowledge them. */
export function openRunDesk(deps: RunDeskDeps) {
  return {
    ...openRunReads(deps),
    acknowledge: (mover: Mover, input: Acknowledgement, callId: string) => acknowledge(deps, mover, input, callId),
  }
}

export type Acknowledgement = { run_id: string; receipt_id: string; accepted: boolean; note: string }

/**
 * Writes down that the agent has a receipt of its run and takes it or not; what it does not take stops the task. 409 `wrong_state`
 * where nothing can be stopped any more, 422 `receipt_invalid` for what is no receipt of this run.
 */
async function acknowledge(deps: RunDeskDeps, mover: Mover, input: Acknowledgement, callId: string): Promise<void> {
  const { run_id, receipt_id, accepted, note } = input
  const { task_id } = await transaction(deps.db, async (tx) => {
    const task = await ownRun(tx, mover, run_id)
    if ((await receiptsOfRun(deps, tx, task)).includes(receipt_id)) return task
    throw refuse('receipt_invalid', 'it is no receipt of this run', 'Name a receipt that the run or its task shows.')
  })
  if (!accepted) {
    const data = { code: 'caller_dispute', detail: note === '' ? `the agent does not take ${receipt_id}` : note }
    await deps.gateway.send(task_id, { eventId: callId, event: 'exception_raised', actor: mover.actor, data })
  }
  await answerOnce(deps, { callId, subject: task_id, status: 200 }, (tx) =>
    acknowledged(deps, tx, mover, input, callId),
  )
}

async function acknowledged(deps: RunDeskDeps, tx: Tx, { actor }: Mover, input: Acknowledgement, callId: string) {
  const task = await ownRun(tx, {}, input.run_id)
  const { task_id, sequence } = task
  const raised = (await findTaskEvent(tx, task_id, callId))?.sequence
  const [ledger_entry] = await listLedger(tx, task_id, { from: raised ?? sequence, most: 1 })
  const facts = { ...input, task_id, actor, ledger_entry: ledger_entry?.hash ?? null }
  const about = { task, subject: `ak_${digestOf({ call: callId })}`, kind: 'acknowledgement', facts }
  const acknowledgement = receiptView(await writeTaskReceipt(deps, tx, about, await clockSeconds(tx)))
  const dispute = (await listTaskExceptions(tx, task_id)).find((one) => one.sequence === raised)
  return { acknowledgement, ledger_entry, dispute: dispute === undefined ? null : taskExceptionView(dispute) }
}
