import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from './caller.ts'
import { Operator, OperatorId } from './list.ts'
import { Receipt } from './receipt.ts'

/** POST /api/operator/credentials, mode `revoke_operator`: the credential is refused with the next call. */
export const revokeOperator = operation({
  id: 'operators-revoke',
  summary: "Revoke an operator's credential; answers with a signed receipt.",
  http: { method: 'POST', path: '/api/operator/credentials', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('revoke_operator'),
    operator_id: OperatorId,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ operator: Operator, receipt: Receipt }).meta({ id: 'RevokedOperator' }),
  handle: async ({ operator_id, reason }, context) => ({
    body: await context.operators.revoke(
      operatorOf(context),
      { operator_id, reason },
      context.callId,
    ),
  }),
})
