import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { digestOf, sha256Hex } from '../core/canonical-json.ts'
import { type CHAIN_ID, NETWORK } from '../core/limits.ts'

/** The JSON inside `X-Service-Wallet-Proof`: hex in lowercase, `issued_at` in Unix seconds, nothing more. */
export type WalletProof = {
  v: 1
  wallet: `0x${string}`
  chain_id: typeof CHAIN_ID
  method: string
  path: string
  body_sha256: string
  issued_at: number
  nonce: string
  signature: `0x${string}`
}

/** The facts that a wallet signs for one call; `issuedAt` in Unix seconds, `origin` from the service's configuration. */
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

/** The text that the wallet of a proof signed for an origin. */
export function signedText(origin: string, proof: WalletProof): string {
  const { method, path, body_sha256: bodySha256, wallet, issued_at: issuedAt, nonce } = proof
  return walletProofText({ origin, method, path, bodySha256, wallet, issuedAt, nonce })
}

/** SHA-256 (64 hex) of a parsed body's canonical JSON, or of the empty string without a body. */
export function bodySha256(parsed: unknown): string {
  return parsed === undefined ? sha256Hex('') : digestOf(parsed)
}

/** The header value: base64url of the JSON, without padding. */
export function encodeWalletProof(proof: WalletProof): string {
  return base64urlnopad.encode(utf8ToBytes(JSON.stringify(proof)))
}
