import { type Selectable, sql } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { releaseUnpaid } from '../calls/calls.ts'
import { notifyChanged } from '../postgres/changes.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import { type FinalizedBlock, insertOnce, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

/** A payment, with the end of the last verified window of its nonce in Unix seconds. */
export type PaymentRow = Selectable<Database['payments']> & { last_valid_before: string }
export type PaymentClaim = {
  paymentId: string
  asset: string
  payer: string
  nonce: string
  payTo: string
  value: bigint
  validAfter: bigint
  validBefore: bigint
  signature: string
  requirements: Record<string, unknown>
  proofWallet: string
  fromBlock: bigint
}
/** Where the transfer is on chain; `blockTime` in Unix seconds. */
export type Inclusion = {
  transactionHash: string
  blockNumber: bigint
  blockHash: string
  blockTime: bigint
}

export async function findPayment(tx: Tx, paymentId: string): Promise<PaymentRow | undefined> {
  return tx
    .selectFrom('payments')
    .selectAll()
    .select(lastValidBefore)
    .where('payment_id', '=', paymentId)
    .executeTakeFirst()
}

/** The signed payment that was presented for the credit of a quote and that counts or may still count. */
export async function findPaymentOfQuote(tx: Tx, quoteId: string): Promise<PaymentRow | undefined> {
  return tx
    .selectFrom('payments')
    .innerJoin('payment_references', 'payment_references.external_reference', 'payments.payment_id')
    .innerJoin('entitlements', 'entitlements.entitlement_id', 'payment_references.entitlement_id')
    .selectAll('payments')
    .select(lastValidBefore)
    .where('entitlements.quote_id', '=', quoteId)
    .where('payment_references.method', 'in', ['x402_reference', 'ap2_mandate_reference'])
    .where('payment_references.state', 'not in', ['rejected', 'expired'])
    .executeTakeFirst()
}

export const lastValidBefore =
  sql<string>`greatest(payments.valid_before, (select max(s.valid_before) from payment_signatures s
  where s.payment_id = payments.payment_id))`.as('last_valid_before')

/** Stores a verified signature with its window. Any process may send it while the window is open. */
export async function keepSignature(
  tx: Tx,
  { paymentId, signature, validAfter, validBefore, value, payTo }: PaymentClaim,
): Promise<void> {
  await insertOnce(tx, 'payment_signatures', {
    payment_id: paymentId,
    signature,
    valid_after: validAfter.toString(),
    valid_before: validBefore.toString(),
    amount_atomic: value.toString(),
    pay_to: payTo,
  })
}

/**
 * Binds a payment to one call permanently, by a unique insert. Any other call is refused with 409
 * `payment_already_used`. A released payment can be claimed again, with the terms and within the window of its newest
 * signature.
 */
export async function claimPayment(
  tx: Tx,
  claim: PaymentClaim,
  callId: string,
  state: 'claimed' | 'settling',
): Promise<void> {
  const bound = {
    pay_to: claim.payTo,
    amount_atomic: claim.value.toString(),
    valid_after: claim.validAfter.toString(),
    valid_before: claim.validBefore.toString(),
    requirements: JSON.stringify(claim.requirements) as never,
    proof_wallet: claim.proofWallet,
    call_id: callId,
    state,
    signature: claim.signature,
  }
  await keepSignature(tx, claim)
  const claimed = await tx
    .insertInto('payments')
    .values({
      payment_id: claim.paymentId,
      asset: claim.asset,
      payer: claim.payer,
      authorization_nonce: claim.nonce,
      from_block: claim.fromBlock.toString(),
      ...bound,
    })
    .onConflict((conflict) =>
      conflict
        .column('payment_id')
        .doUpdateSet({ ...bound, changed_at: now })
        .where('payments.state', '=', 'released'),
    )
    .returning('payment_id')
    .executeTakeFirst()
    .catch(refuseTaken)
  if (claimed === undefined) throw paymentAlreadyUsed()
}

/**
 * With two concurrent claims, the second may violate the constraint of the authorization first, which no conflict
 * clause covers.
 */
function refuseTaken(error: unknown): never {
  const taken = error instanceof Error && 'code' in error && error.code === '23505'
  throw taken ? paymentAlreadyUsed() : error
}

export const paymentAlreadyUsed = () =>
  refuse('payment_already_used', {
    detail: 'the payment authorization was used for another call',
    next_action: 'Sign a new payment for this call.',
  })

/** `claimed → settling`, for calls that settle before their effect. */
export async function startSettling(tx: Tx, paymentId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ state: 'settling', changed_at: now })
    .where('payment_id', '=', paymentId)
    .where('state', '=', 'claimed')
    .execute()
}

