import type { Kysely } from 'kysely'
import type { Environment } from '#domain/core/environment.ts'
import type { FeeSettings } from '#domain/credit/fees.ts'
import type { CallbackHosts } from '../callbacks/hosts.ts'
import type { ReceiptSigner, Signer } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'

/** The dependencies of the activities of tasks and runs. */
export type TaskDeps = {
  readonly db: Kysely<Database>
  readonly environment: Environment
  /** `{base_url}/api/trust-contract`, the `iss` of every receipt. */
  readonly issuer: string
  readonly signReceipt: ReceiptSigner
  /** Signs the claims of a return package's completion. */
  readonly signCompletion: Signer<Record<string, unknown>>
  readonly callbackHosts: CallbackHosts
  /** The configured model and its host, which drafts apart from the result; null: none. */
  readonly model: string | null
  /** The commercial fees. */
  readonly fees: FeeSettings
  readonly runsAtOnce: { readonly agent: number; readonly rail: number }
}
