import { z } from 'zod'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey, ReceiptId, Time, text } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { Agent, AgentId, Credential, Rail, TrustState } from '../../shapes/agents.ts'
import { CredentialPolicy } from '../../shapes/credential-policy.ts'
import { BadgeState } from '../../shapes/listings.ts'
import { AuditEventId } from '../../shapes/production.ts'
import { Receipt } from '../../shapes/receipts.ts'

const count = z.int().min(0)

/** GET /api/agent-registry: the agents that publish a profile, as they describe themselves. */
export const agentRegistryList = operation({
  id: 'agent-registry-list',
  summary: 'Find trusted agents that publish a profile, by words, rail and capability.',
  http: { method: 'GET', path: '/api/agent-registry', host: 'base' },
  access: 'public',
  input: z.strictObject({
    query: text(1, 200)
      .optional()
      .meta({ description: 'Words in name, description or capability.' }),
    rail: Rail.optional(),
    capability: text(1, 200).optional().meta({ description: 'One capability, as it is written.' }),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(
        z.strictObject({
          agent_id: AgentId,
          name: z.string().meta({ description: 'As the agent calls itself.' }),
          description: z.string(),
          capabilities: z.array(z.string()),
          rails: z.array(Rail),
          trust_state: TrustState,
          badge_state: BadgeState,
          reliability: z
            .strictObject({ runs: count, finished: count, exceptions: count })
            .meta({ description: 'Of its operational runs, counted from the records.' }),
          receipt_id: ReceiptId.meta({ description: 'Of the last change of the profile.' }),
          changed_at: Time,
        }),
      ),
      ...pageAnswer,
      total: z.int().meta({
        description: 'Counted up to 1000, among the 10000 agents that registered last.',
      }),
    })
    .meta({ id: 'AgentRegistry' }),
  handle: async ({ offset, limit, ...filter }, context) => ({
    body: await context.profiles.list(filter, pageOf({ offset, limit })),
  }),
})

const described = {
  name: freeText(120, 1),
  description: freeText(1000, 1),
  capabilities: z.array(freeText(200, 1)).max(32),
  rails: z.array(Rail).max(8),
}

/** POST /api/agent-registry: replaces the caller's profile and publishes or withdraws it at once. */
export const agentRegistryProfile = operation({
  id: 'agent-registry-profile',
  summary: 'Set the public profile of your agent, and publish or withdraw it.',
  http: { method: 'POST', path: '/api/agent-registry', host: 'base' },
  access: 'agent',
  needs: { scopes: ['profile:write'] },
  errors: ['rail_not_allowed', 'forbidden_material'],
  input: z.strictObject({
    ...described,
    publish_profile: z
      .boolean()
      .meta({ description: 'Whether the registry shows it; false withdraws it at once.' }),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({ agent: Agent, profile: z.strictObject(described), receipt: Receipt })
    .meta({ id: 'AgentProfile' }),
  handle: async ({ idempotency_key: _key, ...profile }, context) => {
    await context.profiles.set(callerIn(context).requiredAgentId, profile, context.callId)
    return answeredByService
  },
})

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
    body: await context.enforcement.check(
      callerIn(context).presentedCredential,
      wanted,
      context.callId,
    ),
  }),
})

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
