import { sql } from 'kysely'
import { limits } from '#domain/core/limits.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import { undoGrant } from './calls.ts'

/** After this age no proof of a call is accepted, so its answer can no longer be requested. */
const PROOF_SECONDS = limits.proofAgeSecondsMax + limits.proofAheadSecondsMax

/** A paid read whose answer was never delivered and can no longer be requested. */
export const isUndelivered =
  sql.raw(`c.funding = 'payment' and c.answer_state = 'final' and c.subject = c.call_id
  and c.delivered_at is null and c.granted_at < clock_timestamp() - ${PROOF_SECONDS} * interval '1 second'`)

/**
 * Records that a paid answer is being sent to its caller. Returns false if its charge has become a credit; the answer
 * must then not be sent.
 */
export async function markDelivered(tx: Tx, callId: string): Promise<boolean> {
  return (await deliver(callId).run(tx)).length > 0
}

const deliver = prepared(
  (
    _,
    callId: string,
  ) => sql`update calls set delivered_at = coalesce(delivered_at, clock_timestamp())
    where call_id = ${callId} and grant_state <> 'released' returning call_id`,
)

/**
 * Turns the charge of an undelivered paid answer into one call credit, under the caller's lock. Returns the payment
 * of the credit, or undefined if there is none.
 */
export async function creditUndelivered(tx: Tx, callId: string): Promise<string | undefined> {
  const { rows } = await sql<{ payment_id: string }>`
    select c.payment_id from calls c join payments p using (payment_id)
    where c.call_id = ${callId} and ${isUndelivered} and p.state = 'settled' for update of c`.execute(
    tx,
  )
  const payment = rows[0]?.payment_id
  return payment !== undefined && (await undoGrant(tx, callId, payment)) ? payment : undefined
}

/** Callers with such charges, each with one such call. */
export async function listUndelivered(
  tx: Tx,
  most: number,
): Promise<{ caller: string; call_id: string }[]> {
  const { rows } = await sql<{ caller: string; call_id: string }>`
    select c.caller, min(c.call_id) as call_id from calls c join payments p using (payment_id)
    where ${isUndelivered} and p.state = 'settled' group by c.caller limit ${most}`.execute(tx)
  return rows
}
