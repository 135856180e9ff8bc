import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { z } from 'zod'
import { digestOf, sha256Hex } from './canonical-json.ts'
import { CHAIN_ID, limits, NETWORK } from './limits.ts'

/** The JSON inside `X-Service-Wallet-Proof` (wire-facts §3.2): hex in lowercase, `issued_at` in Unix seconds, nothing more. */
export const walletProofSchema = z.strictObject({
  v: z.literal(1),
  wallet: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
  chain_id: z.literal(CHAIN_ID),
  method: z.string().regex(/^[A-Z]{1,16}$/),
  path: z.string().regex(/^\/[!-~]{0,511}$/),
  body_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  issued_at: z.int().min(0).max(limits.expiresAtMax),
  nonce: z.string().regex(/^[0-9a-f]{32,64}$/),
  signature: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{130}$/)]),
})

export type WalletProof = z.output<typeof walletProofSchema>

/** What a wallet signs for one call; `issuedAt` in Unix seconds, `origin` from the service's configuration. */
export type WalletProofTerms = {
  origin: string
  method: string
  path: string
  bodySha256: string
  wallet: string
  issuedAt: number
  nonce: string
}

/** The text for personal_sign (EIP-191): eight lines joined with LF, without a trailing LF. */
export function walletProofText(terms: WalletProofTerms): string {
  return [
    'service-wallet-proof-v1',
    `origin: ${terms.origin}`,
    `method: ${terms.method}`,
    `path: ${terms.path}`,
    `body-sha256: ${terms.bodySha256}`,
    `wallet: ${NETWORK}:${terms.wallet.toLowerCase()}`,
    `issued-at: ${terms.issuedAt}`,
    `nonce: ${terms.nonce}`,
  ].join('\n')
}

/** SHA-256 (64 hex) of the canonical JSON of what `JSON.parse` gave; of the empty string when there is no body. */
export function bodySha256(parsed: unknown): string {
  return parsed === undefined ? sha256Hex('') : digestOf(parsed)
}

/** The header value: base64url of the JSON, without padding. */
export function encodeWalletProof(proof: WalletProof): string {
  return base64urlnopad.encode(utf8ToBytes(JSON.stringify(proof)))
}

/** The proof that a header value holds; undefined when it is too long, not base64url, not JSON or not of the schema. */
export function decodeWalletProof(header: string): WalletProof | undefined {
  if (header.length > limits.proofHeaderBytesMax) return undefined
  try {
    return walletProofSchema.safeParse(JSON.parse(bytesToUtf8(base64urlnopad.decode(header)))).data
  } catch {
    return undefined
  }
}
