import { refuse } from '#domain/core/errors.ts'
import { creditAccount } from '#domain/credit/credit.ts'
import {
  bindingId,
  challengeOfBinding,
  instructionsFor,
  type PaymentPath,
} from '#domain/payments/payment-reference.ts'
import {
  bindChallenge,
  openChallenge,
  requireQuote,
  unknownChallenge,
} from '../../../activities/credit/quotes.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import type { EntitlementRow } from '../../../activities/store/credit/entitlements.ts'
import { listMovements } from '../../../activities/store/credit/postings.ts'
import { insertCheckout, type QuoteRow } from '../../../activities/store/credit/quotes.ts'

import {
  type ChallengeRow,
  findChallenge,
  findChallengeOf,
} from '../../../activities/store/payments/challenges.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { ownEntitlement } from '../credit/credit.ts'
import type { PaymentDeps } from '../credit/deps.ts'
import { notifyTasks } from '../credit/notify-tasks.ts'
import { challengeWithUrl } from '../credit/product-links.ts'
import { entitlementView } from '../credit/views.ts'
import { activateInvited } from '../pilots/activation.ts'
export type CheckoutAsked = {
  callId: string
  quote_id: string
  payment_path: PaymentPath
  customer: { name: string; email: string; purchase_order?: string | undefined }
  /** The token of an accepted invitation, whose pilot the checkout activates for the agent that opens it. */
  invited?: { token: string; agentId: string } | undefined
}
type BindingBy = { binding_id: string } | { entitlement_id: string }

/** Checkouts and the binding of a challenge to the credit that it pays for. */
export class CheckoutService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  /** Opens the challenge of a quote for a customer, and says how it is paid by this path. */
  async open({ callId, quote_id, payment_path, customer, invited }: CheckoutAsked) {
    const opened = await answerOnce(
      this.deps,
      { callId, subject: quote_id, status: 201 },
      async (tx) => {
        const quote = await boundQuote(tx, quote_id)
        const challenge = await openChallenge(tx, quote_id)
        const { challenge_id, amount_usd } = challenge
        const { name, email, purchase_order = null } = customer
        const who = { customer_name: name, customer_email: email, purchase_order }
        await insertCheckout(tx, { checkout_id: callId, challenge_id, payment_path, ...who })
        const run = { quote, challengeId: challenge_id }
        const pilot = invited && (await activateInvited(this.deps, tx, { ...invited, ...run }))
        const notified = await challengeWithUrl(this.deps, tx, challenge)
        const facts = {
          challengeId: challenge_id,
          amountUsd: amount_usd,
          checkoutUrl: notified.checkout_url,
        }
        return {
          challenge: notified,
          reference_instructions: instructionsFor(payment_path, facts),
          ...(pilot && { pilot }),
        }
      },
    )
    await notifyTasks(this.deps, { quoteId: quote_id })
    return opened
  }

  /** A challenge that pays for the agent's own credit, or for none yet. */
  async readChallenge(agentId: string, challengeId: string) {
    const { db } = this.deps
    const challenge = await findChallenge(db, challengeId)
    if (challenge === undefined) throw unknownChallenge()
    if (challenge.entitlement_id !== null)
      await ownEntitlement(db, challenge.entitlement_id, agentId)
    return challengeWithUrl(this.deps, db, challenge)
  }

  bind({
    callId,
    ...ids
  }: {
    callId: string
    agentId: string
    entitlementId: string
    challengeId: string
  }) {
    return answerOnce(
      this.deps,
      { callId, subject: bindingId(ids.challengeId), status: 201 },
      async (tx) => {
        const { challenge, entitlement } = await bindChallenge(tx, ids)
        return {
          binding: bindingView(challenge, entitlement),
          entitlement: entitlementView(
            entitlement,
            await listMovements(tx, creditAccount(entitlement.entitlement_id)),
          ),
          challenge: await challengeWithUrl(this.deps, tx, challenge),
        }
      },
    )
  }

  async readBinding(agentId: string, by: BindingBy) {
    const { db } = this.deps
    const named =
      'binding_id' in by ? await findChallenge(db, challengeOfBinding(by.binding_id)) : undefined
    const entitlementId = 'entitlement_id' in by ? by.entitlement_id : named?.entitlement_id
    if (entitlementId == null) throw noBinding()
    const entitlement = await ownEntitlement(db, entitlementId, agentId)
    const challenge = named ?? (await findChallengeOf(db, entitlementId))
    if (challenge === undefined) throw noBinding()
    return bindingView(challenge, entitlement)
  }
}

/** No customer pays before it is known whose credit the payment becomes. */
async function boundQuote(tx: Tx, quoteId: string): Promise<QuoteRow> {
  const quote = await requireQuote(tx, quoteId)
  if (quote.bound_to !== null) return quote
  throw refuse('wrong_state', {
    detail: 'the quote is not bound to an agent yet',
    next_action:
      'Start its run or accept its contract with quote_id and quote_token, then open the checkout.',
  })
}

function bindingView({ challenge_id, state, lapsed }: ChallengeRow, entitlement: EntitlementRow) {
  const { entitlement_id, settlement_receipt_id } = entitlement
  const now = state === 'open' && lapsed ? ('expired' as const) : state
  return {
    binding_id: bindingId(challenge_id),
    entitlement_id,
    challenge_id,
    state: now,
    settlement_receipt_id,
  }
}

const noBinding = () =>
  refuse('not_found', {
    detail: 'no challenge is bound to it',
    next_action: 'Bind a challenge of its quote first.',
  })
