import { digestOf, sha256Hex } from '../../workflows/domain/canonical-json.ts'
import { receiptId } from '../../workflows/domain/ids.ts'
import type { ReceiptClaims } from '../../workflows/domain/receipt.ts'
import type { Tx } from './db.ts'

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
}
/** Signs claims into a compact JWS with the active receipt key. */
export type ReceiptSigner = (claims: ReceiptClaims) => { jws: string; kid: string }

/**
 * Appends a receipt to its subject's chain and returns its JWS; a second receipt of one kind returns the first.
 * The caller holds the subject's row lock, so that two appends never see the same predecessor.
 */
export async function appendReceipt(tx: Tx, sign: ReceiptSigner, receipt: NewReceipt, iat: number): Promise<string> {
  const earlier = await listReceipts(tx, receipt.subject)
  const same = earlier.find((row) => row.kind === receipt.kind)
  if (same !== undefined) return same.jws
  const last = earlier.at(-1)
  const prev = last === undefined ? null : sha256Hex(last.jws)
  const { issuer, facts, subject, ...claims } = receipt
  const payload: ReceiptClaims = { iss: issuer, iat, sub: subject, ...claims, prev, ...facts }
  const { jws, kid } = sign(payload)
  await tx
    .insertInto('receipts')
    .values({
      receipt_id: receiptId(jws),
      subject,
      seq: earlier.length,
      kind: receipt.kind,
      jws,
      prev,
      kid,
      payload_sha256: digestOf(payload),
    })
    .execute()
  return jws
}

/** All receipts of a subject, oldest first. */
export async function listReceipts(tx: Tx, subject: string): Promise<ReceiptRow[]> {
  return tx
    .selectFrom('receipts')
    .select(['receipt_id', 'subject', 'seq', 'kind', 'jws', 'kid', 'issued_at'])
    .where('subject', '=', subject)
    .orderBy('seq')
    .execute()
}

export async function findReceipt(
  tx: Tx,
  by: { receipt_id: string } | { payload_sha256: string },
): Promise<ReceiptRow | undefined> {
  const query = tx.selectFrom('receipts').select(['receipt_id', 'subject', 'seq', 'kind', 'jws', 'kid', 'issued_at'])
  return 'receipt_id' in by
    ? query.where('receipt_id', '=', by.receipt_id).executeTakeFirst()
    : query.where('payload_sha256', '=', by.payload_sha256).executeTakeFirst()
}
