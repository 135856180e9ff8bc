import { refuse } from '../../workflows/domain/errors.ts'
import { findChallenge } from '../store/challenges.ts'
import { type Tx, transaction } from '../store/db.ts'
import type { ReferenceRow } from '../store/payment-references.ts'
import { findOrderOf } from '../store/work-orders.ts'
import type { MoneyDesk, Payer, PaymentAsked } from './desk.ts'
import { tellTasks } from './for-tasks.ts'
import type { Presented } from './presenting.ts'
import { claimQuote, requirePayable, requireQuote } from './quotes.ts'
import { presentReference, verifyReference } from './references.ts'
import { referenceView, verificationOf } from './views.ts'

/** What is paid for; a quote that is bound by its token is given with it. */
export type PaysFor = ({ challenge_id: string } | { quote_id: string }) & { quote_token?: string | undefined }

/** Presents a payment for a quote of the payer's own. Throws as `claimQuote`, `requirePayable` and `presentReference` do. */
export async function presentFor(deps: MoneyDesk, payer: Payer, of: PaysFor, asked: PaymentAsked) {
  const { owner, challengeId } = await transaction(deps.db, async (tx) => {
    const quoteId = await quoteOf(tx, of)
    const owner = 'agentId' in payer ? payer.agentId : await orderedOwner(tx, payer.workOrderId, quoteId)
    await claimQuote(tx, quoteId, owner, of.quote_token)
    return { owner, challengeId: await challengeOf(tx, of, quoteId) }
  })
  const reference = await presentAndLook(deps, owner, challengeId, asked)
  return { payment_reference: referenceView(reference), verification: verificationOf(reference) }
}

/** Of a quote that is named: also a challenge that a payment was presented for, which may be this very payment. */
const challengeOf = async (tx: Tx, of: PaysFor, quoteId: string): Promise<string> =>
  'challenge_id' in of ? of.challenge_id : (await requirePayable(tx, quoteId)).challenge_id

async function quoteOf(tx: Tx, of: PaysFor): Promise<string> {
  if ('quote_id' in of) return of.quote_id
  const challenge = await findChallenge(tx, of.challenge_id)
  if (challenge !== undefined) return challenge.quote_id
  throw refuse('not_found', 'no such challenge', 'Open a challenge for a quote first.')
}

/** The task of the order whose quote it is; 403 `not_owner` for a quote of anything else. */
async function orderedOwner(tx: Tx, workOrderId: string, quoteId: string): Promise<string> {
  const { bound_to } = await requireQuote(tx, quoteId)
  if (bound_to !== null && (await findOrderOf(tx, bound_to)) === workOrderId) return bound_to
  throw refuse('not_owner', 'the quote is not of this order', 'Ask for the quote of the order with its token.')
}

/** Presents a payment and looks for its proof once; what is not proven yet is looked for again whenever somebody asks. */
export async function presentAndLook(
  deps: MoneyDesk,
  agentId: string,
  challengeId: string,
  asked: PaymentAsked,
  usd?: number,
) {
  const amount = usd === undefined ? {} : { amountUsd: usd }
  return look(deps, await presentReference(deps, { agentId, challengeId, ...presentedOf(deps, asked), ...amount }))
}

/** Looks for the proof of a payment that is not decided yet, and tells the tasks that it pays for. */
export async function look(deps: MoneyDesk, presented: ReferenceRow): Promise<ReferenceRow> {
  const reference = await verified(deps, presented)
  const { entitlement_id: entitlementId } = reference
  if (entitlementId !== null) await tellTasks(deps, { entitlementId })
  return reference
}

async function verified(deps: MoneyDesk, reference: ReferenceRow): Promise<ReferenceRow> {
  if (reference.state !== 'presented' && reference.state !== 'pending') return reference
  if (reference.method === 'x402_reference') await deps.tellPayment(reference.external_reference)
  return verifyReference(deps, reference.payment_reference_id)
}

/** 400 `invalid_request` for a hosted checkout that no provider or any of several could confirm, and for a provider that is not configured. */
export function presentedOf(
  { providers }: Pick<MoneyDesk, 'providers'>,
  { method, external_reference, payer, proof, evidence, provider }: PaymentAsked,
) {
  const unclear = provider === undefined && method === 'hosted_checkout' && providers.length !== 1
  if (unclear || (provider !== undefined && !providers.includes(provider))) throw noProvider(providers)
  const given = <T extends object>(of: T | undefined) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([, value]) => value !== undefined))
  return {
    method,
    externalReference: external_reference,
    ...(payer === undefined ? {} : { payer }),
    ...(provider === undefined ? {} : { provider }),
    proof: given(proof) as NonNullable<Presented['proof']>,
    evidence: given(evidence),
  }
}

function noProvider(providers: readonly string[]) {
  const none = providers.length === 0
  const detail = none ? 'no payment provider is configured' : 'the payment provider is not clear'
  const next = none ? 'Pay by another of the accepted methods.' : `Name one of: ${providers.join(', ')}.`
  const errors = [{ pointer: '/provider', message: 'is not one configured payment provider' }]
  return refuse('invalid_request', detail, next, { errors })
}
