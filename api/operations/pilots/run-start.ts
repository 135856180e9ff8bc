import { z } from 'zod'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import {
  askedOf,
  boundRun,
  customerStart,
  productionErrors,
  startedRun,
} from '../production/production-shapes.ts'
import { FUNDED_TWICE, fundedOnce, paidStart } from '../runs/start-fields.ts'
import { Pilot } from './shapes.ts'
import { PilotId, PilotToken } from './token.ts'

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
      writerOf(context),
      askedOf(given, context),
      context.callId,
    )
    return { body: started, headers }
  },
})
