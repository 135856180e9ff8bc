import { createHmac } from 'node:crypto'
import { base64 } from '@scure/base'
import { type PublicJwk, type SigningKey, verifySignature } from './compact.ts'
import { SIGNATURES_MAX } from './provider-signature.ts'

/** A message as Standard Webhooks signs it: an id that stays the same over retries, Unix seconds, and the exact body. */
export type WebhookMessage = { id: string; timestamp: number; body: string }
export type WebhookHeaders = Record<
  'webhook-id' | 'webhook-timestamp' | 'webhook-signature',
  string
>

/** Signs a message `v1a` with an Ed25519 key and, where a shared secret (`whsec_` + base64) is given, `v1` with it as well. */
export async function signWebhook(
  key: SigningKey,
  { id, timestamp, body }: WebhookMessage,
  secret?: string,
): Promise<WebhookHeaders> {
  const text = `${id}.${timestamp}.${body}`
  const signatures = [`v1a,${base64.encode(await key.sign(text))}`]
  if (secret !== undefined)
    signatures.push(`v1,${createHmac('sha256', secretBytes(secret)).update(text).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

/** What a receiver looks at, in its order; what comes after the first that fails was not looked at. */
export type WebhookCheck = { check: 'headers' | 'time' | 'signature'; ok: boolean }

/** Whether one of the keys signed this message not more than five minutes before or after `nowSeconds`; asks for `v1a` only, among the first four. */
export function checkWebhook(
  keys: readonly PublicJwk[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  nowSeconds: number,
): WebhookCheck[] {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  )
  if (
    typeof id !== 'string' ||
    typeof signatures !== 'string' ||
    !/^\d{1,12}$/.test(String(timestamp))
  )
    return [{ check: 'headers', ok: false }]
  const inTime = Math.abs(nowSeconds - Number(timestamp)) <= TOLERANCE_SECONDS
  if (!inTime)
    return [
      { check: 'headers', ok: true },
      { check: 'time', ok: false },
    ]
  const given = signatures
    .split(' ', SIGNATURES_MAX)
    .flatMap((one) => (one.startsWith('v1a,') ? [Buffer.from(one.slice(4), 'base64')] : []))
  const signed = given.some((signature) =>
    keys.some((publicJwk) =>
      verifySignature({ alg: 'EdDSA', publicJwk }, `${id}.${timestamp}.${body}`, signature),
    ),
  )
  return [
    { check: 'headers', ok: true },
    { check: 'time', ok: true },
    { check: 'signature', ok: signed },
  ]
}

const TOLERANCE_SECONDS = 300

/** An Ed25519 public key in the notation of Standard Webhooks: `whpk_` + base64 of its 32 bytes. */
export function webhookPublicKey({ x }: PublicJwk): string {
  return `whpk_${Buffer.from(String(x), 'base64url').toString('base64')}`
}

function secretBytes(secret: string): Uint8Array {
  const [, text] = /^whsec_(.+)$/.exec(secret) ?? []
  const bytes = text === undefined ? undefined : base64.decode(text)
  if (bytes === undefined || bytes.length < 24 || bytes.length > 64)
    throw new TypeError('a shared secret is whsec_ and the base64 of 24 to 64 bytes')
  return bytes
}
