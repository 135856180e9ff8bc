import { type KeyState, stateNow } from '#domain/agents/credential.ts'
import { mayAct } from '#domain/agents/trust.ts'
import { unixSeconds } from '#domain/core/time.ts'
import type { CredentialRow } from '../store/agents/agent-credentials.ts'
import type { AgentRow } from '../store/agents/agents.ts'

/** An agent as its owner and operators see it. */
export function agentView(row: AgentRow) {
  return {
    agent_id: row.agent_id,
    account_id: row.account_id,
    name: row.name,
    trust: {
      state: row.trust_state,
      decided_at: row.decision_id === null ? null : row.trust_since.toISOString(),
      decision_id: row.decision_id,
      limits: row.limits,
    },
    capabilities: row.capabilities,
    rails: row.rails,
    public_key: row.public_key,
    callback_url: row.contact.callback_url ?? null,
    publish_profile: row.publish_profile,
    created_at: row.created_at.toISOString(),
  }
}

/** A credential without its secret; `rotate_by` is when it stops working by itself. */
export function credentialView(row: CredentialRow, nowSeconds: number) {
  return {
    credential_id: row.credential_id,
    version: row.version,
    scopes: row.scopes,
    rails: row.rails,
    state: stateOf(row, nowSeconds),
    rotate_by: (row.retire_at ?? row.expires_at)?.toISOString() ?? null,
  }
}

export const stateOf = (row: CredentialRow, nowSeconds: number): KeyState =>
  stateNow({ state: row.state, retireAt: unixSeconds(row.retire_at) }, nowSeconds)

export type GatewayState = 'not_ready' | 'key_ready' | 'gateway_ready'

/** Whether the agent can act: it holds a working key, or has one to claim, or neither. */
export function gatewayState(
  agent: AgentRow,
  credentials: readonly CredentialRow[],
  nowSeconds: number,
): GatewayState {
  if (!mayAct(agent.trust_state)) return 'not_ready'
  const states = credentials.map((row) => stateOf(row, nowSeconds))
  if (states.some((state) => state === 'active' || state === 'retiring')) return 'gateway_ready'
  return states.includes('pending') ? 'key_ready' : 'not_ready'
}

/** One sentence that states the next action of the agent. */
export function nextAction(agent: AgentRow, credentials: readonly CredentialRow[]): string {
  if (agent.trust_state === 'rejected')
    return 'The registration was rejected; nothing more can be done with this key.'
  if (agent.trust_state === 'suspended')
    return 'The agent is suspended; wait for an operator, and read the status URL.'
  if (!mayAct(agent.trust_state)) return 'Wait for an operator’s decision, and read the status URL.'
  if (credentials.some(({ state }) => state === 'pending'))
    return 'Shake hands on the OS host with claim_credential to receive the access key.'
  return 'Call with the access key.'
}
