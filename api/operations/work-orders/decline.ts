import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Recovery } from '../tasks/recovery-shapes.ts'
import { namedProposal } from './shapes.ts'

/** POST /api/work-orders/{work_order_id}/decline: the owner of an order declines the input that an operator proposes. */
export const workOrderDecline = operation({
  id: 'work-order-decline',
  summary:
    'Decline the corrected input that an operator proposes for a run of an order; the run stays stopped.',
  http: { method: 'POST', path: '/api/work-orders/{work_order_id}/decline', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['wt'], signed: true },
  errors: ['not_found', 'not_owner', 'wrong_state', 'evidence_changed', 'forbidden_material'],
  input: z.strictObject({
    ...namedProposal,
    reason: freeText(2000, 1).meta({ description: 'Why, for the operator.' }),
    idempotency_key: IdempotencyKey,
  }),
  output: Recovery,
  handle: async ({ work_order_id, run_id, proposed_input_sha256, reason }, context) => {
    const named = { run_id, proposed_input_sha256, note: reason }
    const declined = await context.workOrders.decline(subjectOf(context), work_order_id, named)
    await context.recoveries.decline(declined, context.callId)
    return answeredByService
  },
})
