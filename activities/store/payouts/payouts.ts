import { type Selectable, sql } from 'kysely'
import type { Environment } from '#domain/core/environment.ts'
import { transferNonce } from '#domain/core/ids.ts'
import { type PayoutFacts, type PayoutView, payoutView } from '#domain/payouts/payout.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared, preparedInsert } from '../postgres/prepared.ts'
import { now } from '../postgres/rows.ts'
import type { ReceiptRow } from '../receipts/receipts.ts'
import type { Database } from '../schema/schema.ts'
import { revokedMandateOf } from './mandates.ts'

export type PayoutRow = Selectable<Database['payouts']>
export type TransferRow = Selectable<Database['transfers']>
export type PayoutRecord = {
  payout: PayoutRow
  transfer: TransferRow | undefined
  receipts: ReceiptRow[]
  /** Whether the mandate that authorized it is revoked. */
  revoked?: boolean
}
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

/** The columns of a transfer that its payout does not have. */
const transferColumns = [
  'nonce',
  'wallet',
  'valid_after',
  'valid_before',
  'signature',
  'status',
  'from_block',
  'transaction_hash',
  'block_number',
  'block_hash',
  'block_time',
  'confirmations',
  'parked',
  'exception',
  'call_id',
  'reserved_at',
  'changed_at',
] as const satisfies readonly Exclude<keyof Database['transfers'], keyof Database['payouts']>[]

type Joined = PayoutRow & { revoked: boolean } & {
  [Name in (typeof transferColumns)[number]]: TransferRow[Name] | null
} & {
  receipts: (Omit<ReceiptRow, 'issued_at'> & { issued_at: string })[]
}

/** A payout with its transfer and receipts in one consistent read, without a lock. */
export async function readPayout(tx: Tx, payoutId: string): Promise<PayoutRecord | undefined> {
  const [row] = await selectRecord(payoutId).run(tx)
  return row === undefined ? undefined : recordOf(row)
}

const selectRecord = prepared(
  (_, payoutId: string) =>
    sql<Joined>`select p.*, ${sql.join(transferColumns.map((name) => sql.ref(`t.${name}`)))},
      (select coalesce(json_agg(json_build_object('receipt_id', r.receipt_id, 'subject', r.subject, 'seq', r.seq, 'kind', r.kind,
        'jws', r.jws, 'kid', r.kid, 'issued_at', r.issued_at) order by r.seq), '[]') from receipts r where r.subject = p.payout_id and r.set_aside_at is null) as receipts,
      exists (${revokedMandateOf(sql`p.payout_id`)}) as revoked
      from payouts p left join transfers t on t.payout_id = p.payout_id where p.payout_id = ${payoutId}`,
)

function recordOf({ receipts, revoked, ...joined }: Joined): PayoutRecord {
  const transfer: Record<string, unknown> = {}
  const payout: Record<string, unknown> = { ...joined }
  for (const name of transferColumns) {
    transfer[name] = joined[name]
    delete payout[name]
  }
  const { payout_id, recipient, amount_atomic } = joined
  return {
    payout: payout as PayoutRow,
    transfer:
      joined.nonce === null
        ? undefined
        : ({ payout_id, recipient, amount_atomic, ...transfer } as TransferRow),
    receipts: receipts.map((receipt) => ({ ...receipt, issued_at: new Date(receipt.issued_at) })),
    revoked,
  }
}

const selectPayoutForUpdate = prepared((tx, payoutId: string) =>
  tx.selectFrom('payouts').selectAll().where('payout_id', '=', payoutId).forUpdate(),
)

/** The row, locked for the rest of the transaction. */
export async function lockPayout(tx: Tx, payoutId: string): Promise<PayoutRow | undefined> {
  const [row] = await selectPayoutForUpdate(payoutId).run(tx)
  return row
}

const lockRow = prepared(
  (_, payoutId: string) => sql`select 1 from payouts where payout_id = ${payoutId} for update`,
)

/** A payout with its transfer and receipts. Its row stays locked for the rest of the transaction. */
export async function lockPayoutRecord(
  tx: Tx,
  payoutId: string,
): Promise<PayoutRecord | undefined> {
  // Read after the lock in a separate statement: a statement that waits for a lock continues with its older snapshot.
  const [, record] = await Promise.all([lockRow(payoutId).run(tx), readPayout(tx, payoutId)])
  return record
}

/** An existing payout. */
export async function requirePayout(tx: Tx, payoutId: string): Promise<PayoutRecord> {
  const record = await readPayout(tx, payoutId)
  if (record === undefined) throw new Error(`payout ${payoutId} is not there`)
  return record
}

const selectTransfer = prepared((tx, payoutId: string) =>
  tx.selectFrom('transfers').selectAll().where('payout_id', '=', payoutId),
)

export async function findTransfer(tx: Tx, payoutId: string): Promise<TransferRow | undefined> {
  const [row] = await selectTransfer(payoutId).run(tx)
  return row
}

