import { creditAccount } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { acceptedMethods, type PaymentMethod } from '../../workflows/domain/payment-reference.ts'
import { railOf } from '../../workflows/domain/rails/index.ts'
import type { RailKey, Tier } from '../../workflows/domain/rails/rail.ts'
import { type DerivedTokens, secretSha256 } from '../keys/derived-tokens.ts'
import { type Tx, transaction } from '../store/db.ts'
import { type EntitlementRow, findEntitlement } from '../store/entitlements.ts'
import { answerOnce } from '../store/once.ts'
import { findLiveOf, findReference, type ReferenceRow } from '../store/payment-references.ts'
import { listMovements } from '../store/postings.ts'
import { findQuote } from '../store/quotes.ts'
import type { MoneyDeps } from './deps.ts'
import { moneyOfTask, quoteOrder, quoteTask, type TaskQuoteAsked, tellTasks } from './for-tasks.ts'
import { look, type PaysFor, presentAndLook, presentFor } from './paying.ts'
import { mandateChallenge } from './presenting.ts'
import { listPrices, soldToAgents } from './prices.ts'
import { checkoutUrl } from './product-links.ts'
import { claimQuote, issueQuote, openChallenge, openEntitlement } from './quotes.ts'
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
  tokens: Pick<DerivedTokens, 'quoteToken'>
}
export type Money = ReturnType<typeof openMoney>

/** `agentId`: whose the quote is; without one it is whose token is presented. */
export type QuoteAsked = { agentId?: string | undefined; rail: RailKey; tier: Tier; units?: number; agentUse?: boolean }
/** A quote with the token that it was issued with. */
export type QuoteClaim = { quote_id: string; quote_token: string }
/** Who pays: an agent, or the holder of the token of an order that has none. */
export type Payer = { agentId: string } | { workOrderId: string }
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
    /** What confirms payments here: references always, a provider’s webhooks where the keys of one are configured. */
    posture: deps.providers.length === 0 ? ['reference_based'] : ['reference_based', 'provider_webhooks'],
    methods: acceptedMethods(deps.providers),
    quote: async ({ rail, agentUse = false, agentId, ...asked }: QuoteAsked, callId: string) => {
      const sold = agentUse ? soldToAgents(rail) : railOf(rail)
      const by =
        agentId === undefined ? { tokenSha256: secretSha256(await deps.tokens.quoteToken(callId)) } : { owner: agentId }
      return answerOnce(deps, { callId, subject: `quote:${callId}`, status: 200 }, async (tx) => {
        const quote = await issueQuote(tx, { ...asked, by, rail: sold })
        return { quote: quoteView(quote), lines: linesOf(quote) }
      })
    },
    /** The stored quote with its token, which is derived anew and stored nowhere. */
    withQuoteToken: async (answer: Record<string, unknown>, callId: string) => ({
      ...answer,
      quote_token: await deps.tokens.quoteToken(callId),
    }),
    /** The quote is the agent's, or the task's, from now on; 404, 403 `not_owner`. */
    claimQuote: (owner: string, quoteId: string, token?: string) =>
      transaction(db, (tx) => claimQuote(tx, quoteId, owner, token)),
    quoteTask: (taskId: string, asked: TaskQuoteAsked) => quoteTask(deps, taskId, asked),
    quoteOrder: (workOrderId: string, asked: TaskQuoteAsked & { taskToken?: string | undefined }) =>
      quoteOrder(deps, workOrderId, asked),
    ofTask: (tx: Tx, taskId: string) => moneyOfTask(deps, tx, taskId),
    readQuote: async (quoteId: string) => {
      const quote = await findQuote(db, quoteId)
      if (quote === undefined) throw refuse('not_found', 'no such quote', 'Ask for a quote first.')
      const state = quote.used ? 'used' : quote.expired ? 'expired' : 'live'
      return { quote: quoteView(quote), lines: linesOf(quote), state }
    },
    challenge: (quoteId: string, method?: PaymentMethod) => challengeFor(deps, quoteId, method),
    present: (payer: Payer, of: PaysFor, asked: PaymentAsked) => presentFor(deps, payer, of, asked),
    readReference: async (agentId: string, referenceId: string) => {
      const reference = await ownReference(deps, agentId, referenceId)
      return { payment_reference: referenceView(reference), verification: verificationOf(reference) }
    },
    readCredit: async (entitlementId: string, agentId?: string) =>
      readCredit(deps, await ownEntitlement(deps, entitlementId, agentId)),
    fundCredit: async (agentId: string, entitlementId: string, by: FundedBy, claimed?: QuoteClaim) => {
      if (claimed !== undefined) await openClaimed(deps, agentId, claimed)
      return fundCredit(deps, agentId, entitlementId, by)
    },
  }
}

const open = ({ db }: MoneyDesk, quoteId: string) => transaction(db, (tx) => openChallenge(tx, quoteId))

/** The credit of a quote that is claimed by its token. */
const openClaimed = ({ db }: MoneyDesk, agentId: string, { quote_id, quote_token }: QuoteClaim) =>
  transaction(db, async (tx) => openEntitlement(tx, await claimQuote(tx, quote_id, agentId, quote_token), agentId))

/** The challenge as it is told in the 402 envelope; for a mandate also what its holder signs. */
async function challengeFor(deps: MoneyDesk, quoteId: string, method: PaymentMethod | undefined) {
  const challenge = await open(deps, quoteId)
  await tellTasks(deps, { quoteId })
  // No page takes a customer's money before it is known whose credit it becomes.
  const bound = (await findQuote(deps.db, quoteId))?.bound_to != null
  const checkout_url = bound ? await checkoutUrl(deps.db, challenge.challenge_id) : null
  const view = { ...challengeView(deps, challenge), checkout_url }
  if (method !== 'ap2_mandate_reference') return { ...view, mandate: null }
  const payable = { id: challenge.challenge_id, amount_usd: challenge.amount_usd }
  return { ...view, mandate: await mandateChallenge(deps, payable, deps.mandateSeconds) }
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
