import type { Kysely } from 'kysely'
import type { CallbackHosts } from '../callbacks/hosts.ts'
import type { ReceiptSigner, Signer } from '../store/receipts.ts'
import type { Database } from '../store/schema.ts'

/** What the activities of tasks and runs touch of the world. */
export type TaskDeps = {
  readonly db: Kysely<Database>
  readonly environment: 'local' | 'live'
  /** `{base_url}/api/trust-contract`, the `iss` of every receipt. */
  readonly issuer: string
  readonly signReceipt: ReceiptSigner
  /** Signs the claims of a return package's completion. */
  readonly signCompletion: Signer<Record<string, unknown>>
  readonly callbackHosts: CallbackHosts
  readonly runsAtOnce: { readonly agent: number; readonly rail: number }
}
