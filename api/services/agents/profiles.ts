import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { BadgeState } from '#domain/listings/listing.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { agentView } from '../../../activities/agents/views.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  countPublished,
  countWorkOf,
  listPublished,
  type PublishedAgent,
  type PublishedFilter,
  putProfile,
  type WorkCount,
} from '../../../activities/store/agents/agent-profiles.ts'
import { findAgent, lockAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { badgesOf } from '../../../activities/store/listings/listings.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { Issuing } from './deps.ts'

/** What an agent publishes of itself. */
type Profile = {
  name: string
  description: string
  capabilities: string[]
  rails: RailKey[]
  publish_profile: boolean
}
type ProfileDeps = Issuing & { db: Kysely<Database> }

/** The public registry of agents: who published a profile, with what the records say about its work. */
export class ProfileService {
  private readonly deps: ProfileDeps

  constructor(deps: ProfileDeps) {
    this.deps = deps
  }

  /** A page of the agents that publish, those that registered last first. */
  async list(filter: PublishedFilter, page: { offset: number; limit: number }) {
    const { db } = this.deps
    const [agents, total] = await Promise.all([
      listPublished(db, filter, page),
      countPublished(db, filter),
    ])
    const ids = agents.map(({ agent_id }) => agent_id)
    const [work, badges] =
      ids.length === 0 ? [[]] : await Promise.all([countWorkOf(db, ids), badgesOf(db, ids)])
    const items = agents.map((agent) =>
      publicView(
        agent,
        work.find(({ agent_id }) => agent_id === agent.agent_id),
        badges?.get(agent.agent_id),
      ),
    )
    return { items, ...page, total }
  }

  /** Replaces the profile of an agent, with a receipt; 403 `rail_not_allowed` for a rail that it did not register. */
  set(agentId: string, profile: Profile, callId: string) {
    const subject = `prf_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject, status: 200 }, async (tx) => {
      const agent = await lockAgent(tx, agentId)
      const other = profile.rails.find((rail) => !agent?.rails.includes(rail))
      if (other !== undefined)
        throw refuse('rail_not_allowed', { detail: `the agent did not register for ${other}` })
      const { publish_profile, ...described } = profile
      const facts = { agent_id: agentId, publish_profile, profile_sha256: digestOf(described) }
      const about = { subject, kind: 'listing', usage: 'operational', facts }
      const jws = await issueReceipt(this.deps, tx, about)
      const receipt = receiptView(jws)
      const { receipt_id } = receipt
      await putProfile(tx, { agent_id: agentId, ...described, receipt_id }, publish_profile)
      const after = await findAgent(tx, agentId)
      if (after === undefined) throw new Error('the agent of a credential is missing')
      return { agent: agentView(after), profile: described, receipt }
    })
  }
}

function publicView(
  agent: PublishedAgent,
  work: WorkCount | undefined,
  badge_state: BadgeState = 'none',
) {
  const { agent_id, name, description, capabilities, rails, trust_state, receipt_id } = agent
  const { runs = 0, finished = 0, exceptions = 0 } = work ?? {}
  const reliability = { runs, finished, exceptions }
  const listed = { agent_id, name, description, capabilities, rails, trust_state, badge_state }
  return { ...listed, reliability, receipt_id, changed_at: agent.changed_at.toISOString() }
}
