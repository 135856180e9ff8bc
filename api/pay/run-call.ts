import {
  type AnsweredCall,
  answerCall,
  answerTold,
  claimGrant,
  dropCallLease,
  findCall,
  releaseCall,
  requireCall,
} from '../../activities/store/calls.ts'
import { transaction } from '../../activities/store/db.ts'
import { findPayment } from '../../activities/store/payments.ts'
import { send } from '../../activities/store/pipeline.ts'
import { markDelivered } from '../../activities/store/undelivered.ts'
import { DomainError, errorCodes, refuse } from '../../workflows/domain/errors.ts'
import { waitPreference } from '../../workflows/domain/preference.ts'
import type { CallAnswer } from '../context.ts'
import type { AnyOperation, Reply } from '../operation.ts'
import type { Run } from './run.ts'
import { settleBefore, settleDone, toldOfFee } from './settlement.ts'
import { takeTurn, takeTurnAgain } from './turn.ts'

/** Runs a call whose effect or charge must happen once: a repeat gets the stored answer or joins, one caller leads. */
export async function runCall(run: Run): Promise<CallAnswer> {
  const { call, deps } = run
  const until = performance.now() + deps.config.UPDATE_WAIT_MS
  const read = () => handle(run)
  for (let turn = await takeTurn(run, read); ; turn = await takeTurnAgain(run, read)) {
    switch (turn.kind) {
      case 'answered':
        return answerRead(run, turn.reply, turn.paid)
      case 'replay':
        return storedAnswer(run, turn.row, true)
      case 'run':
        return await handled(run)
      case 'settle':
        await settleDone(run, turn.row)
        break
      case 'lead': {
        const answer = await lead(run, turn.paid, until)
        if (answer !== undefined) return answer
        break
      }
      case 'wait':
        if (performance.now() >= until) throw stillRunning()
        await deps.changes.wait(call.callId, 250)
    }
  }
}

const handle = (run: Run, leads = false) => run.operation.handle(run.input, contextOf(run, leads))

const contextOf = ({ deps, caller, call, request }: Run, leads: boolean) =>
  deps.context({ caller, callId: call.callId, leads, requestId: request.requestId, sent: request })

const stillRunning = () =>
  refuse('idempotency_in_flight', 'the same call is still running', 'Repeat the call; it joins.', {
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })

/** Leads a granted call; undefined when the grant was given up meanwhile and the call has to be granted again. */
async function lead(run: Run, paid: boolean, until: number): Promise<CallAnswer | undefined> {
  const { deps, call, operation, input } = run
  let begun = operation.charge === 'after'
  try {
    if (!begun) {
      await operation.precondition?.(input, contextOf(run, true), paid)
      begun = true
      if (paid) await settleBefore(run)
    }
    return await handled(run, true)
  } catch (error) {
    const refusal = error instanceof DomainError ? error.refusal : undefined
    if (refusal?.code === 'grant_released' && performance.now() < until) return undefined
    // Only a proven refusal gives the grant up, such as one before something was begun: after anything else the effect may
    // still run, and a retry has to join it.
    const proven =
      refusal !== undefined && (!begun || errorCodes[refusal.code].status < 500 || refusal.code === 'paused')
    const released = proven && (await transaction(deps.db, (tx) => releaseCall(tx, call.callId)))
    if (!released) await dropCallLease(deps.db, call.callId, run.holder).catch(() => undefined)
    if (refusal === undefined) throw error
    // What could not be given up has run meanwhile, sent by whoever led before.
    throw await toldOfFee(run, proven && !released ? { ...refusal, money_moved: 'unknown' } : refusal)
  }
}

/** Handles and answers: a 202 is worked out again each time, a final answer is stored and settled first. */
async function handled(run: Run, leads = false): Promise<CallAnswer> {
  const { operation, call, deps } = run
  const handling = handle(run, leads)
  const answered = operation.keepsInput ? await answeredFirst(run, handling) : undefined
  const reply = answered === undefined ? await handling : {}
  if (operation.idempotency.kind === 'read') return answerRead(run, reply, true)
  const status = reply.status ?? operation.status[0]
  if (status === 202) {
    if (reply.grantUsed !== true) await dropCallLease(deps.db, call.callId, run.holder)
    return { status, headers: reply.headers ?? {}, body: checkOutput(operation, reply.body) }
  }
  const row =
    answered ??
    (reply.body === undefined ? await requireCall(deps.db, call.callId) : await finished(run, status, reply.body))
  const settled = await settleDone(run, row)
  return storedAnswer(run, settled, false)
}

