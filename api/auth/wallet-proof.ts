import type { Kysely } from 'kysely'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { bodySha256, signedText, type WalletProof } from '#domain/payouts/wallet-proof.ts'
import { decodeWalletProof } from '#domain/payouts/wallet-proof-reader.ts'
import { hasPaid } from '../../activities/store/payments/payments.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import type { CallRequest } from '../context.ts'
import { type AskingLimits, mayAskOthers } from './attempts.ts'
import type { Method } from './method.ts'

/** Whether `wallet` made this personal_sign signature; throws 503 when a contract wallet cannot be asked. */
export type WalletProofDeps = {
  verify(
    wallet: Hex,
    message: string,
    signature: Hex,
    mayAskOthers?: () => Promise<void>,
  ): Promise<boolean>
}

/** What the proof of a wallet is checked with. */
type WalletNeeds = AskingLimits & {
  readonly baseUrl: string
  /** Postgres' clock. */
  readonly clock: { nowSeconds(): Promise<number> }
  readonly wallets: WalletProofDeps
  readonly isNewWallet: IsNewWallet
}

/** By a proof that a wallet signed; what it says of the body is checked once the body is read. */
export const byWallet: Method<WalletNeeds> = async ({ request }, deps) => {
  const proof = await findProof(request, deps)
  const { wallet, nonce, body_sha256: bodySha256 } = proof
  const isNew = await deps.isNewWallet(wallet)
  return {
    way: 'wallet',
    isAnyone: isNew,
    proof: { wallet, nonce, bodySha256 },
    callerOf: async ({ request: { method, address }, value }) => {
      const body = method === 'GET' ? undefined : value
      await deps.attempts.guard({ address }, async () => assertProvenBody(proof, body))
      return { kind: 'wallet', id: `wallet:${wallet}`, wallet, isNew }
    },
  }
}

async function findProof(
  { address, headers, method, path }: CallRequest,
  deps: WalletNeeds,
): Promise<WalletProof> {
  const nowSeconds = await deps.clock.nowSeconds()
  const asked = {
    header: headers['x-service-wallet-proof'],
    method,
    path,
    origin: deps.baseUrl,
    nowSeconds,
  }
  return deps.attempts.guard({ address }, () =>
    verifyWalletProof(asked, deps.wallets, mayAskOthers(address, deps)),
  )
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
  const { wallet, signature } = proof
  const text = signedText(call.origin, proof)
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

/** Whether a wallet never paid for a call: a key costs nothing, so that its proof says nothing of who calls. */
export type IsNewWallet = (wallet: string) => Promise<boolean>

const KNOWN_MAX = 100_000
/** How long a wallet counts as new before it is looked up again. */
const NEW_MS = 2_000

/** A wallet that paid is remembered, because that never changes. */
export function newWallets(db: Kysely<Database>): IsNewWallet {
  const known = new Map<string, { isNew: boolean; until: number }>()
  return async (wallet) => {
    const found = known.get(wallet)
    if (found !== undefined && found.until > performance.now()) return found.isNew
    const isNew = !(await hasPaid(db, wallet))
    if (known.size >= KNOWN_MAX) known.clear()
    const until = isNew ? performance.now() + NEW_MS : Number.POSITIVE_INFINITY
    known.set(wallet, { isNew, until })
    return isNew
  }
}