/** Replaces the payment of a call whose first payment is proven to have failed. The effect does not run again. */
export async function replaceFailedPayment(
  tx: Tx,
  callId: string,
  paymentId: string,
): Promise<boolean> {
  const replaced = await tx
    .updateTable('calls')
    .set({ payment_id: paymentId })
    .where('call_id', '=', callId)
    .where('answer_state', '=', 'done')
    .where(
      sql<boolean>`exists (select 1 from payments p where p.payment_id = calls.payment_id and p.state = 'failed')`,
    )
    .returning('call_id')
    .executeTakeFirst()
  return replaced !== undefined
}

/** Locks the call before its payment, as a release does. The opposite order could deadlock. */
const lockCallOf = prepared(
  (_, paymentId: string) => sql`select 1 from calls where payment_id = ${paymentId} for update`,
)

/**
 * Records that the transfer is on chain at the configured depth: `settled`. The withheld answer of the call becomes
 * final.
 */
export async function recordSettled(
  tx: Tx,
  paymentId: string,
  inclusion: Inclusion,
): Promise<void> {
  await lockCallOf(paymentId).run(tx)
  await tx
    .updateTable('payments')
    .set({
      state: 'settled',
      transaction_hash: inclusion.transactionHash,
      block_number: inclusion.blockNumber.toString(),
      block_hash: inclusion.blockHash,
      settled_at: new Date(Number(inclusion.blockTime) * 1000),
      failure: null,
      changed_at: now,
    })
    .where('payment_id', '=', paymentId)
    .where('state', 'in', ['settling', 'pending', 'settled'])
    .execute()
  const finals = await tx
    .updateTable('calls')
    .set({ answer_state: 'final' })
    .where('payment_id', '=', paymentId)
    .where('answer_state', '=', 'done')
    .returning('call_id')
    .execute()
  for (const { call_id } of finals) await notifyChanged(tx, call_id)
  await notifyChanged(tx, paymentId)
}

/** Moves the payment from `settling` to `pending` with the known cause. Its outcome is still unknown. */
export async function recordPending(tx: Tx, paymentId: string, failure: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ state: 'pending', failure, changed_at: now })
    .where('payment_id', '=', paymentId)
    .where('state', 'in', ['settling', 'pending'])
    .execute()
}

/** Moves the payment from `settled` to `settling`, because its block vanished. It is sent and confirmed again. */
export async function recordVanished(tx: Tx, paymentId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ state: 'settling', changed_at: now })
    .where('payment_id', '=', paymentId)
    .where('state', '=', 'settled')
    .execute()
}

/** Records `failed`: a finalized block proves that the authorization was never used and never can be. */
export async function recordFailed(
  tx: Tx,
  paymentId: string,
  { failure, finalizedBlock }: { failure: string; finalizedBlock: FinalizedBlock },
): Promise<void> {
  await lockCallOf(paymentId).run(tx)
  const failed = await tx
    .updateTable('payments')
    .set({
      state: 'failed',
      failure,
      failed_block_number: finalizedBlock.number.toString(),
      failed_block_hash: finalizedBlock.hash,
      failed_block_time: new Date(Number(finalizedBlock.timestamp) * 1000),
      credit: 'none',
      changed_at: now,
    })
    .where('payment_id', '=', paymentId)
    .where('state', 'in', ['settling', 'pending'])
    .returning('call_id')
    .executeTakeFirst()
  if (failed?.call_id != null) {
    await releaseUnpaid(tx, failed.call_id)
    await notifyChanged(tx, failed.call_id)
  }
  await notifyChanged(tx, paymentId)
}

/**
 * Whether the creator has an earlier call on this payout that is done but whose charge is not settled. Such a payout
 * takes no further step.
 */
export async function hasUnsettledCharge(tx: Tx, payoutId: string): Promise<boolean> {
  return (await selectUncharged(payoutId).run(tx)).length > 0
}

/** Returns one row if there is such a call, otherwise none. */
export const unchargedOf = (payoutId: string) => sql`select 1 from calls
  where caller = (select 'wallet:' || creator from payouts where payout_id = ${payoutId})
    and subject = ${payoutId} and answer_state = 'done' and operation <> 'payout-status' limit 1`

const selectUncharged = prepared((_, payoutId: string) => unchargedOf(payoutId))

/** Records that the settling block is final. The payment needs no further step. */
export async function recordFinalized(tx: Tx, paymentId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ finalized: true, changed_at: now })
    .where('payment_id', '=', paymentId)
    .where('state', '=', 'settled')
    .execute()
}

/** Whether a wallet ever paid for a call. */
export async function hasPaid(tx: Tx, wallet: string): Promise<boolean> {
  const [paid] = await selectPaid(wallet).run(tx)
  return paid !== undefined
}

const selectPaid = prepared((tx, wallet: string) =>
  tx
    .selectFrom('payments')
    .select('payment_id')
    .where('proof_wallet', '=', wallet)
    .where('state', '=', 'settled')
    .limit(1),
)
