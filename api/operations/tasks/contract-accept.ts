import { z } from 'zod'
import { Digest, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf, writerOf } from '../agents/caller.ts'
import { Entitlement } from '../credit/credit-shapes.ts'
import { PaymentChallenge, QuoteId, quoteToken } from '../payments/shapes.ts'
import { Contract, ContractId, Task } from './shapes.ts'

/** POST /api/agents/contracts/{contract_id} on the OS host: the agent's registered key accepts the digest of the terms. */
export const contractAccept = operation({
  id: 'contract-accept',
  summary: 'Accept a contract with a signature over its id and the digest of its terms.',
  http: { method: 'POST', path: '/api/agents/contracts/{contract_id}', host: 'os' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  gate: { rails: 'controlled_loop', callback: 'if_given' },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  errors: [
    ...([
      'not_found',
      'not_owner',
      'proof_invalid',
      'wrong_state',
      'terms_mismatch',
      'expired',
    ] as const),
    ...([
      'quote_mismatch',
      'quote_expired',
      'credit_exhausted',
      'already_funded',
      'payment_pending',
    ] as const),
    ...(['trust_required', 'rail_not_allowed', 'callback_refused'] as const),
  ],
  input: z.strictObject({
    contract_id: ContractId,
    terms_sha256: Digest,
    quote_id: QuoteId.optional().meta({
      description: 'What the run is paid by: its challenge is opened at once.',
    }),
    ...quoteToken,
    signature: z
      .string()
      .regex(/^[A-Za-z0-9_-]{86}$/)
      .meta({
        description:
          'Ed25519, 64 bytes as base64url, of three lines joined with LF: service-agent-acceptance-v1, contract-id: <id>, terms-sha256: <digest>.',
      }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      contract: Contract,
      task: Task,
      entitlement: Entitlement.nullable(),
      challenge: PaymentChallenge.nullable().meta({
        description: 'What is to be paid; null where nothing is.',
      }),
    })
    .meta({ id: 'AcceptedContract' }),
  authorize: (input, context) => context.taskContracts.assertSigned(moverOf(context), input),
  handle: async ({ idempotency_key: _key, ...input }, context) => {
    const writer = context.caller.kind === 'agent' ? writerOf(context) : undefined
    const by = { ...moverOf(context), writer }
    await context.taskContracts.accept(by, input, context.callId)
    return answeredByService
  },
})
