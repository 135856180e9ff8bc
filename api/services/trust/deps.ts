import type { Kysely } from 'kysely'
import type { Environment } from '#domain/core/environment.ts'
import type { Hex } from '#domain/core/ids.ts'
import type { ReadPaymentEvidence } from '../../../activities/chain/payment-evidence.ts'
import type { ReceiptSigner, Signer } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { ReceiptService } from '../receipts/verification.ts'

/** What the trust operations need. */
export type TrustDeps = {
  readonly db: Kysely<Database>
  readonly issuer: string
  readonly environment: Environment
  readonly asset: Hex
  readonly signReceipt: ReceiptSigner
  readonly signPassport: Signer<Record<string, unknown>>
  readonly signPack: Signer<Record<string, unknown>>
  readonly receipts: Pick<ReceiptService, 'verify'>
  /** The time of the newest block in Unix seconds. */
  readonly chainTime: () => Promise<number>
  readonly paymentEvidence: ReadPaymentEvidence
}
