import { z } from 'zod'
import { offeredPilots, pilotRunConditions } from '#domain/pilots/pilot.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { askedOf, paidStart } from '../../paid-start.ts'
import { PaymentChallenge, Quote, Tier } from '../../shapes/payments.ts'
import { Pilot, PilotId, PilotToken, pilotContract, RunOfPilot } from '../../shapes/pilots.ts'
import { boundRun, customerStart, productionErrors, startedRun } from '../../shapes/production.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { FUNDED_TWICE, fundedOnce } from '../../shapes/runs.ts'
import { pilotOf } from './intake.ts'

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
    const offer = { ...asked, customer_account, agentId: callerIn(context).requiredAgentId }
    await context.pilotOffers.launch(offer, context.callId)
    return answeredByService
  },
  reveal: (answer, { pilotOffers, callId }) => pilotOffers.withToken(answer, callId),
})

const Offer = z
  .strictObject({
    rail: z.enum(offeredPilots),
    tiers: z.array(z.strictObject({ tier: Tier, total_usd: z.int().min(1) })),
    sample_url: z.string(),
    requirements: z.array(z.string()),
  })
  .meta({ id: 'PilotOffer' })

/** GET /api/pilot-client-agent-offer-launch: the pilots that the agent of a client launches by itself. */
export const offersRead = operation({
  id: 'offers-read',
  summary: 'Read which pilots the agent of a client launches by itself, with their prices.',
  http: { method: 'GET', path: '/api/pilot-client-agent-offer-launch', host: 'base' },
  access: 'public',
  input: z.strictObject({ rail: z.enum(offeredPilots).optional() }),
  output: z.strictObject({ offers: z.array(Offer) }).meta({ id: 'PilotOffers' }),
  handle: async ({ rail }, { pilotOffers }) => ({ body: { offers: pilotOffers.list(rail) } }),
})

const PilotRun = z
  .strictObject({
    pilot: Pilot,
    run: RunOfPilot.nullable(),
    conditions: z.array(
      z.strictObject({ condition: z.enum(pilotRunConditions), met: z.boolean() }),
    ),
  })
  .meta({ id: 'PilotRun' })
const PilotRunContract = pilotContract({}).meta({ id: 'PilotRunContract' })

/** GET /api/first-pilot-run-execution: how the run of a pilot is started; to who it belongs, the pilot with its run. */
export const firstPilotRead = operation({
  id: 'first-pilot-read',
  summary: 'Read how the first run of a pilot is started, or a pilot with its run and conditions.',
  http: { method: 'GET', path: '/api/first-pilot-run-execution', host: 'base' },
  access: ['agent', 'status', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found'],
  input: z.strictObject({ pilot_id: PilotId.optional() }),
  output: z.union([PilotRun, PilotRunContract]),
  handle: async ({ pilot_id }, context) => {
    const { caller, contracts, pilotRuns } = context
    if (pilot_id === undefined && caller.kind !== 'status')
      return { body: await contracts.pilotRun() }
    const named = pilotOf(context, pilot_id)
    if (caller.kind === 'status') return { body: await pilotRuns.read({ pilotId: named }, named) }
    if (caller.kind === 'operator') return { body: await pilotRuns.read({ operator: true }, named) }
    return { body: await pilotRuns.read({ agentId: callerIn(context).agentId }, named) }
  },
})

const { customer_account: _account, ...start } = customerStart
const { access, limits, status, uses, idempotency } = paidStart

/** POST /api/first-pilot-run-execution: the agent of the client starts the one run of an activated pilot. */
export const firstPilotRun = operation({
  id: 'first-pilot-run',
  summary:
    'Start the first run of an activated pilot for its client. It waits for its payment and for the review of its order.',
  http: { method: 'POST', path: '/api/first-pilot-run-execution', host: 'base' },
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  gate: { rails: 'priced', callback: 'required' },
  carriesPayment: true,
  access,
  limits,
  status,
  uses,
  idempotency,
  errors: [...productionErrors, 'wrong_state', 'already_exists'],
  input: z
    .strictObject({
      pilot_id: PilotId,
      pilot_token: PilotToken.optional().meta({
        description: 'Of a pilot that no agent is bound to yet: its run binds the agent.',
      }),
      ...start,
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({ pilot: Pilot, ...boundRun, ...startedRun })
    .meta({ id: 'StartedPilotRun' }),
  handle: async (given, context) => {
    const { headers, started } = await context.pilotRuns.start(
      callerIn(context).writer,
      askedOf(given, context),
      context.callId,
    )
    return { body: started, headers }
  },
})
