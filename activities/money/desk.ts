import { creditAccount } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import type { PaymentMethod } from '../../workflows/domain/payment-reference.ts'
import { railOf } from '../../workflows/domain/rails/index.ts'
import type { RailKey, Tier } from '../../workflows/domain/rails/rail.ts'
import { type Tx, transaction } from '../store/db.ts'
import { type EntitlementRow, findEntitlement } from '../store/entitlements.ts'
import { findLiveOf, findReference, type ReferenceRow } from '../store/payment-references.ts'
import { listMovements } from '../store/postings.ts'
import { findQuote } from '../store/quotes.ts'
import type { MoneyDeps } from './deps.ts'
import { moneyOfTask, quoteTask, type TaskQuoteAsked, tellTasks } from './for-tasks.ts'
import { mandateChallenge, type Presented } from './presenting.ts'
import { listPrices, soldToAgents } from './prices.ts'
import { checkoutUrl } from './product-links.ts'
import { issueQuote, openChallenge, requirePayable } from './quotes.ts'
import { presentReference, verifyReference } from './references.ts'
import { challengeView, creditView, linesOf, quoteView, referenceView, verificationOf } from './views.ts'

/** A mandate's challenge lives for `mandateSeconds`. */
export type MoneyDesk = MoneyDeps & {
  /** Starts or joins the settlement of an x402 payment; should that fail, a worker's sweep does. */
  tellPayment(paymentId: string): Promise<void>
  /** Has a task make the moves that follow from its money, and waits for them; 503 `unavailable`. */
  advanceTask(taskId: string): Promise<unknown>
  /** The same for who goes on without: it fails soon where no worker is there. */
  tellTask(taskId: string): Promise<unknown>
  mandateSeconds: number
  /** The payment providers whose events are believed. */
  providers: readonly string[]
}
export type Money = ReturnType<typeof openMoney>

export type QuoteAsked = { caller: string; rail: RailKey; tier: Tier; units?: number | undefined; agentUse?: boolean }
export type PaymentAsked = {
  method: PaymentMethod
  external_reference: string
  payer?: string | undefined
  proof?: Record<string, string | undefined> | undefined
  evidence?: { sha256?: string | undefined; url?: string | undefined } | undefined
  provider?: string | undefined
}

/** Quotes, challenges, payments and credit as operations see them; each act is safe to repeat. */
export function openMoney(deps: MoneyDesk) {
  const { db } = deps
  return {
    prices: listPrices,
    quote: async ({ rail, agentUse = false, units = 1, ...asked }: QuoteAsked) => {
      const sold = agentUse ? soldToAgents(rail) : railOf(rail)
      const quote = await transaction(db, (tx) => issueQuote(tx, { ...asked, units, rail: sold }))
      return { quote: quoteView(quote), lines: linesOf(quote) }
    },
    quoteTask: (taskId: string, asked: TaskQuoteAsked) => quoteTask(deps, taskId, asked),
    ofTask: (tx: Tx, taskId: string) => moneyOfTask(deps, tx, taskId),
    readQuote: async (quoteId: string) => {
      const quote = await findQuote(db, quoteId)
      if (quote === undefined) throw refuse('not_found', 'no such quote', 'Ask for a quote first.')
      const state = quote.used ? 'used' : quote.expired ? 'expired' : 'live'
      return { quote: quoteView(quote), lines: linesOf(quote), state }
    },
    challenge: (quoteId: string, method?: PaymentMethod) => challengeFor(deps, quoteId, method),
    present: async (agentId: string, of: { challenge_id: string } | { quote_id: string }, asked: PaymentAsked) => {
      const challengeId = 'challenge_id' in of ? of.challenge_id : (await payable(deps, of.quote_id)).challenge_id
      const reference = await presentAndLook(deps, agentId, challengeId, asked)
      return { payment_reference: referenceView(reference), verification: verificationOf(reference) }
    },
    readReference: async (agentId: string, referenceId: string) => {
      const reference = await ownReference(deps, agentId, referenceId)
      return { payment_reference: referenceView(reference), verification: verificationOf(reference) }
    },
    readCredit: async (entitlementId: string, agentId?: string) =>
      readCredit(deps, await ownEntitlement(deps, entitlementId, agentId)),
    fundCredit: (agentId: string, entitlementId: string, by: FundedBy) => fundCredit(deps, agentId, entitlementId, by),
  }
}

const open = ({ db }: MoneyDesk, quoteId: string) => transaction(db, (tx) => openChallenge(tx, quoteId))

