import { createHmac } from 'node:crypto'
import { base64 } from '@scure/base'
import type { PublicJwk, SigningKey } from './compact.ts'

/** A message as Standard Webhooks signs it: an id that stays the same over retries, Unix seconds, and the exact body. */
export type WebhookMessage = { id: string; timestamp: number; body: string }
export type WebhookHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

/** Signs a message `v1a` with an Ed25519 key and, where a shared secret (`whsec_` + base64) is given, `v1` with it as well. */
export function signWebhook(key: SigningKey, { id, timestamp, body }: WebhookMessage, secret?: string): WebhookHeaders {
  const text = `${id}.${timestamp}.${body}`
  const signatures = [`v1a,${base64.encode(key.sign(text))}`]
  if (secret !== undefined)
    signatures.push(`v1,${createHmac('sha256', secretBytes(secret)).update(text).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}

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
