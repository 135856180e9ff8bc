import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import { moneyMovedAt, recoveriesOf } from '#domain/tasks/exception.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import type { Tx } from '../store/postgres/db.ts'
import { readTaskCredit } from '../store/tasks/task-credits.ts'
import {
  findRecoveryRequest,
  insertTaskException,
  moveTaskException,
  openEvidenceGap,
  openTaskException,
  type TaskExceptionRow,
} from '../store/tasks/task-exceptions.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from './deps.ts'
import { actorFacts, writeTaskReceipt } from './receipt.ts'
import type { TaskEventInput, Transition } from './task-event.ts'

/** Whether money has moved for a task that is, or was stopped, in this state; sandbox credit is no money. */
export async function moneyMoved(
  tx: Tx,
  { task_id, usage }: Pick<TaskRow, 'task_id' | 'usage'>,
  state: TaskState,
) {
  return usage === 'synthetic' ? 'no' : moneyMovedAt(state, await readTaskCredit(tx, task_id))
}

/** Stores the exception that stopped a task, or the gaps that it waits with, with its signed receipt. */
export async function openException(
  deps: TaskDeps,
  tx: Tx,
  { after, entry, nowSeconds, input }: Transition,
): Promise<void> {
  const { task_id, resume_state, sequence } = after
  const { code, detail, proposed_input_sha256 = null } = causeOf(input)
  const exception_id = `ex_${digestOf({ type: 'service.exception.v1', task_id, sequence })}`
  const money_moved = await moneyMoved(tx, after, resume_state ?? after.state)
  const exception = { exception_id, task_id, code, detail, resume_state, money_moved, sequence }
  const facts = {
    ...exception,
    proposed_input_sha256,
    allowed_recoveries: recoveriesOf({ code, resume_state }),
    ledger_head: entry.hash,
    ...actorFacts(input),
  }
  const receipt = { task: after, subject: exception_id, kind: 'exception', facts, nowSeconds }
  const receipt_id = receiptId(await writeTaskReceipt(deps, tx, receipt))
  await insertTaskException(tx, { ...exception, proposed_input_sha256, receipt_id })
}

const lapses: Partial<Record<TaskEvent, string>> = {
  quote_lapsed: 'the quote was not used in time',
  credit_lapsed: 'the credit was not funded in time',
}

function causeOf({ event, data }: TaskEventInput): TaskEventData['exception_raised'] {
  if (event === 'evidence_missing') {
    const { gaps } = data as TaskEventData['evidence_missing']
    return { code: 'evidence_gap', detail: `needed pieces that the input lacks: ${gaps}` }
  }
  const lapsed = lapses[event]
  if (lapsed !== undefined) return { code: 'deadline_passed', detail: lapsed }
  return data as TaskEventData['exception_raised']
}

/** Closes the exception that stopped a task, with a signed receipt that names the actor and the request, where there was one. */
export async function closeException(
  deps: TaskDeps,
  tx: Tx,
  transition: Transition,
): Promise<void> {
  const exception = await openTaskException(tx, transition.after.task_id)
  if (exception !== undefined) await close(deps, tx, { ...transition, ...exception })
}

/** Closes the ticket of the gaps that a task waited with, in the same way. */
export async function closeEvidenceGap(
  deps: TaskDeps,
  tx: Tx,
  transition: Transition,
): Promise<void> {
  const gap = await openEvidenceGap(tx, transition.after.task_id)
  if (gap !== undefined) await close(deps, tx, { ...transition, ...gap })
}

async function close(
  deps: TaskDeps,
  tx: Tx,
  {
    after,
    entry,
    nowSeconds,
    input,
    exception_id,
  }: Transition & Pick<TaskExceptionRow, 'exception_id'>,
): Promise<void> {
  const outcome = input.event === 'abandoned' ? 'abandoned' : 'resolved'
  await moveTaskException(tx, exception_id, outcome)
  const { recovery_id, ...digests } = input.data as TaskEventData['replayed']
  const request = recovery_id === undefined ? undefined : await findRecoveryRequest(tx, recovery_id)
  const facts = {
    exception_id,
    task_id: after.task_id,
    outcome,
    ...actorFacts(input),
    state: after.state,
    ledger_head: entry.hash,
    ...(request && { recovery_id, action: request.action, note: request.note }),
    ...digests,
  }
  const receipt = { task: after, subject: exception_id, kind: 'recovery', facts, nowSeconds }
  await writeTaskReceipt(deps, tx, receipt)
}
