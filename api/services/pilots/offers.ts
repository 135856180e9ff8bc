import { refuse } from '#domain/core/errors.ts'
import { priceOf } from '#domain/credit/pricing.ts'
import { offeredPilots, offerRequirements, pilotLimits } from '#domain/pilots/pilot.ts'
import { railOf } from '#domain/rails/index.ts'
import { type RailKey, type Tier, tiers } from '#domain/rails/rail.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { issueQuote, openChallenge } from '../../../activities/credit/quotes.ts'
import { type DerivedTokens, secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  countOffersOf,
  insertPilot,
  requirePilot,
} from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import { isFor } from '../../auth/credential-standing.ts'
import type { PaymentDeps } from '../credit/deps.ts'
import { challengeWithUrl } from '../credit/product-links.ts'
import { quoteView } from '../credit/views.ts'
import { pilotIdOf } from './pilots.ts'
import { pilotView } from './views.ts'

export type OfferAsked = {
  agentId: string
  rail: RailKey
  tier: Tier
  objective: string
  customer_account: string | null
}
type OfferDeps = Omit<PaymentDeps, 'tokens'> & {
  tokens: Pick<DerivedTokens, 'statusToken' | 'quoteToken'>
  baseUrl: string
}

/** The pilots that the agent of a client launches by itself; an operator reviews each before its run. */
export class PilotOffers {
  private readonly deps: OfferDeps

  constructor(deps: OfferDeps) {
    this.deps = deps
  }

  /** What is offered, with the price of each tier that costs something. */
  list(rail: RailKey | undefined) {
    const { baseUrl } = this.deps
    return offeredPilots
      .filter((key) => rail === undefined || key === rail)
      .map((key) => ({
        rail: key,
        tiers: tiers.flatMap((tier) => {
          const { total_usd } = priceOf(railOf(key), tier)
          return total_usd === 0 ? [] : [{ tier, total_usd }]
        }),
        sample_url: `${baseUrl}/api/sample-return-packages?rail=${key}`,
        requirements: [...offerRequirements],
      }))
  }

  /** 403 `rail_not_allowed`, `trust_required`, 429, 503 `paused`. */
  launch({ agentId, rail, tier, objective, customer_account }: OfferAsked, callId: string) {
    const pilot_id = pilotIdOf(callId)
    return answerOnce(this.deps, { callId, subject: pilot_id, status: 201 }, async (tx) => {
      const { name, contact } = await requireLauncher(tx, agentId, rail)
      const quote = await issueQuote(this.deps, tx, {
        by: { owner: agentId },
        rail: railOf(rail),
        tier,
      })
      const { quote_id, total_usd } = quote
      const challenge = await openChallenge(tx, quote_id)
      const { challenge_id } = challenge
      const status_token = await this.deps.tokens.statusToken('pt', callId)
      const client = { name, contact: contact.email ?? null, account_id: null, customer_account }
      await insertPilot(tx, {
        pilot_id,
        source: 'offer',
        rail,
        tier,
        total_usd,
        objective,
        challenge_id,
        client: JSON.stringify(client),
        agent_id: agentId,
        status_token_sha256: secretSha256(status_token),
      })
      const facts = { pilot_id, agent_id: agentId, rail, tier, quote_id, challenge_id }
      const about = { subject: pilot_id, kind: 'pilot_offer', usage: 'operational', facts }
      return {
        pilot: await pilotView(tx, await requirePilot(tx, pilot_id)),
        quote: quoteView(quote),
        challenge: await challengeWithUrl(this.deps, tx, challenge),
        receipt: receiptView(await issueReceipt(this.deps, tx, about)),
      }
    })
  }

  /** Adds the pilot's token to a stored answer: it is derived and never stored. */
  async withToken(answer: Record<string, unknown>, callId: string) {
    return { ...answer, status_token: await this.deps.tokens.statusToken('pt', callId) }
  }
}

/** The agent, if it may launch a pilot of the rail now; a sandbox agent may not. */
async function requireLauncher(tx: Tx, agentId: string, rail: RailKey) {
  await assertNotPaused(tx, { rail, agentId })
  const agent = await findAgent(tx, agentId)
  if (agent === undefined || !isFor(agent, rail))
    throw refuse('rail_not_allowed', { detail: `the agent is not for ${rail}` })
  if (agent.trust_state !== 'trusted' || agent.sandbox)
    throw refuse('trust_required', { detail: `the agent is ${agent.trust_state}` })
  if ((await countOffersOf(tx, agentId)) >= pilotLimits.offersOfAgentMax)
    throw refuse('rate_limited', {
      detail: `${pilotLimits.offersOfAgentMax} pilots of the agent wait for the decision of an operator`,
      retry_after_ms: 3_600_000,
    })
  return agent
}
