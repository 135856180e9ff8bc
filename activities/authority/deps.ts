import type { Kysely } from 'kysely'
import type { KeyRings } from '../keys/key-ring.ts'
import type { ReceiptSigner } from '../store/receipts/receipts.ts'
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
