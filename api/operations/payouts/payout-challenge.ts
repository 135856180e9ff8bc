import { z } from 'zod'
import { Address, Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'

/** POST /api/payout-challenge: stateless, with a fresh nonce each time. */
export const payoutChallenge = operation({
  id: 'payout-challenge',
  summary:
    'Get what a treasury holder has to sign for one exact payout: a challenge and a signed checkout. Changes nothing.',
  http: { method: 'POST', path: '/api/payout-challenge', host: 'base' },
  access: 'public',
  errors: ['holder_unknown'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ holder_wallet: Address, request_sha256: Digest }),
  output: z
    .looseObject({
      challenge_token: z.string(),
      checkout_jwt: z.string(),
      checkout_hash: z.string(),
      nonce: z.string(),
      audience: z.string(),
      holder_binding: z
        .unknown()
        .meta({ description: 'What to sign for holder bindings 1 and 2.' }),
      expires_at: z.int().meta({ description: 'Unix seconds.' }),
    })
    .meta({ id: 'PayoutChallenge' }),
  handle: async (input, context) => ({
    body: await context.authority.challenge(input),
  }),
})
