import {
  type AnsweredCall,
  answerCall,
  claimGrant,
  dropCallLease,
  findCall,
  requireCall,
} from '../../activities/store/calls/calls.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { CallAnswer } from '../context.ts'
import { answeredByWorkflow, keptOf, type Reply } from '../operation.ts'
import type { AdmittedCall, CallExecution } from './call.ts'
import { bodyOf, checkOutput, contextOf, contextWith, handle } from './handle.ts'

/** What a call ended with: an answer in its row, the reply of a read, or a 202, which is not stored: each repeat works it out again. */
export type Ran =
  | { kind: 'stored'; row: AnsweredCall }
  | { kind: 'read'; reply: Reply<unknown> }
  | { kind: 'accepted'; answer: CallAnswer }

/** Runs a call that needs no row; nothing is settled after it. The answer says what was counted. */
export async function runPlain(
  call: AdmittedCall,
  counted: CallAnswer['headers'],
): Promise<CallAnswer> {
  const { operation, input } = call
  const reply = bodyOf(operation, await operation.handle(input, contextWith(call, '', true)))
  const { status = operation.status[0], headers, body } = reply
  return { status, headers: { ...counted, ...headers }, body: checkOutput(operation, body) }
}

/** Refuses a granted call before anything begins. */
export async function assertRunnable(call: CallExecution, paid: boolean): Promise<void> {
  await call.operation.precondition?.(call.input, contextOf(call, true), paid)
}

/** Handles a granted call, checks its answer and stores it; `leads` says that no other attempt has begun the effect. */
export async function run(call: CallExecution, { leads }: { leads: boolean }): Promise<Ran> {
  const { operation, identity, deps, holder } = call
  const handling = handle(call, leads)
  const stored = keptOf(operation).keepsInput ? await storedFirst(call, handling) : undefined
  const reply = stored === undefined ? await handling : answeredByWorkflow
  if (operation.idempotency.kind === 'read') return { kind: 'read', reply }
  if ('answeredBy' in reply)
    return { kind: 'stored', row: stored ?? (await requireCall(deps.db, identity.callId)) }
  const { status = operation.status[0], headers = {}, body } = reply
  if (status !== 202) return { kind: 'stored', row: await storeAnswer(call, status, body) }
  if (reply.grantUsed !== true) await dropCallLease(deps.db, identity.callId, holder)
  return { kind: 'accepted', answer: { status, headers, body: checkOutput(operation, body) } }
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
