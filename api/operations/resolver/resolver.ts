import { z } from 'zod'
import { ScoutResult } from '#domain/rails/scout/schema.ts'
import { useDecisions } from '#domain/resolver/candidate.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { UsageEventId } from '../../shapes/usage.ts'
import { WorkOrder } from '../../shapes/work-orders.ts'
import {
  candidatesIn,
  exactlyOneMessage,
  exactlyOneSchema,
  Inspected,
  Kind,
  namesExactlyOne,
  Origin,
  OwnService,
  Price,
  RESOLVER_PATH,
  ServiceAccess,
  ServiceId,
  serviceReference,
} from './shapes.ts'

const { match, available } = ScoutResult.shape.ranked.element.shape

/** POST /api/service-resolver, mode `find_services`. */
export const findServices = operation({
  id: 'find-services',
  summary: 'Find the services that fit a query or a task, the best first, with reasons.',
  http: { method: 'POST', path: RESOLVER_PATH, host: 'base' },
  tool: 'find_services',
  access: 'public',
  errors: ['input_too_complex', 'forbidden_material'],
  idempotency: { kind: 'read' },
  input: z
    .strictObject({
      mode: z.literal('find_services'),
      query: freeText(400, 1).optional(),
      task: freeText(4000, 1).optional().meta({ description: 'What is to be done, in words.' }),
      include_registry: z
        .boolean()
        .default(false)
        .meta({ description: 'Also services of others that an operator approved.' }),
    })
    .refine(({ query, task }) => query !== undefined || task !== undefined, {
      message: 'give query or task',
    })
    .meta({ anyOf: [{ required: ['query'] }, { required: ['task'] }] }),
  output: z
    .strictObject({
      results: z.array(
        z.strictObject({
          service_id: ServiceId,
          origin: Origin,
          kind: Kind,
          summary: z.string(),
          score: z.number().min(0).max(1),
          match,
          available,
          price: Price,
          access: ServiceAccess,
          reasons: z
            .array(z.strictObject({ need: z.string(), capability: z.string() }))
            .meta({ description: 'Parts of the query, and the words of the service that fit.' }),
        }),
      ),
      query_used: z.string(),
      registry_sha256: Digest.meta({ description: 'Of the services that were considered.' }),
    })
    .meta({ id: 'FoundServices' }),
  handle: async ({ mode: _mode, ...asked }, context) => ({
    body: await context.resolver.find(asked, callerIn(context).computeNetwork),
  }),
})

/** POST /api/service-resolver, mode `inspect_service`: a candidate is stored, read by one guarded request and judged. */
export const inspectService = operation({
  id: 'inspect-service',
  summary:
    'Inspect a service: what was checked, how risky its use is and whether it may be used. A candidate is stored for the decision of an operator.',
  http: { method: 'POST', path: RESOLVER_PATH, host: 'base' },
  tool: 'inspect_service',
  access: 'public',
  errors: [
    'candidate_denied',
    'human_approval_required',
    'unsupported_request',
    'not_ready',
    'forbidden_material',
  ],
  uses: candidatesIn,
  idempotency: { kind: 'effect' },
  input: z
    .strictObject({ mode: z.literal('inspect_service'), ...serviceReference })
    .refine(namesExactlyOne, exactlyOneMessage)
    .meta(exactlyOneSchema),
  output: Inspected,
  handle: async ({ mode: _mode, ...service }, context) => ({
    body: await context.resolver.inspect(service, callerIn(context).agentId),
  }),
})

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
    await context.resolver.request(asked, context, callerIn(context).agentId)
    return answeredByService
  },
  reveal: (answer, context) => context.resolver.withStatusToken(answer, context.callId),
})

/** GET /api/service-resolver: the modes, our services and the boundary of what this service does. */
export const resolverRead = operation({
  id: 'resolver-read',
  summary: 'Read which services there are, the four ways to use the resolver, and its boundary.',
  http: { method: 'GET', path: RESOLVER_PATH, host: 'base' },
  access: 'public',
  output: z
    .strictObject({
      version: z.string(),
      modes: z.array(z.string()),
      tools: z.array(z.string()).meta({ description: 'The MCP tools of the four modes.' }),
      services: z.array(OwnService),
      safety_boundary: z.array(z.string()),
      free_tools: z
        .array(
          z.strictObject({
            service_id: ServiceId,
            operation_id: z.string(),
            method: z.string(),
            path: z.string(),
          }),
        )
        .meta({ description: 'They also answer at their own paths.' }),
    })
    .meta({ id: 'ServiceResolver' }),
  handle: async (_input, { resolver }) => ({ body: await resolver.contract() }),
})

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
