import { refuse } from '#domain/core/errors.ts'
import { move } from '#domain/core/state-table.ts'
import {
  type AuthorityType,
  challengeTransitions,
  isConfirmedBy,
  type PaymentMethod,
} from '#domain/payments/payment-reference.ts'
import { consumeKeys } from '../store/calls/replay-ledger.ts'
import {
  findPresented,
  findReference,
  insertReference,
  type NewReference,
  type ReferenceRow,
} from '../store/payments/payment-references.ts'
import { claimPayment } from '../store/payments/payments.ts'
import {
  type ChallengeRow,
  findChallenge,
  lockChallenge,
  updateChallenge,
} from '../store/payouts/challenges.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { debit, debitAuthorized, debited, ownWallet, payFromWallet } from './allowance.ts'
import { checkReference } from './checks.ts'
import type { MoneyDeps, ReceiptIssuer } from './deps.ts'
import {
  assertUnused,
  fromWallet,
  offeredAs,
  type Prepared,
  type Presented,
  prepare,
  presentationName,
} from './presenting.ts'
import { alreadyFunded, liveQuote, newId, openEntitlement, paymentPending } from './quotes.ts'
import { closeReference, keepPending, type Locked, lockBoth, settle } from './settlement.ts'
import { assertMaySpend } from './spending-limit.ts'

/** `provider`: only its events confirm the payment; without one, those of the first provider that reports it. */
type Presenter = Presented & {
  agentId: string
  evidence?: { sha256?: string; url?: string }
  provider?: string
}

/**
 * `amountUsd` is the amount that the caller expects, in whole usd. With `authorityType` the payment is only authorized; it moves
 * once it is presented again without. The agent's limits do not apply to a payment that is `alreadyPaid`.
 */
export type PresentInput = Presenter & {
  challengeId: string
  amountUsd?: number
  authorityType?: AuthorityType
  alreadyPaid?: boolean
}

/**
 * Presents a payment for a challenge; repeated, it returns the same reference. An allowance pays and a mandate is consumed here; the
 * other methods are verified later. 404, 401 `proof_invalid`, 402, 403, 409 `payment_pending`, `reference_already_used`,
 * `already_funded`, 410 `challenge_expired`, 422 `amount_mismatch`.
 */
export async function presentReference(
  deps: MoneyDeps,
  input: PresentInput,
): Promise<ReferenceRow> {
  const known = await findChallenge(deps.db, input.challengeId)
  if (known === undefined)
    throw refuse('not_found', {
      detail: 'no such challenge',
      next_action: 'Open a challenge for a quote first.',
    })
  const repeated = await findPresented(deps.db, known)
  // A proof works only once, so a repeat is answered before it is checked.
  if (repeated !== undefined && repeats(repeated, input)) {
    const debit = repeated.method === 'agent_allowance' && input.authorityType === undefined
    return debit ? debitAuthorized(deps, repeated.payment_reference_id) : repeated
  }
  const payable = { id: known.challenge_id, amount_usd: known.amount_usd }
  const prepared = await prepare(deps, payable, input)
  return transaction(deps.db, (tx) => storePresented(deps, tx, { input, prepared }))
}

/**
 * Pays a challenge from a wallet in the caller's transaction, also where that was only authorized before. Throws as
 * `presentReference` does.
 */
export async function payByAllowance(
  deps: ReceiptIssuer,
  tx: Tx,
  { walletId, ...of }: { agentId: string; challengeId: string; walletId: string },
): Promise<ReferenceRow> {
  const input = {
    ...of,
    method: 'agent_allowance',
    externalReference: walletId,
    payer: walletId,
  } as const
  const prepared = fromWallet({ id: of.challengeId }, input)
  const reference = await storePresented(deps, tx, { input, prepared })
  return reference.state === 'verified'
    ? reference
    : debited(await debit(deps, tx, reference.payment_reference_id))
}

async function storePresented(
  deps: ReceiptIssuer,
  tx: Tx,
  { input, prepared }: { input: PresentInput; prepared: Prepared },
): Promise<ReferenceRow> {
  const challenge = await lockChallenge(tx, input.challengeId)
  if (challenge === undefined)
    throw refuse('not_found', {
      detail: 'no such challenge',
      next_action: 'Open a challenge for a quote first.',
    })
  const before = await findPresented(tx, challenge)
  if (before !== undefined && repeats(before, input)) return before
  assertPayable(challenge, before, input.amountUsd)
  const quote = await liveQuote(tx, challenge.quote_id)
  if (input.alreadyPaid !== true) await assertMaySpend(tx, input.agentId, challenge.amount_usd)
  const { entitlement_id } = await openEntitlement(tx, quote, input.agentId)
  const state = move('the challenge', challengeTransitions, challenge.state, 'present')
  await updateChallenge(tx, challenge.challenge_id, { state, entitlement_id })
  const target = {
    amount_usd: challenge.amount_usd,
    challenge_id: challenge.challenge_id,
    entitlement_id,
  }
  const reference = await insertPresented(tx, { input, prepared, target })
  const proven = input.authorityType === undefined ? prepared.proven : undefined
  return settleProven(deps, tx, { reference, challenge: { ...challenge, state }, proven })
}

