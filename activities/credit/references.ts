import { refuse } from '#domain/core/errors.ts'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import { move } from '#domain/core/state-table.ts'
import {
  type AuthorityType,
  challengeTransitions,
  isMovedHere,
} from '#domain/payments/payment-reference.ts'
import {
  type ChallengeRow,
  findChallenge,
  lockChallenge,
  updateChallenge,
} from '../store/payments/challenges.ts'
import {
  findPresented,
  type ReferenceRow,
  updateReference,
} from '../store/payments/payment-references.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { debit, debitAuthorized, debited } from './allowance.ts'
import type { MoneyDeps } from './deps.ts'
import { assertMayName, insertPresented, type Presenter, settleProven } from './presented.ts'
import { fromWallet, type Prepared, prepare } from './presenting.ts'
import {
  alreadyFunded,
  isReplaceable,
  liveQuote,
  openEntitlement,
  paymentPending,
  unknownChallenge,
} from './quotes.ts'
import { isUsedUp } from './returns.ts'
import { closeReference } from './settlement.ts'
import { assertMayPay } from './spending-limit.ts'

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
  if (known === undefined) throw unknownChallenge()
  const repeated = await findPresented(deps.db, known)
  // A proof works only once, so a repeat is answered before it is checked.
  if (repeated !== undefined && repeats(repeated, input)) {
    const debit = repeated.method === 'agent_allowance' && input.authorityType === undefined
    return debit
      ? debitAuthorized(deps, repeated.payment_reference_id)
      : presentedNow(deps.db, repeated, input)
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
  const locked = await lockChallenge(tx, input.challengeId)
  if (locked === undefined) throw unknownChallenge()
  const live = await findPresented(tx, locked)
  if (live !== undefined && repeats(live, input)) return presentedNow(tx, live, input)
  const { challenge, before } = await withoutCheck(tx, locked, live)
  assertPayable(challenge, before, input.amountUsd)
  const quote = await liveQuote(tx, challenge.quote_id)
  if (input.alreadyPaid !== true) {
    await assertMayName(tx, input)
    await assertMayPay(tx, input.agentId, challenge)
  }
  const { entitlement_id } = await openEntitlement(tx, quote, input.agentId)
  if (isMovedHere(input.method) && (await isUsedUp(tx, entitlement_id, quote))) throw runEnded()
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

const runEnded = () =>
  refuse('challenge_expired', {
    detail: 'the run that the challenge was for has ended',
    next_action: 'Start another run on the quote, and pay for that one.',
    money_moved: 'no',
  })

/** A payment that was only checked before is now presented, and may be under way from here on. */
const presentedNow = async (
  tx: Tx,
  reference: ReferenceRow,
  { authorityType }: PresentInput,
): Promise<ReferenceRow> =>
  reference.is_only_checked && authorityType === undefined
    ? updateReference(tx, reference.payment_reference_id, { is_only_checked: false })
    : reference

/** A check moved no money and an unknown session may be mistyped, so another way to pay ends it, unless money has come by it already. */
async function withoutCheck(
  tx: Tx,
  challenge: ChallengeRow,
  live: ReferenceRow | undefined,
): Promise<{ challenge: ChallengeRow; before: ReferenceRow | undefined }> {
  if (live === undefined || !isReplaceable(live)) return { challenge, before: live }
  const reason = 'nothing has come by it, and another way to pay was chosen'
  await closeReference(tx, { reference: live, challenge }, { event: 'reject', reason })
  return {
    challenge: { ...challenge, ...(await lockChallenge(tx, challenge.challenge_id)) },
    before: undefined,
  }
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
    })
}
