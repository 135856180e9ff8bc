import { refuse } from '../../workflows/domain/errors.ts'
import {
  AMOUNT_MISMATCH,
  type AuthorityType,
  challengeTransitions,
  isConfirmedBy,
  type PaymentMethod,
} from '../../workflows/domain/payment-reference.ts'
import { move } from '../../workflows/domain/state-table.ts'
import { type ChallengeRow, findChallenge, lockChallenge, updateChallenge } from '../store/challenges.ts'
import { type Tx, transaction } from '../store/db.ts'
import {
  findPresented,
  findReference,
  insertReference,
  type NewReference,
  type ReferenceRow,
} from '../store/payment-references.ts'
import { claimPayment } from '../store/payments.ts'
import { send } from '../store/pipeline.ts'
import { consumeKeys } from '../store/replay-ledger.ts'
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

/** `provider` is the only one that is believed of the payment; left out, the first that speaks of it is. */
type Presenter = Presented & { agentId: string; evidence?: { sha256?: string; url?: string }; provider?: string }

/**
 * `amountUsd` is what the caller takes the amount to be, in whole usd; checked where it is given. With `authorityType` the payment
 * is only authorized: nothing moves before it is presented again without. No limit of the agent's stands against what is
 * `alreadyPaid`.
 */
export type PresentInput = Presenter & {
  challengeId: string
  amountUsd?: number
  authorityType?: AuthorityType
  alreadyPaid?: boolean
}

/**
 * Presents a payment for a challenge; repeated, it answers the same reference. What can be proven at once is: an allowance pays and
 * a mandate is consumed here. 404, 401 `proof_invalid`, 402, 403, 409 `payment_pending`, `reference_already_used`,
 * `already_funded`, 410 `challenge_expired`, 422 `amount_mismatch`.
 */
export async function presentReference(deps: MoneyDeps, input: PresentInput): Promise<ReferenceRow> {
  const known = await findChallenge(deps.db, input.challengeId)
  if (known === undefined) throw refuse('not_found', 'no such challenge', 'Open a challenge for a quote first.')
  const repeated = await findPresented(deps.db, known)
  // What is proven once is spent, and would not be proven again.
  if (repeated !== undefined && repeats(repeated, input)) {
    const debit = repeated.method === 'agent_allowance' && input.authorityType === undefined
    return debit ? debitAuthorized(deps, repeated.payment_reference_id) : repeated
  }
  const payable = { id: known.challenge_id, amount_usd: known.amount_usd }
  const prepared = await prepare(deps, payable, input)
  return transaction(deps.db, (tx) => storePresented(deps, tx, input, prepared))
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
  const input = { ...of, method: 'agent_allowance', externalReference: walletId, payer: walletId } as const
  const reference = await storePresented(deps, tx, input, fromWallet({ id: of.challengeId }, input))
  return reference.state === 'verified' ? reference : debited(await debit(deps, tx, reference.payment_reference_id))
}

async function storePresented(
  deps: ReceiptIssuer,
  tx: Tx,
  input: PresentInput,
  prepared: Prepared,
): Promise<ReferenceRow> {
  const challenge = await lockChallenge(tx, input.challengeId)
  if (challenge === undefined) throw refuse('not_found', 'no such challenge', 'Open a challenge for a quote first.')
  const before = await findPresented(tx, challenge)
  if (before !== undefined && repeats(before, input)) return before
  assertPayable(challenge, before, input.amountUsd)
  const quote = await liveQuote(tx, challenge.quote_id)
  if (input.alreadyPaid !== true) await assertMaySpend(tx, input.agentId, challenge.amount_usd)
  const { entitlement_id } = await openEntitlement(tx, quote, input.agentId)
  const state = move('the challenge', challengeTransitions, challenge.state, 'present')
  await updateChallenge(tx, challenge.challenge_id, { state, entitlement_id })
  const target = { amount_usd: challenge.amount_usd, challenge_id: challenge.challenge_id, entitlement_id }
  const reference = await insertPresented(tx, input, prepared, target)
  const proven = input.authorityType === undefined ? prepared.proven : undefined
  return settleProven(deps, tx, { reference, challenge: { ...challenge, state } }, proven)
}

