import type { Difference, DifferenceCode } from '../core/difference.ts'
import type { TransferStatus } from '../payouts/transfer-status.ts'

/** One ERC-20 transfer in the logs; `nonce` is that of the authorization that stands directly before it. Addresses lowercase. */
export type LoggedTransfer = {
  transactionHash: string
  logIndex: number
  blockNumber: string
  blockHash: string
  from: string
  to: string
  amountAtomic: string
  nonce: string | null
}
/** What the chain has under a transaction hash; `null` without a receipt in a canonical block, which alone proves nothing. */
export type LoggedTransaction = {
  blockHash: string
  blockTime: number
  transfers: LoggedTransfer[]
} | null
/** What became of an authorization, as far as a finalized block proves it; `open` is proven unused, `unproven` is neither. */
export type ProvenOutcome =
  | { kind: 'open' }
  | { kind: 'unproven'; reason: string }
  | { kind: 'dead'; reason: string }
  | { kind: 'paid' | 'conflict'; transactionHash: string }

type SeenPayout = { payoutId: string; state: string; facts: Record<string, unknown> }
export type SeenTransfer = {
  status: TransferStatus
  from: string
  to: string
  amountAtomic: string
  nonce: string
  transactionHash: string | null
  blockNumber: string | null
  blockHash: string | null
  /** Unix seconds. */
  blockTime: number | null
}
/** `status` is Temporal's, or NONE without a run; `view` is null where the run knows no payout, undefined without an answer. */
export type SeenWorkflow = {
  status: string
  view: { state: string; transfer: string } | null | undefined
}
export type SeenCall = { operation: string; grant: string; answer: string; funding: string }

export type PayoutFindings = {
  payout: SeenPayout
  transfer: SeenTransfer | null
  receipts: SeenReceipt[]
  /** The calls behind its steps; null if no wallet is charged for them. */
  calls: SeenCall[] | null
  /** Of a transfer that stands as included or final: what its transaction is on chain; `null` where its authorization is proven unused. */
  transaction: LoggedTransaction
  /** Of any other transfer: what became of its authorization. */
  outcome: ProvenOutcome | null
  /** Of a transfer under way. */
  workflow: SeenWorkflow | null
}

/** A receipt as stored; `payload` is null when its signature does not verify. */
export type SeenReceipt = {
  receiptId: string
  seq: number
  kind: string
  prev: string | null
  jws: string
  payload: Record<string, unknown> | null
}

/** Makes a difference of the subject at hand. */
export type MakeDifference = (code: DifferenceCode, stored: unknown, found: unknown) => Difference
