import type { Kysely } from 'kysely'
import type { Chain } from '../chain/client.ts'
import type { FindOutcome } from '../chain/outcome.ts'
import type { Database } from '../store/schema/schema.ts'
import type { Settler } from './settler.ts'

/** What the steps of x402 payments need. */
export type PaymentDeps = {
  readonly db: Kysely<Database>
  readonly chain: Pick<Chain, 'news'>
  readonly findOutcome: FindOutcome
  readonly settler: Settler
  readonly confirmWindowMs: number
}
