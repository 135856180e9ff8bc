import { isWaiting } from '../../workflows/domain/agent-trust.ts'
import { type Step, stepsOf } from '../../workflows/domain/onboarding.ts'
import { listCredentials } from '../store/agent-credentials.ts'
import { listTasksOf, readProgress } from '../store/agent-progress.ts'
import { type AgentRow, findAgent } from '../store/agents.ts'
import { listDeliveries } from '../store/credential-deliveries.ts'
import { clockSeconds, type Tx, transaction } from '../store/db.ts'
import { taskView } from '../tasks/views.ts'
import type { AgentDeps } from './deps.ts'
import { nextAction, stateOf } from './views.ts'

/** As many as a page of a list has (endpoints.md §1.3). */
const TASKS_SHOWN = 25

/** What a status URL of an agent tells: trust, its newest credential, its newest tasks, and how far both sequences are. */
export function readAgentStatus({ db }: Pick<AgentDeps, 'db'>, agentId: string) {
  return transaction(db, async (tx) => {
    const agent = await findAgent(tx, agentId)
    if (agent === undefined) throw new Error(`the agent ${agentId} is not there`)
    const credentials = await listCredentials(tx, agentId)
    const [newest] = credentials
    const tasks = []
    for (const task of await listTasksOf(tx, agentId, TASKS_SHOWN)) tasks.push(await taskView(tx, task))
    return {
      kind: 'agent' as const,
      agent_id: agentId,
      trust_state: agent.trust_state,
      credential:
        newest === undefined
          ? null
          : {
              state: stateOf(newest, await clockSeconds(tx)),
              version: newest.version,
              claimable: newest.state === 'pending',
            },
      tasks,
      next_action: nextAction(agent, credentials),
      steps: stepsOf(await stepsDone(tx, agent, newest?.credential_id)),
    }
  })
}

async function stepsDone(
  tx: Tx,
  { agent_id: agentId, trust_state }: AgentRow,
  credentialId: string | undefined,
): Promise<ReadonlySet<Step>> {
  const { registered, quoted, contracted, submitted } = await readProgress(tx, agentId)
  const own: [Step, boolean][] = [
    ['submit_manifest', registered],
    ['receive_trust_state', !isWaiting(trust_state)],
    // Only the holder of the status URL reads this.
    ['use_status_url', true],
    ['request_quote', quoted],
    ['prepare_run_contract', contracted],
    ['submit_agent_run', submitted],
  ]
  const taken = credentialId === undefined ? [] : await listDeliveries(tx, credentialId)
  return new Set([...own.filter(([, done]) => done).map(([step]) => step), ...taken])
}
