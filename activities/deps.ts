import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { PayoutAuthority } from './authorization.ts'
import type { Canary } from './canary.ts'
import type { TokenAuthorization } from './chain/authorization.ts'
import type { Chain } from './chain/client.ts'
import type { SubmitterLane } from './chain/lane.ts'
import type { Outcome, SeenIn } from './chain/outcome.ts'
import type { Preflight } from './chain/preflight.ts'
import type { Floor } from './floor.ts'
import type { SigningOrder } from './signing-rules.ts'
import type { ReceiptSigner } from './store/receipts.ts'
import type { Database } from './store/schema.ts'
import type { Settler } from './x402/settler.ts'

type Address = `0x${string}`

/** The facts of the rail that activities need, worked out once from the configuration. */
export type Rail = {
  readonly asset: Address
  readonly payoutWallet: Address
  readonly environment: 'local' | 'live'
  /** `{base_url}/api/trust-contract`, the `iss` of every receipt. */
  readonly issuer: string
  readonly createdLifeMs: number
  readonly executeLifeSecondsMin: number
  readonly confirmWindowMs: number
  readonly transferGas: bigint
}

/** A signature, or why the signer withholds it; `dailyCapAtomic` is the signer's own. */
export type Signing = { readonly signature: `0x${string}` } | { readonly withheld: string }
export type Signer = { readonly dailyCapAtomic: bigint; sign(order: SigningOrder): Promise<Signing> }

/** What the activities of payouts and payments touch of the world. */
export type Deps = {
  readonly db: Kysely<Database>
  readonly log: Logger
  readonly rail: Rail
  readonly signReceipt: ReceiptSigner
  readonly authority: PayoutAuthority
  readonly floor: Floor
  readonly canary: Canary | undefined
  readonly chain: Pick<Chain, 'head' | 'news'>
  readonly preflight: (authorization: TokenAuthorization, signature: `0x${string}`) => Promise<Preflight>
  readonly findOutcome: (authorization: TokenAuthorization, fromBlock: bigint, seenIn?: SeenIn) => Promise<Outcome>
  readonly lane: SubmitterLane
  readonly settler: Settler
}
