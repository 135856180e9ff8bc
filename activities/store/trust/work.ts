import { NETWORK } from '#domain/core/limits.ts'
import { type Work, type WorkFacts, workId } from '#domain/trust/work.ts'
import type { Tx } from '../postgres/db.ts'

/** What the rows prove about this work of this wallet; undefined where they prove nothing. */
export function findWork(tx: Tx, wallet: string, work: Work): Promise<WorkFacts | undefined> {
  return work.kind === 'wallet_free_call'
    ? findFreeCall(tx, wallet, work.nonce)
    : findSettledPayment(tx, wallet, work.payment_id)
}

/** What the call behind this work was about, where it left something. */
export async function findWorkSubject(
  tx: Tx,
  wallet: string,
  work: Work,
): Promise<string | undefined> {
  const calls = tx.selectFrom('calls').select('calls.subject')
  const row =
    work.kind === 'wallet_free_call'
      ? await calls
          .where('caller', '=', `wallet:${wallet}`)
          .where('proof_nonce', '=', work.nonce)
          .executeTakeFirst()
      : await calls
          .innerJoin('payments', 'payments.call_id', 'calls.call_id')
          .where('payments.payment_id', '=', work.payment_id)
          .where('payer', '=', wallet)
          .executeTakeFirst()
  return row?.subject ?? undefined
}

/** Several items at once, by their `workId`; those that nothing proves are absent. */
export async function findAllWork(
  tx: Tx,
  wallet: string,
  items: readonly Work[],
): Promise<Map<string, WorkFacts>> {
  const found = await Promise.all(items.map((work) => findWork(tx, wallet, work)))
  return new Map(
    items.flatMap((work, index) => {
      const facts = found[index]
      return facts === undefined ? [] : [[workId(work), facts]]
    }),
  )
}

/** A free call that this wallet proved with this nonce and that succeeded. */
async function findFreeCall(tx: Tx, wallet: string, nonce: string): Promise<WorkFacts | undefined> {
  const call = await tx
    .selectFrom('calls')
    .select(['operation', 'path', 'body_sha256', 'status', 'finished_at'])
    .where('caller', '=', `wallet:${wallet}`)
    .where('proof_nonce', '=', nonce)
    .where('funding', '=', 'free')
    .where('grant_state', '=', 'used')
    .where('answer_state', '=', 'final')
    .executeTakeFirst()
  if (call === undefined) return undefined
  const { operation, path, body_sha256, status } = call
  const at = secondsOf(call.finished_at)
  return { outcome: 'succeeded', operation, path, body_sha256, status, at, payment: null }
}

/** A settled payment that this wallet signed; one whose call is still running is not there yet. */
async function findSettledPayment(
  tx: Tx,
  wallet: string,
  paymentId: string,
): Promise<WorkFacts | undefined> {
  const row = await tx
    .selectFrom('payments')
    .leftJoin('calls', 'calls.call_id', 'payments.call_id')
    .select(['payments.payment_id', 'asset', 'payer', 'pay_to', 'amount_atomic'])
    .select(['transaction_hash', 'block_number', 'changed_at'])
    .select(['operation', 'path', 'body_sha256', 'status', 'finished_at', 'answer_state'])
    .where('payments.payment_id', '=', paymentId)
    .where('payer', '=', wallet)
    .where('state', '=', 'settled')
    .executeTakeFirst()
  if (row === undefined || row.transaction_hash === null) return undefined
  if (row.answer_state !== null && row.answer_state !== 'final') return undefined
  const { operation, path, body_sha256, status } = row
  return {
    outcome: 'settled',
    operation,
    path,
    body_sha256,
    status,
    at: secondsOf(row.finished_at ?? row.changed_at),
    payment: {
      payment_id: row.payment_id,
      network: NETWORK,
      asset: row.asset,
      payer: row.payer,
      pay_to: row.pay_to,
      amount_atomic: row.amount_atomic,
      transaction_hash: row.transaction_hash,
      block_number: Number(row.block_number),
    },
  }
}

const secondsOf = (time: Date | null): number => Math.floor((time?.getTime() ?? 0) / 1000)
