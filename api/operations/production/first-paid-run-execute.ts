import { z } from 'zod'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { FUNDED_TWICE, fundedOnce, paidStart } from '../runs/start-fields.ts'
import {
  askedOf,
  customerStart,
  productionErrors,
  productionRun,
  startedRun,
} from './production-shapes.ts'

/** POST /api/first-paid-production-run-execution: the run waits for its payment and for the review of its order, and its result for another. */
export const firstPaidRunExecute = operation({
  id: 'first-paid-run-execute',
  summary:
    'Start a paid production run of packetops or diligenceops for a customer account. Its eight conditions are computed from its records when it closes.',
  http: {
    method: 'POST',
    path: '/api/first-paid-production-run-execution',
    aliases: ['/api/first-paid-production-run'],
    host: 'base',
  },
  tool: 'execute_first_paid_production_run',
  needs: { scopes: ['production:write'], rail: ({ rail }) => rail },
  gate: { rails: 'paid_agent_use', callback: 'required' },
  carriesPayment: true,
  ...paidStart,
  errors: [...productionErrors, 'conditions_unmet'],
  input: z
    .strictObject({
      ...customerStart,
      publication_consent: z.boolean().default(false).meta({
        description:
          'Shows the id of the run to anyone once it is the first to meet every condition.',
      }),
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({
      ...productionRun,
      ...startedRun,
    })
    .meta({ id: 'StartedFirstPaidRun' }),
  handle: async (given, context) => {
    const { headers, started } = await context.firstPaidRuns.start(
      writerOf(context),
      askedOf(given, context),
      context.callId,
    )
    return { body: started, headers }
  },
})
