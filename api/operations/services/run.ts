import { z } from 'zod'
import { freeText, IdempotencyKey, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../operators/receipt.ts'
import { UsageEventId } from '../usage/usage-shapes.ts'
import { RESOLVER_PATH, ServiceId } from './shapes.ts'

/** POST /api/service-resolver, mode `run_service`: free tools of this service, and nothing else. */
export const runService = operation({
  id: 'run-service',
  summary: 'Run a free tool of this service and get its recorded outcome with a receipt.',
  http: { method: 'POST', path: RESOLVER_PATH, host: 'base' },
  tool: 'run_service',
  access: 'public',
  errors: [
    'candidate_denied',
    'human_approval_required',
    'unsupported_request',
    'not_found',
    'input_too_complex',
    'forbidden_material',
  ],
  input: z.strictObject({
    mode: z.literal('run_service'),
    service_id: ServiceId,
    task: freeText(4000, 1).meta({
      description:
        'The input of the tool as a JSON object in text, or plain text for the one member that it requires.',
    }),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({
      outcome: z.strictObject({
        service_id: ServiceId,
        operation_id: z.string(),
        result: z.looseObject({}).meta({ description: 'The answer of the operation.' }),
        recorded_at: Time,
      }),
      usage_event_id: UsageEventId,
      receipt: Receipt.meta({ description: 'Over the digests of input and result.' }),
    })
    .meta({ id: 'ServiceOutcome' }),
  handle: async ({ service_id, task }, context) => ({
    body: await context.resolver.run({ service_id, task }, context),
  }),
})
