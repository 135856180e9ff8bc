import { type ReceiptView, receiptView } from '../keys/receipt-view.ts'
import type { Tx } from '../store/postgres/db.ts'
import { issueReceipt } from '../store/receipts/receipts.ts'
import type { AuthorityDeps } from './deps.ts'

type AuthorityReceipt = {
  subject: string
  kind: 'mandate' | 'mandate_revoked' | 'grant' | 'authority_decision' | 'delegated_action'
  facts: Record<string, unknown>
  nowSeconds: number
  /** Operational unless it is about a payout, whose label it has. */
  usage?: string
}

/** Signs and stores a receipt of the authority in the caller's transaction. */
export async function writeAuthorityReceipt(
  deps: AuthorityDeps,
  tx: Tx,
  receipt: AuthorityReceipt,
): Promise<ReceiptView> {
  return receiptView(await issueReceipt(deps, tx, { usage: 'operational', ...receipt }))
}