export type TopUpInput = Presenter & { walletId: string; amountUsd: number }

/**
 * Presents a payment into an allowance wallet; repeated, it answers the same reference. No wallet is paid from another one, as
 * its limits would be gone around. Throws as `presentReference` does.
 */
export async function presentTopUp(deps: MoneyDeps, input: TopUpInput): Promise<ReferenceRow> {
  const { agentId, walletId, amountUsd, method } = input
  if (method === 'agent_allowance')
    throw refuse('unsupported_request', 'a wallet is not paid from a wallet', 'Pay into it in another way.')
  const earlier = sameTopUp(await presentedBefore(deps, input), input)
  if (earlier !== undefined) return earlier
  const prepared = await prepare(deps, { id: walletId, amount_usd: amountUsd }, input)
  return transaction(deps.db, async (tx) => {
    await ownWallet(tx, walletId, agentId)
    const known = await findPresented(tx, { method, external_reference: prepared.external_reference })
    const same = sameTopUp(known, input)
    if (same !== undefined) return same
    const reference = await insertPresented(tx, input, prepared, { amount_usd: amountUsd, wallet_id: walletId })
    return settleProven(deps, tx, { reference, challenge: undefined }, prepared.proven)
  })
}

/** The row where it is this very top-up; 422 `amount_mismatch` where it was presented as another amount. */
function sameTopUp(row: ReferenceRow | undefined, { walletId, agentId, amountUsd }: TopUpInput) {
  if (row?.wallet_id !== walletId || row.agent_id !== agentId) return undefined
  if (row.amount_usd === amountUsd) return row
  throw refuse('amount_mismatch', `it was presented as ${row.amount_usd} usd`, 'Name the amount that was presented.')
}

/** What a mandate or a signed payment was presented as before: proven once, it is spent, and would not be proven again. */
async function presentedBefore(deps: MoneyDeps, input: TopUpInput): Promise<ReferenceRow | undefined> {
  const { method, amountUsd, proof } = input
  const name =
    method === 'ap2_mandate_reference' && proof?.presentation !== undefined
      ? presentationName(proof.presentation)
      : method === 'x402_reference'
        ? deps.offers.readPayment({ 'payment-signature': proof?.payment }, offeredAs({ amount_usd: amountUsd }))
            ?.paymentId
        : undefined
  return name === undefined ? undefined : findPresented(deps.db, { method, external_reference: name })
}

/** Stores the reference, and binds an x402 payment to it for good. */
async function insertPresented(
  tx: Tx,
  { agentId, method, evidence, authorityType, provider }: Presenter & Pick<PresentInput, 'authorityType'>,
  { external_reference, payer, proof, claim }: Prepared,
  target: Pick<NewReference, 'amount_usd' | 'challenge_id' | 'entitlement_id' | 'wallet_id'>,
): Promise<ReferenceRow> {
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
    throw refuse('reference_already_used', 'this payment was presented before', 'Read the reference that used it.')
  if (claim !== undefined) await claimPayment(tx, claim, reference.payment_reference_id, 'settling')
  return reference
}

/** Whether this very payment was presented for the challenge before, by the same agent. */
function repeats(earlier: ReferenceRow, { agentId, method, externalReference, payer = '' }: PresentInput): boolean {
  if (earlier.agent_id !== agentId || earlier.method !== method) return false
  const named: Partial<Record<PaymentMethod, boolean>> = {
    agent_allowance: earlier.payer === payer,
    x402_reference: true,
    ap2_mandate_reference: true,
  }
  return named[method] ?? earlier.external_reference.toLowerCase() === externalReference.toLowerCase()
}

