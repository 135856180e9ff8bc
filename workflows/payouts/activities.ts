import type { PayoutState } from '#domain/payouts/payout-state.ts'
import type { TransferStatus } from '#domain/payouts/transfer-status.ts'

/** The facts of a payout that its workflow needs to continue from any state and to show what it waits for. */
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
  /** Code of an open exception of reconciliation, which stops nothing; only a load reads it. */
  difference?: string | null
  receipts: { kind: string; receiptId: string }[]
  /** How long the run of an unchanged payout stays open in this state; the row remains. */
  idleMs: number
}

/** A step of one call. Its input is in the row of the call, because update arguments are stored in the history. */
export type StepInput = { payoutId: string; callId: string }
export type StepResult = { ok: true; snapshot: PayoutSnapshot } | { ok: false }
/** Whether a step was refused; the payout, and why it was refused, are read from the rows. */
export type StepAnswer = { ok: boolean }

/** Short durable steps, run as local activities. Each is one transaction and may run twice. */
export interface PayoutSteps {
  loadPayout(payoutId: string): Promise<PayoutSnapshot | null>
  createPayout(input: StepInput): Promise<StepResult>
  authorizePayout(input: StepInput): Promise<StepResult>
  reserveTransfer(input: StepInput): Promise<StepResult>
}

/** Steps that use the chain; regular activities, each may run twice. */
export interface TransferSteps {
  /** Stores a raw transaction and broadcasts it, or broadcasts the stored one again; parks with a reason if that is impossible. */
  submitTransfer(payoutId: string): Promise<PayoutSnapshot>
  /** Watches the chain for a limited time and records what it proves. */
  confirmTransfer(payoutId: string): Promise<PayoutSnapshot>
}

/** The only step that needs the key of the payout wallet; on a separate task queue. */
export interface SigningSteps {
  signTransfer(payoutId: string): Promise<void>
}
