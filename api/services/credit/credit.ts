import type { Kysely } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { creditAccount } from '#domain/credit/credit.ts'
import { claimQuote, openChallenge, openEntitlement } from '../../../activities/credit/quotes.ts'
import { type Opening, openedAs } from '../../../activities/credit/references.ts'
import {
  type EntitlementRow,
  findEntitlement,
} from '../../../activities/store/credit/entitlements.ts'
import { listMovements } from '../../../activities/store/credit/postings.ts'
import {
  findLiveOf,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import { type Tx, transaction, tryOut } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { PaymentDeps } from './deps.ts'
import { ownReference, type PaymentAsked, presentAndVerify, verifyAndNotify } from './references.ts'
import { creditView, referenceView, verificationOf } from './views.ts'

/** A quote with the token that it was issued with. */
type QuoteClaim = { quote_id: string; quote_token: string }
type Claiming = { claim?: QuoteClaim | undefined }
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

  /** Funds credit by a payment; that of a quote which is claimed by its token is opened with it. Throws as `presentReference` does. */
  async fund(agentId: string, entitlementId: string, { claim, ...by }: FundedBy & Claiming) {
    const { db } = this.deps
    const claimed = async (tx: Tx) => {
      if (claim !== undefined) await openClaimed(tx, agentId, claim)
      return ownEntitlement(tx, entitlementId, agentId)
    }
    const entitlement = claim === undefined ? await claimed(db) : await tryOut(db, claimed)
    const reference = await this.#pay(entitlement, { by, claimed })
    return {
      payment_reference: referenceView(reference),
      verification: verificationOf(reference),
      ...(await this.read(entitlementId, agentId)),
    }
  }

  async #pay(entitlement: EntitlementRow, { by, claimed }: Paying): Promise<ReferenceRow> {
    const { entitlement_id, agent_id: agentId, quote_id } = entitlement
    const { db } = this.deps
    if ('payment_reference_id' in by) {
      const reference = await ownReference(db, agentId, by.payment_reference_id)
      if (reference.entitlement_id === entitlement_id) {
        await transaction(db, claimed)
        return verifyAndNotify(this.deps, reference)
      }
      throw refuse('reference_already_used', {
        detail: 'the payment is for something else',
        next_action: 'Present a payment for this credit.',
      })
    }
    const { amount_usd: amountUsd, ...asked } = by
    const open: Opening = async (tx, challengeId) => {
      await claimed(tx)
      // A repeat finds its own payment by its challenge; a new challenge would be refused.
      const live = await findLiveOf(tx, entitlement_id)
      return live?.challenge_id == null
        ? openChallenge(tx, quote_id, challengeId)
        : openedAs(live.challenge_id)(tx, challengeId)
    }
    return presentAndVerify(this.deps, { agentId, open, asked, amountUsd })
  }
}

type Paying = { by: FundedBy; claimed: (tx: Tx) => Promise<unknown> }

/** Opens the credit of a quote that is claimed by its token. */
async function openClaimed(tx: Tx, agentId: string, { quote_id, quote_token }: QuoteClaim) {
  const quote = await claimQuote(tx, quote_id, { owner: agentId, token: quote_token })
  await openEntitlement(tx, quote, agentId)
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
