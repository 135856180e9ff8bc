import { sql } from 'kysely'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { ReceiptClaims, SignProof } from '#domain/receipts/receipt.ts'
import { clockSeconds, type Tx } from '../postgres/db.ts'
import { prepared, preparedInsert, type Statement } from '../postgres/prepared.ts'
import { now } from '../postgres/rows.ts'
import type { TaskRow } from '../tasks/tasks.ts'

export type ReceiptRow = {
  receipt_id: string
  subject: string
  seq: number
  kind: string
  jws: string
  kid: string
  issued_at: Date
}
export type NewReceipt = {
  subject: string
  kind: string
  usage: string
  environment: string
  issuer: string
  facts: Record<string, unknown>
  /** What the treasury principal signed, for the signer alone. */
  principal?: SignProof['principal'] | undefined
}
/**
 * Signs claims as a compact JWS and names the key. Throws 503 if no key is active. `assertOurs` throws unless keys of ours signed these
 * stored receipts.
 */
export type Sign<Claims> = ((
  claims: Claims,
  proof?: SignProof,
) => Promise<{ jws: string; kid: string }>) & {
  assertOurs?(stored: readonly ReceiptRow[]): Promise<void>
}
/**
 * Prepares signing in a transaction. The key stays valid until the transaction ends. The read travels with the
 * statements before it.
 */
export type Signer<Claims> = (tx: Tx) => Promise<Sign<Claims>>
export type ReceiptSigner = Signer<ReceiptClaims>

/** Who issues receipts. */
export type ReceiptIssuer = {
  readonly signReceipt: ReceiptSigner
  /** `{base_url}/api/trust-contract`. */
  readonly issuer: string
  readonly environment: string
}

const insertReceipt = preparedInsert('receipts')

/**
 * Signs the next receipt of a subject's chain and returns it with the statement that stores it. The caller holds the
 * lock of the subject's row, so that two receipts never have the same predecessor. `iat` is in Unix seconds.
 */
export async function nextReceipt(
  earlier: readonly ReceiptRow[],
  sign: Sign<ReceiptClaims>,
  receipt: NewReceipt,
  iat: number,
): Promise<{ row: ReceiptRow; insert: Statement }> {
  await sign.assertOurs?.(earlier)
  const last = earlier.at(-1)
  const prev = last === undefined ? null : sha256Hex(last.jws)
  const { issuer, facts, subject, principal, ...claims } = receipt
  const payload: ReceiptClaims = { iss: issuer, iat, sub: subject, ...claims, prev, ...facts }
  const proof = {
    ...(last === undefined ? {} : { previous: last.jws }),
    ...(principal === undefined ? {} : { principal }),
  }
  const { jws, kid } = await sign(payload, proof)
  const row = {
    receipt_id: receiptId(jws),
    subject,
    seq: earlier.length,
    kind: receipt.kind,
    jws,
    kid,
  }
  const payload_sha256 = digestOf(payload)
  return {
    row: { ...row, issued_at: new Date(iat * 1000) },
    insert: insertReceipt({ ...row, prev, payload_sha256 }),
  }
}

/**
 * Appends a receipt to its subject's chain and returns its JWS. A second receipt of the same kind returns the first.
 */
export async function appendReceipt(
  tx: Tx,
  signer: ReceiptSigner,
  receipt: NewReceipt,
  iat: number,
): Promise<string> {
  const [earlier, sign] = await Promise.all([listReceipts(tx, receipt.subject), signer(tx)])
  const same = earlier.find((row) => row.kind === receipt.kind)
  if (same !== undefined) {
    await sign.assertOurs?.(earlier)
    return same.jws
  }
  const { row, insert } = await nextReceipt(earlier, sign, receipt, iat)
  await insert.run(tx)
  return row.jws
}

/** What a receipt says, and its date in Unix seconds, by default the current time of the database. */
type Issued = Omit<NewReceipt, 'issuer' | 'environment'> & { nowSeconds?: number | undefined }

/** Signs and stores the next receipt of a subject in the caller's transaction; returns its JWS, as `appendReceipt` does. */
export async function issueReceipt(
  { signReceipt, issuer, environment }: ReceiptIssuer,
  tx: Tx,
  { nowSeconds, ...said }: Issued,
): Promise<string> {
  const seconds = nowSeconds ?? (await clockSeconds(tx))
  return appendReceipt(tx, signReceipt, { ...said, issuer, environment }, Math.floor(seconds))
}

/** All receipts of a subject, oldest first. */
export async function listReceipts(tx: Tx, subject: string): Promise<ReceiptRow[]> {
  return selectReceipts(subject).run(tx)
}

const selectReceipts = prepared((tx, subject: string) =>
  tx
    .selectFrom('receipts')
    .select(['receipt_id', 'subject', 'seq', 'kind', 'jws', 'kid', 'issued_at'])
    .where('subject', '=', subject)
    .where('set_aside_at', 'is', null)
    .orderBy('seq'),
)

export async function findReceipt(
  tx: Tx,
  by: { receipt_id: string } | { payload_sha256: string },
): Promise<ReceiptRow | undefined> {
  const query = tx
    .selectFrom('receipts')
    .select(['receipt_id', 'subject', 'seq', 'kind', 'jws', 'kid', 'issued_at'])
    .where('set_aside_at', 'is', null)
  return 'receipt_id' in by
    ? query.where('receipt_id', '=', by.receipt_id).executeTakeFirst()
    : query.where('payload_sha256', '=', by.payload_sha256).executeTakeFirst()
}

/** Takes rows that no key of ours signed out of their chains; the genuine receipts can then be written. */
export async function setAside(tx: Tx, receiptIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('receipts')
    .set({ set_aside_at: now })
    .where('receipt_id', 'in', receiptIds)
    .where('set_aside_at', 'is', null)
    .execute()
}

/**
 * How many receipts a run has (Doc 1: intake, settlement, usage, attestations). The settlement receipt of a credit for several runs is
 * one of the first, and that of an order one of its first step.
 */
export async function countRunReceipts(
  tx: Tx,
  { task_id, run_id, contract_id }: Pick<TaskRow, 'task_id' | 'run_id' | 'contract_id'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from receipts
    where set_aside_at is null and kind in ('intake','settlement_receipt','usage_receipt','attestation')
      and (subject = any(array[${task_id}, ${run_id}, ${contract_id}]::text[])
        or subject = any(array(select work_order_id from work_order_tasks where task_id = ${task_id} and step = 1))
        or receipt_id = any(array(select usage_receipt_id from task_credits where task_id = ${task_id}))
        or receipt_id = any(array(select e.settlement_receipt_id
          from task_credits c join entitlements e using (entitlement_id)
          where c.task_id = ${task_id} and not exists (select from task_credits o
            where o.entitlement_id = c.entitlement_id and o.state <> 'released'
              and (o.created_at, o.task_id) < (c.created_at, c.task_id)))))`.execute(tx)
  return rows[0]?.count ?? 0
}
