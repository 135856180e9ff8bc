import { z } from 'zod'
import { taskStates } from '../tasks/lifecycle.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const standing = { delivery_id: z.string().regex(/^cb_[0-9a-f]{64}$/), at: z.iso.datetime() }
const taskFacts = z.strictObject({
  task_token_sha256: hash,
  run_id: z.string().nullable(),
  state: z.enum(taskStates),
  sequence: z.number().int().min(0),
  receipt_ids: z.array(z.string()),
})
const credentialFacts = z.strictObject({
  agent_id: z.string(),
  credential_id: z.string(),
  state: z.string(),
  sequence: z.number().int().min(0),
})
const payoutFacts = z.strictObject({
  payout_id: z.string(),
  state: z.enum(['created', 'authorized', 'executed']),
  transfer_status: z.string(),
  transaction_hash: z.string().nullable(),
  money_moved: z.enum(['no', 'yes', 'unknown']),
  sequence: z.number().int().min(0),
  receipt_ids: z.array(z.string()),
})
const proofFacts = z.strictObject({ nonce: z.string() })

/** What is known of a task when a callback about it is sent; `sequence` orders callbacks that overtake each other. */
export type TaskFacts = z.output<typeof taskFacts>
/** That a credential is ready to be claimed; never the key itself. */
export type CredentialFacts = z.output<typeof credentialFacts>
/** How a payout stands; `sequence` counts its receipts. */
type PayoutFacts = z.output<typeof payoutFacts>
/** The meaning of each event of a delivery. */
export type CallbackFacts = {
  task_updated: TaskFacts
  credential_ready: CredentialFacts
  payout_updated: PayoutFacts
}
export type CallbackSubjectEvent = keyof CallbackFacts

/** The body of every callback; `host_proof` asks to be answered with its nonce. */
export const callbackBody = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('task_updated'), ...standing, ...taskFacts.shape }),
  z.strictObject({ event: z.literal('credential_ready'), ...standing, ...credentialFacts.shape }),
  z.strictObject({ event: z.literal('payout_updated'), ...standing, ...payoutFacts.shape }),
  z.strictObject({ event: z.literal('host_proof'), ...standing, ...proofFacts.shape }),
])
export type CallbackBody = z.output<typeof callbackBody>

/** Whether an answer to `host_proof` echoes its nonce: `{"nonce": "…"}`, whatever else it says. */
export function echoesNonce(answer: string, nonce: string): boolean {
  try {
    return z.looseObject({ nonce: z.literal(nonce) }).safeParse(JSON.parse(answer)).success
  } catch {
    return false
  }
}

/** The languages that there are example receivers in. */
export const receiverLanguages = ['typescript', 'python', 'go', 'shell'] as const
export type ReceiverLanguage = (typeof receiverLanguages)[number]

/** The path of the service's own receiver, which needs no proof of its host. */
export const demoReceiverPath = '/api/provider-callback-receiver-demo'
