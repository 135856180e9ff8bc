import type { Kysely } from 'kysely'
import type { KeyRings } from '../keys/key-ring.ts'
import { type ReceiptView, receiptView } from '../keys/receipt-view.ts'
import type { Tx } from '../store/postgres/db.ts'
import { issueReceipt, type ReceiptSigner } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'

/** What signs and stores artifacts and decisions of the authority. */
export type AuthorityDeps = {
  readonly db: Kysely<Database>
  readonly keys: Pick<KeyRings, 'authority'>
  readonly signReceipt: ReceiptSigner
  /** The issuer of receipts. */
  readonly issuer: string
  /** The issuer of mandates, grants and actions. */
  readonly origin: string
  readonly environment: string
}

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
