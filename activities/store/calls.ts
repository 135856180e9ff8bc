import { type Selectable, sql } from 'kysely'
import { refuse } from '../../workflows/domain/errors.ts'
import { limits } from '../../workflows/domain/limits.ts'
import type { Tx } from './db.ts'
import { notifyChanged } from './notify.ts'
import type { CallsTable } from './schema.ts'

export type CallRow = Selectable<CallsTable>
/** What identifies a call and what a grant of it is bound to. */
export type CallIdentity = {
  callId: string
  caller: string
  operation: string
  key: string
  fingerprint: string
  path: string
  proof: { wallet: string; nonce: string; bodySha256: string } | null
}
export type Funding = { kind: 'none' | 'free' } | { kind: 'payment' | 'credit'; paymentId: string }
export type Lease = { holder: string; ms: number }

const leaseEnd = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`

export async function findCall(tx: Tx, callId: string): Promise<CallRow | undefined> {
  return tx.selectFrom('calls').selectAll().where('call_id', '=', callId).executeTakeFirst()
}

/** The row of a call that was granted. */
export async function requireCall(tx: Tx, callId: string): Promise<CallRow> {
  return tx.selectFrom('calls').selectAll().where('call_id', '=', callId).executeTakeFirstOrThrow()
}

/** Serialises everything that counts a wallet's grants; held until the transaction ends. */
export async function lockCaller(tx: Tx, caller: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`caller:${caller}`}, 0))`.execute(tx)
}

/** Free calls left in the rolling window; the caller holds `lockCaller`, which makes the count exact. */
export async function freeCallsLeft(tx: Tx, caller: string): Promise<number> {
  const row = await tx
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<string>().as('used'))
    .where('caller', '=', caller)
    .where('funding', '=', 'free')
    .where('grant_state', '<>', 'released')
    .where('granted_at', '>', sql<Date>`clock_timestamp() - ${limits.freeWindowSeconds} * interval '1 second'`)
    .executeTakeFirstOrThrow()
  return Math.max(0, limits.freeCallsPerWindow - Number(row.used))
}

/** Grants a call that has no live row: uses up the proof nonce and writes the row with its funding and the caller's lease. */
export async function grantCall(tx: Tx, call: CallIdentity, funding: Funding, lease: Lease): Promise<void> {
  const granted = {
    fingerprint: call.fingerprint,
    grant_state: 'open' as const,
    answer_state: 'open' as const,
    funding: funding.kind,
    payment_id: 'paymentId' in funding ? funding.paymentId : null,
    proof_nonce: call.proof?.nonce ?? null,
    path: call.path,
    body_sha256: call.proof?.bodySha256 ?? null,
    lease_holder: lease.holder,
    lease_until: leaseEnd(lease.ms),
    granted_at: sql<Date>`clock_timestamp()`,
  }
  const written = await tx
    .insertInto('calls')
    .values({ call_id: call.callId, caller: call.caller, operation: call.operation, key: call.key, ...granted })
    .onConflict((conflict) =>
      conflict.column('call_id').doUpdateSet(granted).where('calls.grant_state', '=', 'released'),
    )
    .returning('call_id')
    .executeTakeFirst()
  if (written === undefined) throw new Error('a live call was granted twice: the caller lock was not held')
  if (call.proof !== null) await consumeProof(tx, call, call.proof)
}

async function consumeProof(tx: Tx, call: CallIdentity, proof: NonNullable<CallIdentity['proof']>): Promise<void> {
  const row = {
    wallet: proof.wallet,
    nonce: proof.nonce,
    path: call.path,
    body_sha256: proof.bodySha256,
    call_id: call.callId,
  }
  const inserted = await tx
    .insertInto('proof_nonces')
    .values(row)
    .onConflict((conflict) => conflict.columns(['wallet', 'nonce']).doNothing())
    .returning('call_id')
    .executeTakeFirst()
  if (inserted !== undefined) return
  const used = await tx
    .selectFrom('proof_nonces')
    .selectAll()
    .where('wallet', '=', proof.wallet)
    .where('nonce', '=', proof.nonce)
    .executeTakeFirstOrThrow()
  if (used.call_id !== call.callId || used.body_sha256 !== proof.bodySha256 || used.path !== call.path)
    throw replayedProof()
}

/** Whether this proof nonce was used up by another body or path; for calls that join and consume nothing. */
export async function assertProofUnused(tx: Tx, call: CallIdentity): Promise<void> {
  if (call.proof === null) return
  const used = await tx
    .selectFrom('proof_nonces')
    .select(['path', 'body_sha256'])
    .where('wallet', '=', call.proof.wallet)
    .where('nonce', '=', call.proof.nonce)
    .executeTakeFirst()
  if (used !== undefined && (used.path !== call.path || used.body_sha256 !== call.proof.bodySha256))
    throw replayedProof()
}

const replayedProof = () =>
  refuse(
    'wallet_proof_replayed',
    'the proof nonce was used for another path or body',
    'Sign a new proof with a fresh nonce.',
  )