/** The challenge of a quote, also one that a payment was presented for: it may be this very payment. */
const payable = ({ db }: MoneyDesk, quoteId: string) => transaction(db, (tx) => requirePayable(tx, quoteId))

/** The challenge as it is told in the 402 envelope; for a mandate also what its holder signs. */
async function challengeFor(deps: MoneyDesk, quoteId: string, method: PaymentMethod | undefined) {
  const challenge = await open(deps, quoteId)
  await tellTasks(deps, { quoteId })
  const view = { ...challengeView(deps, challenge), checkout_url: await checkoutUrl(deps.db, challenge.challenge_id) }
  if (method !== 'ap2_mandate_reference') return { ...view, mandate: null }
  const payable = { id: challenge.challenge_id, amount_usd: challenge.amount_usd }
  return { ...view, mandate: await mandateChallenge(deps, payable, deps.mandateSeconds) }
}

/** Presents a payment and looks for its proof once; what is not proven yet is looked for again whenever somebody asks. */
async function presentAndLook(
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

/** 400 `invalid_request` for a hosted checkout that any of several providers could confirm, or a provider that is not configured. */
export function presentedOf(
  { providers }: Pick<MoneyDesk, 'providers'>,
  { method, external_reference, payer, proof, evidence, provider }: PaymentAsked,
) {
  const ambiguous = provider === undefined && method === 'hosted_checkout' && providers.length > 1
  if (ambiguous || (provider !== undefined && !providers.includes(provider)))
    throw refuse('invalid_request', 'the payment provider is not clear', `Name one of: ${providers.join(', ')}.`, {
      errors: [{ pointer: '/provider', message: 'is not one configured payment provider' }],
    })
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

/** A payment reference of this agent; 404, 403 `not_owner`. */
export async function ownReference({ db }: MoneyDesk, agentId: string, referenceId: string): Promise<ReferenceRow> {
  const reference = await findReference(db, referenceId)
  if (reference === undefined) throw refuse('not_found', 'no such payment reference', 'Check the id.')
  if (reference.agent_id === agentId) return reference
  throw refuse('not_owner', 'the payment reference belongs to another agent', 'Read one of your own.')
}

/** An entitlement of this agent, of anybody where none is named; 404, 403 `not_owner`. */
export async function ownEntitlement(
  { db }: MoneyDesk,
  entitlementId: string,
  agentId?: string,
): Promise<EntitlementRow> {
  const entitlement = await findEntitlement(db, entitlementId)
  if (entitlement === undefined) throw refuse('not_found', 'no such entitlement', 'Check the entitlement id.')
  if (agentId === undefined || entitlement.agent_id === agentId) return entitlement
  throw refuse('not_owner', 'the entitlement belongs to another agent', 'Use your own entitlement.')
}

const readCredit = async ({ db }: MoneyDesk, entitlement: EntitlementRow) =>
  creditView(entitlement, await listMovements(db, creditAccount(entitlement.entitlement_id)))

/** A payment presented before, or a new one with the amount that its payer takes it to be. */
export type FundedBy = { payment_reference_id: string } | (PaymentAsked & { amount_usd: number })

async function fundCredit(deps: MoneyDesk, agentId: string, entitlementId: string, by: FundedBy) {
  const entitlement = await ownEntitlement(deps, entitlementId, agentId)
  const reference = await fundingReference(deps, entitlement, by)
  const credit = await readCredit(deps, await ownEntitlement(deps, entitlementId, agentId))
  return { payment_reference: referenceView(reference), verification: verificationOf(reference), ...credit }
}

async function fundingReference(deps: MoneyDesk, entitlement: EntitlementRow, by: FundedBy): Promise<ReferenceRow> {
  const { entitlement_id, agent_id, quote_id } = entitlement
  if ('payment_reference_id' in by) {
    const reference = await ownReference(deps, agent_id, by.payment_reference_id)
    if (reference.entitlement_id === entitlement_id) return look(deps, reference)
    throw refuse('reference_already_used', 'the payment is for something else', 'Present a payment for this credit.')
  }
  const { amount_usd, ...asked } = by
  // A repeat finds its own payment again, where a new challenge would be refused.
  const live = await findLiveOf(deps.db, entitlement_id)
  const challengeId = live?.challenge_id ?? (await open(deps, quote_id)).challenge_id
  return presentAndLook(deps, agent_id, challengeId, asked, amount_usd)
}
