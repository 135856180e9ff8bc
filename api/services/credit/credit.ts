import type { Kysely } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { creditAccount } from '#domain/credit/credit.ts'
import { claimQuote, openChallenge, openEntitlement } from '../../../activities/credit/quotes.ts'
import {
  type EntitlementRow,
  findEntitlement,
} from '../../../activities/store/credit/entitlements.ts'
import { listMovements } from '../../../activities/store/credit/postings.ts'
import {
  findLiveOf,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { PaymentDeps } from './deps.ts'
import { ownReference, type PaymentAsked, presentAndVerify, verifyAndNotify } from './references.ts'
import { creditView, referenceView, verificationOf } from './views.ts'

/** A quote with the token that it was issued with. */
export type QuoteClaim = { quote_id: string; quote_token: string }
/** A payment presented before, or a new one with the amount that its payer expects. */
export type FundedBy = { payment_reference_id: string } | (PaymentAsked & { amount_usd: number })

/** The credit of agents and its funding; each call is safe to repeat. */
export class CreditService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  /** 404, 403 `not_owner`; without an agent, the credit of any agent. */
  async read(entitlementId: string, agentId?: string) {
    const { db } = this.deps
    const entitlement = await ownEntitlement(db, entitlementId, agentId)
    return creditView(entitlement, await listMovements(db, creditAccount(entitlementId)))
  }

  /** Funds credit by a payment. Throws as `presentReference` does. */
  async fund(agentId: string, entitlementId: string, by: FundedBy) {
    const entitlement = await ownEntitlement(this.deps.db, entitlementId, agentId)
    const reference = await this.#pay(entitlement, by)
    return {
      payment_reference: referenceView(reference),
      verification: verificationOf(reference),
      ...(await this.read(entitlementId, agentId)),
    }
  }

  /** Opens the credit of a quote that is claimed by its token. */
  async open(agentId: string, { quote_id, quote_token }: QuoteClaim): Promise<void> {
    await transaction(this.deps.db, async (tx) => {
      const quote = await claimQuote(tx, quote_id, { owner: agentId, token: quote_token })
      await openEntitlement(tx, quote, agentId)
    })
  }

  async #pay(entitlement: EntitlementRow, by: FundedBy): Promise<ReferenceRow> {
    const { entitlement_id, agent_id: agentId, quote_id } = entitlement
    const { db } = this.deps
    if ('payment_reference_id' in by) {
      const reference = await ownReference(db, agentId, by.payment_reference_id)
      if (reference.entitlement_id === entitlement_id) return verifyAndNotify(this.deps, reference)
      throw refuse('reference_already_used', {
        detail: 'the payment is for something else',
        next_action: 'Present a payment for this credit.',
      })
    }
    const { amount_usd: amountUsd, ...asked } = by
    // A repeat finds its own payment by its challenge; a new challenge would be refused.
    const live = await findLiveOf(db, entitlement_id)
    const challengeId =
      live?.challenge_id ??
      (await transaction(db, (tx) => openChallenge(tx, quote_id))).challenge_id
    return presentAndVerify(this.deps, { agentId, challengeId, asked, amountUsd })
  }
}

/** An entitlement of this agent, or of any agent where none is named; 404, 403 `not_owner`. */
export async function ownEntitlement(
  db: Kysely<Database>,
  entitlementId: string,
  agentId?: string,
): Promise<EntitlementRow> {
  const entitlement = await findEntitlement(db, entitlementId)
  if (entitlement === undefined) throw refuse('not_found', { detail: 'no such entitlement' })
  if (agentId === undefined || entitlement.agent_id === agentId) return entitlement
  throw refuse('not_owner', { detail: 'the entitlement belongs to another agent' })
}
