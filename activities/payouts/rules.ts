import { hashMessage } from 'viem'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import {
  allowedPayoutEvents,
  EXECUTE_PATH,
  nextPayoutState,
  type PayoutEvent,
} from '#domain/payouts/payout.ts'
import { bodySha256, signedText } from '#domain/payouts/wallet-proof.ts'
import { decodeWalletProof } from '#domain/payouts/wallet-proof-reader.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import type { VerifyWalletMessage } from '../keys/key-binding.ts'
import {
  type DailyUse,
  type PayoutConstraints,
  readPayoutConstraints,
} from '../store/payouts/constraints.ts'
import type { PayoutRecord, PayoutRow } from '../store/payouts/payouts.ts'
import type { Tx } from '../store/postgres/db.ts'

/**
 * Refuses a payout that may not be reserved now: wrong state, less than `lifeSecondsMin` of life, a revoked mandate, an unsettled charge, a pause, or
 * the daily cap. Returns the expiry and the current time in Unix seconds. The cap is exact only after `lockDailyCap`.
 */
export async function assertExecutable(
  tx: Tx,
  row: PayoutRow,
  lifeSecondsMin: number,
): Promise<{ expiresAt: number; now: number }> {
  return executableIn(await readPayoutConstraints(tx, row.payout_id, row), row, lifeSecondsMin)
}

/** The same, with constraints that are already read. */
export function executableIn(
  { now, unsettled, pause, revoked, use }: PayoutConstraints,
  row: PayoutRow,
  lifeSecondsMin: number,
): { expiresAt: number; now: number } {
  const expiresAt = Number(openFor('execute', row).expires_at)
  assertLife({ expiresAt, now, lifeSecondsMin }, 'Create and authorize a new payout.')
  if (revoked) throw revokedMandate('Create and authorize a new payout.')
  if (unsettled) throw unsettledCharge()
  if (pause !== undefined)
    throw refuse('paused', {
      detail: `paused by an operator: ${pause}`,
      next_action: 'Repeat the call later.',
      retry_after_ms: 30_000,
    })
  assertUnderDailyCap(row, use)
  return { expiresAt, now }
}

/** Refuses an expiry before which a transfer can no longer confirm. */
export function assertLife(
  { expiresAt, now, lifeSecondsMin }: { expiresAt: number; now: number; lifeSecondsMin: number },
  next_action: string,
): void {
  if (expiresAt - now >= lifeSecondsMin) return
  throw refuse('payout_expired', {
    detail: `less than ${lifeSecondsMin} s of life are left`,
    next_action,
  })
}

/** The row, if the state table allows the event now; otherwise 409 `wrong_state` naming the events allowed. */
export function openFor(event: PayoutEvent, row: PayoutRow): PayoutRow {
  if (nextPayoutState(row.state, event) !== undefined) return row
  const allowed = allowedPayoutEvents(row.state)
  throw refuse('wrong_state', {
    detail: `the payout is ${row.state}`,
    next_action:
      allowed.length === 0 ? 'Read the payout status.' : `Allowed now: ${allowed.join(', ')}.`,
    extra: { state: row.state, allowed_events: allowed },
  })
}

function assertUnderDailyCap(row: PayoutRow, { atomic, freesInMs }: DailyUse): void {
  if (atomic + BigInt(row.amount_atomic) <= limits.dailyCapAtomic) return
  throw refuse('daily_cap_exceeded', {
    detail: `${atomic} of ${limits.dailyCapAtomic} atomic units are in use`,
    retry_after_ms: Math.max(1000, freesInMs ?? 60_000),
  })
}

/** An operator revoked the mandate: it authorizes nothing, and what it authorized is not executed. */
export const revokedMandate = (next_action: string) =>
  refuse('authority_denied', {
    detail: 'an operator revoked the mandate',
    next_action,
    money_moved: 'no',
  })

/** A payout with an unsettled charge takes no further step. */
export const unsettledCharge = () =>
  refuse('settlement_pending', {
    detail: 'an earlier call on this payout is not settled yet',
    next_action: 'Repeat the earlier call first, then this one.',
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })

/** The row, if it exists and belongs to the caller; otherwise always the same 404. */
export function ownPayout(row: PayoutRow | undefined, creator: string): PayoutRow {
  if (row === undefined || row.creator !== creator) throw unknownPayout()
  return row
}

export const unknownPayout = () =>
  refuse('not_found', {
    detail: 'no such payout of this wallet',
    next_action: 'Check the payout id and the wallet that signs.',
  })

/** 410 with the receipt of the dead transfer; the call has no effect and is not charged. */
export const deadTransfer = (record: PayoutRecord) =>
  refuse('payout_expired', {
    detail: 'the transfer is proven never to have moved and never to move',
    next_action: 'Create and authorize a new payout.',
    money_moved: 'no',
    extra: { receipt: record.receipts.at(-1)?.jws },
  })

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
  const { wallet, method, path, body_sha256, signature } = proof
  const isBound =
    wallet === creator &&
    method === 'POST' &&
    path === EXECUTE_PATH &&
    payout_id === payoutId &&
    body_sha256 === bodySha256({ payout_id, idempotency_key })
  if (!isBound) throw invalid('the wallet proof is not of the creator for this execute')
  return { creator: wallet, text: signedText(origin, proof), signature }
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
