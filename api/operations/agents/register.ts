import { z } from 'zod'
import { scopes } from '#domain/agents/credential.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Receipt } from '../operators/receipt.ts'
import {
  Agent,
  AgentIdentity,
  EncryptionKey,
  IdentityClaim,
  PublicKey,
  Rail,
  Scope,
  TrustState,
} from './shapes.ts'

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
