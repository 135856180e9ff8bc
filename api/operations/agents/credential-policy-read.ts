import { z } from 'zod'
import { operation } from '../../operation.ts'
import { CredentialPolicy } from '../../registry/credential-policy-shape.ts'
import { AuditEventId } from '../production/gate-shapes.ts'

/** GET /api/credential-enforcement-middleware: printed from the registry and from the checks that every call makes. */
export const credentialPolicyRead = operation({
  id: 'credential-policy-read',
  summary:
    'Read what each operation needs of its caller, the checks of an access key in their order, and the event of one check.',
  http: { method: 'GET', path: '/api/credential-enforcement-middleware', host: 'base' },
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({
    audit_event_id: AuditEventId.optional().meta({
      description: 'As credential-enforce or signing-sign answered it.',
    }),
  }),
  output: CredentialPolicy,
  handle: async ({ audit_event_id }, context) => ({
    body: await context.enforcement.policy(audit_event_id),
  }),
})
