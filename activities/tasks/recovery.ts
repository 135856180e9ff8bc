import type { LoopStep } from '../../workflows/domain/controlled-loop.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { allowedRecoveries, type RecoveryAction } from '../../workflows/domain/task-exception.ts'
import {
  refuseTaskEvent,
  resumableStates,
  type TaskEvent,
  type TaskState,
  taskStanding,
} from '../../workflows/domain/task-lifecycle.ts'
import type { TaskEventData } from '../../workflows/domain/task-terms.ts'
import { timing } from '../../workflows/timing.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import {
  findRecoveryRequest,
  insertRecoveryRequest,
  openTaskException,
  type RecoveryRequestRow,
  settleRecoveryRequest,
  type TaskExceptionRow,
} from '../store/task-exceptions.ts'
import { requireTask, type TaskRow } from '../store/tasks.ts'
import type { TaskDeps } from './deps.ts'
import { moneyMoved } from './exceptions.ts'
import { storeTaskInput } from './input.ts'
import { type Actor, actorFacts, writeTaskReceipt } from './receipt.ts'
import { type AskedMove, recordTransition } from './transition.ts'

/** Whoever acts asks; `decided` says that the asking is the decision, as an operator's is. */
export type RecoveryAsk = {
  recoveryId: string
  taskId: string
  exceptionId: string | undefined
  action: RecoveryAction
  input: unknown
  note: string
  decided: boolean
} & Actor

/**
 * A request to recover a stopped task, in the caller's transaction. It is carried out at once where nobody has to decide: an
 * operator asks, the run is synthetic, or the task is given up; else it waits for a review. The task is then to be woken.
 * Throws 409 `wrong_state` where nothing is stopped, `recovery_not_allowed`, 404, 400.
 */
export async function requestRecovery(deps: TaskDeps, tx: Tx, ask: RecoveryAsk): Promise<RecoveryRequestRow> {
  const task = await requireTask(tx, ask.taskId)
  const known = await findRecoveryRequest(tx, ask.recoveryId)
  if (known !== undefined) return known
  const exception = await stopping(tx, task, ask.exceptionId, ask.action)
  assertAllowed(exception, ask)
  if (ask.action === 'abandon') await assertNothingUnderWay(tx, task, exception)
  const { recoveryId: recovery_id, action, note, actor, actorName } = ask
  const input_sha256 = ask.input === undefined ? null : (await storeTaskInput(tx, task, ask.input)).sha256
  const { exception_id } = exception
  const row = { recovery_id, exception_id, action, note, input_sha256, requested_by: actor }
  const request = await insertRecoveryRequest(tx, row)
  if (!ask.decided && task.usage === 'operational' && action !== 'abandon') return request
  return carryOut(deps, tx, task.task_id, request, ask.decided ? { actor, actorName } : { actor: 'service' })
}

/** Does what was asked for: the task comes back to where it was interrupted, or is given up. */
export async function carryOut(
  deps: TaskDeps,
  tx: Tx,
  taskId: string,
  request: RecoveryRequestRow,
  by: Actor,
): Promise<RecoveryRequestRow> {
  const { recovery_id, exception_id, action, input_sha256 } = request
  const task = await requireTask(tx, taskId)
  // Whoever asked about an exception before this one meant that.
  if ((await openTaskException(tx, taskId))?.exception_id !== exception_id)
    throw refuseTaskEvent(task.state, 'replay_prepared')
  const move = <Event extends TaskEvent>(event: Event, eventId: string, data: TaskEventData[Event]) =>
    recordTransition(deps, tx, { taskId, eventId, event, ...by, data } as AskedMove, timing.task.limits)
  if (action === 'abandon') await move('abandoned', recovery_id, { recovery_id })
  else {
    if (task.state === 'exception_open')
      await move('replay_prepared', `${recovery_id}:prepared`, { action, recovery_id })
    const corrected = input_sha256 === null ? {} : { input_sha256 }
    await move('replayed', `${recovery_id}:replayed`, { ...corrected, recovery_id })
  }
  return settleRecoveryRequest(tx, recovery_id, 'done', by.actor)
}

export type ReplayAsk = Pick<RecoveryAsk, 'recoveryId' | 'taskId'> &
  Actor & {
    exceptionId: string
    fromStep: LoopStep | undefined
  }

/**
 * Gets a stopped task ready to come back, in the caller's transaction. Nobody has to decide it, because nothing is done yet:
 * the recovery that follows is decided. Returns its signed receipt. Throws 409 `wrong_state`, `recovery_not_allowed`, 404, 400.
 */
