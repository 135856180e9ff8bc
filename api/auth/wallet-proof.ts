import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { bodySha256, type WalletProof, walletProofText } from '#domain/payouts/wallet-proof.ts'
import { decodeWalletProof } from '#domain/payouts/wallet-proof-reader.ts'

/** Whether `wallet` made this personal_sign signature; throws 503 when a contract wallet cannot be asked. */
export type WalletProofDeps = {
  verify(
    wallet: Hex,
    message: string,
    signature: Hex,
    mayAskOthers?: () => Promise<void>,
  ): Promise<boolean>
}

/** The call that a proof has to be for: `origin` is the configured base URL, `nowSeconds` Postgres' clock. */
export type ProvenCall = {
  readonly header: string | string[] | undefined
  readonly method: string
  readonly path: string
  readonly origin: string
  readonly nowSeconds: number
}

/**
 * The proof in `X-Service-Wallet-Proof`, signed by its wallet for this method, path and time; throws 401
 * `wallet_proof_required`, `wallet_proof_invalid` or `wallet_proof_expired`. It reads no body and uses up nothing: the transaction
 * that grants the call consumes the nonce.
 */
export async function verifyWalletProof(
  call: ProvenCall,
  deps: WalletProofDeps,
  mayAskOthers?: () => Promise<void>,
): Promise<WalletProof> {
  const proof = readProof(call.header)
  if (proof.method !== call.method) throw invalid(`the proof is for method ${proof.method}`)
  if (proof.path !== call.path) throw invalid(`the proof is for path ${proof.path}`)
  assertFresh(proof.issued_at, call.nowSeconds)
  const { wallet, nonce, body_sha256, issued_at, signature, method, path } = proof
  const text = walletProofText({
    origin: call.origin,
    method,
    path,
    bodySha256: body_sha256,
    wallet,
    issuedAt: issued_at,
    nonce,
  })
  if (!(await deps.verify(wallet, text, signature, mayAskOthers)))
    throw invalid(
      `the signature is not one of ${wallet} over the proof text for origin ${call.origin}`,
    )
  return proof
}

/** Throws 401 `wallet_proof_invalid` unless the proof is for this body: what `JSON.parse` gave, undefined where there is none. */
export function assertProvenBody(proof: WalletProof, body: unknown): void {
  const expected = bodySha256(body)
  if (proof.body_sha256 !== expected)
    throw invalid(
      `the proof is for another body; the SHA-256 of the canonical JSON of this one is ${expected}`,
    )
}

function readProof(header: ProvenCall['header']): WalletProof {
  if (header === undefined || header === '') {
    throw refuse('wallet_proof_required', {
      detail: 'the header X-Service-Wallet-Proof is missing',
    })
  }
  const proof = typeof header === 'string' ? decodeWalletProof(header) : undefined
  if (proof === undefined)
    throw invalid(
      'the header is not one base64url value of the proof JSON, lowercase and without other members',
    )
  return proof
}

function assertFresh(issuedAt: number, nowSeconds: number): void {
  const age = nowSeconds - issuedAt
  if (age <= limits.proofAgeSecondsMax && -age <= limits.proofAheadSecondsMax) return
  const detail =
    age > 0 ? `the proof is ${age} s old` : `the proof is ${-age} s ahead of the service's clock`
  throw refuse('wallet_proof_expired', {
    detail,
  })
}

const invalid = (detail: string): DomainError =>
  refuse('wallet_proof_invalid', {
    detail,
  })
