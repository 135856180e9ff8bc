import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { type ProspectState, paidStates } from '#domain/prospects/prospect.ts'
import { railOf } from '#domain/rails/index.ts'
import type { Tier } from '#domain/rails/rail.ts'
import { issueQuote, openChallenge } from '../../../activities/credit/quotes.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { issueReceipt } from '../../../activities/store/payouts/receipts.ts'
import {
  deliveredTo,
  hasLiveOffer,
  insertNextStep,
  listConversions,
  listOffers,
  type Offer,
  type PaidRun,
} from '../../../activities/store/prospects/next-steps.ts'
import {
  countProspects,
  listProspects,
  lockProspect,
  type ProspectRow,
} from '../../../activities/store/prospects/prospects.ts'
import type { PaymentDeps } from '../credit/deps.ts'
import { checkoutUrl } from '../credit/product-links.ts'
import { challengeView, quoteView } from '../credit/views.ts'
import { oneProspect } from './prospects.ts'

type Offered = { prospect_id: string; tier: Tier; note?: string | undefined }
type By = { operator: string; callId: string }
type PaidState = (typeof paidStates)[number]

/** The paid next step of prospects: offered by operators, and taken by payments and runs. */
export class NextStepService {
  readonly #deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.#deps = deps
  }

  async list(
    { state, prospectId }: { state?: PaidState | undefined; prospectId?: string | undefined },
    page: { offset: number; limit: number },
  ) {
    const { db } = this.#deps
    const states: readonly ProspectState[] = state === undefined ? paidStates : [state]
    const rows = await listProspects(db, { states, prospectId }, page)
    const ids = rows.map(({ prospect_id }) => prospect_id)
    const [offers, paid, counts] = await Promise.all([
      listOffers(db, ids),
      listConversions(db, ids),
      countProspects(db),
    ])
    const items = await Promise.all(
      rows.map(async (row) => {
        const offer = offers.find(({ prospect_id }) => prospect_id === row.prospect_id)
        const run = paid.find(({ prospect_id }) => prospect_id === row.prospect_id)
        const url = offer?.challenge_id == null ? null : await checkoutUrl(db, offer.challenge_id)
        return itemView(row, { offer, run, url })
      }),
    )
    const { paid_next_step_ready, converted_to_paid } = counts
    return { items, ...page, counts: { paid_next_step_ready, converted_to_paid } }
  }

  /**
   * Offers a prospect what it pays for next, after work that was delivered to it: a quote of its agent with its challenge. 404, 409
   * `not_ready` without delivered work, `wrong_state` for one that declined or has a live offer.
   */
  offer({ prospect_id, tier, note }: Offered, { operator, callId }: By) {
    const { db, ...deps } = this.#deps
    return answerOnce({ db }, { callId, subject: prospect_id, status: 200 }, async (tx) => {
      const { agent_id } = (await lockProspect(tx, prospect_id)) ?? {}
      const { state } = await oneProspect(tx, prospect_id)
      if (state === 'declined') throw refuse('wrong_state', { detail: 'the prospect declined' })
      if (await hasLiveOffer(tx, prospect_id))
        throw refuse('wrong_state', { detail: 'its last offer can still be paid, or is being run' })
      const work = await deliveredTo(tx, prospect_id)
      if (work === undefined || agent_id == null) throw notDelivered()
      const { task_id, rail, ...evidence } = work
      const quote = await issueQuote(tx, { by: { owner: agent_id }, rail: railOf(rail), tier })
      const challenge = await openChallenge(tx, quote.quote_id)
      const facts = {
        prospect_id,
        agent_id,
        quote_id: quote.quote_id,
        ...evidence,
        offered_by: operator,
      }
      const subject = `ns_${digestOf({ quote: quote.quote_id })}`
      const about = { subject, kind: 'paid_next_step', usage: 'operational', facts }
      const jws = await issueReceipt(deps, tx, about)
      const signed = { receipt_id: receiptId(jws), operator, note: note ?? null }
      const step = { quote_id: quote.quote_id, prospect_id, task_id, ...evidence }
      await insertNextStep(tx, { ...step, ...signed })
      return {
        prospect: await oneProspect(tx, prospect_id),
        quote: quoteView(quote),
        challenge: { ...challengeView(this.#deps, challenge), mandate: null },
        receipt: receiptView(jws),
      }
    })
  }
}

type Known = { offer: Offer | undefined; run: PaidRun | undefined; url: string | null }

/** The evidence of an offer is the work that was delivered before it; without one it is the run that was paid. */
function itemView({ prospect_id, label, state_now }: ProspectRow, { offer, run, url }: Known) {
  const return_package_id = offer?.return_package_id ?? run?.return_package_id ?? null
  const receipt_id = offer?.usage_receipt_id ?? run?.settlement_receipt_id ?? null
  return {
    prospect_id,
    label,
    state: state_now as PaidState,
    evidence: { return_package_id, receipt_id },
    offer: offer && {
      quote_id: offer.quote_id,
      rail: offer.rail,
      tier: offer.tier,
      total_usd: offer.total_usd,
      note: offer.note,
    },
    checkout_url: url,
    paid: run && {
      run_id: run.run_id,
      payment_reference_id: run.payment_reference_id,
      completed_at: run.completed_at.toISOString(),
    },
  }
}

const notDelivered = () =>
  refuse('not_ready', {
    detail: 'no work was delivered to the agent of the prospect',
    next_action: 'Name its agent, and offer the next step when a run of it has its package.',
  })
