import { z } from 'zod'
import { operation } from '../../operation.ts'
import { OwnService, RESOLVER_PATH, ServiceId } from './shapes.ts'

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
