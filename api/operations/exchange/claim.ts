import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { WorkOrderId } from '../work-orders/shapes.ts'
import { acceptTerms, Claim, ClaimedOrder, EXCHANGE_PATH, InputReference } from './shapes.ts'

/** POST /api/work-order-exchange, mode `claim_work_order`: of any number of agents, one gets the order. */
export const exchangeClaim = operation({
  id: 'exchange-claim',
  summary: 'Claim an approved work order; you alone may deliver it until the claim expires.',
  http: { method: 'POST', path: EXCHANGE_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['exchange:write'] },
  gate: { rails: 'priced', callback: 'if_given' },
  status: [201],
  errors: [
    ...(['not_found', 'already_claimed', 'control_denied', 'wrong_state'] as const),
    ...(['trust_required', 'rail_not_allowed', 'rate_limited', 'paused'] as const),
  ],
  input: z.strictObject({
    mode: z.literal('claim_work_order'),
    work_order_id: WorkOrderId,
    accept_terms: acceptTerms,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ work_order: ClaimedOrder, claim: Claim, input_reference: InputReference })
    .meta({ id: 'ClaimedOnExchange' }),
  handle: async ({ work_order_id }, context) => {
    await context.exchange.claim(writerOf(context), work_order_id, context.callId)
    return answeredByService
  },
})
