import { z } from 'zod'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import {
  candidatesIn,
  exactlyOneMessage,
  exactlyOneSchema,
  Inspected,
  namesExactlyOne,
  RESOLVER_PATH,
  serviceReference,
} from './shapes.ts'

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
    body: await context.resolver.inspect(service, agentIdOf(context)),
  }),
})
