import { z } from 'zod'
import { trustStates } from '#domain/agents/trust.ts'
import { Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { AgentId } from '../../shapes/agents.ts'
import { ProofId } from '../../shapes/commerce.ts'
import { BadgeState } from '../../shapes/listings.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { VerificationPacket } from '../receipts.ts'

const count = z.int().min(0)
const shown = count.nullable().meta({ description: 'Null unless the agent publishes a profile.' })

const AgentPassport = z
  .strictObject({
    ...Receipt.shape,
    claims: z.strictObject({
      agent_id: AgentId,
      trust_state: z.enum(trustStates),
      badge_state: BadgeState,
      credential_bound: z.boolean().meta({ description: 'It has an access key that is good.' }),
      completed_runs: shown,
      verified_receipts: shown,
      open_exceptions: shown,
      reliability: z
        .strictObject({
          published: count,
          synthetic: count,
          eligible_to_continue: count,
          human_review_required: count,
          payment_hold: count,
        })
        .nullable()
        .meta({ description: 'Of the proofs that it publishes; null without any.' }),
      as_of: Time,
    }),
    verify_url: z.string(),
  })
  .meta({ id: 'AgentPassport' })

/** GET /api/agent-passport: computed from the records now, and signed once while they state the same. */
export const agentPassportRead = operation({
  id: 'agent-passport-read',
  summary: 'Read what the records say about an agent, as far as it publishes that, signed.',
  http: { method: 'GET', path: '/api/agent-passport', host: 'base' },
  access: 'public',
  errors: ['not_found'],
  input: z
    .strictObject({
      agent_id: AgentId.optional().meta({ description: 'The agent; this or a proof.' }),
      proof_id: ProofId.optional().meta({ description: 'A published proof of the agent.' }),
    })
    .refine(({ agent_id, proof_id }) => (agent_id === undefined) !== (proof_id === undefined), {
      message: 'give exactly one of agent_id, proof_id',
    })
    .meta({ oneOf: [{ required: ['agent_id'] }, { required: ['proof_id'] }] }),
  output: AgentPassport,
  handle: async ({ agent_id, proof_id }, { agentPassports }) => ({
    body: await agentPassports.read(
      agent_id === undefined ? { proof_id: String(proof_id) } : { agent_id },
    ),
  }),
})

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