export async function prepareReplay(
  deps: TaskDeps,
  tx: Tx,
  { recoveryId: recovery_id, taskId, exceptionId, fromStep, actor, actorName }: ReplayAsk,
): Promise<string> {
  const action = 'replay'
  const exception = await stopping(tx, await requireTask(tx, taskId), exceptionId, action)
  assertAllowed(exception, { action, input: undefined })
  const { exception_id } = exception
  await insertRecoveryRequest(tx, {
    recovery_id,
    exception_id,
    action,
    note: '',
    input_sha256: null,
    requested_by: actor,
  })
  const data = { action, recovery_id, ...(fromStep === undefined ? {} : { from_step: fromStep }) }
  const prepared = { taskId, eventId: recovery_id, event: 'replay_prepared', actor, actorName, data } as const
  const task = await recordTransition(deps, tx, prepared, timing.task.limits)
  await settleRecoveryRequest(tx, recovery_id, 'done', actor)
  return receiptOfRequest(deps, tx, task, { ...actorFacts({ actor, actorName }), exception_id, ...data })
}

/** Evidence that a run waits for: its input from now on, with which the loop begins anew. Returns its signed receipt. */
export async function supplyEvidence(
  deps: TaskDeps,
  tx: Tx,
  { taskId, recoveryId: recovery_id, actor, actorName, action, input, note }: RecoveryAsk,
): Promise<string> {
  if (input === undefined) throw inputNeeded(action)
  const { sha256: input_sha256 } = await storeTaskInput(tx, await requireTask(tx, taskId), input)
  const data = { input_sha256 }
  const asked = { taskId, eventId: recovery_id, event: 'evidence_supplied', actor, data } as const
  const task = await recordTransition(deps, tx, asked, timing.task.limits)
  return receiptOfRequest(deps, tx, task, { ...actorFacts({ actor, actorName }), action, recovery_id, note, ...data })
}

/** The signed receipt of a request that ends no exception. */
async function receiptOfRequest(
  deps: TaskDeps,
  tx: Tx,
  task: TaskRow,
  asked: { recovery_id: string } & Record<string, unknown>,
): Promise<string> {
  const { task_id, state, head_hash: ledger_head } = task
  const facts = { ...asked, task_id, state, ledger_head }
  return writeTaskReceipt(
    deps,
    tx,
    { task, subject: asked.recovery_id, kind: 'recovery', facts },
    await clockSeconds(tx),
  )
}

/** The exception that stops the task; 409 where nothing does, 404 where another one does. */
async function stopping(
  tx: Tx,
  task: TaskRow,
  exceptionId: string | undefined,
  action: RecoveryAction,
): Promise<TaskExceptionRow> {
  const exception = await openTaskException(tx, task.task_id)
  if (exception === undefined) throw notStopped(task.state, action)
  if (exception.exception_id === exceptionId) return exception
  throw refuse('not_found', 'it is not this exception that stops the task', 'Read the exceptions of the task.')
}

/** Nothing is recovered that no exception stops; what runs or waits is stopped first, and then given up. */
function notStopped(state: TaskState, action: RecoveryAction) {
  if (action !== 'abandon' || !resumableStates.includes(state)) return refuseTaskEvent(state, 'replay_prepared')
  const next =
    'Stop it with POST /api/agents/tasks/{token}/exceptions and code caller_dispute, then abandon that exception.'
  const detail = `the task is ${state}, and only a task that an exception stops is abandoned`
  return refuse('wrong_state', detail, next, { extra: taskStanding(state) })
}

function assertAllowed({ code }: TaskExceptionRow, { action, input }: Pick<RecoveryAsk, 'action' | 'input'>): void {
  const allowed = allowedRecoveries(code)
  if (!allowed.includes(action))
    throw refuse('recovery_not_allowed', `${action} is no recovery from ${code}`, `Allowed: ${allowed.join(', ')}.`)
  const takesInput = action === 'correct_input' || action === 'supply_evidence'
  if (takesInput && input === undefined) throw inputNeeded(action)
  if (!takesInput && input !== undefined)
    throw refuse('invalid_request', `${action} takes no input`, 'Send it without an input, or correct the input.', {
      errors: [{ pointer: '/input', message: `not for ${action}` }],
    })
}

/** Whoever gives a task up knows what became of its money by then, however that stood when the task was stopped. */
async function assertNothingUnderWay(tx: Tx, task: TaskRow, { resume_state }: TaskExceptionRow): Promise<void> {
  if ((await moneyMoved(tx, task, resume_state)) !== 'unknown') return
  throw refuse('recovery_not_allowed', 'a payment may be under way', 'Wait until the payment is decided.', {
    money_moved: 'unknown',
  })
}

const inputNeeded = (action: string) =>
  refuse('invalid_request', `${action} needs the whole input`, 'Send the input with what was missing.', {
    errors: [{ pointer: '/input', message: `needed for ${action}` }],
  })
