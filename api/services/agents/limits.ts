import {
  accessWithin,
  type LimitChange,
  limitsAfter,
  type TrustLimits,
} from '#domain/agents/trust-limits.ts'
import { refuse } from '#domain/core/errors.ts'
import type { ReceiptView } from '../../../activities/keys/receipt-view.ts'
import { signAct } from '../../../activities/payouts/operator-act.ts'
import { type AgentRow, lockAgent, setLimits } from '../../../activities/store/agents/agents.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { Issuing } from './deps.ts'

export type LimitsInput = {
  by: { operatorId: string; name: string }
  agentId: string
  change: LimitChange
  reason: string
}
export type LimitsSet = {
  agent_id: string
  limits: TrustLimits
  previous_limits: TrustLimits | null
  receipt: ReceiptView
}

/**
 * Changes the limits of a trusted agent; once this commits, no call is admitted and nothing is spent by the earlier ones. Throws 404,
 * 409 `wrong_state` for an agent that is not trusted, and 400 where nothing changes or nothing is left to the agent.
 */
export async function changeLimits(
  deps: Issuing,
  tx: Tx,
  { by, agentId, change, reason }: LimitsInput,
): Promise<LimitsSet> {
  const agent = await lockAgent(tx, agentId)
  if (agent === undefined)
    throw refuse('not_found', { detail: 'no such agent', next_action: 'Check the id.' })
  if (agent.trust_state !== 'trusted')
    throw refuse('wrong_state', {
      detail: `the agent is ${agent.trust_state}`,
      next_action: 'Set its limits with the approval.',
      extra: { state: agent.trust_state },
    })
  const limits = limitsAfter(agent.limits, change)
  allowedOf(agent, limits)
  const facts = { agent_id: agentId, limits, previous_limits: agent.limits }
  const act = { act: 'agent_limits_set', act_on: agentId, reason, facts }
  const receipt = await signAct(deps, tx, { by, act })
  await setLimits(tx, agentId, { limits, receiptId: receipt.receipt_id })
  return { agent_id: agentId, limits, previous_limits: agent.limits, receipt }
}

/** What was asked for, as far as the limits allow it; 400 when nothing is left. */
export function allowedOf(
  { requested_scopes, rails }: Pick<AgentRow, 'requested_scopes' | 'rails'>,
  limits: TrustLimits | null,
) {
  const allowed = accessWithin(limits, { scopes: requested_scopes, rails })
  for (const [name, left] of Object.entries(allowed)) {
    if (left.length > 0) continue
    const errors = [
      { pointer: `/limits/${name}`, message: 'has nothing of what the agent asked for' },
    ]
    throw refuse('invalid_request', {
      detail: `the limits leave the agent no ${name}`,
      next_action: 'Allow some of what the agent asked for.',
      errors,
    })
  }
  return allowed
}
