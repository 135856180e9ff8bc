import { hashMessage } from 'viem'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { EXECUTE_PATH } from '#domain/payouts/payout.ts'
import { bodySha256, walletProofText } from '#domain/payouts/wallet-proof.ts'
import { decodeWalletProof } from '#domain/payouts/wallet-proof-reader.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import type { VerifyWalletMessage } from '../keys/key-binding.ts'

/** The input of an execute call, stored in the row of the call for the workflow step; `proof` is the header of the caller. */
export type ExecuteInput = { payout_id: string; idempotency_key: string; proof: string }

/** The text that the creator must have signed, and the signature. */
export type ExecuteProof = { readonly creator: Hex; readonly text: string; readonly signature: Hex }

/** The stored proof, if it is bound to this execute of this creator; otherwise throws 401 `wallet_proof_invalid`. */
export function readExecuteProof(
  input: ExecuteInput | null,
  { payoutId, creator, origin }: { payoutId: string; creator: string; origin: string },
): ExecuteProof {
  const proof = typeof input?.proof === 'string' ? decodeWalletProof(input.proof) : undefined
  if (proof === undefined || input === null) throw invalid('the call has no wallet proof')
  const { payout_id, idempotency_key } = input
  const { wallet, method, path, body_sha256, issued_at, nonce, signature } = proof
  const isBound =
    wallet === creator &&
    method === 'POST' &&
    path === EXECUTE_PATH &&
    payout_id === payoutId &&
    body_sha256 === bodySha256({ payout_id, idempotency_key })
  if (!isBound) throw invalid('the wallet proof is not of the creator for this execute')
  const terms = {
    origin,
    method,
    path,
    bodySha256: body_sha256,
    wallet,
    issuedAt: issued_at,
    nonce,
  }
  return { creator: wallet, text: walletProofText(terms), signature }
}

/** Whether the key of the creator made the proof. A contract wallet has no key; `assertProven` asks its code. */
export const isProvenByKey = ({ creator, text, signature }: ExecuteProof): boolean =>
  recoverSigner(hashMessage(text), signature) === creator

/** Throws 401 unless the creator's wallet, also one with code, accepts the proof. */
export async function assertProven(
  { creator, text, signature }: ExecuteProof,
  verify: VerifyWalletMessage,
): Promise<void> {
  if (!(await verify(creator, text, signature)))
    throw invalid('the creator did not sign this execute')
}

const invalid = (detail: string): DomainError =>
  refuse('wallet_proof_invalid', {
    detail,
    next_action: 'Repeat the execute with a new proof of the creator.',
    money_moved: 'no',
  })
