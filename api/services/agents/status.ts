import { type Step, stepsOf } from '#domain/agents/onboarding.ts'
import { isWaiting } from '#domain/agents/trust.ts'
import type { AgentRecordKind } from '#domain/core/record-kinds.ts'
import { nextAction, stateOf } from '../../../activities/agents/views.ts'
import {
  type CredentialRow,
  listCredentials,
} from '../../../activities/store/agents/agent-credentials.ts'
import { type AgentRow, findAgent } from '../../../activities/store/agents/agents.ts'
import { listDeliveries } from '../../../activities/store/agents/credential-deliveries.ts'
import { listPilotsOf } from '../../../activities/store/pilots/pilots.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import {
  listAgentRecords,
  listTasksOf,
  readProgress,
} from '../../../activities/store/tasks/task-records.ts'
import { listOrdersOf } from '../../../activities/store/work-orders/work-orders.ts'
import { pilotView } from '../pilots/views.ts'
import { recordView, taskView } from '../tasks/views.ts'
import { orderView } from '../work-orders/intake.ts'

/** As many as a page of a list has. */
const SHOWN = 25

/** The records that are shown unless others are asked for. */
const ownRecords: readonly AgentRecordKind[] = [
  'onboarding',
  'trust_profile',
  'credential_envelope',
]

/** The status of an agent: trust, its newest credential, its newest tasks, orders and pilots, and the steps of onboarding. */
export async function agentStatus(tx: Tx, agentId: string, kind?: AgentRecordKind) {
  const agent = await findAgent(tx, agentId)
  if (agent === undefined) throw new Error(`the agent ${agentId} is missing`)
  const credentials = await listCredentials(tx, agentId)
  const [newest] = credentials
  const tasks = []
  for (const task of await listTasksOf(tx, agentId, SHOWN)) tasks.push(await taskView(tx, task))
  const work_orders = []
  for (const order of await listOrdersOf(tx, agentId, SHOWN))
    work_orders.push(await orderView(tx, order))
  const pilots = []
  for (const pilot of await listPilotsOf(tx, agentId, SHOWN))
    pilots.push(await pilotView(tx, pilot))
  const records = []
  for (const one of kind === undefined ? ownRecords : [kind])
    records.push(...(await listAgentRecords(tx, agentId, { kind: one, most: SHOWN })))
  return {
    kind: 'agent' as const,
    agent_id: agentId,
    trust_state: agent.trust_state,
    credential: newest === undefined ? null : credentialStatus(newest, await clockSeconds(tx)),
    tasks,
    work_orders,
    pilots,
    records: records.map(recordView),
    next_action: nextAction(agent, credentials),
    steps: stepsOf(await stepsDone(tx, agent, newest?.credential_id)),
  }
}

function credentialStatus(row: CredentialRow, nowSeconds: number) {
  const { version, state } = row
  return { state: stateOf(row, nowSeconds), version, claimable: state === 'pending' }
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
    // Its URL is the only reader of this.
    ['use_status_url', true],
    ['request_quote', quoted],
    ['prepare_run_contract', contracted],
    ['submit_agent_run', submitted],
  ]
  const taken = credentialId === undefined ? [] : await listDeliveries(tx, credentialId)
  return new Set([...own.filter(([, done]) => done).map(([step]) => step), ...taken])
}
