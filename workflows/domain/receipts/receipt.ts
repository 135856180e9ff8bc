import { CHAIN_ID, NETWORK } from '../core/limits.ts'
import { formatUsdc } from '../core/money.ts'
import type { PayoutFacts, TransferFacts } from '../payouts/payout.ts'

export const RECEIPT_TYP = 'receipt+jwt'

export type PayoutReceiptKind =
  | 'payout_created'
  | 'payout_authorized'
  | 'payout_executed'
  | 'payout_final'
  | 'payout_dead'
  | 'payout_voided'

/** The claims that every receipt carries, in addition to the facts of its kind. */
export type ReceiptClaims = {
  iss: string
  iat: number
  sub: string
  kind: string
  usage: string
  environment: string
  prev: string | null
  [fact: string]: unknown
}

/**
 * What lets the signer verify what it is asked to sign: the receipt before it, the principal’s signature of a payout, and for a checkpoint
 * the proof that its tree begins with the one of `from` leaves (RFC 9162 §2.1.4; base64url).
 */
export type SignProof = {
  readonly previous?: string
  readonly principal?: { readonly signature: string; readonly idempotency_key: string }
  readonly consistency?: { readonly from: number; readonly path: readonly string[] }
}

const finality: Partial<Record<PayoutReceiptKind, string>> = {
  payout_executed: 'included',
  payout_final: 'finalized',
}

/** What a payout receipt says beyond the standing claims. */
export function payoutReceiptFacts(
  kind: PayoutReceiptKind,
  row: PayoutFacts,
  transfer: TransferFacts | undefined,
): Record<string, unknown> {
  const confirmed = transfer?.status === 'included' || transfer?.status === 'final'
  const closed = kind === 'payout_dead' || kind === 'payout_voided'
  return {
    payout_id: row.payout_id,
    state: row.state,
    creator: row.creator,
    recipient: row.recipient,
    amount_usdc: formatUsdc(BigInt(row.amount_atomic)),
    amount_atomic: row.amount_atomic,
    network: NETWORK,
    chain_id: CHAIN_ID,
    asset: row.asset,
    payout_wallet: row.payout_wallet,
    terms_sha256: row.terms_sha256,
    ...(row.mandate_ref === null ? {} : { mandate_ref: row.mandate_ref }),
    ...(row.expires_at === null ? {} : { expires_at: Number(row.expires_at) }),
    ...(transfer === undefined ? {} : { authorization_nonce: transfer.nonce }),
    ...(confirmed
      ? { transaction_hash: transfer.transaction_hash, block_number: Number(transfer.block_number) }
      : {}),
    ...(finality[kind] === undefined ? {} : { finality: finality[kind] }),
    ...(closed ? { money_moved: 'no' } : {}),
  }
}

/** Where a receipt stands in the transparency log; a sample is `exempt`, and `not_checked` is one that was not looked up. */
export const logStates = ['included', 'pending', 'absent', 'exempt', 'not_checked'] as const
export type LogState = (typeof logStates)[number]
