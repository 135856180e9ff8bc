import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { readJsonFile } from '../config/config.ts'

/**
 * A key that a payment provider signs its events with: a Standard Webhooks secret (`whsec_` and base64, for `v1`) or public key
 * (`whpk_` and base64, for `v1a`), or a Stripe signing secret, which is taken as it stands.
 */
export type ProviderKey = {
  readonly provider: string
  readonly scheme: 'standard' | 'stripe'
  readonly key: string
}

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A webhook as it came: lowercase header names, and the raw bytes that its signature is over. */
export type SignedEvent = { readonly headers: WebhookHeaders; readonly raw: Uint8Array }

/** Seconds between the signed time and ours (api-conventions.md, Access kinds). */
const AGE_SECONDS_MAX = 300
/** A sender that rotates its keys signs with two; a longer list only costs time. */
export const SIGNATURES_MAX = 4

/**
 * The provider whose key signed these raw bytes, by Standard Webhooks headers or `Stripe-Signature`; header names are lowercase.
 * Throws 401 `webhook_signature_invalid` for an unknown key, another body, a time more than 300 s off, or over four signatures.
 */
export function verifyProviderSignature(
  headers: WebhookHeaders,
  body: Uint8Array,
  keys: readonly ProviderKey[],
  nowSeconds: number,
): string {
  const signed = standardSigned(headers, body) ?? stripeSigned(headers, body)
  if (signed === undefined) throw invalid('there is no signature header of a known form')
  if (Math.abs(nowSeconds - signed.at) > AGE_SECONDS_MAX)
    throw invalid('the signed time is more than 300 seconds off')
  if (signed.signatures.length > SIGNATURES_MAX)
    throw invalid(`there are more than ${SIGNATURES_MAX} signatures`)
  // Every key is tried, so that the time taken does not show which one fits.
  const fitting = keys.filter(
    (key) =>
      key.scheme === signed.scheme &&
      signed.signatures.some((one) => fits(key, one, signed.content)),
  )
  const [key] = fitting
  if (key === undefined) throw invalid('no configured key made the signature')
  return key.provider
}

type Signature = { version: string; bytes: Buffer }
type Signed = {
  scheme: ProviderKey['scheme']
  at: number
  content: Buffer
  signatures: Signature[]
}

/** `webhook-id`, `webhook-timestamp`, `webhook-signature`: a list of `v1,` and `v1a,` entries over `id.timestamp.body`. */
function standardSigned(headers: WebhookHeaders, body: Uint8Array): Signed | undefined {
  const [id, time, list] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  )
  if (typeof id !== 'string' || typeof time !== 'string' || typeof list !== 'string')
    return undefined
  const signatures = list.split(' ', SIGNATURES_MAX + 1).map((entry): Signature => {
    const [version = '', text = ''] = entry.split(',', 2)
    return { version, bytes: Buffer.from(text, 'base64') }
  })
  return {
    scheme: 'standard',
    at: seconds(time),
    content: contentOf(`${id}.${time}.`, body),
    signatures,
  }
}

/** `Stripe-Signature: t=…,v1=…`: hex HMACs over `t.body`. */
function stripeSigned(headers: WebhookHeaders, body: Uint8Array): Signed | undefined {
  const header = headers['stripe-signature']
  if (typeof header !== 'string') return undefined
  const parts = header.split(',').map((part) => part.split('=', 2))
  const valuesOf = (name: string) =>
    parts.flatMap(([key, value = '']) => (key === name ? [value] : []))
  const [time = ''] = valuesOf('t')
  const signatures = valuesOf('v1').map((text) => ({
    version: 'v1',
    bytes: Buffer.from(text, 'hex'),
  }))
  return { scheme: 'stripe', at: seconds(time), content: contentOf(`${time}.`, body), signatures }
}

const contentOf = (signedHead: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(signedHead), body])

function fits(
  { scheme, key }: ProviderKey,
  { version, bytes }: Signature,
  content: Buffer,
): boolean {
  if (scheme === 'stripe') return isHmac(key, content, bytes)
  const material = Buffer.from(key.replace(/^wh(sec|pk)_/, ''), 'base64')
  if (version === 'v1') return key.startsWith('whsec_') && isHmac(material, content, bytes)
  return version === 'v1a' && key.startsWith('whpk_') && isEd25519(material, content, bytes)
}

function isHmac(secret: string | Buffer, content: Buffer, given: Buffer): boolean {
  const expected = createHmac('sha256', secret).update(content).digest()
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function isEd25519(key: Buffer, content: Buffer, given: Buffer): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }
  return (
    key.length === 32 && verify(null, content, createPublicKey({ key: jwk, format: 'jwk' }), given)
  )
}

const seconds = (text: string): number =>
  /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NEGATIVE_INFINITY

const invalid = (detail: string) =>
  refuse('webhook_signature_invalid', {
    detail,
    next_action: 'Sign the raw body with the configured key and the present time.',
  })

const provider = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/)

/** What PROVIDER_WEBHOOK_KEYS_FILE holds; a provider may have several keys while it rotates them. */
const providerKeysSchema = z.array(
  z.discriminatedUnion('scheme', [
    z.strictObject({
      provider,
      scheme: z.literal('standard'),
      key: z.string().regex(/^wh(sec|pk)_[A-Za-z0-9+/]{32,}=*$/),
    }),
    z.strictObject({ provider, scheme: z.literal('stripe'), key: z.string().min(16) }),
  ]),
)

/** The keys of payment providers; none where no file is named. Throws when the file cannot be used, quoting nothing of it. */
export function loadProviderKeys(path: string): ProviderKey[] {
  return path === '' ? [] : readJsonFile(path, providerKeysSchema)
}
