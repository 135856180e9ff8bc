import { errorCodes } from '#domain/core/error-codes.ts'
import { faultKinds } from '#domain/rails/input/input-faults.ts'
import type { JsonObject } from './schema-components.ts'

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } })

/** Every header that an answer of this service may carry. */
export const headerComponents: JsonObject = {
  'X-Request-Id': text(
    'The id of this call in logs and problems; a well-formed one of the caller is kept.',
  ),
  'X-Interface-Version': {
    description: 'Version of the interface.',
    schema: { const: 'resolver-v0.1' },
  },
  'Cache-Control': text('no-store, except for documents that anyone may keep for five minutes.'),
  ETag: text('Names this version of the document (RFC 9110 §8.8.3).'),
  'Retry-After': {
    description: 'Seconds to wait before the call is repeated.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimit: text(
    'What is left of the limit that the call counts against, and the seconds until it resets (draft-ietf-httpapi-ratelimit-headers).',
  ),
  'RateLimit-Policy': text('That limit by its name: the calls (q) in a window of seconds (w).'),
  'WWW-Authenticate': text(
    'How a caller proves who it is here; of a 402, the Payment challenge of MPP for this call.',
  ),
  Allow: text('The methods of this path.'),
  'PAYMENT-REQUIRED': text('x402 v2: base64 of the PaymentRequired JSON.'),
  'PAYMENT-RESPONSE': text(
    'x402 v2: base64 of the SettleResponse JSON, where the call was paid for.',
  ),
  'Payment-Receipt': text(
    'MPP: base64url of the receipt JSON, with the transaction and its time, where the call was paid for.',
  ),
  'Idempotent-Replayed': {
    description: 'true when this is the stored answer of an earlier call.',
    schema: { const: 'true' },
  },
}

/** The header that makes the keys of calls without a credential one caller's own. */
export const idempotencySecret: JsonObject = {
  name: 'Idempotency-Secret',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{22,128}$' },
  description:
    'Of a call without a credential: repeats with the same secret and idempotency key get the first answer. Without it each call is a new one. Only its SHA-256 is stored.',
}

/** How a caller presents itself and pays. */
export const securitySchemes: JsonObject = {
  walletProof: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Wallet-Proof',
    description:
      'base64url of a JSON proof, signed by the calling wallet for this method, path and body.',
  },
  payment: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description:
      'x402 v2 payment, base64 of the PaymentPayload JSON; needed once the free calls are used up.',
  },
  mpp: {
    type: 'http',
    scheme: 'Payment',
    description:
      'MPP: the credential that answers the Payment challenge of a 402 by an EIP-3009 authorization; instead of a payment of x402.',
  },
  mppHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'Payment-Authorization',
    description: 'MPP: the same credential, where Authorization has the key of the caller.',
  },
  operator: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Operator credential op_<id>_<secret>, or an access token of the configured issuer.',
  },
  provider: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description:
      'A payment provider’s signature of the raw body: Standard Webhooks, or Stripe-Signature.',
  },
  agent: {
    type: 'http',
    scheme: 'bearer',
    description: 'Access key of an agent: ag_<id>_<secret>.',
  },
  statusToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Status-Token',
    description:
      'The status token of the registration or task; it reads, and acts only with a signature.',
  },
  agentSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Agent-Signature',
    description:
      't=<unix seconds>,s=<Ed25519 signature, base64url> by the registered key over the lines service-agent-signature-v1, origin, method, path, body-sha256, token-sha256 (of the status token, none without one) and issued-at.',
  },
}

const nullable = (type: string): JsonObject => ({ type: [type, 'null'] })

const listOf = (properties: JsonObject): JsonObject => ({
  type: 'array',
  items: { type: 'object', required: Object.keys(properties), properties },
})
const pointer: JsonObject = { type: 'string', description: 'JSON pointer (RFC 6901).' }

/** The grouped faults of an input. */
const faultsSchema: JsonObject = {
  type: 'object',
  required: ['total', 'groups', 'groups_left_out'],
  properties: {
    total: { type: 'integer', minimum: 1 },
    groups: listOf({
      kind: { enum: faultKinds },
      field: { type: 'string', description: 'The pointer with * for every row.' },
      message: { type: 'string' },
      count: { type: 'integer', minimum: 1 },
      first: listOf({
        pointer,
        row: { ...nullable('integer'), description: 'From 0; null outside of lists.' },
        value: { ...nullable('string'), description: 'What stands there, as JSON text.' },
      }),
    }),
    groups_left_out: { type: 'integer', minimum: 0 },
  },
}

/** The body of every refusal (RFC 9457). */
export const problemSchema: JsonObject = {
  type: 'object',
  required: [
    'type',
    'title',
    'status',
    'code',
    'detail',
    'retryable',
    'retry_after_ms',
    'money_moved',
    'next_action',
    'errors',
    'request_id',
    'trace_id',
  ],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { enum: Object.keys(errorCodes).sort() },
    detail: { type: 'string' },
    retryable: {
      type: 'boolean',
      description: 'Whether the same call is worth repeating unchanged.',
    },
    retry_after_ms: nullable('integer'),
    money_moved: { enum: ['no', 'yes', 'unknown'] },
    next_action: { type: 'string', description: 'One sentence on what the caller does now.' },
    errors: listOf({ pointer, message: { type: 'string' } }),
    request_id: { type: 'string' },
    trace_id: {
      type: 'string',
      pattern: '^[0-9a-f]{32}$',
      description:
        'The trace of the call (W3C Trace Context); log lines and workflows have it too.',
    },
    faults: { ...faultsSchema, description: 'With input_rejected: all faults of the input.' },
    readings: {
      ...listOf({ list: { type: 'string' }, reading: { type: 'object' } }),
      description:
        'With input_rejected: how the uploaded lists of the input were read, as a preflight answers it.',
    },
  },
}
