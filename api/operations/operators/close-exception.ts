import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from './caller.ts'
import { Receipt } from './receipt.ts'
import { Exception } from './reconciliation.ts'

/** POST /api/operator/reconciliation, mode `close_exception`: what differs is not touched, and the receipt says who closed it and why. */
export const closeException = operation({
  id: 'close-exception',
  summary:
    'Close an exception of reconciliation with a reason; answers with a signed receipt. Nothing is repaired.',
  http: { method: 'POST', path: '/api/operator/reconciliation', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('close_exception'),
    exception_id: z.string().regex(/^ex_[0-9a-f]{64}$/),
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ exception: Exception, receipt: Receipt })
    .meta({ id: 'ClosedException' }),
  handle: async ({ exception_id, reason }, context) => ({
    body: await context.reconciliation.close(
      operatorOf(context),
      { exception_id, reason },
      context.callId,
    ),
  }),
})