export type TopUpInput = Presenter & { walletId: string; amountUsd: number }

/**
 * Presents a payment into an allowance wallet; repeated, it answers the same reference. No wallet is paid from another one, as
 * its limits would be gone around. Throws as `presentReference` does.
 */
export async function presentTopUp(deps: MoneyDeps, input: TopUpInput): Promise<ReferenceRow> {
  const { agentId, walletId, amountUsd, method } = input
  if (method === 'agent_allowance')
    throw refuse('unsupported_request', {
      detail: 'a wallet is not paid from a wallet',
      next_action: 'Pay into it in another way.',
    })
  const earlier = sameTopUp(await presentedBefore(deps, input), input)
  if (earlier !== undefined) return earlier
  const prepared = await prepare(deps, { id: walletId, amount_usd: amountUsd }, input)
  return transaction(deps.db, async (tx) => {
    await ownWallet(tx, walletId, agentId)
    const known = await findPresented(tx, {
      method,
      external_reference: prepared.external_reference,
    })
    const same = sameTopUp(known, input)
    if (same !== undefined) return same
    const reference = await insertPresented(tx, {
      input,
      prepared,
      target: { amount_usd: amountUsd, wallet_id: walletId },
    })
    return settleProven(deps, tx, { reference, challenge: undefined, proven: prepared.proven })
  })
}

/** The row where it is this very top-up; 422 `amount_mismatch` where it was presented as another amount. */
function sameTopUp(row: ReferenceRow | undefined, { walletId, agentId, amountUsd }: TopUpInput) {
  if (row?.wallet_id !== walletId || row.agent_id !== agentId) return undefined
  if (row.amount_usd === amountUsd) return row
  throw refuse('amount_mismatch', {
    detail: `it was presented as ${row.amount_usd} usd`,
    next_action: 'Name the amount that was presented.',
  })
}

/** The earlier reference of the same mandate or signed payment, which can be proven only once. */
async function presentedBefore(
  deps: MoneyDeps,
  input: TopUpInput,
): Promise<ReferenceRow | undefined> {
  const external_reference = proofName(deps, input)
  if (external_reference === undefined) return undefined
  return findPresented(deps.db, { method: input.method, external_reference })
}

/** The name under which the proof of a mandate or a signed payment is stored. */
function proofName(
  { offers }: MoneyDeps,
  { method, amountUsd, proof }: TopUpInput,
): string | undefined {
  if (method === 'ap2_mandate_reference')
    return proof?.presentation === undefined ? undefined : presentationName(proof.presentation)
  if (method !== 'x402_reference') return undefined
  const offer = offeredAs({ amount_usd: amountUsd })
  return offers.readPayment({ 'payment-signature': proof?.payment }, offer)?.paymentId
}

type NewPresented = {
  input: Presenter & Pick<PresentInput, 'authorityType'>
  prepared: Prepared
  target: Pick<NewReference, 'amount_usd' | 'challenge_id' | 'entitlement_id' | 'wallet_id'>
}

/** Stores the reference, and binds an x402 payment to it permanently. */
async function insertPresented(
  tx: Tx,
  { input, prepared, target }: NewPresented,
): Promise<ReferenceRow> {
  const { agentId, method, evidence, authorityType, provider } = input
  const { external_reference, payer, proof, claim } = prepared
  const reference = await insertReference(tx, {
    payment_reference_id: newId('pr'),
    agent_id: agentId,
    method,
    external_reference,
    payer,
    proof: proof === null ? null : JSON.stringify(proof),
    ...target,
    authority_type: authorityType ?? null,
    evidence_sha256: evidence?.sha256 ?? null,
    evidence_url: evidence?.url ?? null,
    provider: provider ?? null,
  })
  if (reference === undefined)
    throw refuse('reference_already_used', {
      detail: 'this payment was presented before',
      next_action: 'Read the reference that used it.',
    })
  if (claim !== undefined) await claimPayment(tx, claim, reference.payment_reference_id, 'settling')
  return reference
}

