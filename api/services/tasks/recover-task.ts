import { receiptView } from '../../../activities/keys/receipt-view.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import {
  findRecoveryRequest,
  listTaskExceptions,
  type RecoveryRequestRow,
} from '../../../activities/store/tasks/task-exceptions.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import {
  type DeclineRequest,
  declineProposal,
  endDispute,
  proposeEvidence,
  proposeRecovery,
  type RecoveryRequest,
  requestRecovery,
  supplyEvidence,
} from './recovery.ts'
import { recoveryView, taskExceptionView, taskView } from './views.ts'

export type RecoveryAnswer = { waits: boolean; body: Awaited<ReturnType<typeof answerOf>> }

/**
 * Recovers a stopped task, or supplies the evidence that it waits for, in the caller's transaction, over HTTP and at the command
 * line. `waits`: an operator has to decide first. An input of an operator is only proposed. The caller then wakes the task.
 */
export async function recoverTask(
  deps: TaskDeps,
  tx: Tx,
  asked: RecoveryRequest,
): Promise<RecoveryAnswer> {
  const { state } = await requireTask(tx, asked.taskId)
  const known = await findRecoveryRequest(tx, asked.recoveryId)
  if (known !== undefined) return answerOfRequest(tx, asked.taskId, known)
  if (state === 'evidence_partial' && asked.action === 'supply_evidence') {
    if (asked.decided) {
      const proposed = await proposeEvidence(deps, tx, asked)
      return { waits: false, body: await answerOf(tx, asked.taskId, proposed) }
    }
    return answerOfRequest(tx, asked.taskId, await supplyEvidence(deps, tx, asked))
  }
  if (state === 'closed' && asked.action === 'abandon')
    return answerOfRequest(tx, asked.taskId, await endDispute(deps, tx, asked))
  if (asked.decided && asked.input !== undefined) {
    const proposed = await proposeRecovery(deps, tx, asked)
    return { waits: false, body: await answerOf(tx, asked.taskId, proposed) }
  }
  return answerOfRequest(tx, asked.taskId, await requestRecovery(deps, tx, asked))
}

async function answerOfRequest(
  tx: Tx,
  taskId: string,
  request: RecoveryRequestRow,
): Promise<RecoveryAnswer> {
  const waits = request.state === 'requested'
  const [last] = waits ? [] : (await listReceipts(tx, request.exception_id)).slice(-1)
  return { waits, body: await answerOf(tx, taskId, { request, receipt: last?.jws }) }
}

/** Declines the input that an operator proposes, in the caller's transaction, for the owner of the task. */
export async function declineTask(deps: TaskDeps, tx: Tx, asked: DeclineRequest) {
  return answerOf(tx, asked.taskId, await declineProposal(deps, tx, asked))
}

type Answered = {
  request?: RecoveryRequestRow
  exceptionId?: string
  receipt: string | undefined
}

async function answerOf(tx: Tx, taskId: string, { request, exceptionId, receipt }: Answered) {
  const named = request?.exception_id ?? exceptionId
  const exception = (await listTaskExceptions(tx, taskId)).find((one) => one.exception_id === named)
  return {
    recovery_request: request === undefined ? null : recoveryView(request),
    task: await taskView(tx, await requireTask(tx, taskId)),
    exception: exception === undefined ? null : taskExceptionView(exception),
    receipt: receipt === undefined ? null : receiptView(receipt),
  }
}
