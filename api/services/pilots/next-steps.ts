import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { paidStates } from '#domain/prospects/prospect.ts'
import { railOf } from '#domain/rails/index.ts'
import type { Tier } from '#domain/rails/rail.ts'
import { issueQuote, openChallenge } from '../../../activities/credit/quotes.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  deliveredByPilot,
  deliveredPilotOf,
  pilotHasOffer,
} from '../../../activities/store/pilots/next-steps.ts'
import {
  changePilot,
  countPaidPilots,
  listPilots,
  lockPilot,
  type PilotRow,
  requireLockedPilot,
} from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { Page } from '../../../activities/store/postgres/rows.ts'
import {
  type Delivered,
  deliveredTo,
  hasLiveOffer,
  listConversions,
  listOffers,
  nextSteps,
  type Offer,
  type PaidRun,
  type Takers,
} from '../../../activities/store/prospects/next-steps.ts'
import {
  countProspects,
  listProspects,
  prospects as storedProspects,
} from '../../../activities/store/prospects/prospects.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { PaymentDeps } from '../credit/deps.ts'
import { checkoutUrl } from '../credit/product-links.ts'
import { challengeView, quoteView } from '../credit/views.ts'
import { oneProspect } from '../prospects/prospects.ts'
import { pilotView } from './views.ts'

/** One of the two. */
type Named = { prospect_id?: string | undefined; pilot_id?: string | undefined }
type Offered = Named & { tier: Tier; note?: string | undefined }
type By = { operator: string; callId: string }
type PaidState = (typeof paidStates)[number]
type Asked = {
  state?: PaidState | undefined
  prospectId?: string | undefined
  pilotId?: string | undefined
}
type Taker = { id: string; state: PaidState }

/** The paid next step of prospects and pilots: offered by operators, and taken by payments and runs. */
export class NextStepService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  async list({ state, prospectId, pilotId }: Asked, page: Page) {
    const { db } = this.deps
    const states: readonly PaidState[] = state === undefined ? paidStates : [state]
    const prospects =
      pilotId === undefined ? await listProspects(db, { states, prospectId }, page) : []
    const pilots =
      prospectId === undefined ? (await listPilots(db, { states, text: pilotId }, page)).rows : []
    const [counts, pilot_counts, items, ofPilots] = await Promise.all([
      countProspects(db),
      countPaidPilots(db),
      this.#items(
        'prospect_id',
        prospects.map((row) => ({ id: row.prospect_id, state: row.state_now as PaidState })),
      ),
      this.#items(
        'pilot_id',
        pilots.map((row) => ({ id: row.pilot_id, state: row.state as PaidState })),
      ),
    ])
    return {
      items: items.map(({ id, ...item }, at) => ({
        prospect_id: id,
        label: prospects[at]?.label ?? '',
        ...item,
      })),
      pilots: ofPilots.map(({ id, ...item }) => ({ pilot_id: id, ...item })),
      ...page,
      counts: countsOf(counts),
      pilot_counts: countsOf(pilot_counts),
    }
  }

  async #items(key: Takers['key'], takers: readonly Taker[]) {
    const { db } = this.deps
    const named = { key, ids: takers.map(({ id }) => id) }
    const [offers, paid] = await Promise.all([listOffers(db, named), listConversions(db, named)])
    return Promise.all(
      takers.map(async (taker) => {
        const offer = offers.find(({ taker: id }) => id === taker.id)
        const run = paid.find(({ taker: id }) => id === taker.id)
        const url = offer?.challenge_id == null ? null : await checkoutUrl(db, offer.challenge_id)
        return itemView(taker, { offer, run, url })
      }),
    )
  }

  /**
   * Offers a prospect or a pilot what it pays for next, after work that was delivered to it: a quote of its agent with its challenge.
   * The pilot is then ready; only a paid run converts it. 404, 409 `not_ready` without delivered work, `wrong_state` for one that
   * declined, is at another state or has a live offer.
   */
  offer({ tier, note, ...named }: Offered, { operator, callId }: By) {
    const { db, ...deps } = this.deps
    const subject = named.pilot_id ?? named.prospect_id ?? ''
    return answerOnce({ db }, { callId, subject, status: 200 }, async (tx) => {
      const { agent_id, work, ...takers } = await takerOf(tx, named)
      const { task_id, rail, ...evidence } = work
      const quote = await issueQuote(deps, tx, {
        by: { owner: agent_id },
        rail: railOf(rail),
        tier,
      })
      const challenge = await openChallenge(tx, quote.quote_id)
      const { quote_id } = quote
      const facts = { ...takers, agent_id, quote_id, ...evidence, offered_by: operator }
      const about = { subject: `ns_${digestOf({ quote: quote_id })}`, kind: 'paid_next_step' }
      const jws = await issueReceipt(deps, tx, { ...about, usage: 'operational', facts })
      const signed = { receipt_id: receiptId(jws), operator, note: note ?? null }
      await nextSteps.insert(tx, { quote_id, ...takers, task_id, ...evidence, ...signed })
      const { prospect_id, pilot_id } = takers
      const ready = { state: 'paid_next_step_ready' } as const
      return {
        prospect: prospect_id === null ? null : await oneProspect(tx, prospect_id),
        pilot:
          pilot_id === null ? null : await pilotView(tx, await changePilot(tx, pilot_id, ready)),
        quote: quoteView(quote),
        challenge: { ...challengeView(this.deps, challenge), mandate: null },
        receipt: receiptView(jws),
      }
    })
  }
}

