import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { Quoted, Tier } from '../payments/shapes.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
import { DryReadInput, quoted, withQuoteToken } from './quoting.ts'

const asked = {
  rail: Rail,
  tier: Tier,
  input: DryReadInput.optional(),
  idempotency_key: IdempotencyKey.optional(),
}

const quoting = {
  access: 'public',
  limits: { bodyBytes: 1_048_576 },
  errors: [...inputErrors, 'unsupported_request'],
  output: Quoted,
} as const

/** POST /api/agent-use, mode `quote_run`: a quote of a rail that agents buy. */
export const quoteRun = operation({
  id: 'quote-run',
  summary: 'Ask for a quote of a run that agents can buy.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'quote_run',
  ...quoting,
  input: z.strictObject({ mode: z.literal('quote_run'), ...asked }),
  handle: ({ rail, tier, input }, context) =>
    quoted(context, { rail, tier, input, agentUse: true }),
  reveal: withQuoteToken,
})

/** POST /api/agent-pricing: the same quote with the prices. */
export const agentPricingQuote = operation({
  id: 'agent-pricing-quote',
  summary: 'Ask for a quote of a run that agents can buy, where its price is read.',
  http: { method: 'POST', path: '/api/agent-pricing', host: 'base' },
  ...quoting,
  input: z.strictObject(asked),
  handle: ({ rail, tier, input }, context) =>
    quoted(context, { rail, tier, input, agentUse: true }),
  reveal: withQuoteToken,
})
