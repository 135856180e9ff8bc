import type { CallbackState } from '../domain/callbacks/callback.ts'

/** What the workflow knows of a delivery; its URL stays out of history, since it may carry a secret. */
export type CallbackSnapshot = {
  deliveryId: string
  event: string
  host: string
  state: CallbackState
  open: boolean
  hostProven: boolean
  /** Until the next attempt is due; 0 when it is. */
  waitMs: number
  attempts: number
  failures: number
  lastFailure: string | null
}

/** Steps of one delivery; each may run twice, and the receiver tells repeats by the delivery's id. */
export interface CallbackSteps {
  loadCallback(deliveryId: string): Promise<CallbackSnapshot | null>
  /** Sends a signed nonce that the host has to echo; what is not echoed is a failed attempt. */
  proveHost(deliveryId: string): Promise<CallbackSnapshot>
  /** Sends the callback once, as its subject stands now, and records what came of it. */
  deliverCallback(deliveryId: string): Promise<CallbackSnapshot>
}
