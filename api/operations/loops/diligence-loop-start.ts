import { z } from 'zod'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { startedRun } from '../runs/start.ts'
import {
  FUNDED_TWICE,
  fundedOnce,
  operationalUsage,
  paidStart,
  startErrors,
} from '../runs/start-fields.ts'
import { stages } from './diligence-shapes.ts'
import { fixedRailStart, loopAsked } from './loop-shapes.ts'

const rail = 'diligenceops'

/** POST /api/diligenceops-product-to-proof-loop: when the run closes with its package, a commerce proof is evaluated without a call. */
export const diligenceLoopStart = operation({
  id: 'diligence-loop-start',
  summary:
    'Start a diligenceops run whose package is judged by a commerce proof as soon as it closes.',
  http: { method: 'POST', path: '/api/diligenceops-product-to-proof-loop', host: 'base' },
  needs: { scopes: ['runs:write'], rail: () => rail },
  gate: { rails: [rail], callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  errors: startErrors,
  input: z
    .strictObject({ ...fixedRailStart, usage: operationalUsage })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z.strictObject({ ...startedRun, stages }).meta({ id: 'StartedProductRun' }),
  handle: async ({ accept_terms: _terms, idempotency_key: _key, ...given }, context) => {
    const { headers, started } = await context.productLoops.start(
      writerOf(context),
      loopAsked({ ...given, rail }, context),
      context.callId,
    )
    return { body: started, headers }
  },
})
