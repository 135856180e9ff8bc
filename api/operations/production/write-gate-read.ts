import { z } from 'zod'
import { goodKeyOf } from '../../auth/good-key.ts'
import { operation } from '../../operation.ts'
import { AuditEventId, WriteGateContract } from './gate-shapes.ts'

/** GET /api/production-write-gate: printed from the registry, with what passed so far. */
export const writeGateRead = operation({
  id: 'write-gate-read',
  summary:
    'Read what the production write gate validates, which operations are behind it, what passed it so far, and the event of a write of yours.',
  http: { method: 'GET', path: '/api/production-write-gate', host: 'base' },
  access: 'public',
  examines: true,
  errors: ['not_found'],
  input: z.strictObject({
    audit_event_id: AuditEventId.optional().meta({
      description: 'As a gated write or its refusal answered it, with the access key of its agent.',
    }),
  }),
  output: WriteGateContract,
  handle: async ({ audit_event_id }, context) => {
    const described = await context.writeGate.describe()
    if (audit_event_id === undefined) return { body: { ...described, event: null } }
    const event = await context.writeGate.event(goodKeyOf(context.caller)?.agent_id, audit_event_id)
    return { body: { ...described, event } }
  },
})
