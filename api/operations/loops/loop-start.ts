import { z } from 'zod'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { QuoteId } from '../payments/shapes.ts'
import { StartedRun } from '../runs/start.ts'
import {
  FUNDED_TWICE,
  fundedOnce,
  fundingFields,
  paidStart,
  startErrors,
  startFields,
} from '../runs/start-fields.ts'
import { loopAsked } from './loop-shapes.ts'

/** POST /api/controlled-operating-loops: any rail that the loop has today. */
export const loopStart = operation({
  id: 'loop-start',
  summary:
    'Start a run of any current rail of the controlled loop; a free one needs neither a quote nor funding.',
  http: { method: 'POST', path: '/api/controlled-operating-loops', host: 'base' },
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  gate: { rails: 'controlled_loop', callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  spendsUsd: async ({ quote_id }, { quotes }) =>
    quote_id === undefined ? 0 : quotes.totalUsd(quote_id),
  authorizeDelegated: async ({ quote_id, ...asked }, { runStarts }) => {
    if (quote_id !== undefined) await runStarts.assertFunded({ quote_id, ...asked })
  },
  errors: startErrors,
  input: z
    .strictObject({
      ...startFields,
      quote_id: QuoteId.optional().meta({
        description: 'Of a rail with a price; scout takes no quote and no funding.',
      }),
      ...fundingFields,
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: StartedRun,
  handle: async ({ accept_terms: _terms, idempotency_key: _key, ...given }, context) => {
    const asked = loopAsked(given, context)
    const { headers, started } = await context.loops.start(writerOf(context), asked, context.callId)
    return { body: started, headers }
  },
})
