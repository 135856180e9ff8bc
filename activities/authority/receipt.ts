import { type ReceiptView, receiptView } from '../keys/receipt-view.ts'
import { appendReceipt } from '../store/payouts/receipts.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { AuthorityDeps } from './deps.ts'

type AuthorityReceipt = {
  subject: string
  kind: 'mandate' | 'mandate_revoked' | 'grant' | 'authority_decision' | 'delegated_action'
  facts: Record<string, unknown>
  nowSeconds: number
}

/** Signs and stores a receipt of the authority in the caller's transaction. */
export async function writeAuthorityReceipt(
  { environment, issuer, signReceipt }: AuthorityDeps,
  tx: Tx,
  { subject, kind, facts, nowSeconds }: AuthorityReceipt,
): Promise<ReceiptView> {
  const receipt = { subject, kind, facts, usage: 'operational', environment, issuer }
  return receiptView(await appendReceipt(tx, signReceipt, receipt, Math.floor(nowSeconds)))
}
