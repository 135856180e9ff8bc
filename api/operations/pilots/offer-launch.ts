import { z } from 'zod'
import { offeredPilots } from '#domain/pilots/pilot.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaymentChallenge, Quote, Tier } from '../payments/shapes.ts'
import { Pilot } from './shapes.ts'
import { PilotToken } from './token.ts'

const output = z
  .strictObject({
    pilot: Pilot,
    quote: Quote,
    challenge: PaymentChallenge,
    receipt: Receipt,
    status_token: PilotToken.meta({ description: 'Takes part in the conversation of the pilot.' }),
  })
  .meta({ id: 'LaunchedPilot' })

/** POST /api/pilot-client-agent-offer-launch: the agent of a client takes an offer; an operator reviews the pilot before its run. */
export const offerLaunch = operation({
  id: 'offer-launch',
  summary:
    'Launch an offered pilot: it is quoted, its checkout is open, and an operator reviews it.',
  http: { method: 'POST', path: '/api/pilot-client-agent-offer-launch', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  status: [201],
  errors: ['rail_not_allowed', 'trust_required', 'paused', 'forbidden_material'],
  uses: () => ({ tasks: 1 }),
  input: z.strictObject({
    rail: z.enum(offeredPilots),
    tier: Tier,
    objective: freeText(2000, 1),
    customer_account: freeText(160, 1).optional(),
    idempotency_key: IdempotencyKey,
  }),
  output,
  handle: async ({ idempotency_key: _key, customer_account = null, ...asked }, context) => {
    const offer = { ...asked, customer_account, agentId: callingAgent(context) }
    await context.pilotOffers.launch(offer, context.callId)
    return answeredByService
  },
  reveal: (answer, { pilotOffers, callId }) => pilotOffers.withToken(answer, callId),
})
