import { digestOf, sha256Hex } from '../core/canonical-json.ts'

export const callbackStates = ['pending', 'retrying', 'delivered', 'gave_up', 'disabled'] as const
export type CallbackState = (typeof callbackStates)[number]
/** What an attempt came to: taken (2xx), refused for good (410), or neither; `exhausted` is the last of those. */
export type CallbackOutcome = 'taken' | 'failed' | 'gone'
export type CallbackEvent = CallbackOutcome | 'exhausted'

/** The whole state table of a delivery: (state, event) → state; what is over stays as it is. */
export const callbackTransitions: Record<
  CallbackState,
  Partial<Record<CallbackEvent, CallbackState>>
> = {
  pending: { taken: 'delivered', failed: 'retrying', gone: 'disabled' },
  retrying: { taken: 'delivered', failed: 'retrying', exhausted: 'gave_up', gone: 'disabled' },
  delivered: {},
  gave_up: {},
  disabled: {},
}

/** Whether a delivery in this state still has attempts. */
export const isCallbackOpen = (state: CallbackState): boolean =>
  Object.keys(callbackTransitions[state]).length > 0

/** The state after an attempt; `failures` counts the failed attempts before it. */
export function afterAttempt(
  state: CallbackState,
  outcome: CallbackOutcome,
  failures: number,
): CallbackState {
  const last = outcome === 'failed' && failures + 1 >= callbackAttemptsMax
  return callbackTransitions[state][last ? 'exhausted' : outcome] ?? state
}

/** 2xx is taken, 410 is gone; a redirect, and whatever else is no answer or another status, has failed. */
export function callbackOutcome(status: number | null): CallbackOutcome {
  if (status !== null && status >= 200 && status < 300) return 'taken'
  return status === 410 ? 'gone' : 'failed'
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Milliseconds before each attempt, counted from the end of the one before. */
export const callbackScheduleMs = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  24 * HOUR,
] as const
export const callbackAttemptsMax = callbackScheduleMs.length
const JITTER = 0.1
/** Decision: a host that changed hands is asked again after this. */
export const hostProofLifeMs = 30 * 24 * HOUR

/** The delivery of the published examples; none of the service's own has it. */
export const exampleDeliveryId = `cb_${'1'.repeat(64)}`

/**
 * How long to wait after so many failures: the schedule and up to a tenth more, always the same for a delivery and an attempt,
 * so that deliveries which failed together do not come back together.
 */
export function callbackDelayMs(deliveryId: string, failures: number): number {
  const delay = callbackScheduleMs[failures] ?? 0
  const share = Number.parseInt(sha256Hex(`${deliveryId}:${failures}`).slice(0, 8), 16) / 2 ** 32
  return Math.round(delay * (1 + JITTER * share))
}

/** `cb_` + SHA-256: the webhook-id, the same for every attempt; `ordinal` separates repeated deliveries of one subject. */
export function callbackDeliveryId(subject: string, event: string, ordinal: number): string {
  return `cb_${digestOf({ type: 'service.callback.v1', subject, event, ordinal })}`
}
