import { z } from 'zod'
import { operation } from '../../operation.ts'
import { Quoted, QuoteId } from '../payments/shapes.ts'

/** GET /api/agents/quote. */
export const agentQuoteRead = operation({
  id: 'agent-quote-read',
  summary: 'Read a quote, and whether it can still be paid.',
  http: { method: 'GET', path: '/api/agents/quote', host: 'base' },
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({ quote_id: QuoteId }),
  output: Quoted.extend({ state: z.enum(['live', 'used', 'expired']) }).meta({
    id: 'QuoteState',
  }),
  handle: async ({ quote_id }, { quotes }) => ({
    body: await quotes.read(quote_id),
  }),
})
