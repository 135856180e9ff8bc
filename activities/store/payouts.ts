import { type Selectable, sql } from 'kysely'
import { type PayoutFacts, type PayoutView, payoutView } from '../../workflows/domain/payout.ts'
import type { Tx } from './db.ts'
import { listReceipts, type ReceiptRow } from './receipts.ts'
import type { PayoutsTable, TransfersTable } from './schema.ts'

export type PayoutRow = Selectable<PayoutsTable>
export type TransferRow = Selectable<TransfersTable>
export type PayoutRecord = { payout: PayoutRow; transfer: TransferRow | undefined; receipts: ReceiptRow[] }
export type NewPayout = Pick<
  PayoutFacts,
  | 'payout_id'
  | 'creator'
  | 'recipient'
  | 'amount_atomic'
  | 'memo'
  | 'rail_reference'
  | 'usage'
  | 'asset'
  | 'payout_wallet'
  | 'terms_sha256'
> & { idempotency_key: string }

/** The row, locked for the rest of the transaction. */
export async function lockPayout(tx: Tx, payoutId: string): Promise<PayoutRow | undefined> {
  return tx.selectFrom('payouts').selectAll().where('payout_id', '=', payoutId).forUpdate().executeTakeFirst()
}

/** A payout with its transfer and receipts, without locking. */
export async function readPayout(tx: Tx, payoutId: string): Promise<PayoutRecord | undefined> {
  const payout = await tx.selectFrom('payouts').selectAll().where('payout_id', '=', payoutId).executeTakeFirst()
  if (payout === undefined) return undefined
  const transfer = await findTransfer(tx, payoutId)
  return { payout, transfer, receipts: await listReceipts(tx, payoutId) }
}

/** A payout that is there. */
export async function requirePayout(tx: Tx, payoutId: string): Promise<PayoutRecord> {
  const record = await readPayout(tx, payoutId)
  if (record === undefined) throw new Error(`payout ${payoutId} is not there`)
  return record
}

export async function findTransfer(tx: Tx, payoutId: string): Promise<TransferRow | undefined> {
  return tx.selectFrom('transfers').selectAll().where('payout_id', '=', payoutId).executeTakeFirst()
}

/** Inserts a payout as `created`; returns the row that is there, which is an earlier one when it existed already. */
export async function insertPayout(tx: Tx, payout: NewPayout): Promise<{ row: PayoutRow; inserted: boolean }> {
  const inserted = await tx
    .insertInto('payouts')
    .values({ ...payout, state: 'created' })
    .onConflict((conflict) => conflict.column('payout_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted !== undefined) return { row: inserted, inserted: true }
  const row = await lockPayout(tx, payout.payout_id)
  if (row === undefined) throw new Error('a payout that conflicts on insert is not there')
  return { row, inserted: false }
}

export type Authorization = { expiresAt: number; idempotencyKey: string; fingerprint: string; mandateRef: string }

/** `created → authorized`; undefined when the row is in another state. */
export async function markAuthorized(
  tx: Tx,
  payoutId: string,
  authorization: Authorization,
): Promise<PayoutRow | undefined> {
  return tx
    .updateTable('payouts')
    .set({
      state: 'authorized',
      authorized_at: sql<Date>`clock_timestamp()`,
      expires_at: String(authorization.expiresAt),
      authorize_idempotency_key: authorization.idempotencyKey,
      authorize_fingerprint: authorization.fingerprint,
      mandate_ref: authorization.mandateRef,
    })
    .where('payout_id', '=', payoutId)
    .where('state', '=', 'created')
    .returningAll()
    .executeTakeFirst()
}

/** `authorized → executed`; undefined when the row is in another state. */
export async function markExecuted(tx: Tx, payoutId: string): Promise<PayoutRow | undefined> {
  return tx
    .updateTable('payouts')
    .set({ state: 'executed', executed_at: sql<Date>`clock_timestamp()` })
    .where('payout_id', '=', payoutId)
    .where('state', '=', 'authorized')
    .returningAll()
    .executeTakeFirst()
}

export type PayoutAnswerBody = { payout: PayoutView; receipt: string | null; receipts: string[] }

/** The answer body of every payout operation (payout.md, Answer body). */
export function payoutAnswer(record: PayoutRecord, environment: 'local' | 'live'): PayoutAnswerBody {
  const receipts = record.receipts.map((row) => row.jws)
  return { payout: payoutView(record.payout, record.transfer, environment), receipt: receipts.at(-1) ?? null, receipts }
}
