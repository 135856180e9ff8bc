import type { Refusal } from '../domain/core/errors.ts'
import type { PayoutState } from '../domain/payouts/payout.ts'
import type { TransferStatus } from '../domain/payouts/transfer-status.ts'

/** What the workflow knows of a payout: enough to go on from any state and to tell an operator what it waits for. */
export type PayoutSnapshot = {
  payoutId: string
  state: PayoutState
  creator: string
  recipient: string
  amountUsdc: string
  usage: string
  environment: string
  expiresAt: number | null
  transfer: TransferStatus | 'none'
  transactionHash: string | null
  parked: string | null
  exception: string | null
  /** Code of an open exception of reconciliation, which stops nothing; told when the payout is loaded. */
  difference?: string | null
  receipts: { kind: string; receiptId: string }[]
  /** How long an untouched payout of this state is kept open before the run closes; the row stays. */
  idleMs: number
}

/** A step of one call, whose input stands in the call's row: update arguments are history. */
export type StepInput = { payoutId: string; callId: string }
export type StepResult = { ok: true; snapshot: PayoutSnapshot } | { ok: false; refusal: Refusal }
/** What a caller is told of its step; the payout stands in Postgres, and its history keeps no second copy of the snapshot. */
export type StepAnswer = { ok: true } | { ok: false; refusal: Refusal }

/** Short durable steps, run as local activities. Each is one transaction and may run twice. */
export interface PayoutSteps {
  loadPayout(payoutId: string): Promise<PayoutSnapshot | null>
  createPayout(input: StepInput): Promise<StepResult>
  authorizePayout(input: StepInput): Promise<StepResult>
  reserveTransfer(input: StepInput): Promise<StepResult>
}

/** Steps that speak to the chain; regular activities, each may run twice. */
export interface TransferSteps {
  /** Stores a raw transaction before it is broadcast, or re-broadcasts the stored one; parks with a reason where it cannot. */
  submitTransfer(payoutId: string): Promise<PayoutSnapshot>
  /** Looks at the chain for a while and records what is proven there. */
  confirmTransfer(payoutId: string): Promise<PayoutSnapshot>
}

/** The only step that needs the payout wallet's key; on its own task queue. */
export interface SigningSteps {
  signTransfer(payoutId: string): Promise<void>
}
