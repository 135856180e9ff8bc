import type { Kysely } from 'kysely'
import type { Hex } from '../../workflows/domain/ids.ts'
import type { PayoutAuthority } from '../authorization.ts'
import type { Chain } from '../chain/client.ts'
import type { Tx } from '../store/db.ts'
import { appendReceipt, type ReceiptSigner } from '../store/receipts.ts'
import type { Database } from '../store/schema.ts'
import type { Offers } from '../x402/offers.ts'

/** What a movement of credit needs: who signs its receipt. */
export type ReceiptIssuer = {
  readonly signReceipt: ReceiptSigner
  /** `{base_url}/api/trust-contract`. */
  readonly issuer: string
  readonly environment: string
}

/** What the confirmation of payments touches of the world. */
export type MoneyDeps = ReceiptIssuer & {
  readonly db: Kysely<Database>
  readonly authority: PayoutAuthority
  readonly chain: Pick<Chain, 'views' | 'head'>
  readonly offers: Pick<Offers, 'asset' | 'requirements' | 'paymentRequired' | 'readPayment' | 'verify'>
  /** Where stablecoins are paid to, lowercase. */
  readonly payTo: Hex
}

/** Kinds of receipts under which credit moves: a settlement receipt funds, a usage receipt consumes; and those of what moves none. */
export type MoneyReceiptKind =
  | 'settlement_receipt'
  | 'usage_receipt'
  | 'credit_return'
  | 'refund'
  | 'intake'
  | 'control_change'

/** What a receipt of money says; `synthetic` where the credit is the sandbox's. */
export type MoneyReceipt = {
  subject: string
  kind: MoneyReceiptKind
  usage?: 'synthetic' | 'operational'
  facts: Record<string, unknown>
}

/** Signs and stores the receipt of an act in its transaction, at this time in Unix seconds; returns its JWS. */
export function writeMoneyReceipt(
  { signReceipt, issuer, environment }: ReceiptIssuer,
  tx: Tx,
  { usage = 'operational', facts, ...about }: MoneyReceipt,
  seconds: number,
): Promise<string> {
  const receipt = { ...about, usage, environment, issuer, facts: { ...facts, currency: 'usd' } }
  return appendReceipt(tx, signReceipt, receipt, Math.floor(seconds))
}
