import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Environment } from '#domain/core/environment.ts'
import type { Chain } from '../chain/client.ts'
import type { GasWalletQueue } from '../chain/gas-wallet-queue.ts'
import type { FindOutcome } from '../chain/outcome.ts'
import type { CheckTransfer } from '../chain/preflight.ts'
import type { ReceiptSigner } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'
import type { PayoutAuthority } from './authorization.ts'
import type { Canary } from './canary-settings.ts'
import type { MinimumBalance } from './minimum-balance.ts'
import type { SigningOrder } from './signing-rules.ts'

type Address = `0x${string}`

/** The facts of the rail, computed once from the configuration. */
export type Rail = {
  readonly asset: Address
  readonly payoutWallet: Address
  readonly environment: Environment
  /** `{base_url}/api/trust-contract`, the `iss` of every receipt. */
  readonly issuer: string
  readonly createdLifeMs: number
  readonly executeLifeSecondsMin: number
  readonly confirmWindowMs: number
  readonly transferGas: bigint
}

/** A signature, or the reason why the signer withholds it. */
type Signing = { readonly signature: `0x${string}` } | { readonly withheld: string }
export type Signer = {
  readonly dailyCapAtomic: bigint
  sign(order: SigningOrder): Promise<Signing>
}

/** The dependencies of payout activities. */
export type Deps = {
  readonly db: Kysely<Database>
  readonly log: Logger
  readonly rail: Rail
  readonly signReceipt: ReceiptSigner
  readonly authority: PayoutAuthority
  readonly minimumBalance: MinimumBalance
  readonly canary: Canary | undefined
  readonly chain: Pick<Chain, 'head' | 'news'>
  readonly preflight: CheckTransfer
  readonly findOutcome: FindOutcome
  readonly gasWalletQueue: GasWalletQueue
  /** Tries once to start the delivery of a stored callback, and never fails. */
  readonly startCallback: (deliveryId: string) => Promise<void>
}
