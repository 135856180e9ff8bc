import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { canonicalJson } from '../core/canonical-json.ts'
import { NETWORK } from '../core/limits.ts'

/** `typ` of a version 2 binding and the first line of its text. */
export const HOLDER_BINDING_V2 = 'service-holder-binding-v2'

/** Protected headers of the two versions of a holder binding, in the member order that version 1 signs. */
export const holderBindingHeaders = {
  1: { alg: 'ES256K', typ: 'kb+jwt' },
  2: { typ: HOLDER_BINDING_V2, alg: 'EIP191' },
} as const

/** The facts of a challenge that a presentation is bound to. */
export type BindingFacts = {
  readonly audience: string
  readonly nonce: string
  readonly requestSha256: string
  readonly checkoutHash: string
}

/** The payload of a key binding in both versions. It has exactly these members; `iat` is in Unix seconds. */
export type KeyBindingPayload = {
  iat: number
  aud: string
  nonce: string
  sd_hash: string
  transaction_data_hashes: string[]
  transaction_data_hashes_alg: 'sha-256'
}

/** The only audience of a presentation: the authorize operation of the service at `origin`, its base URL. */
export function authorizeAudience(origin: string): string {
  return `${origin}/api/payout-authorize`
}

/** A wallet as CAIP-10 account, lowercase: `eip155:8453:0x…`. */
export function holderAccount(address: string): string {
  return `${NETWORK}:${address.toLowerCase()}`
}

/** A wallet as DID: the `cnf.kid` of a version 2 mandate. */
export function holderDid(address: string): string {
  return `did:pkh:${holderAccount(address)}`
}

/** base64url(SHA-256(text)) without padding: `sd_hash`, `checkout_hash` and mandate reference (RFC 9901 §4.3). */
export function sha256Base64url(text: string): string {
  return base64urlnopad.encode(sha256(utf8ToBytes(text)))
}

/** Hash of the transaction data `{type, request_sha256, checkout_hash}` in its base64url form. */
export function transactionDataHash(requestSha256: string, checkoutHash: string): string {
  const data = canonicalJson({
    type: 'service.payout',
    request_sha256: requestSha256,
    checkout_hash: checkoutHash,
  })
  return sha256Base64url(base64urlnopad.encode(utf8ToBytes(data)))
}

/** The payload that a holder signs over a presentation with this `sd_hash`. */
export function keyBindingPayload(
  facts: BindingFacts,
  sdHash: string,
  issuedAt: number,
): KeyBindingPayload {
  return {
    iat: issuedAt,
    aud: facts.audience,
    nonce: facts.nonce,
    sd_hash: sdHash,
    transaction_data_hashes: [transactionDataHash(facts.requestSha256, facts.checkoutHash)],
    transaction_data_hashes_alg: 'sha-256',
  }
}

/** The facts of the version 2 text. Times are Unix seconds; `issuedAt` may be a placeholder of a template. */
export type HolderBindingFacts = BindingFacts & {
  readonly origin: string
  readonly holder: string
  readonly sdHash: string
  readonly issuedAt: number | string
  readonly expiresAt: number
}

/** The text of a version 2 binding for personal_sign: lines joined with LF, without a trailing LF. */
export function holderBindingText(facts: HolderBindingFacts): string {
  return [
    HOLDER_BINDING_V2,
    `origin: ${facts.origin}`,
    `holder: ${holderAccount(facts.holder)}`,
    `audience: ${facts.audience}`,
    `checkout-hash: ${facts.checkoutHash}`,
    `request-sha256: ${facts.requestSha256}`,
    `sd-hash: ${facts.sdHash}`,
    `nonce: ${facts.nonce}`,
    `issued-at: ${facts.issuedAt}`,
    `expires-at: ${facts.expiresAt}`,
  ].join('\n')
}

/** The text that a holder signs with personal_sign to receive a mandate; the nonce is the checkout's `jti`. */
export function holderProofText(facts: {
  origin: string
  holder: string
  checkoutHash: string
  nonce: string
}): string {
  return [
    'service-holder-proof-v1',
    `origin: ${facts.origin}`,
    `holder: ${holderAccount(facts.holder)}`,
    `checkout-hash: ${facts.checkoutHash}`,
    `nonce: ${facts.nonce}`,
  ].join('\n')
}
