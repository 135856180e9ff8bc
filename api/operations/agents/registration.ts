import { z } from 'zod'
import { keyStates, scopes } from '#domain/agents/credential.ts'
import { refuse } from '#domain/core/errors.ts'
import { agentRecordKinds } from '#domain/core/record-kinds.ts'
import type { workOrderStates } from '#domain/work-orders/work-order.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import {
  Agent,
  AgentId,
  AgentIdentity,
  Credential,
  EncryptionKey,
  IdentityClaim,
  PublicKey,
  Rail,
  Scope,
  TrustState,
} from '../../shapes/agents.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { Pilot } from '../../shapes/pilots.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { RuntimeRecord, Task } from '../../shapes/tasks.ts'
import { WorkOrder } from '../../shapes/work-orders.ts'

const Email = z.email().max(254)
const CallbackUrl = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[!-~]+$/)
  .meta({ 'x-free-text': true })

/** What an agent says of itself. */
export const Manifest = z.strictObject({
  name: freeText(120, 1),
  contact: z
    .strictObject({ email: Email.optional(), callback_url: CallbackUrl.optional() })
    .refine(
      ({ email, callback_url }) => email !== undefined || callback_url !== undefined,
      'email or callback_url',
    )
    .meta({ minProperties: 1 }),
  capabilities: z.array(freeText(200, 1)).max(32).default([]),
  rails: z.array(Rail).min(1).max(8),
  public_key: PublicKey.meta({ description: 'Signs handshakes and calls; one key is one agent.' }),
  encryption_key: EncryptionKey.optional().meta({
    description: 'The access key is sealed to it (JWE, ECDH-ES).',
  }),
  protocols: z
    .array(z.enum(['mcp', 'http', 'a2a']))
    .max(3)
    .default(['http']),
  account: z
    .strictObject({
      name: freeText(120, 1),
      country: z
        .string()
        .regex(/^[A-Z]{2}$/)
        .optional(),
    })
    .optional(),
  identity: IdentityClaim.optional().meta({
    description: 'A token of an identity registry (ERC-8004) that your wallet owns.',
  }),
  requested_scopes: z.array(Scope).min(1).max(scopes.length),
  sandbox: z
    .boolean()
    .default(false)
    .meta({ description: 'Trusted at once, for synthetic runs only.' }),
  idempotency_key: IdempotencyKey,
})

/** POST /api/agents/register: the manifest becomes an agent that waits for a decision, or one of the sandbox. */
export const agentRegister = operation({
  id: 'agent-register',
  summary:
    'Register an agent by its manifest; answers with its trust state, its status URL and a signed receipt.',
  http: { method: 'POST', path: '/api/agents/register', host: 'base' },
  access: 'public',
  status: [201],
  errors: [
    'key_already_registered',
    'callback_refused',
    'forbidden_material',
    'unsupported_request',
    'proof_invalid',
  ],
  uses: () => ({ registrations: 1 }),
  recalledBy: ({ public_key }) => public_key,
  input: Manifest,
  output: z
    .strictObject({
      agent: Agent,
      trust_state: TrustState,
      identity: AgentIdentity.nullable().meta({ description: 'What was claimed and verified.' }),
      granted_scopes: z.array(Scope).meta({
        description: 'What the access key has; none before an operator trusts the agent.',
      }),
      denied_scopes: z
        .array(z.strictObject({ scope: Scope, reason: z.string() }))
        .meta({ description: 'What was asked for and is not granted, with the reason.' }),
      status_token: z
        .string()
        .meta({ description: 'Reads the status; acts need the registered key or the access key.' }),
      status_url: z.string(),
      next_action: z.string(),
      receipt: Receipt,
    })
    .meta({ id: 'RegisteredAgent' }),
  handle: async ({ idempotency_key: _key, ...manifest }, context) => {
    await context.registrations.register(manifest, context.callId, context.network)
    return answeredByService
  },
  reveal: (answer, context) => context.registrations.withStatusToken(answer, context.callId),
})

