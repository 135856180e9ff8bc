import { createHash, createPublicKey, verify } from 'node:crypto'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'

const TOLERANCE_SECONDS = 300
const WEBHOOK_KEY = 'whpk_'
const SIGNATURES_MAX = 4
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The headers of a request, in lower case, as node and fetch give them. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Whether a webhook was signed by the service not more than five minutes ago or ahead: by a callback key of its key set, or by
 * one public key (`whpk_…`). `body` is the request's own bytes; an id that was taken before may come again, so keep the ids.
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: Uint8Array | string,
  keys: KeySet | string,
  nowSeconds = Date.now() / 1000,
): boolean {
  const text = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const id = text('webhook-id')
  const timestamp = text('webhook-timestamp')
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)])
  const signatures = text('webhook-signature')
    .split(' ', SIGNATURES_MAX)
    .flatMap((one) => (one.startsWith('v1a,') ? [Buffer.from(one.slice(4), 'base64')] : []))
  return webhookKeys(keys, Number(timestamp)).some((x) => {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return signatures.some((signature) => verify(null, signed, key, signature))
  })
}

/** The public halves, as base64url, that may have signed a webhook of this time. */
function webhookKeys(keys: KeySet | string, signedAt: number): string[] {
  if (typeof keys === 'string')
    return [Buffer.from(keys.replace(WEBHOOK_KEY, ''), 'base64').toString('base64url')]
  return keys.keys.flatMap((key) => {
    const { x, use_for, activated_at } = key as {
      x?: string
      use_for?: string
      activated_at?: string | null
    }
    const fault = faultOf(key, signedAt)
    // Its date is at most five minutes away from now, so that only a key that does not sign yet is refused.
    const good = fault === undefined || (fault === 'not_active' && activated_at !== null)
    return x !== undefined && use_for === 'callback' && good ? [x] : []
  })
}

/** What a receipt says; `prev` is the SHA-256 of the receipt before it, null on the first. */
export type ReceiptFacts = {
  readonly kind: string
  readonly prev: string | null
  readonly [fact: string]: unknown
}

/** The key set of `/.well-known/jwks.json`, as the service answers it or as it was saved. */
export type KeySet = { readonly keys: readonly { readonly kty: string; readonly kid: string }[] }

/**
 * Verifies a receipt offline and gives what it says; throws when its signature, its type or its key is not good. A revoked key
 * proves nothing, and another only what is dated while it was active.
 */
export async function verifyReceipt(receipt: string, keys: KeySet): Promise<ReceiptFacts> {
  // jose also reads padded base64, by which one receipt would have several texts.
  const jws = receipt.trim()
  if (!COMPACT_JWS.test(jws)) throw new Error('this is no compact JWS')
  const { payload, protectedHeader } = await compactVerify(
    jws,
    createLocalJWKSet(keys as JSONWebKeySet),
    {
      algorithms: ['EdDSA'],
    },
  )
  if (protectedHeader.typ !== 'receipt+jwt') throw new Error('this is no receipt')
  const facts = JSON.parse(Buffer.from(payload).toString('utf8')) as ReceiptFacts
  assertStanding(keys, protectedHeader.kid, facts)
  return facts
}

/** Verifies receipts and that each one follows the one before it, from the first; throws where one is missing. */
export async function verifyReceiptChain(
  receipts: readonly string[],
  keys: KeySet,
): Promise<ReceiptFacts[]> {
  const chain: ReceiptFacts[] = []
  let previous: string | null = null
  for (const receipt of receipts) {
    const facts = await verifyReceipt(receipt, keys)
    if (facts.prev !== previous) throw new Error('a receipt is missing before this one')
    previous = createHash('sha256').update(receipt).digest('hex')
    chain.push(facts)
  }
  return chain
}

function assertStanding({ keys }: KeySet, kid: string | undefined, facts: ReceiptFacts): void {
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined) throw new Error('the receipt names no key of the set')
  const { use_for } = key as { use_for?: string }
  if (use_for !== undefined && use_for !== 'receipt')
    throw new Error('the key does not sign receipts')
  const fault = faultOf(key, Number(facts['iat']))
  if (fault === 'revoked') throw new Error('the key of the receipt is revoked')
  if (fault === 'retired') throw new Error('the receipt is dated after its key was retired')
  if (fault === 'published') throw new Error('the key of the receipt does not sign yet')
  if (fault === 'not_active' && !isSample(facts))
    throw new Error('the receipt is dated before its key was active')
}

/** A sample has a fixed date, and says of itself in three places that it proves nothing. */
const isSample = ({ kind, usage, sub }: ReceiptFacts): boolean =>
  kind === 'sample' && usage === 'synthetic' && String(sub).startsWith('sample:')

/** Why a key proves nothing that is dated `issuedAt` (Unix seconds); undefined where it does. */
function faultOf(
  key: object,
  issuedAt: number,
): 'published' | 'not_active' | 'retired' | 'revoked' | undefined {
  const { activated_at, retired_at, revoked_at } = key as {
    activated_at?: string | null
    retired_at?: string | null
    revoked_at?: string | null
  }
  if (typeof revoked_at === 'string') return 'revoked'
  const retired = typeof retired_at === 'string' && !(issuedAt * 1000 <= Date.parse(retired_at))
  if (retired) return 'retired'
  if (activated_at === null) return 'published'
  if (activated_at === undefined) return undefined
  // Receipts have whole seconds.
  return issuedAt >= Math.floor(Date.parse(activated_at) / 1000) ? undefined : 'not_active'
}