/** Takes over an open call whose holder's lease has lapsed; false when somebody else is working on it. */
export async function takeCallLease(tx: Tx, callId: string, lease: Lease): Promise<boolean> {
  const taken = await tx
    .updateTable('calls')
    .set({ lease_holder: lease.holder, lease_until: leaseEnd(lease.ms) })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'open')
    .where((or) =>
      or.or([
        or('lease_until', 'is', null),
        or('lease_until', '<', sql<Date>`clock_timestamp()`),
        or('lease_holder', '=', lease.holder),
      ]),
    )
    .returning('call_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Lets a joiner take over at once, after a call that ended without a final answer. */
export async function dropCallLease(tx: Tx, callId: string, holder: string): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ lease_until: null })
    .where('call_id', '=', callId)
    .where('lease_holder', '=', holder)
    .execute()
  await notifyChanged(tx, callId)
}

/**
 * The effect's own transaction claims its grant: it locks the row and refuses with `grant_released` unless it is still open.
 * A grant that this effect used before is accepted again, because every effect may run twice.
 */
export async function claimGrant(tx: Tx, callId: string, subject: string): Promise<void> {
  const row = await tx
    .selectFrom('calls')
    .select(['grant_state', 'subject'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || row.grant_state === 'released' || (row.grant_state === 'used' && row.subject !== subject)) {
    throw refuse('grant_released', 'the call was given up before its effect ran', 'Repeat the call.', {
      money_moved: 'no',
      retry_after_ms: 100,
    })
  }
  if (row.grant_state === 'open') {
    await tx.updateTable('calls').set({ grant_state: 'used', subject }).where('call_id', '=', callId).execute()
  }
}

/**
 * Stores the first final answer of a call whose grant is used, and hands its payment over to settlement.
 * The answer is `final` at once unless a payment is still to be settled for it.
 */
export async function finishCall(
  tx: Tx,
  callId: string,
  status: number,
  answer: Record<string, unknown>,
): Promise<void> {
  const finished = await tx
    .updateTable('calls')
    .set({
      status,
      answer: JSON.stringify(answer) as never,
      finished_at: sql<Date>`clock_timestamp()`,
      answer_state: sql`case when payment_id is null or exists (select 1 from payments p where p.payment_id = calls.payment_id and p.state = 'settled') then 'final' else 'done' end`,
    })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'used')
    .where('answer_state', '=', 'open')
    .returning('payment_id')
    .executeTakeFirst()
  if (finished?.payment_id != null) {
    await tx
      .updateTable('payments')
      .set({ state: 'settling', changed_at: sql<Date>`clock_timestamp()` })
      .where('payment_id', '=', finished.payment_id)
      .where('state', '=', 'claimed')
      .execute()
  }
  await notifyChanged(tx, callId)
}

/**
 * Gives a call up before its effect: `open → released`. The free slot, the proof nonce and the payment are usable again;
 * a payment that is settled already becomes one call credit. False when the effect has run, or its payment may still settle.
 */
export async function releaseCall(tx: Tx, callId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('calls')
    .select(['grant_state', 'payment_id'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || row.grant_state !== 'open') return false
  return undoGrant(tx, callId, row.payment_id)
}

/** Undoes a grant whose effect is proven to have come to nothing, such as a transfer that died: the fee becomes a credit. */
export async function refundCall(tx: Tx, callId: string): Promise<void> {
  const row = await tx
    .selectFrom('calls')
    .select(['answer_state', 'payment_id'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  if (row !== undefined && row.answer_state === 'open') await undoGrant(tx, callId, row.payment_id)
}

async function undoGrant(tx: Tx, callId: string, paymentId: string | null): Promise<boolean> {
  if (paymentId !== null && !(await freePayment(tx, paymentId))) return false
  await tx.deleteFrom('proof_nonces').where('call_id', '=', callId).execute()
  await tx
    .updateTable('calls')
    .set({ grant_state: 'released', lease_until: null, funding: 'none', payment_id: null })
    .where('call_id', '=', callId)
    .execute()
  await notifyChanged(tx, callId)
  return true
}

/** A claimed payment can be presented again, a settled one becomes a credit; one that may settle is not free. */
async function freePayment(tx: Tx, paymentId: string): Promise<boolean> {
  const payment = await tx
    .selectFrom('payments')
    .select('state')
    .where('payment_id', '=', paymentId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (payment.state === 'settling' || payment.state === 'pending') return false
  const freed =
    payment.state === 'settled'
      ? { credit: 'available' as const }
      : payment.state === 'claimed'
        ? { state: 'released' as const }
        : {}
  await tx
    .updateTable('payments')
    .set({ ...freed, call_id: null, changed_at: sql<Date>`clock_timestamp()` })
    .where('payment_id', '=', paymentId)
    .execute()
  return true
}

/** Open calls whose process died: their lease lapsed at least `graceMs` ago. */
export async function listAbandonedCalls(tx: Tx, graceMs: number, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('calls')
    .select('call_id')
    .where('grant_state', '=', 'open')
    .where(sql<boolean>`coalesce(lease_until, granted_at) < clock_timestamp() - ${graceMs} * interval '1 millisecond'`)
    .limit(most)
    .execute()
  return rows.map((row) => row.call_id)
}
