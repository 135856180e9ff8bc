import { callbackBody } from '#domain/callbacks/callback-body.ts'
import type { JsonObject, SchemaComponents } from './schema-components.ts'

const summaries = {
  task_updated:
    'A task has come to its result, is stopped by an exception, waits for evidence, or has failed.',
  credential_ready: 'An access key waits to be claimed; the key itself is not in the callback.',
  payout_updated: 'A payout was executed, or its transfer is final or dead.',
  host_proof:
    'Asks the host of a callback URL to echo the nonce before anything else is sent there.',
} as const

/** The headers of Standard Webhooks; the signature is over id, time and body. */
const headers: JsonObject[] = [
  ['webhook-id', '^cb_[0-9a-f]{64}$', 'The delivery: the same in each attempt.'],
  [
    'webhook-timestamp',
    '^[1-9][0-9]{9}$',
    'Unix seconds of this attempt; older than 300 s is no callback.',
  ],
  [
    'webhook-signature',
    '^v1a?,',
    'v1a: Ed25519 of `id.timestamp.body` by a key of /.well-known/jwks.json with use_for callback. Agents with a secret also get v1, HMAC-SHA256.',
  ],
].map(([name, pattern, description]) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', pattern },
  description,
}))

const taken = { description: 'Taken.' }
const echoed: JsonObject = {
  description: 'The nonce, echoed.',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['nonce'], properties: { nonce: { type: 'string' } } },
    },
  },
}

/** The callbacks that this service sends, from the schema that writes them. */
export function webhooksOf(components: SchemaComponents): JsonObject {
  return Object.fromEntries(
    callbackBody.options.map((body) => {
      const event = body.shape.event.value
      const schema = components.name(`callback.${event}`, components.write(body, 'output'))
      const post = {
        operationId: `callback-${event.replaceAll('_', '-')}`,
        summary: summaries[event],
        tags: ['callbacks'],
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          '2XX': event === 'host_proof' ? echoed : taken,
          '410': { description: 'No callback is wanted here any more; none is sent again.' },
          default: { description: 'Not taken: it is tried again.' },
        },
      }
      return [event, { post }]
    }),
  )
}
