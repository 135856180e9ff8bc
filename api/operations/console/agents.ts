import { z } from 'zod'
import { trustStates } from '#domain/agents/trust.ts'
import { LimitChange, TrustLimits } from '#domain/agents/trust-limits.ts'
import { grantStates } from '#domain/authority/facts.ts'
import { decisions } from '#domain/reviews/review.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey, ReceiptId, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { Agent, AgentId, Credential, Scope } from '../../shapes/agents.ts'
import { SearchText } from '../../shapes/console.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { KeyVersion } from '../../shapes/signing.ts'
import { GrantLine } from './mandates.ts'

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
    const revocation = { by: callerIn(context).namedOperator, credentialId, reason }
    await context.agentKeys.revoke(revocation, context.callId)
    return answeredByService
  },
})

/** POST /api/operator/agent-limits: changes what a trusted agent may do, without a hold and another approval. */
export const agentLimitsSet = operation({
  id: 'agent-limits-set',
  summary:
    'Change the limits of a trusted agent from its next call and payment on; answers with a signed receipt.',
  http: { method: 'POST', path: '/api/operator/agent-limits', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    agent_id: AgentId,
    limits: LimitChange,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      agent_id: AgentId,
      limits: TrustLimits,
      previous_limits: TrustLimits.nullable(),
      receipt: Receipt,
    })
    .meta({ id: 'AgentLimitsChange' }),
  handle: async ({ agent_id: agentId, limits: change, reason }, context) => {
    const asked = { by: callerIn(context).namedOperator, agentId, change, reason }
    await context.agentKeys.setLimits(asked, context.callId)
    return answeredByService
  },
})

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

const ListedAgent = z
  .strictObject({
    agent_id: z.string(),
    name: z.string(),
    sandbox: z.boolean(),
    trust_state: z.enum(trustStates),
    trust_since: Time,
    rails: z.array(z.string()),
    limits: z.looseObject({}).nullable(),
    credential_id: z.string().nullable().meta({ description: 'Of the newest access key.' }),
    credential_state: z.string().nullable(),
    credential_expires_at: Time.nullable(),
    open_tasks: z.int(),
    created_at: Time,
  })
  .meta({ id: 'AgentLine' })

/** GET /api/operator/agents: agents with their trust, limits and newest access key. */
export const agentsList = operation({
  id: 'agents-list',
  summary:
    'Search agents by id, account, name or e-mail address, with their trust and access keys.',
  http: { method: 'GET', path: '/api/operator/agents', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    q: SearchText.optional(),
    state: z.enum(trustStates).optional(),
    ...pageFields(5),
  }),
  output: z
    .strictObject({ items: z.array(ListedAgent), offset: z.int(), limit: z.int() })
    .meta({ id: 'AgentLines' }),
  handle: async ({ q, state, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.switches.agents({ text: q, state }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})

/** GET /api/operator/action-grants: grants of single actions, the newest first. */
export const grantsList = operation({
  id: 'grants-list',
  summary: 'Search the grants of single actions, used and unused.',
  http: { method: 'GET', path: '/api/operator/action-grants', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    state: z.enum(grantStates).optional(),
    q: SearchText.optional().meta({
      description: 'A whole id of a grant, mandate, action, agent or operation.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({ items: z.array(GrantLine), offset: z.int(), limit: z.int() })
    .meta({ id: 'GrantLines' }),
  handle: async ({ state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.mandateViews.grants({ state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
