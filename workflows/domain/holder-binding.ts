import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { canonicalJson } from './canonical-json.ts'
import { NETWORK } from './limits.ts'

/** `typ` of a version 2 binding and first line of its text (payout-and-trust.md, Holder bindings). */
export const HOLDER_BINDING_V2 = 'service-holder-binding-v2'

/** Protected headers of the two holder bindings (wire-facts §2.3), in the member order that is signed for version 1. */
export const holderBindingHeaders = {
  1: { alg: 'ES256K', typ: 'kb+jwt' },
  2: { typ: HOLDER_BINDING_V2, alg: 'EIP191' },
} as const

/** What a presentation is bound to; all of it but the presentation's own `sd_hash` and `iat` comes from the challenge. */
export type BindingFacts = {
  readonly audience: string
  readonly nonce: string
  readonly requestSha256: string
  readonly checkoutHash: string
}

/** The payload of a key binding of either version; exactly these members, times in Unix seconds. */
export type KeyBindingPayload = {
  iat: number
  aud: string
  nonce: string
  sd_hash: string
  transaction_data_hashes: string[]
  transaction_data_hashes_alg: 'sha-256'
}

/** The only audience of a presentation: the authorize operation of the service at `origin` (its base URL). */
export function authorizeAudience(origin: string): string {
  return `${origin}/api/payout-authorize`
}

/** A wallet as CAIP-10 account, lowercase: `eip155:8453:0x…`. */
export function holderAccount(address: string): string {
  return `${NETWORK}:${address.toLowerCase()}`
}

/** A wallet as DID, the `cnf.kid` of a version 2 mandate (wire-facts §2.3). */
export function holderDid(address: string): string {
  return `did:pkh:${holderAccount(address)}`
}

/** base64url(SHA-256(text)) without padding: `sd_hash`, `checkout_hash` and mandate reference (RFC 9901 §4.3). */
export function sha256Base64url(text: string): string {
  return base64urlnopad.encode(sha256(utf8ToBytes(text)))
}

/** Hash of the transaction data `{type, request_sha256, checkout_hash}` in its base64url form (wire-facts §2.4 step 3). */
export function transactionDataHash(requestSha256: string, checkoutHash: string): string {
  const data = canonicalJson({ type: 'service.payout', request_sha256: requestSha256, checkout_hash: checkoutHash })
  return sha256Base64url(base64urlnopad.encode(utf8ToBytes(data)))
}

/** The payload that a holder signs over a presentation with this `sd_hash`. */
export function keyBindingPayload(facts: BindingFacts, sdHash: string, issuedAt: number): KeyBindingPayload {
  return {
    iat: issuedAt,
    aud: facts.audience,
    nonce: facts.nonce,
    sd_hash: sdHash,
    transaction_data_hashes: [transactionDataHash(facts.requestSha256, facts.checkoutHash)],
    transaction_data_hashes_alg: 'sha-256',
  }
}

/** What the version 2 text says; `expiresAt` is the challenge's, both times are Unix seconds or a template's placeholder. */
export type HolderBindingFacts = BindingFacts & {
  readonly origin: string
  readonly holder: string
  readonly sdHash: string
  readonly issuedAt: number | string
  readonly expiresAt: number
}

/** The text of a version 2 binding for personal_sign: LF-joined, no trailing LF (wire-facts §2.3 without its purpose line). */
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

/** The text that a holder personal_signs to be issued a mandate (payout.md, issue_mandate); the nonce is the checkout's `jti`. */
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
