import { allowedDecisions, isWaiting, trustAfter, trustStates } from '#domain/agents/trust.ts'
import { grantAccess, recordNotice } from '../../../activities/agents/access.ts'
import { agentView } from '../../../activities/agents/views.ts'
import { listCredentials } from '../../../activities/store/agents/agent-credentials.ts'
import {
  type AgentFilter,
  type AgentRow,
  countAgents,
  findAgent,
  type ListedAgent,
  listAgents,
  lockAgent,
  moveTrust,
} from '../../../activities/store/agents/agents.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listAwaitingTrust } from '../../../activities/store/tasks/tasks.ts'
import { allowedOf } from '../agents/limits.ts'
import { unknownSubject } from './evidence.ts'
import type { ConsoleFilter, DecisionTerms, ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Agents that ask for trust, and those whose trust can be taken or given back. */
export const agentSubject: ReviewSubject = {
  kind: 'agent',
  list: async (tx, filter, most) =>
    (await listAgents(tx, filterOf(filter), most)).map((agent) => ({
      since: agent.trust_since,
      describe: async () => waitingAgent(agent),
    })),
  count: (tx, filter) => countAgents(tx, filterOf(filter)),
  tasksOf: listAwaitingTrust,
  evidence: async (tx, agentId) => {
    const agent = await findAgent(tx, agentId)
    return (
      agent && { since: agent.trust_since, content: { agent: await agentEvidence(tx, agentId) } }
    )
  },
  decide: async (tx, terms, assert) => {
    const { subjectId: agentId } = terms
    const agent = await lockAgent(tx, agentId)
    if (agent === undefined) throw unknownSubject('no such agent')
    await assert.waitsSince(agent.trust_since)
    const path = trustAfter(agent.trust_state, terms.decision)
    await assert.evidenceSeen()
    const moved = await moveTrust(tx, agentId, path, {
      decisionId: terms.decisionId,
      limits: terms.limits,
    })
    if (moved.trust_state === 'trusted') await giveFirstAccess(tx, agent, terms)
    return { state: moved.trust_state, view: agentView(moved) }
  },
}

const filterOf = ({ subjectId, state, rail, untouched, ...waits }: ConsoleFilter): AgentFilter => ({
  ...waits,
  agentId: subjectId,
  states: trustStates.filter((known) => (state === undefined ? isWaiting(known) : known === state)),
  rail,
  undecided: untouched,
})

function waitingAgent(agent: ListedAgent): WaitingSubject {
  const { agent_id, name, rails, requested_scopes, contact, onboarding_receipt_id } = agent
  return {
    subject_kind: 'agent',
    subject_id: agent_id,
    state: agent.trust_state,
    waiting_since: agent.trust_since.toISOString(),
    rail: rails.length === 1 ? (rails[0] ?? null) : null,
    summary: `${name} (${contact.email ?? contact.callback_url}) requests ${requested_scopes.join(', ')} on ${rails.join(', ')}`,
    evidence_links:
      onboarding_receipt_id === null
        ? []
        : [{ host: 'base', path: `/api/verify-receipt?receipt_id=${onboarding_receipt_id}` }],
    amount_usd: null,
    allowed_decisions: allowedDecisions(agent.trust_state),
  }
}

/** An agent whose trust is given back keeps the credential that it has; the operator may have written that it waits. */
async function giveFirstAccess(
  tx: Tx,
  agent: AgentRow,
  { limits, operator, contactNotified }: DecisionTerms,
): Promise<void> {
  const [newest] = await listCredentials(tx, agent.agent_id)
  if (newest !== undefined && contactNotified)
    await recordNotice(tx, newest.credential_id, operator.name)
  if (newest !== undefined) return
  await grantAccess(tx, agent, {
    version: 1,
    ...allowedOf(agent, limits ?? null),
    overlapSeconds: 0,
    actor: operator.name,
    contactNotified,
  })
}