type TakerOf = {
  agent_id: string
  work: Delivered
  prospect_id: string | null
  pilot_id: string | null
}

/** Whom an offer is for, locked, with the work that was delivered. An offer to a prospect is also one to the pilot of its agent. */
async function takerOf(tx: Tx, { prospect_id, pilot_id }: Named): Promise<TakerOf> {
  if (pilot_id !== undefined) return pilotTaker(tx, pilot_id)
  if (prospect_id === undefined) throw new Error('an offer is for a prospect or a pilot')
  const { agent_id } = (await storedProspects.lock(tx, prospect_id)) ?? {}
  const { state } = await oneProspect(tx, prospect_id)
  if (state === 'declined') throw refuse('wrong_state', { detail: 'the prospect declined' })
  if (await hasLiveOffer(tx, prospect_id)) throw hasOffer()
  const work = await deliveredTo(tx, prospect_id)
  if (work === undefined || agent_id == null) throw notDelivered()
  const known = await deliveredPilotOf(tx, prospect_id)
  const pilot = known === undefined ? undefined : await lockPilot(tx, known)
  const isFree =
    pilot !== undefined && mayBeOffered(pilot) && !(await pilotHasOffer(tx, pilot.pilot_id))
  return { agent_id, work, prospect_id, pilot_id: isFree ? pilot.pilot_id : null }
}

async function pilotTaker(tx: Tx, pilotId: string): Promise<TakerOf> {
  const pilot = await requireLockedPilot(tx, pilotId)
  if (!mayBeOffered(pilot)) throw refuse('wrong_state', { detail: `the pilot is ${pilot.state}` })
  if (await pilotHasOffer(tx, pilotId)) throw hasOffer()
  const work = await deliveredByPilot(tx, pilotId)
  const { agent_id } = pilot
  if (work === undefined || agent_id === null) throw notDelivered()
  return { agent_id, work, prospect_id: null, pilot_id: pilotId }
}

const mayBeOffered = ({ state }: PilotRow): boolean =>
  state === 'delivered' || state === 'paid_next_step_ready'

const hasOffer = () =>
  refuse('wrong_state', { detail: 'its last offer can still be paid, or is being run' })

type Known = { offer: Offer | undefined; run: PaidRun | undefined; url: string | null }

/** The evidence of an offer is the work that was delivered before it; without one it is the run that was paid. */
function itemView(taker: Taker, { offer, run, url }: Known) {
  const return_package_id = offer?.return_package_id ?? run?.return_package_id ?? null
  const receipt_id = offer?.usage_receipt_id ?? run?.settlement_receipt_id ?? null
  return {
    ...taker,
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
    detail: 'no work was delivered that a next step can follow',
    next_action: 'Name its agent, and offer the next step when a run of it has its package.',
  })

const countsOf = ({ paid_next_step_ready = 0, converted_to_paid = 0 }: Record<string, number>) => ({
  paid_next_step_ready,
  converted_to_paid,
})
