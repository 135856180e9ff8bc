import { z } from 'zod'
import { digestOf, sha256Hex } from './canonical-json.ts'
import { taskStates } from './task-lifecycle.ts'

export const callbackStates = ['pending', 'retrying', 'delivered', 'gave_up', 'disabled'] as const
export type CallbackState = (typeof callbackStates)[number]
/** What an attempt came to: taken (2xx), refused for good (410), or neither; `exhausted` is the last of those. */
export type CallbackOutcome = 'taken' | 'failed' | 'gone'
export type CallbackEvent = CallbackOutcome | 'exhausted'

/** The whole state table of a delivery (endpoints.md § 22.3): (state, event) → state; what is over stays as it is. */
export const callbackTransitions: Record<CallbackState, Partial<Record<CallbackEvent, CallbackState>>> = {
  pending: { taken: 'delivered', failed: 'retrying', gone: 'disabled' },
  retrying: { taken: 'delivered', failed: 'retrying', exhausted: 'gave_up', gone: 'disabled' },
  delivered: {},
  gave_up: {},
  disabled: {},
}

/** Whether anything is still sent in this state. */
export const isCallbackOpen = (state: CallbackState): boolean => Object.keys(callbackTransitions[state]).length > 0

/** Where a delivery is after an attempt that began when `failures` others had failed. */
export function afterAttempt(state: CallbackState, outcome: CallbackOutcome, failures: number): CallbackState {
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
/** Milliseconds before each attempt, counted from the end of the one before (tasks.md § Callbacks; Standard Webhooks). */
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

/**
 * How long to wait after so many failures: the schedule and up to a tenth more, always the same for a delivery and an attempt,
 * so that deliveries which failed together do not come back together.
 */
export function callbackDelayMs(deliveryId: string, failures: number): number {
  const delay = callbackScheduleMs[failures] ?? 0
  const share = Number.parseInt(sha256Hex(`${deliveryId}:${failures}`).slice(0, 8), 16) / 2 ** 32
  return Math.round(delay * (1 + JITTER * share))
}

/** `cb_` + SHA-256: the webhook-id, the same for every attempt; `ordinal` tells repeated deliveries of one subject apart. */
export function callbackDeliveryId(subject: string, event: string, ordinal: number): string {
  return `cb_${digestOf({ type: 'service.callback.v1', subject, event, ordinal })}`
}

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const standing = { delivery_id: z.string().regex(/^cb_[0-9a-f]{64}$/), at: z.iso.datetime() }
const taskFacts = z.strictObject({
  task_token_sha256: hash,
  run_id: z.string().nullable(),
  state: z.enum(taskStates),
  sequence: z.number().int().min(0),
  receipt_ids: z.array(z.string()),
  return_package_url: z.url().nullable(),
})
const credentialFacts = z.strictObject({
  agent_id: z.string(),
  credential_id: z.string(),
  state: z.string(),
  sequence: z.number().int().min(0),
})
const proofFacts = z.strictObject({ nonce: z.string() })

/** What is known of a task when a callback about it is sent; `sequence` orders callbacks that overtake each other. */
export type TaskFacts = z.output<typeof taskFacts>
/** That a credential is ready to be claimed; never the key itself. */
export type CredentialFacts = z.output<typeof credentialFacts>
/** What each event of a delivery tells. */
export type CallbackFacts = { task_updated: TaskFacts; credential_ready: CredentialFacts }
export type CallbackSubjectEvent = keyof CallbackFacts

/** The body of every callback (endpoints.md § 20 `task-callback`); `host_proof` asks to be answered with its nonce. */
export const callbackBody = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('task_updated'), ...standing, ...taskFacts.shape }),
  z.strictObject({ event: z.literal('credential_ready'), ...standing, ...credentialFacts.shape }),
  z.strictObject({ event: z.literal('host_proof'), ...standing, ...proofFacts.shape }),
])
export type CallbackBody = z.output<typeof callbackBody>

/** The languages that there are example receivers in. */
export const receiverLanguages = ['typescript', 'python', 'go', 'shell'] as const
export type ReceiverLanguage = (typeof receiverLanguages)[number]

/** The path of the service's own receiver, which needs no proof of its host. */
export const demoReceiverPath = '/api/provider-callback-receiver-demo'

/** Whether an answer to `host_proof` echoes its nonce: `{"nonce": "…"}`, whatever else it says. */
export function echoesNonce(answer: string, nonce: string): boolean {
  try {
    return z.looseObject({ nonce: z.literal(nonce) }).safeParse(JSON.parse(answer)).success
  } catch {
    return false
  }
}
