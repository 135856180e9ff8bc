import { refuse } from '#domain/core/errors.ts'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import { creditAccount } from '#domain/credit/credit.ts'
import { acceptedMethods, instructionsBy } from '#domain/payments/payment-reference.ts'
import { mandateChallenge } from '../../../activities/credit/presenting.ts'
import {
  claimQuote,
  openChallenge,
  type QuoteClaimer,
  requirePayable,
  requireQuote,
  unknownChallenge,
} from '../../../activities/credit/quotes.ts'
import { type Opening, openedAs, type PresentInput } from '../../../activities/credit/references.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { listMovements } from '../../../activities/store/credit/postings.ts'
import { findQuote } from '../../../activities/store/credit/quotes.ts'
import {
  type ChallengeRow,
  findChallenge,
  findOpenChallenge,
} from '../../../activities/store/payments/challenges.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import { findOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import type { PaymentDeps } from './deps.ts'
import { notifyTasks } from './notify-tasks.ts'
import { checkoutUrl } from './product-links.ts'
import { ownReference, type PaymentAsked, presentAndVerify } from './references.ts'
import { challengeView, entitlementView, referenceView, verificationOf } from './views.ts'

/** Who pays: an agent, or the holder of the token of an order without an agent. */
export type Payer = { agentId: string } | { workOrderId: string }
/** What is paid for; a quote that is bound by its token is sent with it. */
export type PaysFor = ({ challenge_id: string } | { quote_id: string }) & {
  quote_token?: string | undefined
}

/** How a challenge is to be paid, and who claims its quote with it. */
type ChallengeAsked = { method?: PaymentMethod | undefined; claimer?: QuoteClaimer }

/** Challenges and the payments that meet them; each call is safe to repeat. */
export class PaymentService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  /** What confirms payments here: references always, webhooks where the keys of a provider are configured. */
  get posture(): readonly ('reference_based' | 'provider_webhooks')[] {
    return this.deps.providers.length === 0
      ? ['reference_based']
      : ['reference_based', 'provider_webhooks']
  }

  get methods() {
    return acceptedMethods(this.deps.providers)
  }

  /** The challenge of a quote, as the 402 envelope shows it; for a mandate with what its holder signs. */
  async challenge(quoteId: string, { method, claimer }: ChallengeAsked = {}) {
    const { db, mandateSeconds } = this.deps
    if (method !== undefined && !this.methods.includes(method)) throw notTaken(method)
    const challenge = await transaction(db, async (tx) => {
      if (claimer !== undefined) await claimQuote(tx, quoteId, claimer)
      return openChallenge(tx, quoteId)
    })
    await notifyTasks(this.deps, { quoteId })
    // A hosted page takes no money before the quote is bound to the owner of the credit.
    const isBound = (await findQuote(db, quoteId))?.bound_to != null
    const checkout_url = isBound ? await checkoutUrl(db, challenge.challenge_id) : null
    const shown = { ...challengeView(this.deps, challenge), checkout_url }
    const view = method === undefined ? shown : { ...shown, ...asPaidBy(method, shown) }
    if (method !== 'ap2_mandate_reference') return { ...view, mandate: null }
    const payable = { id: challenge.challenge_id, amount_usd: challenge.amount_usd }
    return { ...view, mandate: await mandateChallenge(this.deps, payable, mandateSeconds) }
  }

  /** Presents a payment for a quote of the payer's own. Throws as `claimQuote`, `requirePayable` and `presentReference` do. */
  async present(payer: Payer, of: PaysFor, asked: PaymentAsked) {
    const { db } = this.deps
    const quoteId = await quoteOf(db, of)
    const owner = await ownerOf(db, payer, quoteId)
    const open: Opening = async (tx, challengeId) => {
      await claimQuote(tx, quoteId, { owner, token: of.quote_token })
      // The challenge of a quote may be pending already, by this very payment.
      return 'challenge_id' in of
        ? openedAs(of.challenge_id)(tx, challengeId)
        : requirePayable(tx, quoteId, challengeId)
    }
    const reference = await this.presentFor(owner, { open }, asked)
    return { payment_reference: referenceView(reference), verification: verificationOf(reference) }
  }

  /** Presents a payment of an agent for the challenge that `open` finds or opens; undefined where nothing is owed. */
  presentFor<Opened extends ChallengeRow | undefined>(
    agentId: string,
    opening: Pick<PresentInput<Opened>, 'open' | 'find'>,
    asked: PaymentAsked,
  ) {
    return presentAndVerify(this.deps, { agentId, ...opening, asked })
  }

  /** What a challenge asks for, in whole usd; 404. */
  async owedUsd(challengeId: string): Promise<number> {
    const challenge = await findChallenge(this.deps.db, challengeId)
    if (challenge === undefined) throw unknownChallenge()
    return challenge.amount_usd
  }

  /** 404, 403 `not_owner`. */
  async readReference(agentId: string, referenceId: string) {
    const reference = await ownReference(this.deps.db, agentId, referenceId)
    return { payment_reference: referenceView(reference), verification: verificationOf(reference) }
  }

  /** What a task pays with: its credit, and the challenge that can still be met. */
  async ofTask(tx: Tx, taskId: string) {
    const credit = await findTaskCredit(tx, taskId)
    const entitlement = credit && (await findEntitlement(tx, credit.entitlement_id))
    if (credit === undefined || entitlement === undefined)
      return { entitlement: null, challenge: null }
    const open = await findOpenChallenge(tx, credit.quote_id)
    const movements = await listMovements(tx, creditAccount(entitlement.entitlement_id))
    const challenge =
      open === undefined ? null : { ...challengeView(this.deps, open), mandate: null }
    return { entitlement: entitlementView(entitlement, movements), challenge }
  }
}

async function quoteOf(tx: Tx, of: PaysFor): Promise<string> {
  if ('quote_id' in of) return of.quote_id
  const challenge = await findChallenge(tx, of.challenge_id)
  if (challenge !== undefined) return challenge.quote_id
  throw unknownChallenge()
}

/** The owner of the credit: the agent that pays, or the task of the order whose quote it is; 403 `not_owner` for another quote. */
async function ownerOf(tx: Tx, payer: Payer, quoteId: string): Promise<string> {
  if ('agentId' in payer) return payer.agentId
  const { bound_to } = await requireQuote(tx, quoteId)
  if (bound_to !== null && (await findOrderOf(tx, bound_to)) === payer.workOrderId) return bound_to
  throw refuse('not_owner', {
    detail: 'the quote is not one of this order',
    next_action: 'Ask for the quote of the order with its token.',
  })
}

const asPaidBy = (
  method: PaymentMethod,
  {
    challenge_id: challengeId,
    amount_usd: amountUsd,
    accepts,
  }: Pick<ReturnType<typeof challengeView>, 'challenge_id' | 'amount_usd' | 'accepts'>,
) => {
  const due = { challengeId, amountUsd, payTo: String(accepts[0]?.payTo) }
  return { reference_instructions: instructionsBy(method, due) }
}

const notTaken = (method: PaymentMethod) =>
  refuse('unsupported_request', {
    detail: `${method} is not taken here`,
    next_action: 'Choose one of the accepted_methods of the challenge.',
  })
