import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Recovery } from '../tasks/recovery-shapes.ts'
import { namedProposal } from './shapes.ts'

/** POST /api/work-orders/{work_order_id}/consent: the owner of an order accepts the input that an operator proposes. */
export const workOrderConsent = operation({
  id: 'work-order-consent',
  summary:
    'Accept the corrected input that an operator proposes for a run of an order; the run continues with it.',
  http: { method: 'POST', path: '/api/work-orders/{work_order_id}/consent', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['wt'], signed: true },
  errors: ['not_found', 'not_owner', 'wrong_state', 'evidence_changed', 'forbidden_material'],
  input: z.strictObject({
    ...namedProposal,
    note: freeText(2000).default(''),
    idempotency_key: IdempotencyKey,
  }),
  output: Recovery,
  handle: async ({ work_order_id, idempotency_key: _key, ...consent }, context) => {
    const recovery = await context.workOrders.consent(subjectOf(context), work_order_id, consent)
    const { status } = await context.recoveries.recover(recovery, context.callId)
    if (status !== 200) throw new Error('an accepted input waits for no decision')
    return answeredByService
  },
})
