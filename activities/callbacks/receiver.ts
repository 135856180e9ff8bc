import { text as readText } from 'node:stream/consumers'
import { type CallbackBody, callbackBody, type ReceiverLanguage } from '../../workflows/domain/callback-body.ts'
import { type DomainError, refuse } from '../../workflows/domain/errors.ts'
import { standingAt } from '../../workflows/domain/key-standing.ts'
import type { KeyRings } from '../keys/key-ring.ts'
import { keyTimes } from '../keys/published-key.ts'
import { standingOf } from '../keys/standing.ts'
import { checkWebhook } from '../keys/webhook.ts'
import { type InboxRow, listInbox, receiveCallback } from '../store/callback-inbox.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { listPublicKeys } from '../store/signing-keys.ts'
import { callbackExamples } from './examples.ts'

export type Callbacks = ReturnType<typeof openCallbacks>
type Headers = Readonly<Record<string, string | string[] | undefined>>
type Incoming = { receiver: string; refuseFirst: number; headers: Headers; body: AsyncIterable<Uint8Array> }

/** The service's own receiver of callbacks, which verifies them as any other would, by the published keys. */
export function openCallbacks({ db, keys }: { db: Tx; keys: Pick<KeyRings, 'callback'> }) {
  return {
    examples: async (language?: ReceiverLanguage) =>
      callbackExamples((await standingOf(db, keys, ['callback'])).signer('callback'), language),
    /** Takes a signed callback; throws 401 for one that we did not sign now, and 503 as often as it is asked to. */
    receive: async ({ receiver, refuseFirst, headers, body }: Incoming) => {
      const text = await readText(body)
      const signedAt = Number(headers['webhook-timestamp'])
      const good = (await listPublicKeys(db)).filter(
        (row) => row.ring === 'callback' && standingAt(keyTimes(row), signedAt) === 'active',
      )
      const jwks = good.map(({ public_jwk }) => public_jwk)
      const checks = checkWebhook(jwks, headers, text, await clockSeconds(db))
      const failed = checks.find(({ ok }) => !ok)
      if (failed !== undefined) throw unsigned(`the ${failed.check} of the callback`)
      const told = readBody(text)
      const { delivery_id, event } = told
      if (headers['webhook-id'] !== delivery_id) throw unsigned('the webhook-id, which is not the delivery’s,')
      const answer = { verified: true as const, checks, delivery_id }
      // A question, and no callback yet: it is answered, and not kept.
      if (told.event === 'host_proof') return { ...answer, duplicate: false, nonce: told.nonce }
      const { taken, duplicate } = await receiveCallback(db, { receiver, deliveryId: delivery_id, event, refuseFirst })
      if (!taken) throw refuse('unavailable', 'this attempt is refused, as it was asked for', 'Deliver it again later.')
      return { ...answer, duplicate }
    },
    read: async (receiver: string, deliveryId?: string) => (await listInbox(db, receiver, deliveryId)).map(inboxView),
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
  throw refuse('invalid_request', 'the body is signed and not a callback of this version', 'Send it as it was signed.')
}

const unsigned = (what: string): DomainError =>
  refuse('webhook_signature_invalid', `${what} is not as this service signs it`, 'Send the callback as it came.')