/**
 * The call as a workflow's step has answered it, unless `handling` ends first: that transaction is the effect, and what Temporal
 * notes of it afterwards keeps nobody waiting.
 */
async function answeredFirst({ call, deps }: Run, handling: Promise<unknown>): Promise<AnsweredCall | undefined> {
  const ended = handling.then(
    () => null,
    () => null,
  )
  for (;;) {
    const told = await Promise.race([ended, deps.changes.told(call.callId, 500)])
    if (told === null) return undefined
    // Nothing is read that nobody told of: what is not told, or not read because Postgres does not answer, `handling` finds out.
    if (told === undefined) continue
    const row = answerTold(call.callId, told) ?? (await findCall(deps.db, call.callId).catch(() => undefined))
    if (row !== undefined && row.answer_state !== 'open') return row
  }
}

/** A read is answered afresh each time, once it is paid for. */
async function answerRead(run: Run, reply: Reply<unknown>, paid: boolean): Promise<CallAnswer> {
  const status = reply.status ?? run.operation.status[0]
  const body = checkOutput(run.operation, reply.body)
  if (!paid) return { status, ...(await preferred(run, body, {})) }
  const row = await settleDone(run, await requireCall(run.deps.db, run.call.callId))
  // A read that is granted has its answer: this one was given up meanwhile.
  if (row.answer_state === 'open') throw tooLate()
  const answer = { status, ...(await preferred(run, body, await paymentHeaders(run, row))) }
  if (row.funding === 'payment' && !(await markDelivered(run.deps.db, row.call_id))) throw tooLate()
  return answer
}

/** A granted read may wait for the next change: `Prefer: wait` (RFC 7240). No transaction is open meanwhile. */
async function preferred(
  run: Run,
  read: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<{ headers: Record<string, string>; body: Record<string, unknown> }> {
  const { next } = run.operation
  const seconds = next === undefined ? undefined : waitPreference(run.request.headers['prefer'])
  if (next === undefined || seconds === undefined) return { headers, body: read }
  const body = checkOutput(run.operation, await next(run.input, contextOf(run, false), { read, ms: seconds * 1000 }))
  return { headers: { ...headers, 'Preference-Applied': `wait=${seconds}` }, body }
}

const tooLate = () =>
  refuse(
    'wallet_proof_expired',
    'the call was given up before its answer left; a charge that settled is a credit',
    'Sign a new call; a credit pays for it.',
  )

/** The call with its answer; effects outside a workflow have it written here, together with the use of the grant. */
async function finished({ operation, call, deps }: Run, status: number, body: unknown): Promise<AnsweredCall> {
  const row = await requireCall(deps.db, call.callId)
  if (row.answer_state !== 'open') return row
  const answer = checkOutput(operation, body)
  await transaction(deps.db, async (tx) => {
    await claimGrant(tx, call.callId, call.callId)
    await send(tx, answerCall(call.callId, call.callId, status, answer))
  })
  return requireCall(deps.db, call.callId)
}

async function storedAnswer(run: Run, row: AnsweredCall, replayed: boolean): Promise<CallAnswer> {
  if (row.answer === null || row.status === null) throw new Error('a final call has no answer')
  const headers = await paymentHeaders(run, row)
  if (replayed) headers['Idempotent-Replayed'] = 'true'
  const answer = (await run.operation.reveal?.(row.answer, contextOf(run, false))) ?? row.answer
  return { status: row.status, headers, body: replayed ? answer : checkOutput(run.operation, answer) }
}

async function paymentHeaders({ deps }: Run, row: AnsweredCall): Promise<Record<string, string>> {
  if (row.funding !== 'payment' || row.payment_id === null) return {}
  const payment = await findPayment(deps.db, row.payment_id)
  return payment?.state === 'settled' ? deps.offers.paymentResponse(payment) : {}
}

/** The second guard of every answer: what the schema does not describe is not sent. */
export function checkOutput(operation: AnyOperation, body: unknown): Record<string, unknown> {
  const checked = operation.output.safeParse(body)
  if (!checked.success)
    throw new Error(`the answer of ${operation.id} does not fit its schema: ${checked.error.message}`)
  return checked.data as Record<string, unknown>
}
