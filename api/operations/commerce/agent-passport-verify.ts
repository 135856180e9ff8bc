import { z } from 'zod'
import { text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'

const { verified, receipt_id, kind, checks, signature, payload_sha256, verified_at } =
  VerificationPacket.shape

/** POST /api/agent-passport: a passport that does not hold is a 200 that says why. */
export const agentPassportVerify = operation({
  id: 'agent-passport-verify',
  summary: 'Verify a passport of an agent, and read which of its claims are others now.',
  http: { method: 'POST', path: '/api/agent-passport', host: 'base' },
  access: 'public',
  idempotency: { kind: 'read' },
  input: z.strictObject({
    passport: text(1, 24_000).meta({ description: 'The jws of the passport.' }),
  }),
  output: z
    .strictObject({
      verified,
      receipt_id,
      kind,
      checks,
      signature,
      payload_sha256,
      verified_at,
      current_claims_differ: z.array(z.string()).meta({
        description: 'Claims with another value now; consent where the agent publishes nothing.',
      }),
    })
    .meta({ id: 'VerifiedAgentPassport' }),
  handle: async ({ passport }, { agentPassports }) => ({
    body: await agentPassports.verify(passport),
  }),
})
