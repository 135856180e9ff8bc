import type { Kysely } from 'kysely'
import type { CallbackHosts } from '../../../activities/callbacks/hosts.ts'
import type { DerivedTokens } from '../../../activities/keys/derived-tokens.ts'
import type { ReceiptSigner } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

/** Who issues the receipts of acts on agents, and under which name. */
export type Issuing = { issuer: string; environment: string; signReceipt: ReceiptSigner }

/** What registration, handshake and status touch of the world. */
export type AgentDeps = Issuing & {
  db: Kysely<Database>
  baseUrl: string
  tokens: DerivedTokens
  callbackHosts: CallbackHosts
}
