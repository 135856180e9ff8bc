import { errorCodes } from '#domain/core/error-codes.ts'
import { DomainError, type Refusal } from '#domain/core/errors.ts'
import {
  type AnsweredCall,
  answerCall,
  claimGrant,
  dropCallLease,
  findCall,
  releaseCall,
  requireCall,
} from '../../activities/store/calls/calls.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { CallAnswer } from '../context.ts'
import { answeredByWorkflow, keptOf } from '../operation.ts'
import { answerRead, answerStored } from './answer.ts'
import type { CallExecution } from './call.ts'
import { checkOutput, contextOf, handle } from './handle.ts'
import {
  asksForDebt,
  refusalAfterFee,
  settleBefore,
  settleCall,
  withUnknownOutcome,
} from './settlement.ts'

/** Runs the effect of a granted call; undefined when the grant was given up meanwhile and the call has to be claimed again. */
export async function leadCall(
  call: CallExecution,
  { paid, until }: { paid: boolean; until: number },
): Promise<CallAnswer | undefined> {
  const { operation, input } = call
  let begun = operation.charge === 'after'
  try {
    if (!begun) {
      await operation.precondition?.(input, contextOf(call, true), paid)
      begun = true
      if (paid) await settleBefore(call)
    }
    return await runEffect(call, { leads: true })
  } catch (error) {
    const refusal = error instanceof DomainError ? error.refusal : undefined
    if (refusal?.code === 'grant_released' && performance.now() < until) return undefined
    const known = await giveUp(call, refusal, begun)
    if (known === undefined) throw error
    throw await refusalAfterFee(call, known)
  }
}

/** Refusals with a status of 500 or more that prove that nothing happened. */
const withoutEffect = new Set<Refusal['code']>(['paused', 'contention'])

/**
 * Gives the grant up after a proven refusal, such as one before anything began. After any other failure the effect may still run, so a
 * repeat has to join it. Returns the refusal as the caller has to read it.
 */
async function giveUp(
  { deps, identity, holder }: CallExecution,
  refusal: Refusal | undefined,
  begun: boolean,
): Promise<Refusal | undefined> {
  const proven =
    refusal !== undefined &&
    (!begun || errorCodes[refusal.code].status < 500 || withoutEffect.has(refusal.code))
  const released = proven && (await transaction(deps.db, (tx) => releaseCall(tx, identity.callId)))
  if (!released) await dropCallLease(deps.db, identity.callId, holder).catch(() => undefined)
  // A grant that could not be given up was used, by this attempt or by the one that led before.
  return proven && !released && !asksForDebt(refusal) ? withUnknownOutcome(refusal) : refusal
}

/** Handles the call, checks and stores its answer, and settles. A 202 is not stored: each repeat works it out again. */
export async function runEffect(
  call: CallExecution,
  { leads }: { leads: boolean },
): Promise<CallAnswer> {
  const { operation, identity, deps, holder } = call
  const handling = handle(call, leads)
  const stored = keptOf(operation).keepsInput ? await storedFirst(call, handling) : undefined
  const reply = stored === undefined ? await handling : answeredByWorkflow
  if (operation.idempotency.kind === 'read') return answerRead(call, reply, { paid: true })
  if ('answeredBy' in reply)
    return settleAndAnswer(call, stored ?? (await requireCall(deps.db, identity.callId)))
  const { status = operation.status[0], headers = {}, body } = reply
  if (status === 202) {
    if (reply.grantUsed !== true) await dropCallLease(deps.db, identity.callId, holder)
    return { status, headers, body: checkOutput(operation, body) }
  }
  return settleAndAnswer(call, await storeAnswer(call, status, body))
}

async function settleAndAnswer(call: CallExecution, row: AnsweredCall): Promise<CallAnswer> {
  return answerStored(call, await settleCall(call, row), { replayed: false })
}

/**
 * The call's row once a step of a workflow has stored the answer, unless `handling` ends first. The effect is that transaction; the
 * caller need not wait until Temporal has recorded the step.
 */
async function storedFirst(
  { identity, deps }: CallExecution,
  handling: Promise<unknown>,
): Promise<AnsweredCall | undefined> {
  const ended = handling.then(
    () => null,
    () => null,
  )
  for (;;) {
    const changed = await Promise.race([ended, deps.changes.wait(identity.callId, 500)])
    if (changed === null) return undefined
    // Without a notification, or with Postgres down, `handling` brings the answer.
    if (!changed) continue
    const row = await findCall(deps.db, identity.callId).catch(() => undefined)
    if (row !== undefined && row.answer_state !== 'open') return row
  }
}

/** Stores the answer of an effect outside a workflow, together with the use of the grant. */
async function storeAnswer(
  { operation, identity, deps }: CallExecution,
  status: number,
  body: unknown,
): Promise<AnsweredCall> {
  const { callId } = identity
  const row = await requireCall(deps.db, callId)
  if (row.answer_state !== 'open') return row
  const answer = checkOutput(operation, body)
  await transaction(deps.db, async (tx) => {
    await claimGrant(tx, callId, callId)
    await answerCall(callId, callId, status, answer).run(tx)
  })
  return requireCall(deps.db, callId)
}
