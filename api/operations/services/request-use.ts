import { z } from 'zod'
import { useDecisions } from '#domain/services/candidate.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { WorkOrder } from '../work-orders/shapes.ts'
import {
  candidatesIn,
  exactlyOneMessage,
  exactlyOneSchema,
  namesExactlyOne,
  RESOLVER_PATH,
  serviceReference,
} from './shapes.ts'

/** POST /api/service-resolver, mode `request_service_use`. */
export const requestServiceUse = operation({
  id: 'request-service-use',
  summary: 'Ask to use a service for a task; the answer says how, and has a receipt.',
  http: { method: 'POST', path: RESOLVER_PATH, host: 'base' },
  tool: 'request_service_use',
  access: 'public',
  errors: [
    'candidate_denied',
    'human_approval_required',
    'unsupported_request',
    'not_ready',
    'forbidden_material',
  ],
  uses: (asked) => ({ tasks: 1, ...candidatesIn(asked) }),
  input: z
    .strictObject({
      mode: z.literal('request_service_use'),
      ...serviceReference,
      task: freeText(4000, 1).meta({ description: 'What it is to be used for.' }),
      idempotency_key: IdempotencyKey.optional(),
    })
    .refine(namesExactlyOne, exactlyOneMessage)
    .meta(exactlyOneSchema),
  output: z
    .strictObject({
      use_decision: z.enum(useDecisions),
      work_order: WorkOrder.nullable().meta({
        description:
          'Of an approved service of someone else; it waits for the review of an operator.',
      }),
      next_action: z.string(),
      receipt: Receipt,
      status_token: z
        .string()
        .nullable()
        .meta({ description: 'Reads the work order that this call made.' }),
    })
    .meta({ id: 'ServiceUse' }),
  handle: async ({ mode: _mode, idempotency_key: _key, ...asked }, context) => {
    await context.resolver.request(asked, context, agentIdOf(context))
    return answeredByService
  },
  reveal: (answer, context) => context.resolver.withStatusToken(answer, context.callId),
})
