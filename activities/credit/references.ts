import { DomainError, refuse } from '#domain/core/errors.ts'
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
import { type Tx, transaction, tryOut } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { debit, debited } from './allowance.ts'
import type { MoneyDeps } from './deps.ts'
import { assertMayName, insertPresented, type Presenter, settleProven } from './presented.ts'
import { fromWallet, type Prepared, prepare } from './presenting.ts'
import {
  alreadyFunded,
  isReplaceable,
  liveQuote,
  newId,
  openEntitlement,
  paymentPending,
  unknownChallenge,
} from './quotes.ts'
import { isUsedUp } from './returns.ts'
import { closeReference } from './settlement.ts'
import { assertMayPay } from './spending-limit.ts'

/**
 * Finds the challenge that is paid, or opens it under the given id, in the transaction that presents its payment; undefined where nothing
 * is owed.
 */
export type Opening<Opened extends ChallengeRow | undefined = ChallengeRow> = (
  tx: Tx,
  challengeId: string,
) => Promise<Opened>

/** A challenge that is open already; 404. */
export const openedAs =
  (challengeId: string): Opening =>
  async (tx) => {
    const challenge = await findChallenge(tx, challengeId)
    if (challenge !== undefined) return challenge
    throw unknownChallenge()
  }

/**
 * `amountUsd` is the amount that the caller expects, in whole usd. With `authorityType` the payment is only authorized; it moves
 * once it is presented again without. The agent's limits do not apply to a payment that is `alreadyPaid`.
 */
export type PresentInput<Opened extends ChallengeRow | undefined = ChallengeRow> = Presenter & {
  open: Opening<Opened>
  /** Finds the challenge alone, where `open` stores more; it is tried out before the payment is checked. Without it `open` is. */
  find?: Opening<ChallengeRow | undefined>
  amountUsd?: number
  authorityType?: AuthorityType
  alreadyPaid?: boolean
}

/**
 * Presents a payment for a challenge; repeated, it returns the same reference, and undefined where nothing is owed. An allowance pays and a
 * mandate is consumed here; the other methods are verified later. What is opened for the payment stays where it is refused. 404, 401
 * `proof_invalid`, 402, 403, 409 `payment_pending`, `reference_already_used`, `already_funded`, 410 `challenge_expired`, 422
 * `amount_mismatch`.
 */
export async function presentReference<Opened extends ChallengeRow | undefined>(
  deps: MoneyDeps,
  { open, find = open, ...input }: PresentInput<Opened>,
): Promise<ReferenceRow | Exclude<Opened, ChallengeRow>> {
  const challengeId = newId('ch')
  type Nothing = Exclude<Opened, ChallengeRow>
  const nothing = undefined as Nothing
  const known = await tryOut(deps.db, (tx) => find(tx, challengeId))
  const attempt = async () => {
    const pay = known && (await preparePayment(deps, known, input))
    return transaction(deps.db, async (tx) => {
      const challenge = await open(tx, challengeId)
      return challenge && pay ? pay(tx, challenge) : nothing
    })
  }
  const reference = await attempt().catch(async (error: unknown) => {
    if (error instanceof DomainError) await transaction(deps.db, (tx) => open(tx, challengeId))
    throw error
  })
  return reference === undefined ? nothing : debited(reference)
}

type Paying = (tx: Tx, challenge: ChallengeRow) => Promise<ReferenceRow>

/** Checks what proves a payment, outside any transaction; a proof works only once, so a repeat is answered before it is checked. */
async function preparePayment(
  deps: MoneyDeps,
  known: ChallengeRow,
  input: PaidInput,
): Promise<Paying> {
  const repeated = await findPresented(deps.db, known)
  if (repeated !== undefined && repeats(repeated, input)) {
    const isDebit = repeated.method === 'agent_allowance' && input.authorityType === undefined
    return (tx) =>
      isDebit ? debit(deps, tx, repeated.payment_reference_id) : presentedNow(tx, repeated, input)
  }
  const payable = { id: known.challenge_id, amount_usd: known.amount_usd }
  const checked = await prepare(deps, payable, input)
  return (tx, { challenge_id: challengeId }) => {
    const isOther = challengeId !== known.challenge_id
    if (isOther && namesChallenge.includes(input.method)) throw challengeEnded()
    const byWallet = isOther && input.method === 'agent_allowance'
    const prepared = byWallet ? fromWallet({ id: challengeId }, input) : checked
    return storePresented(deps, tx, { input, prepared, challengeId })
  }
}

/** What its payer signs names the challenge. */
const namesChallenge: readonly PaymentMethod[] = ['stablecoin_reference', 'ap2_mandate_reference']

/**
 * Pays a challenge from a wallet in the caller's transaction, also where that was only authorized before. Throws as
 * `presentReference` does.
 */
export async function payByAllowance(
  deps: ReceiptIssuer,
  tx: Tx,
  { walletId, agentId, challengeId }: { agentId: string; challengeId: string; walletId: string },
): Promise<ReferenceRow> {
  const input = {
    agentId,
    method: 'agent_allowance',
    externalReference: walletId,
    payer: walletId,
  } as const
  const prepared = fromWallet({ id: challengeId }, input)
  const reference = await storePresented(deps, tx, { input, prepared, challengeId })
  return reference.state === 'verified'
    ? reference
    : debited(await debit(deps, tx, reference.payment_reference_id))
}

type PaidInput = Omit<PresentInput, 'open' | 'find'>
type Presenting = { input: PaidInput; prepared: Prepared; challengeId: string }

async function storePresented(
  deps: ReceiptIssuer,
  tx: Tx,
  { input, prepared, challengeId }: Presenting,
): Promise<ReferenceRow> {
  const locked = await lockChallenge(tx, challengeId)
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

const challengeEnded = () =>
  refuse('challenge_expired', {
    detail: 'the challenge has ended',
    next_action: 'Open a new challenge for the quote.',
  })

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
  { authorityType }: PaidInput,
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
  { agentId, method, externalReference, payer = '' }: PaidInput,
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
  if (challenge.state === 'expired' || challenge.lapsed) throw challengeEnded()
  if (amountUsd !== undefined && amountUsd !== challenge.amount_usd)
    throw refuse('amount_mismatch', {
      detail: `the challenge is for ${challenge.amount_usd} usd`,
    })
}
