import { receiptView } from '../receipt-view.ts'
import type { Tx } from '../store/db.ts'
import { listReceipts } from '../store/receipts.ts'
import { listTaskExceptions, type RecoveryRequestRow } from '../store/task-exceptions.ts'
import { requireTask } from '../store/tasks.ts'
import type { TaskDeps } from './deps.ts'
import { type RecoveryAsk, requestRecovery, supplyEvidence } from './recovery.ts'
import { recoveryView, taskExceptionView, taskView } from './views.ts'

export type RecoveryAnswer = { waits: boolean; body: Awaited<ReturnType<typeof answerOf>> }

/**
 * Recovers a stopped task, or supplies the evidence that one waits for, in the caller's transaction: what operators do over HTTP
 * and at the command line. `waits`: somebody has to decide first. The task is then to be woken.
 */
export async function recoverTask(deps: TaskDeps, tx: Tx, ask: RecoveryAsk): Promise<RecoveryAnswer> {
  const { state } = await requireTask(tx, ask.taskId)
  if (state === 'evidence_partial' && ask.action === 'supply_evidence') {
    const receipt = await supplyEvidence(deps, tx, ask)
    return { waits: false, body: await answerOf(tx, ask.taskId, undefined, receipt) }
  }
  const request = await requestRecovery(deps, tx, ask)
  const waits = request.state === 'requested'
  const [last] = waits ? [] : (await listReceipts(tx, request.exception_id)).slice(-1)
  return { waits, body: await answerOf(tx, ask.taskId, request, last?.jws) }
}

async function answerOf(tx: Tx, taskId: string, request: RecoveryRequestRow | undefined, receipt: string | undefined) {
  const exception = (await listTaskExceptions(tx, taskId)).find((one) => one.exception_id === request?.exception_id)
  return {
    recovery_request: request === undefined ? null : recoveryView(request),
    task: await taskView(tx, await requireTask(tx, taskId)),
    exception: exception === undefined ? null : taskExceptionView(exception),
    receipt: receipt === undefined ? null : receiptView(receipt),
  }
}
