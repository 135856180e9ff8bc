import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { move } from '#domain/core/state-table.ts'
import {
  type Account,
  clearingAccount,
  fund,
  type Leg,
  transferLegs,
  walletAccount,
} from '#domain/credit/credit.ts'
import {
  challengeTransitions,
  isByName,
  type ReasonCode,
  referenceTransitions,
} from '#domain/payments/payment-reference.ts'
import { lockWallet } from '../store/credit/allowance-wallets.ts'
import { lockEntitlement, updateEntitlement } from '../store/credit/entitlements.ts'
import { postMovement } from '../store/credit/postings.ts'
import { type ChallengeRow, lockChallenge, updateChallenge } from '../store/payments/challenges.ts'
import {
  findReference,
  listNamed,
  lockName,
  lockReference,
  type ReferenceRow,
  updateReference,
} from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { writeMoneyReceipt } from './deps.ts'
import { collectDue } from './fees.ts'
import { returnRest } from './returns.ts'

/** A reference with the challenge that it pays, both locked; a reference that funds a wallet pays none. */
export type Locked = { reference: ReferenceRow; challenge: ChallengeRow | undefined }

/** Locks challenge and reference in this order, as every caller does. Undefined for an unknown reference. */
export async function lockBoth(tx: Tx, referenceId: string): Promise<Locked | undefined> {
  const known = await findReference(tx, referenceId)
  const challenge =
    known?.challenge_id == null ? undefined : await lockChallenge(tx, known.challenge_id)
  const reference = await lockReference(tx, referenceId)
  return reference === undefined ? undefined : { reference, challenge }
}

const movedTo = (
  reference: ReferenceRow,
  ...events: ('check' | 'verify' | 'reject' | 'expire')[]
) =>
  events.reduce(
    (state, event) => move('the payment reference', referenceTransitions, state, event),
    reference.state,
  )

type Waiting = { reason: string; code?: ReasonCode | undefined }

/** Keeps a payment pending; `reason` says why. */
export function keepPending(
  tx: Tx,
  { reference }: Locked,
  { reason, code }: Waiting,
): Promise<ReferenceRow> {
  const state = reference.state === 'presented' ? movedTo(reference, 'check') : reference.state
  const pending = { state, reason, reason_code: code ?? null }
  return updateReference(tx, reference.payment_reference_id, pending)
}

type Closing = { event: 'reject' | 'expire'; reason: string; decidedBy?: string }

/** Closes a payment that is proven to bring nothing (`reject`) or stays unproven (`expire`); its challenge may be paid in another way. */
export async function closeReference(
  tx: Tx,
  { reference, challenge }: Locked,
  { event, reason, decidedBy }: Closing,
): Promise<ReferenceRow> {
  if (challenge !== undefined) {
    const open = move('the challenge', challengeTransitions, challenge.state, 'fail')
    await updateChallenge(tx, challenge.challenge_id, { state: open })
    // A lapsed challenge does not reopen.
    if (challenge.lapsed) await updateChallenge(tx, challenge.challenge_id, { state: 'expired' })
  }
  const decided = { state: movedTo(reference, event), reason, decided_by: decidedBy ?? null }
  return updateReference(tx, reference.payment_reference_id, decided)
}

export type PaymentProof = {
  decidedBy: string
  evidence: Record<string, unknown>
  /** The wallet that paid, where one did. */
  source?: Account
}

/**
 * Settles a verified reference: settlement receipt, postings, funded entitlement (or wallet, which then pays the fees that are due),
 * settled challenge, in the caller's transaction.
 */
export async function settle(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, challenge, proof }: Locked & { proof: PaymentProof },
): Promise<ReferenceRow> {
  if (await isTaken(tx, reference)) throw alreadyUsed()
  // Before its postings, as all do that pay from the wallet.
  if (reference.wallet_id !== null) await lockWallet(tx, reference.wallet_id)
  const events: ('check' | 'verify')[] =
    reference.state === 'presented' ? ['check', 'verify'] : ['verify']
  const state = movedTo(reference, ...events)
  const source = proof.source ?? clearingAccount(reference.method)
  const {
    payment_reference_id,
    method,
    external_reference,
    amount_usd,
    entitlement_id,
    wallet_id,
  } = reference
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
  const settlement = receiptId(await writeMoneyReceipt(deps, tx, receipt))
  // A presented row passes through `pending`, because the database checks each change of its state.
  if (events.length > 1)
    await updateReference(tx, payment_reference_id, { state: movedTo(reference, 'check') })
  if (challenge !== undefined) {
    const settled = move('the challenge', challengeTransitions, challenge.state, 'settle')
    await updateChallenge(tx, challenge.challenge_id, { state: settled })
  }
  const decided = {
    state,
    reason: null,
    decided_by: proof.decidedBy,
    settlement_receipt_id: settlement,
  }
  const row = await updateReference(tx, payment_reference_id, decided)
  await postMovement(tx, settlement, await fundTarget(tx, { reference, source, settlement }))
  if (wallet_id !== null) await collectDue(deps, tx, { agentId: reference.agent_id })
  // Credit that is funded after its task has ended is returned.
  if (entitlement_id !== null) await returnRest(deps, tx, entitlement_id)
  return row
}

/** Whether a payment of this name was confirmed before; none is by another transaction until this one ends. */
export async function isTaken(
  tx: Tx,
  { method, external_reference }: ReferenceRow,
): Promise<boolean> {
  if (!isByName(method)) return false
  await lockName(tx, external_reference)
  return isConfirmedName(tx, external_reference)
}

export async function isConfirmedName(tx: Tx, name: string): Promise<boolean> {
  const [first] = await listNamed(tx, name, 1)
  return first?.state === 'verified' || first?.state === 'disputed'
}

export const alreadyUsed = () =>
  refuse('reference_already_used', {
    detail: 'this payment was presented before',
  })

type Funding = { reference: ReferenceRow; source: Account; settlement: string }

async function fundTarget(tx: Tx, { reference, source, settlement }: Funding): Promise<Leg[]> {
  if (reference.wallet_id !== null)
    return transferLegs(source, walletAccount(reference.wallet_id), reference.amount_usd)
  const entitlement = await lockEntitlement(tx, reference.entitlement_id ?? '')
  if (entitlement === undefined)
    throw new Error('a reference pays for an entitlement that is not there')
  const funded = fund(entitlement, source)
  await updateEntitlement(tx, funded.entitlement, settlement)
  return funded.legs
}
