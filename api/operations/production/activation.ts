import { z } from 'zod'
import { pathSteps } from '#domain/production/activation-path.ts'
import { callerIn, goodKeyOf } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { Tier } from '../../shapes/payments.ts'
import { AuditEventId, GateCheck, WriteGateContract } from '../../shapes/production.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { CallbackUrl } from '../../shapes/tasks.ts'

const ActivationId = z.string().regex(/^av_[0-9a-f]{64}$/)
const PathStep = z.enum(pathSteps)

/** A customer account on its way to the first run. */
const CustomerActivation = z
  .strictObject({
    activation_id: ActivationId,
    customer_account: z.string(),
    rail: Rail,
    tier: Tier,
    started_at: Time,
    steps: z
      .array(
        z.strictObject({
          step: PathStep,
          state: z.enum(['done', 'open']),
          evidence_id: z.string().nullable().meta({ description: 'The record that shows it.' }),
        }),
      )
      .length(pathSteps.length),
    next_action: z.string(),
  })
  .meta({ id: 'CustomerActivation' })

/** GET /api/customer-activation-path: what the path offers; asked for one, also the agent's own activation. */
export const activationPathRead = operation({
  id: 'activation-path-read',
  summary:
    'Read the steps of a customer account to its first run, or how far an account of yours has come.',
  http: { method: 'GET', path: '/api/customer-activation-path', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({ activation_id: ActivationId.optional() }),
  output: contractSchema('Activations begun, counted up to 1000.', {
    steps: z.array(PathStep),
    activation: CustomerActivation.nullable(),
  }).meta({ id: 'CustomerActivationPath' }),
  handle: async ({ activation_id }, context) => {
    const contract = { ...(await context.contracts.activationPath()), steps: [...pathSteps] }
    if (activation_id === undefined) return { body: { ...contract, activation: null } }
    const agentId = callerIn(context).agentIdFor('an activation is read by its agent')
    const activation = await context.activationPaths.read(agentId, activation_id)
    return { body: { ...contract, activation } }
  },
})

/** POST /api/customer-activation-path: begins nothing but the record; its steps are read from others. */
export const activationStart = operation({
  id: 'activation-start',
  summary: 'Begin to activate a customer account for a rail and tier.',
  http: { method: 'POST', path: '/api/customer-activation-path', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st'], signed: true },
  limits: { addressPerMinute: 30 },
  status: [201],
  errors: ['already_exists', 'rail_not_allowed', 'trust_required'],
  input: z.strictObject({
    customer_account: freeText(160, 1),
    rail: Rail,
    tier: Tier,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ activation: CustomerActivation })
    .meta({ id: 'StartedCustomerActivation' }),
  handle: async ({ idempotency_key: _key, ...asked }, context) => ({
    body: await context.activationPaths.start(
      { ...asked, agentId: callerIn(context).requiredAgentId },
      context.callId,
    ),
  }),
})

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

/** POST /api/production-write-gate: a write that would be refused is an answer with `pass` false; nothing is written but the audit event. */
export const writeGateValidate = operation({
  id: 'write-gate-validate',
  summary:
    'Ask whether a production write with the presented access key would pass the gate, and which of its five checks fail. Nothing is executed and no money moves.',
  http: { method: 'POST', path: '/api/production-write-gate', host: 'base' },
  tool: 'validate_production_write',
  access: 'public',
  examines: true,
  errors: ['not_found', 'forbidden_material'],
  input: z.strictObject({
    operation_id: z
      .string()
      .max(80)
      .regex(/^[a-z]+(-[a-z]+)*$/),
    rail: Rail,
    callback_url: CallbackUrl,
    payload_sha256: Digest.optional(),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      pass: z.boolean(),
      checks: z.array(GateCheck).length(5),
      audit_event_id: AuditEventId,
      executed: z.literal(false),
      money_movement: z.literal(false),
      receipt: Receipt,
    })
    .meta({ id: 'ValidatedWrite' }),
  handle: async (asked, context) => ({
    body: await context.writeGate.validate(
      callerIn(context).presentedCredential,
      asked,
      context.callId,
    ),
  }),
})
