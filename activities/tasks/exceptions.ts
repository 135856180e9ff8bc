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
  listTaskExceptions,
  moveTaskException,
  openTaskException,
  openTicket,
  type TaskExceptionRow,
} from '../store/tasks/task-exceptions.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from './deps.ts'
import { type Actor, actorFacts, writeTaskReceipt } from './receipt.ts'
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
export const openException = (
  deps: TaskDeps,
  tx: Tx,
  { after, nowSeconds, input }: Transition,
): Promise<void> =>
  storeException(deps, tx, { task: after, cause: causeOf(input), by: input, nowSeconds })

type Opened = {
  task: TaskRow
  cause: TaskEventData['exception_raised']
  by: Actor
  nowSeconds?: number
}

/** Stores an exception at the last entry of its task, with its signed receipt. */
async function storeException(
  deps: TaskDeps,
  tx: Tx,
  { task, cause, by, ...at }: Opened,
): Promise<void> {
  const { task_id, resume_state, sequence } = task
  const { code, detail, proposed_input_sha256 = null } = cause
  const exception_id = `ex_${digestOf({ type: 'service.exception.v1', task_id, sequence })}`
  const money_moved = await moneyMoved(tx, task, resume_state ?? task.state)
  const exception = { exception_id, task_id, code, detail, resume_state, money_moved, sequence }
  const facts = {
    ...exception,
    proposed_input_sha256,
    allowed_recoveries: recoveriesOf({ code, resume_state }),
    ledger_head: task.head_hash,
    ...actorFacts(by),
  }
  const receipt = { task, subject: exception_id, kind: 'exception', facts, ...at }
  const receipt_id = receiptId(await writeTaskReceipt(deps, tx, receipt))
  await insertTaskException(tx, { ...exception, proposed_input_sha256, receipt_id })
}

/** The dispute of a task that is closed already, which nothing stops; a task has at most one. Opens it where it is new. */
export async function disputeClosed(
  deps: TaskDeps,
  tx: Tx,
  { task, detail, by }: { task: TaskRow; detail: string; by: Actor },
): Promise<TaskExceptionRow | undefined> {
  const find = async () =>
    (await listTaskExceptions(tx, task.task_id)).find(({ sequence }) => sequence === task.sequence)
  const known = await find()
  if (known !== undefined) return known
  await storeException(deps, tx, { task, cause: { code: 'caller_dispute', detail }, by })
  return find()
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
  if (exception !== undefined) await closeIn(deps, tx, transition, exception)
}

/** Closes the ticket of the gaps that a task waited with, in the same way. */
export async function closeEvidenceGap(
  deps: TaskDeps,
  tx: Tx,
  transition: Transition,
): Promise<void> {
  const gap = await openTicket(tx, transition.after.task_id)
  if (gap !== undefined) await closeIn(deps, tx, transition, gap)
}

function closeIn(
  deps: TaskDeps,
  tx: Tx,
  { after, nowSeconds, input }: Transition,
  { exception_id }: TaskExceptionRow,
): Promise<void> {
  const outcome = input.event === 'abandoned' ? 'abandoned' : 'resolved'
  const data = input.data as TaskEventData['replayed']
  return endException(deps, tx, { task: after, exception_id, outcome, data, by: input, nowSeconds })
}

type Ended = {
  task: TaskRow
  exception_id: string
  outcome: 'resolved' | 'abandoned'
  data: TaskEventData['replayed']
  by: Actor
  nowSeconds?: number
}

/** Closes an exception with its signed receipt, in the caller's transaction. */
export async function endException(
  deps: TaskDeps,
  tx: Tx,
  { task, exception_id, outcome, data, by, ...at }: Ended,
): Promise<void> {
  await moveTaskException(tx, exception_id, outcome)
  const { recovery_id, ...digests } = data
  const request = recovery_id === undefined ? undefined : await findRecoveryRequest(tx, recovery_id)
  const facts = {
    exception_id,
    task_id: task.task_id,
    outcome,
    ...actorFacts(by),
    state: task.state,
    ledger_head: task.head_hash,
    ...(request && { recovery_id, action: request.action, note: request.note }),
    ...digests,
  }
  await writeTaskReceipt(deps, tx, { task, subject: exception_id, kind: 'recovery', facts, ...at })
}
