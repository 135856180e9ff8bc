import type { Kysely } from 'kysely'
import { z } from 'zod'
import { messagesFor, priceCardOf } from '#domain/prospects/outreach.ts'
import { type ProspectState, paidStates, recordedStates } from '#domain/prospects/prospect.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { type InvitedPilot, listInvited } from '../../../activities/store/pilots/pilots.ts'
import { listOffers } from '../../../activities/store/prospects/next-steps.ts'
import { listProspects } from '../../../activities/store/prospects/prospects.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { checkoutUrl } from '../credit/product-links.ts'
import { oneProspect } from './prospects.ts'

type Asked = { rail?: RailKey | undefined; prospectId?: string | undefined }
/** Prospects that there is something to write to. */
const open: readonly ProspectState[] = [
  ...recordedStates.filter((state) => state !== 'declined'),
  paidStates[0],
]

type Deps = {
  db: Kysely<Database>
  baseUrl: string
  /** Where invitations are answered. */
  responseUrl: string
}

/** What operators write to prospects, made from the rails, their prices and the records; it keeps nothing. */
export class OutreachService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** 404 for an unknown prospect. */
  async pack({ rail: asked, prospectId }: Asked, page: { offset: number; limit: number }) {
    const { db, baseUrl } = this.deps
    const one = prospectId === undefined ? undefined : await oneProspect(db, prospectId)
    const [offer] =
      one === undefined ? [] : await listOffers(db, { key: 'prospect_id', ids: [one.prospect_id] })
    const isReady = one?.state === 'paid_next_step_ready'
    const rail = railOf(asked ?? (isReady ? offer?.rail : one?.rail) ?? 'packetops')
    const sampleUrl = `${baseUrl}/api/sample-return-packages?rail=${rail.key}`
    const { required = [] } = z.toJSONSchema(rail.input, { io: 'input', unrepresentable: 'any' })
    const invited = one === undefined ? [] : await listInvited(db, one.prospect_id)
    const pilot = invited[0]?.state
    const prospect = one && { label: one.label, state: one.state, pilot, offer }
    const url = offer?.challenge_id == null ? null : await checkoutUrl(db, offer.challenge_id)
    const rows = one === undefined ? await listProspects(db, { states: open }, page) : []
    const listed = rows.map(({ prospect_id, label, rail: of, state_now: state }) => ({
      prospect_id,
      label,
      rail: of,
      state,
    }))
    return {
      pack: {
        rail: rail.key,
        messages: messagesFor({ rail, sampleUrl, needs: required, prospect }),
        sample_package_url: sampleUrl,
        price_card: priceCardOf(rail),
        invitation_links: invited.flatMap((one) => this.#linkOf(one)),
        checkout_url: isReady ? url : null,
      },
      prospects:
        one === undefined
          ? listed
          : [{ prospect_id: one.prospect_id, label: one.label, rail: one.rail, state: one.state }],
      ...page,
    }
  }

  /** Where an invitation is answered, while it is open. Its token is shown to who makes it alone. */
  #linkOf({ pilot_id, rail, tier, state, expires_at, isOpen }: InvitedPilot) {
    const { responseUrl: response_url } = this.deps
    if (!isOpen || expires_at === null) return []
    return [{ pilot_id, rail, tier, state, response_url, expires_at: expires_at.toISOString() }]
  }
}
