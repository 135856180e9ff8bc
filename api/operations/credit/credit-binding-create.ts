import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { ChallengeId, EntitlementId, PaymentChallenge } from '../payments/shapes.ts'
import { Binding } from './binding-shapes.ts'
import { Entitlement } from './credit-shapes.ts'

/** POST /api/agent-credit-checkout-binding: what settles this challenge later funds exactly this entitlement. */
export const creditBindingCreate = operation({
  id: 'credit-binding-create',
  summary:
    'Bind a challenge to the entitlement of its quote, so that its payment funds exactly that.',
  http: { method: 'POST', path: '/api/agent-credit-checkout-binding', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st'], signed: true },
  status: [201],
  errors: ['not_found', 'not_owner', 'already_bound', 'challenge_expired', 'amount_mismatch'],
  input: z.strictObject({
    entitlement_id: EntitlementId,
    challenge_id: ChallengeId,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ binding: Binding, entitlement: Entitlement, challenge: PaymentChallenge })
    .meta({ id: 'BoundCredit' }),
  handle: async ({ entitlement_id, challenge_id }, context) => {
    const ids = {
      agentId: callingAgentId(context),
      entitlementId: entitlement_id,
      challengeId: challenge_id,
    }
    return { body: await context.checkouts.bind({ callId: context.callId, ...ids }) }
  },
})
