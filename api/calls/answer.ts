import { refuse } from '#domain/core/errors.ts'
import { waitPreference } from '#domain/core/preference.ts'
import { type AnsweredCall, requireCall } from '../../activities/store/calls/calls.ts'
import { markDelivered } from '../../activities/store/calls/undelivered.ts'
import { findPayment } from '../../activities/store/payments/payments.ts'
import type { CallAnswer } from '../context.ts'
import type { Reply } from '../operation.ts'
import type { CallExecution } from './call.ts'
import { bodyOf, checkOutput, contextOf } from './handle.ts'
import { settleCall } from './settlement.ts'

/** The answer in the call's row; a `replayed` one goes out as it was stored, unless it is given once. */
export async function answerStored(
  call: CallExecution,
  row: AnsweredCall,
  { replayed }: { replayed: boolean },
): Promise<CallAnswer> {
  if (row.answer === null || row.status === null) throw new Error('a final call has no answer')
  const { refuseRepeat } = call.operation
  if (replayed && refuseRepeat !== undefined) throw refuseRepeat(row.answer)
  const headers = await paymentHeaders(call, row)
  const answer = (await call.operation.reveal?.(row.answer, contextOf(call, false))) ?? row.answer
  if (!replayed) return { status: row.status, headers, body: checkOutput(call.operation, answer) }
  return {
    status: row.status,
    headers: { ...headers, 'Idempotent-Replayed': 'true' },
    body: answer,
  }
}

/** The answer of a read, which is worked out each time and sent once the read is paid for. */
export async function answerRead(
  call: CallExecution,
  reply: Reply<unknown>,
  { paid }: { paid: boolean },
): Promise<CallAnswer> {
  const { deps, operation } = call
  const { status = operation.status[0], body: read } = bodyOf(operation, reply)
  const body = checkOutput(operation, read)
  if (!paid) return { status, ...(await waitForChange(call, body, {})) }
  const row = await settleCall(call, await requireCall(deps.db, call.identity.callId))
  // A granted read is final. This one is open, so it was given up.
  if (row.answer_state === 'open') throw givenUp()
  const headers = await paymentHeaders(call, row)
  const answer = { status, ...(await waitForChange(call, body, headers)) }
  if (row.funding === 'payment' && !(await markDelivered(deps.db, row.call_id))) throw givenUp()
  return answer
}

/** A granted read may wait for the next change: `Prefer: wait` (RFC 7240). No transaction is open meanwhile. */
async function waitForChange(
  call: CallExecution,
  read: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<{ headers: Record<string, string>; body: Record<string, unknown> }> {
  const { next } = call.operation
  const seconds = next === undefined ? undefined : waitPreference(call.request.headers['prefer'])
  if (next === undefined || seconds === undefined) return { headers, body: read }
  const changed = await next(call.input, contextOf(call, false), { read, ms: seconds * 1000 })
  return {
    headers: { ...headers, 'Preference-Applied': `wait=${seconds}` },
    body: checkOutput(call.operation, changed),
  }
}

const givenUp = () =>
  refuse('wallet_proof_expired', {
    detail: 'the call was given up before its answer left; a charge that settled is a credit',
    next_action: 'Sign a new call; a credit pays for it.',
  })

async function paymentHeaders(
  { deps }: CallExecution,
  row: AnsweredCall,
): Promise<Record<string, string>> {
  if (row.funding !== 'payment' || row.payment_id === null) return {}
  const payment = await findPayment(deps.db, row.payment_id)
  return payment?.state === 'settled' ? deps.offers.paymentResponse(payment) : {}
}
