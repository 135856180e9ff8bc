import { z } from 'zod'
import { productionExamples } from '../../examples/production.ts'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { PaymentChallenge } from '../payments/shapes.ts'
import {
  carriedPayment,
  FUNDED_TWICE,
  fundedOnce,
  paidStart,
  startErrors,
} from '../runs/start-fields.ts'
import { boundRun, customerStart } from './first-paid-shapes.ts'

const output = z
  .strictObject({
    ...boundRun,
    challenge: PaymentChallenge.nullable().meta({
      description: 'What is still to be confirmed; null once it is funded.',
    }),
  })
  .meta({ id: 'StartedProductionRun' })

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
  errors: [...startErrors, 'already_funded', 'challenge_expired'],
  input: z.strictObject(customerStart).refine(fundedOnce, { message: FUNDED_TWICE }),
  output,
  example: productionExamples['production-run-start'],
  handle: async (
    { accept_terms: _terms, idempotency_key: _key, usage: _used, ...asked },
    context,
  ) => {
    const start = { ...asked, payment_signature: carriedPayment(context) }
    const { headers, started } = await context.customerRuns.start(
      writerOf(context),
      start,
      context.callId,
    )
    return { body: started, headers }
  },
})
