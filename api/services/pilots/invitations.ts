import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { priceOf } from '#domain/credit/pricing.ts'
import { type InvitationResponse, invitationTerms, nextStepOf } from '#domain/pilots/pilot.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { type InvitationRow, lockInvitation } from '../../../activities/store/pilots/invitations.ts'
import {
  changePilot,
  insertPilot,
  noPilot,
  type PilotRow,
  requirePilot,
} from '../../../activities/store/pilots/pilots.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import { offerPilot } from '../prospects/prospects.ts'
import { say } from './conversation.ts'
import { type PilotDeps, pilotIdOf, requireTaken } from './pilots.ts'
import { pilotView } from './views.ts'

export type InvitationDeps = PilotDeps & {
  /** Where invitations are answered. */
  responseUrl: string
  /** Start the workflow of an invitation and end its wait, now or later. */
  notifyInvited(pilotId: string): Promise<void>
  notifyAnswered(pilotId: string): Promise<void>
}
export type Invited = {
  client: { name: string; contact: string | null }
  rail: RailKey
  tier: Tier
  objective: string
  valid_for_seconds: number
  prospect_id?: string | undefined
}
export type Answered = {
  response: InvitationResponse
  terms_sha256: string | null
  message: string | null
  client: { name: string; contact: string } | null
}

/** Invitations to pilots: made by operators, and answered once by who holds their token, within their time. */
export class PilotInvitations {
  private readonly deps: InvitationDeps

  constructor(deps: InvitationDeps) {
    this.deps = deps
  }

  /** 403 `rail_not_allowed`; for a prospect 404, 409 `wrong_state` unless it is qualified. */
  async invite(
    { valid_for_seconds, client, prospect_id, ...offer }: Invited,
    { operator, callId }: { operator: string; callId: string },
  ) {
    requireTaken(offer.rail)
    const pilot_id = pilotIdOf(callId)
    const token = await this.deps.tokens.statusToken('pt', callId)
    const { total_usd } = priceOf(railOf(offer.rail), offer.tier)
    await answerOnce(this.deps, { callId, subject: pilot_id, status: 201 }, async (tx) => {
      const seconds = await clockSeconds(tx)
      const expires_at = new Date(Math.floor((seconds + valid_for_seconds) * 1000))
      const row = { pilot_id, ...offer, total_usd, expires_at }
      await insertPilot(tx, {
        ...row,
        source: 'invitation',
        prospect_id: prospect_id ?? null,
        client: JSON.stringify({ ...client, account_id: null }),
        status_token_sha256: secretSha256(token),
        terms_sha256: digestOf(invitationTerms(row)),
      })
      if (prospect_id !== undefined) await offerPilot(tx, { prospect_id, pilot_id, operator })
      const pilot = await pilotView(tx, await requirePilot(tx, pilot_id))
      const { responseUrl: response_url } = this.deps
      return { pilot, response_url, expires_at: expires_at.toISOString() }
    })
    await this.deps.notifyInvited(pilot_id)
  }

  /** Adds the token to a stored answer: it is derived and never stored. */
  async withToken(answer: Record<string, unknown>, callId: string) {
    return { ...answer, invitation_token: await this.deps.tokens.statusToken('pt', callId) }
  }

  /** 404 for a pilot that began otherwise, 410 once it has ended without an answer. */
  read(pilotId: string) {
    return transaction(this.deps.db, async (tx) => {
      const pilot = await requirePilot(tx, pilotId)
      const { terms_sha256, expires_at, state } = pilot
      if (terms_sha256 === null || expires_at === null) throw noPilot()
      if (state === 'expired') throw expired()
      const terms = invitationTerms({ ...pilot, expires_at })
      return { terms, terms_sha256, expires_at: expires_at.toISOString(), state }
    })
  }

  /** 404, 409 `wrong_state`, 410 `invitation_expired`, 422 `terms_mismatch`, 429. */
  async respond(pilotId: string, answered: Answered, callId: string) {
    const { pilot } = await answerOnce(
      this.deps,
      { callId, subject: pilotId, status: 200 },
      async (tx) => {
        const invited = await lockUnanswered(tx, pilotId)
        const entryId = await keepMessage(tx, pilotId, answered)
        const after = await carryOut(tx, invited, answered)
        return {
          pilot: await pilotView(tx, after),
          next_action: nextStepOf(after.state),
          receipt: await this.#receipt(tx, after, { answered, entryId }),
        }
      },
    )
    if (pilot.state !== 'invited') await this.deps.notifyAnswered(pilotId)
  }

  async #receipt(
    tx: Tx,
    { pilot_id, state, terms_sha256 }: PilotRow,
    { answered, entryId }: { answered: Answered; entryId: string | null },
  ) {
    const { response, message } = answered
    const message_sha256 = message === null ? null : sha256Hex(message)
    const facts = { pilot_id, response, state, terms_sha256, entry_id: entryId, message_sha256 }
    // A pilot has one final answer and any question about it, each with a receipt of its own.
    const subject = state === 'invited' ? (entryId ?? pilot_id) : pilot_id
    const about = { subject, kind: 'invitation_response', usage: 'operational', facts }
    return receiptView(await issueReceipt(this.deps, tx, about))
  }
}

async function lockUnanswered(tx: Tx, pilotId: string): Promise<InvitationRow> {
  const row = await lockInvitation(tx, pilotId)
  if (row === undefined) throw noPilot()
  if (row.state === 'expired' || (row.state === 'invited' && row.lapsed)) throw expired()
  if (row.state === 'invited') return row
  throw refuse('wrong_state', { detail: `the invitation is ${row.state}` })
}

async function keepMessage(tx: Tx, pilotId: string, { response, message }: Answered) {
  if (message === null) return null
  const kind = response === 'ask_question' ? ('question' as const) : ('message' as const)
  const author = { author_role: 'client', author: pilotId } as const
  const { hash } = await say(tx, pilotId, author, { kind, text: message, due_at: null })
  return `pe_${hash}`
}

async function carryOut(
  tx: Tx,
  invited: InvitationRow,
  { response, terms_sha256, client }: Answered,
): Promise<PilotRow> {
  if (response === 'accept') {
    if (terms_sha256 !== invited.terms_sha256)
      throw refuse('terms_mismatch', { detail: 'the digest is not that of the terms' })
    const named = client && { client: JSON.stringify({ ...client, account_id: null }) }
    const accepted = { state: 'accepted', waiting_since: null, ...named } as const
    return changePilot(tx, invited.pilot_id, accepted)
  }
  if (response === 'decline')
    return changePilot(tx, invited.pilot_id, { state: 'declined', waiting_since: null })
  return requirePilot(tx, invited.pilot_id)
}

const expired = () => refuse('invitation_expired', { detail: 'the invitation has ended' })
