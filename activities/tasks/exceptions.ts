import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { receiptId } from '../../workflows/domain/ids.ts'
import { allowedRecoveries, moneyMovedAt, type TaskExceptionCode } from '../../workflows/domain/task-exception.ts'
import type { TaskState } from '../../workflows/domain/task-lifecycle.ts'
import type { TaskEventData } from '../../workflows/domain/task-terms.ts'
import type { Tx } from '../store/db.ts'
import { readTaskCredit } from '../store/task-credits.ts'
import {
  findRecoveryRequest,
  insertTaskException,
  moveTaskException,
  openTaskException,
} from '../store/task-exceptions.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TaskDeps } from './deps.ts'
import { actorFacts, writeTaskReceipt } from './receipt.ts'
import type { Moved } from './transition.ts'

/** Whether money has moved for a task that stands, or was stopped, in this state; the credit of the sandbox is no money. */
export const moneyMoved = async (tx: Tx, { task_id, usage }: Pick<TaskRow, 'task_id' | 'usage'>, state: TaskState) =>
  usage === 'synthetic' ? 'no' : moneyMovedAt(state, await readTaskCredit(tx, task_id))

/** The ticket of what stopped a task: code, cause, what resolves it, with its signed receipt. */
export async function openException(
  deps: TaskDeps,
  tx: Tx,
  { after, entry, nowSeconds, asked }: Moved,
  { code, detail }: { code: TaskExceptionCode; detail: string },
): Promise<void> {
  const { task_id, resume_state, sequence } = after
  if (resume_state === null) throw new Error('an exception has a state to come back to')
  const exception_id = `ex_${digestOf({ type: 'service.exception.v1', task_id, sequence })}`
  const money_moved = await moneyMoved(tx, after, resume_state)
  const facts = {
    exception_id,
    task_id,
    code,
    detail,
    resume_state,
    money_moved,
    sequence,
    allowed_recoveries: allowedRecoveries(code),
    ledger_head: entry.hash,
    ...actorFacts(asked),
  }
  const about = { task: after, subject: exception_id, kind: 'exception', facts }
  const jws = await writeTaskReceipt(deps, tx, about, nowSeconds)
  const row = { exception_id, task_id, sequence, code, detail, resume_state, money_moved }
  await insertTaskException(tx, { ...row, receipt_id: receiptId(jws) })
}

/** The end of the exception that stopped a task, with its signed receipt: by whom, and by which request, where there was one. */
export async function closeException(
  deps: TaskDeps,
  tx: Tx,
  { after, entry, nowSeconds, asked }: Moved,
  outcome: 'resolved' | 'abandoned',
): Promise<void> {
  const exception = await openTaskException(tx, after.task_id)
  if (exception === undefined) return
  const { exception_id } = exception
  await moveTaskException(tx, exception_id, outcome)
  const { recovery_id } = asked.data as TaskEventData['abandoned']
  const request = recovery_id === undefined ? undefined : await findRecoveryRequest(tx, recovery_id)
  const asking = request && { recovery_id, action: request.action, note: request.note }
  const facts = {
    exception_id,
    task_id: after.task_id,
    outcome,
    ...actorFacts(asked),
    state: after.state,
    ledger_head: entry.hash,
    ...asking,
  }
  await writeTaskReceipt(deps, tx, { task: after, subject: exception_id, kind: 'recovery', facts }, nowSeconds)
}
