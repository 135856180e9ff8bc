import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Credential } from '../agents/shapes.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'

/** POST /api/operator/access-keys: stops an access key with the next call in every process. */
export const accessKeyRevoke = operation({
  id: 'access-key-revoke',
  summary: "Revoke an agent's access key; answers with a signed receipt.",
  http: { method: 'POST', path: '/api/operator/access-keys', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    credential_id: Credential.shape.credential_id,
    reason: freeText(200, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ credential: Credential, receipt: Receipt })
    .meta({ id: 'RevokedAccessKey' }),
  handle: async ({ credential_id: credentialId, reason }, context) => {
    const revocation = { by: operatorOf(context), credentialId, reason }
    await context.agentKeys.revoke(revocation, context.callId)
    return answeredByService
  },
})
