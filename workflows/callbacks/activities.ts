import type { CallbackState } from '#domain/callbacks/callback.ts'

/** The facts of a delivery that its workflow knows. The URL stays out of history, because it may carry a secret. */
export type CallbackSnapshot = {
  deliveryId: string
  event: string
  host: string
  state: CallbackState
  open: boolean
  hostProven: boolean
  /** Time until the next attempt is due; 0 if it is due. */
  waitMs: number
  attempts: number
  failures: number
  lastFailure: string | null
}

/** Steps of one delivery. Each may run twice; the receiver recognizes a repeat by the id of the delivery. */
export interface CallbackSteps {
  loadCallback(deliveryId: string): Promise<CallbackSnapshot | null>
  /** Sends a signed nonce that the host must echo; otherwise the attempt has failed. */
  proveHost(deliveryId: string): Promise<CallbackSnapshot>
  /** Sends the callback once, with the current state of its subject, and records the outcome. */
  deliverCallback(deliveryId: string): Promise<CallbackSnapshot>
}
