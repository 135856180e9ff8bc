import {
  type Account,
  clearingAccount,
  fund,
  type Leg,
  transferLegs,
  walletAccount,
} from '../../workflows/domain/credit.ts'
import { receiptId } from '../../workflows/domain/ids.ts'
import { challengeTransitions, referenceTransitions } from '../../workflows/domain/payment-reference.ts'
import { move } from '../../workflows/domain/state-table.ts'
import { type ChallengeRow, lockChallenge, updateChallenge } from '../store/challenges.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { lockEntitlement, updateEntitlement } from '../store/entitlements.ts'
import { findReference, lockReference, type ReferenceRow, updateReference } from '../store/payment-references.ts'
import { postMovement } from '../store/postings.ts'
import { type ReceiptIssuer, writeMoneyReceipt } from './deps.ts'
import { returnRest } from './returns.ts'

/** A reference with the challenge that it pays, both locked; a reference that funds a wallet pays none. */
export type Locked = { reference: ReferenceRow; challenge: ChallengeRow | undefined }

/** Locks in the one order that everybody keeps: challenge, then reference. Undefined when there is no such reference. */
export async function lockBoth(tx: Tx, referenceId: string): Promise<Locked | undefined> {
  const known = await findReference(tx, referenceId)
  const challenge = known?.challenge_id == null ? undefined : await lockChallenge(tx, known.challenge_id)
  const reference = await lockReference(tx, referenceId)
  return reference === undefined ? undefined : { reference, challenge }
}

const movedTo = (reference: ReferenceRow, ...events: ('check' | 'verify' | 'reject' | 'expire')[]) =>
  events.reduce((state, event) => move('the payment reference', referenceTransitions, state, event), reference.state)

/** It is being found out; `reason` says what is waited for. */
export function keepPending(tx: Tx, { reference }: Locked, reason: string): Promise<ReferenceRow> {
  const state = reference.state === 'presented' ? movedTo(reference, 'check') : reference.state
  return updateReference(tx, reference.payment_reference_id, { state, reason })
}

/** Proven to bring nothing (`reject`), or given up unproven (`expire`): the challenge may be paid in another way. */
export async function closeReference(
  tx: Tx,
  { reference, challenge }: Locked,
  event: 'reject' | 'expire',
  why: { reason: string; decidedBy?: string },
): Promise<ReferenceRow> {
  if (challenge !== undefined) {
    const open = move('the challenge', challengeTransitions, challenge.state, 'fail')
    await updateChallenge(tx, challenge.challenge_id, { state: open })
    // Past its time it does not stay open for a moment.
    if (challenge.lapsed) await updateChallenge(tx, challenge.challenge_id, { state: 'expired' })
  }
  const decided = { state: movedTo(reference, event), reason: why.reason, decided_by: why.decidedBy ?? null }
  return updateReference(tx, reference.payment_reference_id, decided)
}

/**
 * A verified reference settles: settlement receipt, postings, funded entitlement (or wallet), settled challenge, in the caller's
 * transaction. `source` is the wallet that paid where one did.
 */
export async function settle(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, challenge }: Locked,
  proof: { decidedBy: string; evidence: Record<string, unknown>; source?: Account },
): Promise<ReferenceRow> {
  const events: ('check' | 'verify')[] = reference.state === 'presented' ? ['check', 'verify'] : ['verify']
  const state = movedTo(reference, ...events)
  const source = proof.source ?? clearingAccount(reference.method)
  const { payment_reference_id, method, external_reference, amount_usd, entitlement_id, wallet_id } = reference
  const facts = {
    payment_reference_id,
    method,
    external_reference,
    amount_usd,
    entitlement_id,
    wallet_id,
    challenge_id: reference.challenge_id,
    decided_by: proof.decidedBy,
    evidence: proof.evidence,
  }
  const receipt = { subject: payment_reference_id, kind: 'settlement_receipt' as const, facts }
  const settlement = receiptId(await writeMoneyReceipt(deps, tx, receipt, await clockSeconds(tx)))
  // A row's state has two moves to make where nothing was waited for.
  if (events.length > 1) await updateReference(tx, payment_reference_id, { state: movedTo(reference, 'check') })
  if (challenge !== undefined) {
    const settled = move('the challenge', challengeTransitions, challenge.state, 'settle')
    await updateChallenge(tx, challenge.challenge_id, { state: settled })
  }
  const decided = { state, reason: null, decided_by: proof.decidedBy, settlement_receipt_id: settlement }
  const row = await updateReference(tx, payment_reference_id, decided)
  await postMovement(tx, settlement, await fundTarget(tx, reference, source, settlement))
  // Money that comes when its task is over goes back.
  if (entitlement_id !== null) await returnRest(deps, tx, entitlement_id)
  return row
}

async function fundTarget(tx: Tx, reference: ReferenceRow, source: Account, settlement: string): Promise<Leg[]> {
  if (reference.wallet_id !== null)
    return transferLegs(source, walletAccount(reference.wallet_id), reference.amount_usd)
  const entitlement = await lockEntitlement(tx, reference.entitlement_id ?? '')
  if (entitlement === undefined) throw new Error('a reference pays for an entitlement that is not there')
  const funded = fund(entitlement, source)
  await updateEntitlement(tx, funded.entitlement, settlement)
  return funded.legs
}
