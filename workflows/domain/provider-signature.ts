import { ed25519 } from '@noble/curves/ed25519.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { refuse } from './errors.ts'

/**
 * A key that a payment provider signs its events with: a Standard Webhooks secret (`whsec_` and base64, for `v1`) or public key
 * (`whpk_` and base64, for `v1a`), or a Stripe signing secret, which is taken as it stands.
 */
export type ProviderKey = { readonly provider: string; readonly scheme: 'standard' | 'stripe'; readonly key: string }

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Seconds between the signed time and ours (api-conventions.md, Access kinds). */
const AGE_SECONDS_MAX = 300

/**
 * The provider whose key signed these raw bytes, by Standard Webhooks headers or `Stripe-Signature`; header names are lowercase.
 * Throws 401 `webhook_signature_invalid` for an unknown key, another body, or a time more than 300 s off.
 */
export function verifyProviderSignature(
  headers: WebhookHeaders,
  body: Uint8Array,
  keys: readonly ProviderKey[],
  nowSeconds: number,
): string {
  const signed = standardSigned(headers, body) ?? stripeSigned(headers, body)
  if (signed === undefined) throw invalid('there is no signature header of a known form')
  if (Math.abs(nowSeconds - signed.at) > AGE_SECONDS_MAX) throw invalid('the signed time is more than 300 seconds off')
  // Every key is tried, so that the time taken does not tell which one fits.
  const fitting = keys.filter(
    (key) => key.scheme === signed.scheme && signed.signatures.some((one) => fits(key, one, signed.content)),
  )
  const [key] = fitting
  if (key === undefined) throw invalid('no configured key made the signature')
  return key.provider
}

type Signature = { version: 'v1' | 'v1a'; bytes: Uint8Array }
type Signed = { scheme: ProviderKey['scheme']; at: number; content: Uint8Array; signatures: Signature[] }

/** `webhook-id`, `webhook-timestamp`, `webhook-signature`: a list of `v1,` and `v1a,` entries over `id.timestamp.body`. */
function standardSigned(headers: WebhookHeaders, body: Uint8Array): Signed | undefined {
  const [id, time, list] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name])
  if (typeof id !== 'string' || typeof time !== 'string' || typeof list !== 'string') return undefined
  const signatures = list.split(' ').flatMap((entry): Signature[] => {
    const [version, text] = entry.split(',')
    const bytes = version === 'v1' || version === 'v1a' ? decoded(() => base64.decode(text ?? '')) : undefined
    return bytes === undefined ? [] : [{ version: version as Signature['version'], bytes }]
  })
  return {
    scheme: 'standard',
    at: seconds(time),
    content: concatBytes(utf8ToBytes(`${id}.${time}.`), body),
    signatures,
  }
}

/** `Stripe-Signature: t=…,v1=…`: hex HMACs over `t.body`. */
function stripeSigned(headers: WebhookHeaders, body: Uint8Array): Signed | undefined {
  const header = headers['stripe-signature']
  if (typeof header !== 'string') return undefined
  const parts = header.split(',').map((part) => part.split('=', 2))
  const valuesOf = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []))
  const [time = ''] = valuesOf('t')
  const signatures = valuesOf('v1').flatMap((text): Signature[] => {
    const bytes = decoded(() => hexToBytes(text))
    return bytes === undefined ? [] : [{ version: 'v1', bytes }]
  })
  return { scheme: 'stripe', at: seconds(time), content: concatBytes(utf8ToBytes(`${time}.`), body), signatures }
}

function fits({ scheme, key }: ProviderKey, { version, bytes }: Signature, content: Uint8Array): boolean {
  if (scheme === 'stripe') return equal(hmac(sha256, utf8ToBytes(key), content), bytes)
  const material = decoded(() => base64.decode(key.replace(/^wh(sec|pk)_/, '')))
  if (material === undefined) return false
  if (version === 'v1') return key.startsWith('whsec_') && equal(hmac(sha256, material, content), bytes)
  return key.startsWith('whpk_') && decoded(() => ed25519.verify(bytes, content, material, { zip215: false })) === true
}

/** In a time that does not depend on where they differ. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0
}

const seconds = (text: string): number => (/^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NEGATIVE_INFINITY)

function decoded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const invalid = (detail: string) =>
  refuse('webhook_signature_invalid', detail, 'Sign the raw body with the configured key and the present time.')
