import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { type AuthorityType, isByName } from '#domain/payments/payment-reference.ts'
import { consumeKeys } from '../store/calls/replay-ledger.ts'
import {
  countNamedBy,
  insertReference,
  type NewReference,
  type ReferenceRow,
} from '../store/payments/payment-references.ts'
import { claimPayment } from '../store/payments/payments.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { payFromWallet } from './allowance.ts'
import { recordAp2 } from './ap2.ts'
import { assertUnused, type Prepared, type Presented } from './presenting.ts'
import { newId } from './quotes.ts'
import { alreadyUsed, isConfirmedName, type Locked, settle } from './settlement.ts'

/** `provider`: only its events confirm the payment; without one, those of the first provider that reports it. */
export type Presenter = Presented & {
  agentId: string
  provider?: string
}

type NewPresented = {
  input: Presenter & { authorityType?: AuthorityType }
  prepared: Prepared
  target: Pick<NewReference, 'amount_usd' | 'challenge_id' | 'entitlement_id' | 'wallet_id'>
}

/** Stores the reference, and binds an x402 payment to it permanently. */
export async function insertPresented(
  tx: Tx,
  { input, prepared, target }: NewPresented,
): Promise<ReferenceRow> {
  const { agentId, method, evidence, authorityType, provider } = input
  const { external_reference, payer, proof, claim, ap2 } = prepared
  if (isByName(method) && (await isConfirmedName(tx, external_reference))) throw alreadyUsed()
  const reference = await insertReference(tx, {
    payment_reference_id: newId('pr'),
    agent_id: agentId,
    method,
    external_reference,
    payer,
    proof: proof === null ? null : JSON.stringify(proof),
    ...target,
    authority_type: authorityType ?? null,
    // The transaction of a wallet reference has moved money.
    is_only_checked: authorityType !== undefined && method !== 'stablecoin_reference',
    evidence_sha256: evidence?.sha256 ?? null,
    evidence_url: evidence?.url ?? null,
    provider: provider ?? null,
  })
  if (reference === undefined) throw alreadyUsed()
  if (ap2 !== undefined) await recordAp2(tx, reference, ap2)
  if (claim !== undefined) await claimPayment(tx, claim, reference.payment_reference_id, 'settling')
  return reference
}

/** Throws 429 `rate_limited` for an agent that named more payments than it can have made. */
export async function assertMayName(
  tx: Tx,
  { agentId, method }: Pick<Presenter, 'agentId' | 'method'>,
): Promise<void> {
  if (!isByName(method)) return
  const { waiting, rejected } = await countNamedBy(tx, agentId)
  if (waiting < limits.paymentsNamedWaitingMax && rejected < limits.paymentsRejectedPerDay) return
  throw refuse('rate_limited', {
    detail: `${waiting} payments wait, and ${rejected} were rejected within a day`,
    next_action: 'Present a payment once those that wait are decided, or tomorrow.',
    retry_after_ms: 3_600_000,
  })
}

/** Settles a payment that was proven when it was presented, in the same transaction. */
export async function settleProven(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, challenge, proven }: Locked & { proven: Prepared['proven'] },
): Promise<ReferenceRow> {
  if (proven === undefined) return reference
  const { keys = [], ...proof } = proven
  if (proof.source !== undefined) await payFromWallet(tx, reference)
  const subject = reference.challenge_id ?? reference.wallet_id ?? ''
  await assertUnused(tx, keys, subject)
  if (keys.length > 0) await consumeKeys(keys, subject).run(tx)
  return settle(deps, tx, { reference, challenge, proof })
}
