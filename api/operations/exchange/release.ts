import { z } from 'zod'
import { freeText } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { WorkOrderId } from '../work-orders/shapes.ts'
import { Claim, ClaimedOrder, ClaimId, EXCHANGE_PATH } from './shapes.ts'

/** POST /api/work-order-exchange, mode `release_work_order`: what its timer does to an overdue claim. */
export const exchangeRelease = operation({
  id: 'exchange-release',
  summary: 'Give a claimed work order back, so that another agent may claim it.',
  http: { method: 'POST', path: EXCHANGE_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['exchange:write'] },
  errors: ['not_found', 'wrong_state'],
  idempotency: { kind: 'natural', key: ({ claim_id }) => claim_id },
  input: z.strictObject({
    mode: z.literal('release_work_order'),
    work_order_id: WorkOrderId,
    claim_id: ClaimId,
    reason: freeText(500).default(''),
  }),
  output: z
    .strictObject({ work_order: ClaimedOrder, claim: Claim })
    .meta({ id: 'ReleasedToExchange' }),
  handle: async ({ mode: _mode, ...asked }, context) => {
    await context.exchange.release(callingAgentId(context), asked, context.callId)
    return answeredByService
  },
})