/** A new payout. */
export const createdPayout = (payout: NewPayout, createdAt: Date): PayoutRow => ({
  ...payout,
  state: 'created',
  created_at: createdAt,
  authorized_at: null,
  executed_at: null,
  expires_at: null,
  authorize_idempotency_key: null,
  authorize_fingerprint: null,
  mandate_ref: null,
  principal_signature: null,
  transfer_nonce: null,
})

/** A payout as it was created, whatever became of it. */
export const asCreated = ({ payout, receipts }: PayoutRecord): PayoutRecord => ({
  payout: createdPayout(payout, payout.created_at),
  transfer: undefined,
  receipts: receipts.slice(0, 1),
})

export const insertPayout = preparedInsert('payouts')

export type Authorization = {
  expiresAt: number
  idempotencyKey: string
  fingerprint: string
  mandateRef: string
  principalSignature: string | null
}

/** A locked payout after its authorization. */
export const authorizedPayout = (
  row: PayoutRow,
  authorization: Authorization,
  at: Date,
): PayoutRow => ({
  ...row,
  state: 'authorized',
  authorized_at: at,
  expires_at: String(authorization.expiresAt),
  authorize_idempotency_key: authorization.idempotencyKey,
  authorize_fingerprint: authorization.fingerprint,
  mandate_ref: authorization.mandateRef,
  principal_signature: authorization.principalSignature,
  transfer_nonce: transferNonce(row.asset, row.payout_id),
})

/** Moves the payout from `created` to `authorized` with the row that `authorizedPayout` returned. */
export const updateAuthorized = (row: PayoutRow) =>
  setAuthorized(
    row.payout_id,
    row.state,
    row.authorized_at,
    row.expires_at,
    row.authorize_idempotency_key,
    row.authorize_fingerprint,
    row.mandate_ref,
    row.principal_signature,
    row.transfer_nonce,
  )

const setAuthorized = prepared(
  (
    tx,
    payoutId: string,
    state: PayoutRow['state'],
    authorized_at: Date | null,
    expires_at: string | null,
    authorize_idempotency_key: string | null,
    authorize_fingerprint: string | null,
    mandate_ref: string | null,
    principal_signature: string | null,
    transfer_nonce: string | null,
  ) =>
    tx
      .updateTable('payouts')
      .set({
        state,
        authorized_at,
        expires_at,
        authorize_idempotency_key,
        authorize_fingerprint,
        mandate_ref,
        principal_signature,
        transfer_nonce,
      })
      .where('payout_id', '=', payoutId)
      .where('state', '=', 'created'),
)

/**
 * Payouts that their creator may still authorize or execute, newest first. A created one is open for `createdLifeMs`.
 */
export async function listWaitingPayouts(
  tx: Tx,
  createdLifeMs: number,
  most: number,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('payouts')
    .leftJoin('transfers', 'transfers.payout_id', 'payouts.payout_id')
    .select('payouts.payout_id')
    .where('transfers.payout_id', 'is', null)
    .where(({ eb, or }) =>
      or([
        eb('expires_at', '>', sql<string>`extract(epoch from clock_timestamp())::bigint`),
        eb('expires_at', 'is', null),
      ]),
    )
    .where('payouts.state', 'in', ['created', 'authorized'])
    .where(
      'payouts.created_at',
      '>',
      sql<Date>`clock_timestamp() - ${createdLifeMs} * interval '1 millisecond'`,
    )
    .orderBy('payouts.created_at', 'desc')
    .limit(most)
    .execute()
  return rows.map(({ payout_id }) => payout_id)
}

/** Moves the payout from `authorized` to `executed`. Returns undefined if the row is in another state. */
export async function markExecuted(tx: Tx, payoutId: string): Promise<PayoutRow | undefined> {
  return tx
    .updateTable('payouts')
    .set({ state: 'executed', executed_at: now })
    .where('payout_id', '=', payoutId)
    .where('state', '=', 'authorized')
    .returningAll()
    .executeTakeFirst()
}

export type PayoutAnswerBody = { payout: PayoutView; receipt: string | null; receipts: string[] }

const TAKEN_BACK =
  'Its mandate was revoked, and it cannot be executed. Create and authorize a new payout.'

/** The answer body of every payout operation; a read says when it is, for what has expired. */
export function payoutAnswer(
  record: PayoutRecord,
  environment: Environment,
  nowMs?: number,
): PayoutAnswerBody {
  const receipts = record.receipts.map((row) => row.jws)
  const payout = payoutView(record.payout, record.transfer, environment, nowMs)
  const isTakenBack = record.revoked === true && record.transfer === undefined
  return {
    payout: isTakenBack ? { ...payout, next_action: TAKEN_BACK } : payout,
    receipt: receipts.at(-1) ?? null,
    receipts,
  }
}
