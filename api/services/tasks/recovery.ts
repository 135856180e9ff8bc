import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { mayCancel } from '#domain/runs/outcome.ts'
import type { LoopStep } from '#domain/tasks/controlled-loop.ts'
import { allowedRecoveries, type RecoveryAction } from '#domain/tasks/exception.ts'
import { resumableStates, type TaskState, taskStanding } from '#domain/tasks/lifecycle.ts'
import { refuseTaskEvent } from '#domain/tasks/refused-event.ts'
import { lockEntitlement } from '../../../activities/store/credit/entitlements.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import {
  findRecoveryRequest,
  insertProposal,
  insertRecoveryRequest,
  openTaskException,
  openTicket,
  type RecoveryRequestRow,
  settleRecoveryRequest,
  type TaskExceptionRow,
} from '../../../activities/store/tasks/task-exceptions.ts'
import { countReruns, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { endException, moneyMoved } from '../../../activities/tasks/exceptions.ts'
import { type Actor, actorFacts, writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import type { TaskEventInput } from '../../../activities/tasks/task-event.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import { assertReadable } from '../inputs/asked-input.ts'
import { storeTaskInput } from './input.ts'

/** A request of its actor; `decided`: it needs no further decision, because an operator makes it. */
export type RecoveryRequest = {
  recoveryId: string
  taskId: string
  exceptionId: string | undefined
  action: RecoveryAction
  input: unknown
  note: string
  decided: boolean
} & Actor

/**
 * Records a request to recover a stopped task, in the caller's transaction. A request of an operator, for a synthetic run or to
 * abandon a task without a result is carried out at once, and so is the acceptance of an input that an operator proposed; any other waits for a review. The caller then wakes the task.
 * Throws 409 `wrong_state` where nothing is stopped, `recovery_not_allowed`, 404, 400.
 */
export async function requestRecovery(
  deps: TaskDeps,
  tx: Tx,
  asked: RecoveryRequest,
): Promise<RecoveryRequestRow> {
  const { recoveryId: recovery_id, taskId, action, note, actor, actorName } = asked
  const task = await requireTask(tx, taskId)
  const known = await findRecoveryRequest(tx, recovery_id)
  if (known !== undefined) return known
  const exception = await stoppingException(tx, task, asked)
  assertAllowed(exception, asked)
  if (action === 'abandon') await assertMoneyKnown(tx, task)
  const corrected = asked.input === undefined ? null : await storeReadable(tx, task, asked.input)
  const accepts = corrected !== null && corrected.sha256 === exception.proposed_input_sha256
  if (corrected !== null && !accepts && !asked.decided) await assertRerunLeft(tx, task)
  const request = await insertRecoveryRequest(tx, {
    recovery_id,
    exception_id: exception.exception_id,
    action,
    note,
    input_sha256: corrected?.sha256 ?? null,
    requested_by: actor,
  })
  if (asked.decided) return carryOut(deps, tx, { taskId, request, by: { actor, actorName } })
  if (accepts) return carryOut(deps, tx, { taskId, request, by: { actor } })
  const isCancelled = action === 'abandon' && mayCancel(task.state, exception.resume_state)
  const needsReview = task.usage === 'operational' && !isCancelled
  return needsReview ? request : carryOut(deps, tx, { taskId, request, by: { actor: 'service' } })
}

type CarriedOut = { taskId: string; request: RecoveryRequestRow; by: Actor }

/** Carries out a request: the task returns to the state that was interrupted, or is abandoned. */
export async function carryOut(
  deps: TaskDeps,
  tx: Tx,
  { taskId, request, by }: CarriedOut,
): Promise<RecoveryRequestRow> {
  const { recovery_id, exception_id, action, input_sha256 } = request
  const task = await requireTask(tx, taskId)
  // The request is about this exception and no later one.
  if ((await openTaskException(tx, taskId))?.exception_id !== exception_id)
    throw refuseTaskEvent(task.state, 'replay_prepared')
  const record = (input: Pick<TaskEventInput, 'event' | 'eventId' | 'data'>) =>
    recordTransition(deps, tx, { taskId, ...by, ...input })
  if (action === 'abandon') {
    await assertMoneyKnown(tx, task)
    await record({ event: 'abandoned', eventId: recovery_id, data: { recovery_id } })
    return settleRecoveryRequest(tx, recovery_id, 'done', by.actor)
  }
  if (task.state === 'exception_open') {
    const eventId = `${recovery_id}:prepared`
    await record({ event: 'replay_prepared', eventId, data: { action, recovery_id } })
  }
  const before = task.input_sha256 === null ? {} : { replaced_input_sha256: task.input_sha256 }
  const replayed = { event: 'replayed', eventId: `${recovery_id}:replayed` } as const
  if (input_sha256 === null) await record({ ...replayed, data: { recovery_id } })
  else if (task.resume_state === 'evidence_partial') {
    await record({ ...replayed, data: { recovery_id } })
    const eventId = `${recovery_id}:supplied`
    await record({ event: 'evidence_supplied', eventId, data: { input_sha256, ...before } })
  } else await record({ ...replayed, data: { input_sha256, ...before, recovery_id } })
  return settleRecoveryRequest(tx, recovery_id, 'done', by.actor)
}

export type ReplayRequest = Pick<RecoveryRequest, 'recoveryId' | 'taskId'> &
  Actor & {
    exceptionId: string
    fromStep: LoopStep | undefined
  }

/**
 * Prepares a stopped task for its replay, in the caller's transaction; only the recovery that follows needs a decision.
 * Returns the signed receipt. Throws 409 `wrong_state`, `recovery_not_allowed`, 404, 400.
 */
export async function prepareReplay(
  deps: TaskDeps,
  tx: Tx,
  { recoveryId: recovery_id, taskId, exceptionId, fromStep, actor, actorName }: ReplayRequest,
): Promise<string> {
  const action = 'replay'
  const task = await requireTask(tx, taskId)
  const exception = await stoppingException(tx, task, { exceptionId, action })
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
  const after = await recordTransition(deps, tx, {
    taskId,
    eventId: recovery_id,
    event: 'replay_prepared',
    actor,
    actorName,
    data,
  })
  await settleRecoveryRequest(tx, recovery_id, 'done', actor)
  const facts = { ...actorFacts({ actor, actorName }), exception_id, ...data }
  return receiptOfRequest(deps, tx, { task: after, asked: facts })
}

/** Proposes an operator's input for a stopped task, which only the owner accepts or declines. Returns the signed receipt. */
export async function proposeRecovery(
  deps: TaskDeps,
  tx: Tx,
  asked: RecoveryRequest,
): Promise<{ exceptionId: string; receipt: string }> {
  const { taskId, recoveryId: recovery_id, input, note, actor, actorName } = asked
  const before = await requireTask(tx, taskId)
  const exception = await stoppingException(tx, before, asked)
  assertAllowed(exception, asked)
  const { sha256: proposed_input_sha256 } = await storeReadable(tx, before, input)
  const task = await recordTransition(deps, tx, {
    taskId,
    eventId: recovery_id,
    event: 'input_proposed',
    actor,
    actorName,
    data: { proposed_input_sha256, note },
  })
  const { exception_id } = exception
  return recordProposal(deps, tx, { ...asked, task, exception_id, proposed_input_sha256 })
}

/** Stops a task that waits for evidence with the input that an operator proposes for it. Returns the signed receipt. */
export async function proposeEvidence(
  deps: TaskDeps,
  tx: Tx,
  asked: RecoveryRequest,
): Promise<{ exceptionId: string; receipt: string }> {
  const { taskId, recoveryId: recovery_id, action, input, note, actor, actorName } = asked
  if (input === undefined) throw inputNeeded(action)
  const before = await requireTask(tx, taskId)
  const { sha256: proposed_input_sha256 } = await storeReadable(tx, before, input)
  const detail = note || 'an operator proposes the evidence'
  const task = await recordTransition(deps, tx, {
    taskId,
    eventId: recovery_id,
    event: 'exception_raised',
    actor,
    actorName,
    data: { code: 'evidence_gap', detail, proposed_input_sha256 },
  })
  const exception_id = (await openTaskException(tx, taskId))?.exception_id ?? ''
  return recordProposal(deps, tx, { ...asked, task, exception_id, proposed_input_sha256 })
}

type Proposal = Pick<RecoveryRequest, 'recoveryId' | 'action' | 'note'> &
  Actor & {
    task: TaskRow
    exception_id: string
    proposed_input_sha256: string
  }

/** Stores the act of an operator that an entry of the ledger names, with its signed receipt. */
async function recordProposal(
  deps: TaskDeps,
  tx: Tx,
  { task, recoveryId: recovery_id, action, note, actor, actorName, ...about }: Proposal,
): Promise<{ exceptionId: string; receipt: string }> {
  const { exception_id, proposed_input_sha256 } = about
  const facts = { exception_id, action, recovery_id, note }
  const stored = { ...facts, input_sha256: proposed_input_sha256, requested_by: actor }
  await insertProposal(tx, stored)
  const who = actorFacts({ actor, actorName })
  const asked = { ...who, ...facts, proposed_input_sha256 }
  const receipt = await receiptOfRequest(deps, tx, { task, asked })
  return { exceptionId: exception_id, receipt }
}

/** What the owner of a task declines: one proposed input, by its digest. */
export type DeclineRequest = Pick<RecoveryRequest, 'recoveryId' | 'taskId' | 'actor'> & {
  proposedSha256: string
  reason: string
}

/** Ends a proposal; the exception stays open for another one. Returns the signed receipt. Throws 409 `wrong_state`, `evidence_changed`. */
export async function declineProposal(
  deps: TaskDeps,
  tx: Tx,
  { taskId, recoveryId: recovery_id, actor, proposedSha256, reason }: DeclineRequest,
): Promise<{ exceptionId: string; receipt: string }> {
  const exception = await openTaskException(tx, taskId)
  if (exception === undefined || exception.proposed_input_sha256 === null)
    throw refuse('wrong_state', {
      detail: 'no operator proposes an input for this task',
      next_action: 'Read the exceptions of the task.',
    })
  assertProposed(exception.proposed_input_sha256, proposedSha256)
  const data = { declined_input_sha256: proposedSha256, reason }
  const declined = { taskId, eventId: recovery_id, event: 'input_declined', actor, data } as const
  const task = await recordTransition(deps, tx, declined)
  const { exception_id } = exception
  const facts = { actor, exception_id, action: 'decline_input', recovery_id, ...data }
  const receipt = await receiptOfRequest(deps, tx, { task, asked: facts })
  return { exceptionId: exception_id, receipt }
}

/** Throws 409 `evidence_changed` where another input is proposed now. */
export function assertProposed(proposed: string, named: string): void {
  if (proposed === named) return
  throw refuse('evidence_changed', {
    detail: 'the operator proposes another input',
    next_action: 'Read what is proposed now, and accept or decline that.',
  })
}

/** Supplies the evidence that a run waits for as its new input, with which the loop restarts; the request resolves the ticket of its gaps. */
export async function supplyEvidence(
  deps: TaskDeps,
  tx: Tx,
  asked: RecoveryRequest,
): Promise<RecoveryRequestRow> {
  const { taskId, recoveryId: recovery_id, actor, actorName, action, input, note } = asked
  if (input === undefined) throw inputNeeded(action)
  const before = await requireTask(tx, taskId)
  await assertRerunLeft(tx, before)
  const { sha256: input_sha256 } = await storeReadable(tx, before, input)
  const gap = await openTicket(tx, taskId)
  if (gap === undefined) throw new Error(`no ticket names what ${taskId} lacks`)
  const { exception_id } = gap
  if ((asked.exceptionId ?? exception_id) !== exception_id) throw anotherStops()
  const request = { recovery_id, exception_id, action, note, input_sha256, requested_by: actor }
  await insertRecoveryRequest(tx, request)
  const data = { input_sha256, recovery_id }
  const event = 'evidence_supplied'
  await recordTransition(deps, tx, { taskId, eventId: recovery_id, event, actor, actorName, data })
  return settleRecoveryRequest(tx, recovery_id, 'done', actor)
}

/** Ends the dispute of a closed task, by its agent or an operator; the task stays as it is. 409 `wrong_state` without a dispute. */
export async function endDispute(
  deps: TaskDeps,
  tx: Tx,
  { taskId, recoveryId: recovery_id, exceptionId, action, note, actor, actorName }: RecoveryRequest,
): Promise<RecoveryRequestRow> {
  const [task, dispute] = [await requireTask(tx, taskId), await openTicket(tx, taskId)]
  if (dispute === undefined) throw notStopped(task.state, action)
  const { exception_id } = dispute
  if ((exceptionId ?? exception_id) !== exception_id) throw anotherStops()
  const request = { recovery_id, exception_id, action, note, requested_by: actor }
  await insertRecoveryRequest(tx, { ...request, input_sha256: null })
  const ended = { task, exception_id, outcome: 'abandoned', data: { recovery_id } } as const
  await endException(deps, tx, { ...ended, by: { actor, actorName } })
  return settleRecoveryRequest(tx, recovery_id, 'done', actor)
}

/** Stores another input of a task; 422 `input_rejected` with its faults where the rail cannot read it. */
function storeReadable(tx: Tx, task: TaskRow, input: unknown) {
  assertReadable(task.rail as RailKey, task.tier, input)
  return storeTaskInput(tx, task, input)
}

/** Throws 409 `recovery_not_allowed` once the agent has changed the input as often as the tier of its task allows. */
async function assertRerunLeft(tx: Tx, { task_id, rail, tier }: TaskRow): Promise<void> {
  const { reruns_max } = railOf(rail as RailKey).tiers[tier]
  if ((await countReruns(tx, task_id)) < reruns_max) return
  throw refuse('recovery_not_allowed', {
    detail: `the tier ${tier} allows ${reruns_max} changes of the input, and all are used`,
    next_action: 'Replay or waive what the task waits for, or abandon it and begin another.',
  })
}

/** The signed receipt of a request that ends no exception. */
async function receiptOfRequest(
  deps: TaskDeps,
  tx: Tx,
  { task, asked }: { task: TaskRow; asked: { recovery_id: string } & Record<string, unknown> },
): Promise<string> {
  const { task_id, state, head_hash: ledger_head } = task
  const facts = { ...asked, task_id, state, ledger_head }
  const receipt = { task, subject: asked.recovery_id, kind: 'recovery', facts }
  return writeTaskReceipt(deps, tx, receipt)
}

type Named = Pick<RecoveryRequest, 'exceptionId' | 'action'>

/** The exception that stops the task; 409 where none does, 404 where another one does. */
async function stoppingException(
  tx: Tx,
  task: TaskRow,
  { exceptionId, action }: Named,
): Promise<TaskExceptionRow> {
  const exception = await openTaskException(tx, task.task_id)
  if (exception === undefined) throw notStopped(task.state, action)
  if (exception.exception_id === exceptionId) return exception
  throw anotherStops()
}

const anotherStops = () =>
  refuse('not_found', {
    detail: 'another exception stops the task',
    next_action: 'Read the exceptions of the task.',
  })

/** Only a task that an exception stops is recovered. A task that runs or waits is stopped first, and then abandoned. */
function notStopped(state: TaskState, action: RecoveryAction) {
  if (action !== 'abandon' || !resumableStates.includes(state))
    return refuseTaskEvent(state, 'replay_prepared')
  return refuse('wrong_state', {
    detail: `the task is ${state}, and only a task that an exception stops can be abandoned`,
    next_action:
      'Stop it with POST /api/agents/tasks/{token}/exceptions and code caller_dispute, then abandon that exception.',
    extra: taskStanding(state),
  })
}

function assertAllowed(
  { code }: TaskExceptionRow,
  { action, input }: Pick<RecoveryRequest, 'action' | 'input'>,
): void {
  const allowed = allowedRecoveries(code)
  if (!allowed.includes(action))
    throw refuse('recovery_not_allowed', {
      detail: `${action} does not recover from ${code}`,
      next_action: `Allowed: ${allowed.join(', ')}.`,
    })
  const takesInput = action === 'correct_input' || action === 'supply_evidence'
  if (takesInput && input === undefined) throw inputNeeded(action)
  if (!takesInput && input !== undefined)
    throw refuse('invalid_request', {
      detail: `${action} takes no input`,
      next_action: 'Send it without an input, or correct the input.',
      errors: [{ pointer: '/input', message: `not for ${action}` }],
    })
}

/**
 * A task is abandoned only once the outcome of its payment is known, whatever it was when the task stopped. A payment is presented
 * under the lock of its credit, so that none begins until the transaction ends.
 */
async function assertMoneyKnown(tx: Tx, task: TaskRow): Promise<void> {
  const credit = await findTaskCredit(tx, task.task_id)
  if (credit !== undefined) await lockEntitlement(tx, credit.entitlement_id)
  if ((await moneyMoved(tx, task, task.resume_state ?? task.state)) !== 'unknown') return
  throw refuse('recovery_not_allowed', {
    detail: 'a payment may be in progress',
    next_action: 'Wait until the payment is decided.',
    money_moved: 'unknown',
  })
}

const inputNeeded = (action: string) =>
  refuse('invalid_request', {
    detail: `${action} needs an input`,
    next_action: 'Send the whole input with what was missing, or what changes as input_patch.',
    errors: [{ pointer: '/input', message: `needed for ${action}` }],
  })