/** Whether this very payment was presented for the challenge before, by the same agent. */
function repeats(
  earlier: ReferenceRow,
  { agentId, method, externalReference, payer = '' }: PresentInput,
): boolean {
  if (earlier.agent_id !== agentId || earlier.method !== method) return false
  const named: Partial<Record<PaymentMethod, boolean>> = {
    agent_allowance: earlier.payer === payer,
    x402_reference: true,
    ap2_mandate_reference: true,
  }
  return (
    named[method] ?? earlier.external_reference.toLowerCase() === externalReference.toLowerCase()
  )
}

function assertPayable(
  challenge: ChallengeRow,
  live: ReferenceRow | undefined,
  amountUsd?: number,
): void {
  if (challenge.state === 'settled') throw alreadyFunded(challenge)
  if (live !== undefined) throw paymentPending(live)
  if (challenge.state === 'expired' || challenge.lapsed)
    throw refuse('challenge_expired', {
      detail: 'the challenge has ended',
      next_action: 'Open a new challenge for the quote.',
    })
  if (amountUsd !== undefined && amountUsd !== challenge.amount_usd)
    throw refuse('amount_mismatch', {
      detail: `the challenge is for ${challenge.amount_usd} usd`,
      next_action: 'Pay exactly that amount.',
    })
}

async function settleProven(
  deps: ReceiptIssuer,
  tx: Tx,
  { reference, challenge, proven }: Locked & { proven: Prepared['proven'] },
): Promise<ReferenceRow> {
  if (proven === undefined) return reference
  const { keys = [], ...proof } = proven
  if (proof.source !== undefined) await payFromWallet(tx, reference)
  const subject = reference.challenge_id ?? reference.wallet_id ?? ''
  await assertUnused(tx, keys, subject)
  if (keys.length > 0) await consumeKeys(keys, subject).execute(tx)
  return settle(deps, tx, { reference, challenge, proof })
}

/**
 * Checks the proof of a presented payment and stores the verdict: `verified` settles, `rejected` frees the challenge, and any other
 * stays `pending`. May run at any time and any number of times; the chain is read outside the transaction.
 */
export async function verifyReference(deps: MoneyDeps, referenceId: string): Promise<ReferenceRow> {
  const known = await findReference(deps.db, referenceId)
  if (known === undefined) throw refuse('not_found', { detail: 'no such payment reference' })
  if (known.state !== 'presented' && known.state !== 'pending') return known
  const verdict = await checkReference(deps, known)
  return transaction(deps.db, async (tx) => {
    const locked = await lockBoth(tx, referenceId)
    if (locked === undefined) throw new Error('a payment reference is missing')
    const { reference, challenge } = locked
    if (reference.state !== 'presented' && reference.state !== 'pending') return reference
    switch (verdict.kind) {
      case 'verified':
        return settle(deps, tx, {
          ...locked,
          proof: { decidedBy: verdict.by, evidence: verdict.evidence },
        })
      case 'rejected':
        return closeReference(tx, locked, { event: 'reject', reason: verdict.reason })
      case 'pending':
        // A transaction that no node knows when the challenge ends expires; once it is mined, it can be presented again.
        if (verdict.absent === true && challenge?.lapsed === true)
          return closeReference(tx, locked, { event: 'expire', reason: verdict.reason })
        return keepPending(tx, locked, verdict)
    }
  })
}

export type ReferenceDecision = {
  referenceId: string
  approve: boolean
  decidedBy: string
  note: string
}

/** What an operator may decide about a payment. */
export function operatorDecisions({ method, reason_code }: ReferenceRow): ('approve' | 'reject')[] {
  if (isConfirmedBy(method, 'operator')) return ['approve', 'reject']
  return reason_code === 'amount_mismatch' ? ['reject'] : []
}

/**
 * An operator's decision on a payment that no machine confirms. Only invoices and plain references can be approved; a chain, a
 * wallet or a mandate decides the other methods. A payment of a wrong amount can always be rejected: it has to be returned.
 * 404, 403 `control_denied`, 409 `wrong_state`.
 */
export async function decideReference(
  deps: ReceiptIssuer,
  tx: Tx,
  decision: ReferenceDecision,
): Promise<ReferenceRow> {
  const locked = await lockBoth(tx, decision.referenceId)
  if (locked === undefined) throw refuse('not_found', { detail: 'no such payment reference' })
  const { reference } = locked
  const decided = decision.approve ? 'verified' : 'rejected'
  if (reference.state === decided && reference.decided_by === decision.decidedBy) return reference
  if (!operatorDecisions(reference).includes(decision.approve ? 'approve' : 'reject'))
    throw refuse('control_denied', {
      detail: `${reference.method} is not for an operator to decide`,
      next_action: 'Wait for its proof.',
    })
  const { decidedBy, note } = decision
  if (decision.approve)
    return settle(deps, tx, { ...locked, proof: { decidedBy, evidence: { note } } })
  return closeReference(tx, locked, { event: 'reject', reason: note, decidedBy })
}
