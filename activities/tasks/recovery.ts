import { refuse } from '../../workflows/domain/errors.ts'
import { allowedRecoveries, type RecoveryAction } from '../../workflows/domain/task-exception.ts'
import { refuseTaskEvent } from '../../workflows/domain/task-lifecycle.ts'
import { timing } from '../../workflows/timing.ts'
import type { Tx } from '../store/db.ts'
import {
  findRecoveryRequest,
  insertRecoveryRequest,
  openTaskException,
  type RecoveryRequestRow,
  settleRecoveryRequest,
  type TaskExceptionRow,
} from '../store/task-exceptions.ts'
import { requireTask, storeDocument, type TaskRow } from '../store/tasks.ts'
import type { TaskDeps } from './deps.ts'
import { recordTransition } from './transition.ts'

/** `actor` asks; `decided` says that the asking is the decision, as an operator's is. */
export type RecoveryAsk = {
  recoveryId: string
  taskId: string
  exceptionId: string | undefined
  action: RecoveryAction
  input: unknown
  note: string
  actor: string
  decided: boolean
}

/**
 * A request to bring a stopped task home, in the caller's transaction. It is carried out at once where nobody has to decide: an
 * operator asks, the run is synthetic, or the task is given up; else it waits for a review. The task is then to be woken.
 * Throws 409 `wrong_state` where nothing is stopped, `recovery_not_allowed`, 404, 400.
 */
export async function requestRecovery(deps: TaskDeps, tx: Tx, ask: RecoveryAsk): Promise<RecoveryRequestRow> {
  const task = await requireTask(tx, ask.taskId)
  const known = await findRecoveryRequest(tx, ask.recoveryId)
  if (known !== undefined) return known
  const exception = await stopping(tx, task, ask)
  assertAllowed(exception, ask)
  const { recoveryId: recovery_id, action, note, actor } = ask
  const input_sha256 = ask.input === undefined ? null : await storeDocument(tx, task.task_id, ask.input)
  const { exception_id } = exception
  const row = { recovery_id, exception_id, action, note, input_sha256, requested_by: actor }
  const request = await insertRecoveryRequest(tx, row)
  if (!ask.decided && task.usage === 'operational' && action !== 'abandon') return request
  return carryOut(deps, tx, task.task_id, request, ask.decided ? actor : 'service')
}

/** Does what was asked for: the task comes back to where it was interrupted, or is given up. */
export async function carryOut(
  deps: TaskDeps,
  tx: Tx,
  taskId: string,
  request: RecoveryRequestRow,
  actor: string,
): Promise<RecoveryRequestRow> {
  const { recovery_id, action, input_sha256 } = request
  const { limits } = timing.task
  const asked = { taskId, actor }
  if (action === 'abandon') {
    const abandoned = { ...asked, eventId: recovery_id, event: 'abandoned', data: { recovery_id } } as const
    await recordTransition(deps, tx, abandoned, limits)
  } else {
    const prepared = {
      eventId: `${recovery_id}:prepared`,
      event: 'replay_prepared',
      data: { action, recovery_id },
    } as const
    await recordTransition(deps, tx, { ...asked, ...prepared }, limits)
    const data = input_sha256 === null ? {} : { input_sha256 }
    const replayed = { eventId: `${recovery_id}:replayed`, event: 'replayed', data } as const
    await recordTransition(deps, tx, { ...asked, ...replayed }, limits)
  }
  return settleRecoveryRequest(tx, recovery_id, 'done', actor)
}

/** Evidence that a run waits for: its input from now on, with which the loop begins anew. */
export async function supplyEvidence(
  deps: TaskDeps,
  tx: Tx,
  { taskId, recoveryId, actor, input }: RecoveryAsk,
): Promise<void> {
  if (input === undefined) throw inputNeeded('supply_evidence')
  const data = { input_sha256: await storeDocument(tx, taskId, input) }
  const asked = { taskId, eventId: recoveryId, event: 'evidence_supplied', actor, data } as const
  await recordTransition(deps, tx, asked, timing.task.limits)
}

async function stopping(tx: Tx, task: TaskRow, { exceptionId }: RecoveryAsk): Promise<TaskExceptionRow> {
  const exception = await openTaskException(tx, task.task_id)
  if (exception === undefined || task.state !== 'exception_open') throw refuseTaskEvent(task.state, 'replay_prepared')
  if (exception.exception_id === exceptionId) return exception
  throw refuse('not_found', 'it is not this exception that stops the task', 'Read the exceptions of the task.')
}

function assertAllowed({ code, money_moved }: TaskExceptionRow, { action, input }: RecoveryAsk): void {
  const allowed = allowedRecoveries(code)
  if (!allowed.includes(action))
    throw refuse('recovery_not_allowed', `${action} is no recovery from ${code}`, `Allowed: ${allowed.join(', ')}.`)
  if (action === 'abandon' && money_moved === 'unknown')
    throw refuse('recovery_not_allowed', 'a payment may be under way', 'Replay the task, and read its payment first.', {
      money_moved: 'unknown',
    })
  const takesInput = action === 'correct_input' || action === 'supply_evidence'
  if (takesInput && input === undefined) throw inputNeeded(action)
  if (!takesInput && input !== undefined)
    throw refuse('invalid_request', `${action} takes no input`, 'Send it without an input, or correct the input.', {
      errors: [{ pointer: '/input', message: `not for ${action}` }],
    })
}

const inputNeeded = (action: string) =>
  refuse('invalid_request', `${action} needs the whole input`, 'Send the input with what was missing.', {
    errors: [{ pointer: '/input', message: `needed for ${action}` }],
  })
