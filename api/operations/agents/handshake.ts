import { z } from 'zod'
import { answeredByService, operation } from '../../operation.ts'
import { callingToken } from './caller.ts'
import { Credential, TrustState } from './shapes.ts'

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
  authorize: (input, context) => context.handshakes.assertSigned(callingToken(context), input),
  handle: async (input, context) => {
    await context.handshakes.shakeHands(callingToken(context), input, context.callId)
    return answeredByService
  },
  reveal: (answer, context) => context.handshakes.withAccessKey(answer),
})
