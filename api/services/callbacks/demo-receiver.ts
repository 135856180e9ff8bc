import { text as readText } from 'node:stream/consumers'
import {
  type CallbackBody,
  callbackBody,
  type ReceiverLanguage,
} from '#domain/callbacks/callback-body.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { standingAt } from '#domain/receipts/key-standing.ts'
import { keyTimes } from '../../../activities/keys/published-key.ts'
import { checkWebhook } from '../../../activities/keys/webhook.ts'
import {
  type InboxRow,
  listInbox,
  receiveCallback,
} from '../../../activities/store/callbacks/callback-inbox.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import type { Making, Samples } from '../receipts/sample.ts'
import { callbackExamples, signedExamples } from './examples.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>
type Incoming = {
  receiver: string
  refuseFirst: number
  headers: Headers
  body: AsyncIterable<Uint8Array>
}

/** The service's own receiver of callbacks, which verifies them by the published keys, like any other receiver. */
export class CallbackService {
  private readonly deps: { db: Tx; samples: Samples }

  constructor(deps: { db: Tx; samples: Samples }) {
    this.deps = deps
  }

  async examples(language?: ReceiverLanguage) {
    const make = ({ key }: Making) => signedExamples(key)
    const events = await this.deps.samples.once('callback-examples', make, 'callback')
    return callbackExamples(events, language)
  }

  /** Receives a signed callback; throws 401 for an invalid signature, and 503 as often as its caller asks for. */
  async receive({ receiver, refuseFirst, headers, body }: Incoming) {
    const { db } = this.deps
    const text = await readText(body)
    const signedAt = Number(headers['webhook-timestamp'])
    const active = (await listPublicKeys(db)).filter(
      (row) => row.ring === 'callback' && standingAt(keyTimes(row), signedAt) === 'active',
    )
    const jwks = active.map(({ public_jwk }) => public_jwk)
    const checks = checkWebhook(jwks, headers, text, await clockSeconds(db))
    const failed = checks.find(({ ok }) => !ok)
    if (failed !== undefined) throw unsigned(`the ${failed.check} of the callback`)
    const callback = readBody(text)
    const { delivery_id, event } = callback
    if (headers['webhook-id'] !== delivery_id)
      throw unsigned('the webhook-id, which is not the delivery’s,')
    const answer = { verified: true as const, checks, delivery_id }
    // A host proof is answered and not stored.
    if (callback.event === 'host_proof')
      return { ...answer, duplicate: false, nonce: callback.nonce }
    const { taken, duplicate } = await receiveCallback(db, {
      receiver,
      deliveryId: delivery_id,
      event,
      refuseFirst,
    })
    if (!taken)
      throw refuse('unavailable', {
        detail: 'this attempt is refused, as requested',
      })
    return { ...answer, duplicate }
  }

  async read(receiver: string, deliveryId?: string) {
    const { db } = this.deps
    return (await listInbox(db, receiver, deliveryId)).map(inboxView)
  }
}

const inboxView = (row: InboxRow) => ({
  delivery_id: row.delivery_id,
  event: row.event,
  verified: true as const,
  received_at: row.received_at?.toISOString() ?? null,
  attempts: row.attempts,
})

function readBody(text: string): CallbackBody {
  const parsed = callbackBody.safeParse(JSON.parse(text))
  if (parsed.success) return parsed.data
  throw refuse('invalid_request', {
    detail: 'the signed body is not a callback of this version',
    next_action: 'Send it as it was signed.',
  })
}

const unsigned = (what: string): DomainError =>
  refuse('webhook_signature_invalid', {
    detail: `${what} is not as this service signs it`,
    next_action: 'Send the callback as it came.',
  })
