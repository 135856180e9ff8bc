import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { presentedCredential } from './caller.ts'
import { Credential, Rail } from './shapes.ts'

/** POST /api/credential-enforcement-middleware: what the presented credential may do, and why not; nothing is done. */
export const credentialEnforce = operation({
  id: 'credential-enforce',
  summary:
    'Ask whether the presented credential may call an operation, and all the reasons why not.',
  http: { method: 'POST', path: '/api/credential-enforcement-middleware', host: 'base' },
  tool: 'enforce_agent_credential',
  access: 'public',
  examines: true,
  errors: ['not_found'],
  input: z.strictObject({
    operation_id: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
    rail: Rail.optional(),
    amount_usd: z.int().min(0).max(1_000_000).optional(),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({
      decision: z.enum(['allow', 'deny']),
      reasons: z.array(z.strictObject({ code: z.string(), detail: z.string() })),
      credential: Credential.nullable(),
      audit_event_id: z.string(),
    })
    .meta({ id: 'CredentialDecision' }),
  handle: async ({ idempotency_key: _key, ...wanted }, context) => ({
    body: await context.enforcement.check(presentedCredential(context), wanted, context.callId),
  }),
})