/** GET /api/agents/register: how to register, and the rules for all agents. */
export const agentRegisterRead = operation({
  id: 'agent-register-read',
  summary:
    'Read how an agent registers: the manifest’s schema, the policy rules, and how many agents stand where.',
  http: { method: 'GET', path: '/api/agents/register', host: 'base' },
  access: 'public',
  output: contractSchema('Agents by trust state.', {
    manifest_schema: z.looseObject({}),
  }).meta({
    id: 'RegistrationContract',
  }),
  handle: async (_input, context) => {
    const view = await context.contracts.registration()
    return {
      body: { ...view, manifest_schema: z.toJSONSchema(Manifest, { io: 'input' }) },
    }
  },
})

const AgentStatus = z
  .strictObject({
    kind: z.literal('agent'),
    agent_id: AgentId,
    trust_state: TrustState,
    credential: z
      .strictObject({ state: z.enum(keyStates), version: z.int(), claimable: z.boolean() })
      .nullable(),
    tasks: z.array(Task).meta({ description: 'The newest 25.' }),
    work_orders: z.array(WorkOrder).meta({ description: 'The newest 25.' }),
    pilots: z.array(Pilot).meta({ description: 'The newest 25.' }),
    records: z.array(RuntimeRecord).meta({
      description:
        'The newest 25 runtime records of each kind: onboarding, trust and access keys, or of the kind that is asked for.',
    }),
    next_action: z.string(),
    steps: z
      .array(z.strictObject({ step: z.string(), done: z.boolean() }))
      .meta({ description: 'Self-onboarding and access key delivery, in their order.' }),
  })
  .meta({ id: 'AgentStatus' })
const TaskStatus = z
  .strictObject({
    kind: z.literal('task'),
    task: Task,
    return_package_id: z
      .string()
      .nullable()
      .meta({ description: 'Of a package that this link followed by /return-package reads.' }),
    next_action: z.string(),
  })
  .meta({ id: 'TaskStatus' })
const OrderStatus = z
  .strictObject({ kind: z.literal('work_order'), work_order: WorkOrder, next_action: z.string() })
  .meta({ id: 'WorkOrderStatus' })
const PilotStatus = z
  .strictObject({ kind: z.literal('pilot'), pilot: Pilot, next_action: z.string() })
  .meta({ id: 'PilotStatus' })

const read =
  'Read its run_ids at POST /api/agent-use, with this token in X-Status-Token or the access key of its agent: get_run_status, and fetch_return_package once a run is closed.'
const nextOf: Record<(typeof workOrderStates)[number], string> = {
  queued: 'It waits for the review of an operator.',
  approved:
    'Ask for the quote of each run at POST /api/agents/quote, pay it, and present the payment at POST /api/agent-payment-rail: both with this token in X-Status-Token, or with the access key of its agent.',
  rejected: read,
  failed: read,
  claimed: read,
  operating: read,
  delivered: read,
  completed: read,
}

