import { type Step, stepsOf } from '../../workflows/domain/onboarding.ts'
import { listCredentials } from '../store/agent-credentials.ts'
import { findAgent } from '../store/agents.ts'
import { listDeliveries } from '../store/credential-deliveries.ts'
import { clockSeconds } from '../store/db.ts'
import type { AgentDeps } from './deps.ts'
import { nextAction, stateOf } from './views.ts'

/** What a status URL of an agent tells: trust, its newest credential, and how far both sequences are. */
export async function readAgentStatus({ db }: Pick<AgentDeps, 'db'>, agentId: string) {
  const agent = await findAgent(db, agentId)
  if (agent === undefined) throw new Error(`the agent ${agentId} is not there`)
  const credentials = await listCredentials(db, agentId)
  const [newest] = credentials
  const taken = newest === undefined ? [] : await listDeliveries(db, newest.credential_id)
  const read: Step[] = ['submit_manifest', 'receive_trust_state', 'use_status_url']
  return {
    kind: 'agent' as const,
    agent_id: agentId,
    trust_state: agent.trust_state,
    credential:
      newest === undefined
        ? null
        : {
            state: stateOf(newest, await clockSeconds(db)),
            version: newest.version,
            claimable: newest.state === 'pending',
          },
    next_action: nextAction(agent, credentials),
    steps: stepsOf(new Set([...read, ...taken])),
  }
}
