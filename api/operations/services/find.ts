import { z } from 'zod'
import { ScoutResult } from '#domain/rails/scout/schema.ts'
import { Digest, freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Kind, Origin, Price, RESOLVER_PATH, ServiceAccess, ServiceId } from './shapes.ts'

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
  handle: async ({ mode: _mode, ...asked }, { resolver }) => ({ body: await resolver.find(asked) }),
})
