import type { Kysely } from 'kysely'
import type { Hex } from '#domain/core/ids.ts'
import type { RunUsage } from '#domain/core/usage.ts'
import type { Chain } from '../chain/client.ts'
import type { Offers } from '../payments/offers.ts'
import type { PayoutAuthority } from '../payouts/authorization.ts'
import type { Tx } from '../store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'

/** The dependencies of the confirmation of payments. */
export type MoneyDeps = ReceiptIssuer & {
  readonly db: Kysely<Database>
  readonly authority: PayoutAuthority
  readonly chain: Pick<Chain, 'views' | 'head'>
  readonly offers: Pick<
    Offers,
    'asset' | 'requirements' | 'paymentRequired' | 'readPayment' | 'verify'
  >
  /** The address that receives stablecoin payments, lowercase. */
  readonly payTo: Hex
}

/** Receipts that move credit (a settlement receipt funds, a usage receipt consumes), and receipts that move none. */
type MoneyReceiptKind =
  | 'settlement_receipt'
  | 'usage_receipt'
  | 'credit_return'
  | 'refund'
  | 'refund_failed'
  | 'fee'
  | 'intake'
  | 'control_change'

/** The contents of a money receipt; `usage` is `synthetic` for sandbox credit. */
export type MoneyReceipt = {
  subject: string
  kind: MoneyReceiptKind
  usage?: RunUsage
  facts: Record<string, unknown>
  /** Its date, by default the current time of the database. */
  nowSeconds?: number
}

/** Signs and stores the receipt of a movement in the caller's transaction; returns its JWS. */
export async function writeMoneyReceipt(
  deps: ReceiptIssuer,
  tx: Tx,
  { usage = 'operational', facts, ...receipt }: MoneyReceipt,
): Promise<string> {
  return issueReceipt(deps, tx, { ...receipt, usage, facts: { ...facts, currency: 'usd' } })
}
