import { refuse } from '#domain/core/errors.ts'
import { assertOwnQuote } from '../../../activities/credit/quotes.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { isTrustedAgent } from '../../../activities/store/agents/agents.ts'
import type { QuoteRow } from '../../../activities/store/credit/quotes.ts'
import {
  changePilot,
  findPilot,
  noPilot,
  type PilotRow,
  requireLockedPilot,
} from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { bindInvited } from '../prospects/prospects.ts'

type Checkout = { token: string; agentId: string; quote: QuoteRow; challengeId: string }

/**
 * Activates the accepted pilot of an invitation with the checkout that its agent opens for a quote of its own, once; another checkout
 * of the same agent leaves it as it is. 403 `not_owner` and `trust_required`, 404, 409 `wrong_state` and `quote_mismatch`, 410.
 */
export async function activateInvited(
  issuer: ReceiptIssuer,
  tx: Tx,
  { token, agentId, quote, challengeId }: Checkout,
): Promise<Pick<PilotRow, 'pilot_id' | 'state'>> {
  const pilot = await lockInvited(tx, token)
  const { pilot_id, state, rail, tier, total_usd } = pilot
  assertAccepted(state)
  assertOwnQuote(quote, agentId)
  if (quote.rail !== rail || quote.tier !== tier || quote.total_usd !== total_usd)
    throw refuse('quote_mismatch', {
      detail: `the pilot is one ${rail} ${tier} run of an agent for ${total_usd} usd`,
      next_action: 'Name a quote of your agent for exactly that.',
    })
  if (pilot.agent_id !== null && pilot.agent_id !== agentId)
    throw refuse('wrong_state', { detail: 'the pilot is that of another agent' })
  if (state === 'activated') return { pilot_id, state }
  const activated = { state: 'activated', agent_id: agentId, challenge_id: challengeId } as const
  if (!(await isTrustedAgent(tx, agentId)))
    throw refuse('trust_required', { detail: 'a pilot is activated with a trusted agent' })
  await changePilot(tx, pilot_id, activated)
  await bindInvited(tx, pilot, agentId)
  const facts = { pilot_id, agent_id: agentId, quote_id: quote.quote_id, challenge_id: challengeId }
  const about = { subject: pilot_id, kind: 'pilot_activated', usage: 'operational', facts }
  await issueReceipt(issuer, tx, about)
  return { pilot_id, state: 'activated' }
}

/** The pilot of an invitation by its token, locked; 404. */
export async function lockInvited(tx: Tx, token: string): Promise<PilotRow> {
  const found = await findPilot(tx, { status_token_sha256: secretSha256(token) })
  if (found?.source !== 'invitation') throw noPilot()
  return requireLockedPilot(tx, found.pilot_id)
}

function assertAccepted(state: PilotRow['state']): void {
  if (state === 'accepted' || state === 'activated') return
  if (state === 'expired')
    throw refuse('invitation_expired', { detail: 'the invitation has ended' })
  throw refuse('wrong_state', {
    detail: `the invitation is ${state}`,
    next_action: 'Accept it by POST /api/pilot-invitation-response-workflow first.',
  })
}