/** GET /api/agents/status/{token}: the token reads and nothing more; an unknown one is 404. */
export const agentStatus = operation({
  id: 'agent-status',
  summary:
    'Read the subject of a status token: an agent’s trust, access key, orders, pilots and next steps, or the state of a task, order or pilot.',
  http: { method: 'GET', path: '/api/agents/status/{token}', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['st', 'tk', 'wt', 'pt'], signed: false },
  errors: ['invalid_request'],
  input: z.strictObject({
    kind: z.enum(agentRecordKinds).optional().meta({
      description: 'The runtime records of an agent that are listed.',
    }),
  }),
  output: z.discriminatedUnion('kind', [AgentStatus, TaskStatus, OrderStatus, PilotStatus]),
  handle: async ({ kind }, context) => {
    const { prefix, subjectId } = callerIn(context).token
    if (prefix === 'st') return { body: await context.registrations.status(subjectId, kind) }
    if (kind !== undefined)
      throw refuse('invalid_request', {
        detail: 'the records of a kind are those of an agent here, and of a task in its ledger',
      })
    if (prefix === 'pt') {
      const pilot = await context.pilots.read(subjectId)
      return { body: { kind: 'pilot' as const, pilot, next_action: pilot.next_step } }
    }
    if (prefix === 'wt') {
      const order = { workOrderId: subjectId }
      const { work_order } = await context.workOrders.read(order, subjectId)
      const next_action = nextOf[work_order.state]
      return { body: { kind: 'work_order' as const, work_order, next_action } }
    }
    const task = await context.tasks.read(subjectId)
    const return_package_id = await context.runs.deliveredPackageId(subjectId)
    const { next_action } = task
    return { body: { kind: 'task' as const, task, return_package_id, next_action } }
  },
})

/** POST /api/agents/handshake on the OS host: the agent shows that it holds its key, and claims the access key that waits. */
export const handshake = operation({
  id: 'handshake',
  summary:
    'Shake hands with the registered key: read the gateway’s state, and claim the access key once.',
  http: { method: 'POST', path: '/api/agents/handshake', host: 'os' },
  access: 'status',
  // The body is signed by itself, over the nonce and the token.
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['proof_invalid', 'trust_required', 'already_claimed'],
  // Its body is not kept.
  uses: () => ({ records: 1, kib: 0 }),
  idempotency: { kind: 'natural', key: ({ nonce }) => nonce },
  input: z.strictObject({
    nonce: z.string().regex(/^hs_[0-9]{10}_[0-9a-f]{32}_[0-9a-f]{64}$/),
    signature: z
      .string()
      .regex(/^[A-Za-z0-9_-]{86}$/)
      .meta({ description: 'Ed25519, 64 bytes as base64url.' }),
    protocol_version: z.literal('1'),
    claim_credential: z.boolean().default(false),
  }),
  output: z
    .strictObject({
      trust_state: TrustState,
      gateway_state: z.enum(['not_ready', 'key_ready', 'gateway_ready']),
      credential_envelope: z
        .union([
          z.strictObject({
            sealed: z.literal(true),
            jwe: z.string().meta({
              description: 'Compact JWE (ECDH-ES, A256GCM) around {credential, credential_id}.',
            }),
          }),
          z.strictObject({ sealed: z.literal(false), credential: z.string() }),
        ])
        .nullable()
        .meta({
          description: 'The access key, shown to the claim that took it and to its repeats.',
        }),
      credential: Credential.nullable(),
    })
    .meta({ id: 'Handshake' }),
  authorize: (input, context) => context.handshakes.assertSigned(callerIn(context).token, input),
  handle: async (input, context) => {
    await context.handshakes.shakeHands(callerIn(context).token, input, context.callId)
    return answeredByService
  },
  reveal: (answer, context) => context.handshakes.withAccessKey(answer),
})

/** GET /api/agents/handshake on the OS host: a nonce, and what to sign with it; nothing is stored. */
export const handshakeRead = operation({
  id: 'handshake-read',
  summary: 'Read a fresh nonce and the text that a handshake signs.',
  http: { method: 'GET', path: '/api/agents/handshake', host: 'os' },
  access: 'public',
  output: z
    .strictObject({
      protocol_versions: z.array(z.string()),
      nonce: z.string().meta({ description: 'Signed by the service, good for five minutes.' }),
      accepted_key_types: z.array(z.string()),
      text: z
        .array(z.string())
        .meta({ description: 'The lines to sign, joined with LF, without a trailing LF.' }),
      gateway: z.strictObject({ base_url: z.string() }),
    })
    .meta({ id: 'HandshakeDocument' }),
  handle: async (_input, context) => ({
    body: await context.handshakes.document(),
  }),
})
