import { z } from 'zod'
import { decisions } from '#domain/reviews/review.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Agent, AgentId, Credential, Scope } from '../agents/shapes.ts'
import { KeyVersion } from '../signing/shapes.ts'

const AccessKey = Credential.extend({
  created_at: Time,
  claimed_at: Time.nullable(),
  revoked_at: Time.nullable(),
}).meta({ id: 'AccessKey' })
const TrustDecision = z
  .strictObject({
    decision: z.enum(decisions),
    note: z.string(),
    limits: z.looseObject({}).nullable(),
    operator_name: z.string(),
    decided_at: Time,
    receipt_id: ReceiptId,
  })
  .meta({ id: 'TrustDecision' })

/** GET /api/operator/agents/{agent_id}: one agent with its trust, keys and the decisions about it. */
export const agentRead = operation({
  id: 'agent-read',
  summary: 'Read one agent: its trust and limits, access keys, signing keys, and past decisions.',
  http: { method: 'GET', path: '/api/operator/agents/{agent_id}', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({ agent_id: AgentId }),
  output: z
    .strictObject({
      agent: Agent.omit({ public_key: true }).meta({ id: 'AgentOfOperators' }),
      sandbox: z.boolean(),
      email: z.string().nullable(),
      requested_scopes: z.array(Scope),
      allowed_decisions: z.array(z.enum(decisions)),
      access_keys: z.array(AccessKey).meta({ description: 'The newest first.' }),
      signing_keys: z.array(KeyVersion).meta({ description: 'The newest first.' }),
      decisions: z.array(TrustDecision).meta({ description: 'The last 50, the newest first.' }),
    })
    .meta({ id: 'AgentDetail' }),
  handle: async ({ agent_id }, context) => ({ body: await context.agentKeys.read(agent_id) }),
})
