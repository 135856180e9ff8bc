import { z } from 'zod'
import { LimitChange, TrustLimits } from '#domain/agents/trust-limits.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { AgentId } from '../agents/shapes.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'

/** POST /api/operator/agent-limits: changes what a trusted agent may do, without a hold and another approval. */
export const agentLimitsSet = operation({
  id: 'agent-limits-set',
  summary:
    'Change the limits of a trusted agent from its next call and payment on; answers with a signed receipt.',
  http: { method: 'POST', path: '/api/operator/agent-limits', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    agent_id: AgentId,
    limits: LimitChange,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      agent_id: AgentId,
      limits: TrustLimits,
      previous_limits: TrustLimits.nullable(),
      receipt: Receipt,
    })
    .meta({ id: 'AgentLimitsChange' }),
  handle: async ({ agent_id: agentId, limits: change, reason }, context) => {
    const asked = { by: operatorOf(context), agentId, change, reason }
    await context.agentKeys.setLimits(asked, context.callId)
    return answeredByService
  },
})
