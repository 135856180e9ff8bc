import { z } from 'zod'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Receipt } from './receipt.ts'

export const OperatorId = z.string().regex(/^[0-9a-f]{16}$/)

/** An operator's credential, without its secret. */
export const Operator = z
  .strictObject({
    operator_id: OperatorId,
    name: z.string(),
    created_at: Time,
    revoked_at: Time.nullable(),
  })
  .meta({ id: 'Operator' })

/** GET /api/operator/credentials: every operator's credential, oldest first. */
export const listOperators = operation({
  id: 'operators-list',
  summary: 'List the credentials of operators; answers with a signed receipt.',
  http: { method: 'GET', path: '/api/operator/credentials', host: 'base' },
  access: 'operator',
  output: z
    .strictObject({ operators: z.array(Operator), receipt: Receipt })
    .meta({ id: 'Operators' }),
  handle: async (_input, context) => ({
    body: await context.operators.list(callingOperator(context)),
  }),
})
