import {
  type CallRow,
  claimGrant,
  dropCallLease,
  finishCall,
  releaseCall,
  requireCall,
} from '../../activities/store/calls.ts'
import { transaction } from '../../activities/store/db.ts'
import { findPayment } from '../../activities/store/payments.ts'
import { DomainError, errorCodes, refuse } from '../../workflows/domain/errors.ts'
import type { CallAnswer } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import type { Run } from './run.ts'
import { settleBefore, settleDone, toldOfFee } from './settlement.ts'
import { takeTurn } from './turn.ts'

/** Runs a call whose effect or charge must happen once: a repeat gets the stored answer or joins, one caller leads. */
export async function runCall(run: Run): Promise<CallAnswer> {
  const { call, deps } = run
  const until = performance.now() + deps.config.UPDATE_WAIT_MS
  for (;;) {
    const turn = await takeTurn(run)
    switch (turn.kind) {
      case 'replay':
        return storedAnswer(run, turn.row, true)
      case 'run':
        return await handled(run)
      case 'settle':
        await settleDone(run, turn.row)
        break
      case 'lead': {
        const answer = await lead(run, until)
        if (answer !== undefined) return answer
        break
      }
      case 'wait':
        if (performance.now() >= until) throw stillRunning()
        await deps.changes.wait(call.callId, 250)
    }
  }
}

const stillRunning = () =>
  refuse('idempotency_in_flight', 'the same call is still running', 'Repeat the call; it joins.', {
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })

/** Leads a granted call; undefined when the grant was given up meanwhile and the call has to be granted again. */
async function lead(run: Run, until: number): Promise<CallAnswer | undefined> {
  const { deps, call, operation, input, caller, request } = run
  let begun = operation.charge === 'after'
  try {
    if (!begun) {
      await operation.precondition?.(input, deps.context(caller, call.callId, request.requestId))
      begun = true
      await settleBefore(run)
    }
    return await handled(run)
  } catch (error) {
    const refusal = error instanceof DomainError ? error.refusal : undefined
    if (refusal?.code === 'grant_released' && performance.now() < until) return undefined
    // Only a proven refusal gives the grant up, such as one before something was begun: after anything else the effect may
    // still run, and a retry has to join it.
    const proven =
      refusal !== undefined && (!begun || errorCodes[refusal.code].status < 500 || refusal.code === 'paused')
    const released = proven && (await transaction(deps.db, (tx) => releaseCall(tx, call.callId)))
    if (!released) await dropCallLease(deps.db, call.callId, run.holder).catch(() => undefined)
    throw refusal === undefined ? error : await toldOfFee(run, refusal)
  }
}

/** Handles, checks the output, and answers: a 202 is worked out again each time, a final answer is stored and settled first. */
async function handled(run: Run): Promise<CallAnswer> {
  const { operation, input, caller, call, request, deps } = run
  const reply = await operation.handle(input, deps.context(caller, call.callId, request.requestId))
  const status = reply.status ?? operation.status[0]
  const body = checkOutput(operation, reply.body)
  if (status === 202) {
    await dropCallLease(deps.db, call.callId, run.holder)
    return { status, headers: {}, body }
  }
  const row = await settleDone(run, await finished(run, status, body))
  // A read is answered afresh each time; anything else gets the one answer that is stored.
  return operation.idempotency.kind === 'read'
    ? { status, headers: await paymentHeaders(run, row), body }
    : storedAnswer(run, row, false)
}

/** The call with its answer; effects outside a worker's transaction have it written here, together with the use of the grant. */
async function finished({ call, deps }: Run, status: number, body: Record<string, unknown>): Promise<CallRow> {
  const row = await requireCall(deps.db, call.callId)
  if (row.answer_state !== 'open') return row
  return transaction(deps.db, async (tx) => {
    await claimGrant(tx, call.callId, row.subject ?? call.callId)
    await finishCall(tx, call.callId, status, body)
    return requireCall(tx, call.callId)
  })
}

async function storedAnswer(run: Run, row: CallRow, replayed: boolean): Promise<CallAnswer> {
  if (row.answer === null || row.status === null) throw new Error('a final call has no answer')
  const headers = await paymentHeaders(run, row)
  if (replayed) headers['Idempotent-Replayed'] = 'true'
  return { status: row.status, headers, body: row.answer }
}

async function paymentHeaders({ deps }: Run, row: CallRow): Promise<Record<string, string>> {
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
