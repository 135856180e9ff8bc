import { z } from 'zod'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { FUNDED_TWICE, fundedOnce, paidStart } from '../runs/start-fields.ts'
import {
  askedOf,
  boundRun,
  customerStart,
  productionErrors,
  startedRun,
} from './production-shapes.ts'

/** POST /api/customer-production-runs: as the first paid production run, of every rail with a price and without conditions. */
export const customerRunStart = operation({
  id: 'production-run-start',
  summary:
    'Start a paid production run for a customer account. It waits for its payment and for the review of its order.',
  http: { method: 'POST', path: '/api/customer-production-runs', host: 'base' },
  needs: { scopes: ['production:write'], rail: ({ rail }) => rail },
  gate: { rails: 'priced', callback: 'required' },
  carriesPayment: true,
  ...paidStart,
  errors: productionErrors,
  input: z.strictObject(customerStart).refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({
      ...boundRun,
      ...startedRun,
    })
    .meta({ id: 'StartedProductionRun' }),
  handle: async (given, context) => {
    const { headers, started } = await context.customerRuns.start(
      writerOf(context),
      askedOf(given, context),
      context.callId,
    )
    return { body: started, headers }
  },
})