function assertPayable(challenge: ChallengeRow, live: ReferenceRow | undefined, amountUsd?: number): void {
  if (challenge.state === 'settled') throw alreadyFunded(challenge)
  if (live !== undefined) throw paymentPending(live)
  if (challenge.state === 'expired' || challenge.lapsed)
    throw refuse('challenge_expired', 'the challenge has ended', 'Open a new challenge for the quote.')
  if (amountUsd !== undefined && amountUsd !== challenge.amount_usd)
    throw refuse('amount_mismatch', `the challenge is for ${challenge.amount_usd} usd`, 'Pay exactly that amount.')
}

async function settleProven(
  deps: ReceiptIssuer,
  tx: Tx,
  locked: Locked,
  proven: Prepared['proven'],
): Promise<ReferenceRow> {
  if (proven === undefined) return locked.reference
  const { keys = [], ...proof } = proven
  if (proof.source !== undefined) await payFromWallet(tx, locked.reference)
  const subject = locked.reference.challenge_id ?? locked.reference.wallet_id ?? ''
  await assertUnused(tx, keys, subject)
  if (keys.length > 0) await send(tx, consumeKeys(keys, subject))
  return settle(deps, tx, locked, proof)
}

/**
 * Looks whether a presented payment came in, and writes what is proven: `verified` settles, `rejected` frees the challenge, all
 * else stays `pending`. May run at any time and any number of times; the chain is asked outside the transaction.
 */
export async function verifyReference(deps: MoneyDeps, referenceId: string): Promise<ReferenceRow> {
  const known = await findReference(deps.db, referenceId)
  if (known === undefined) throw refuse('not_found', 'no such payment reference', 'Check the id.')
  if (known.state !== 'presented' && known.state !== 'pending') return known
  const verdict = await checkReference(deps, known)
  return transaction(deps.db, async (tx) => {
    const locked = await lockBoth(tx, referenceId)
    if (locked === undefined) throw new Error('a payment reference went away')
    const { reference, challenge } = locked
    if (reference.state !== 'presented' && reference.state !== 'pending') return reference
    switch (verdict.kind) {
      case 'verified':
        return settle(deps, tx, locked, { decidedBy: verdict.by, evidence: verdict.evidence })
      case 'rejected':
        return closeReference(tx, locked, 'reject', { reason: verdict.reason })
      case 'pending':
        // What no node knows after its hour is given up; should it be mined after all, it can be presented again.
        if (verdict.absent === true && challenge?.lapsed === true)
          return closeReference(tx, locked, 'expire', { reason: verdict.reason })
        return keepPending(tx, locked, verdict.reason)
    }
  })
}

export type ReferenceDecision = { referenceId: string; approve: boolean; decidedBy: string; note: string }

/** What an operator may decide about a payment. */
export const operatorDecisions = ({ method, reason }: ReferenceRow): ('approve' | 'reject')[] =>
  isConfirmedBy(method, 'operator') ? ['approve', 'reject'] : reason?.startsWith(AMOUNT_MISMATCH) ? ['reject'] : []

/**
 * An operator's word on a payment that reached us outside of every machine. Only invoices and plain references can be approved;
 * what a chain, a wallet or a mandate decides, nobody else does. A payment of another amount than was owed may always be
 * rejected: it has to be given back. 404, 403 `control_denied`, 409 `wrong_state`.
 */
export async function decideReference(deps: ReceiptIssuer, tx: Tx, decision: ReferenceDecision): Promise<ReferenceRow> {
  const locked = await lockBoth(tx, decision.referenceId)
  if (locked === undefined) throw refuse('not_found', 'no such payment reference', 'Check the id.')
  const { reference } = locked
  const decided = decision.approve ? 'verified' : 'rejected'
  if (reference.state === decided && reference.decided_by === decision.decidedBy) return reference
  if (!operatorDecisions(reference).includes(decision.approve ? 'approve' : 'reject'))
    throw refuse('control_denied', `${reference.method} is not for an operator to decide`, 'Wait for its proof.')
  const { decidedBy, note } = decision
  if (decision.approve) return settle(deps, tx, locked, { decidedBy, evidence: { note } })
  return closeReference(tx, locked, 'reject', { reason: note, decidedBy })
}
