import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { CURRENCY, PRICING_MODEL, paidSurfaces } from '#domain/credit/pricing.ts'
import { callerIn } from '../caller.ts'
import type { Context } from '../context.ts'
import { IdempotencyKey } from '../fields.ts'
import { operation } from '../operation.ts'
import type { QuoteAsked } from '../services/credit/quotes.ts'
import { Rail } from '../shapes/agents.ts'
import { Quoted, QuoteId, Tier, TierTerms, Units } from '../shapes/payments.ts'
import { dryReadInput, inputErrors } from '../shapes/task-inputs.ts'
import { TaskToken } from '../shapes/tasks.ts'

const usd = z.int().min(0)

/** GET /api/agent-pricing: both price tables, computed from what the rails declare and from their switches; whole usd. */
export const agentPricing = operation({
  id: 'agent-pricing',
  summary: 'What each rail costs by tier, its fee and its totals.',
  http: { method: 'GET', path: '/api/agent-pricing', host: 'base' },
  tool: 'list_rails',
  access: 'public',
  input: z.strictObject({
    rail: Rail.optional(),
    surface: z.enum(['agent', 'movement_fee', 'all']).default('all').meta({
      description:
        'agent: bases, with the fee and totals in members of their own. movement_fee: the movement fee schedule, whose prices are totals. all: every rail, as on agent.',
    }),
  }),
  output: z
    .strictObject({
      currency: z.literal(CURRENCY),
      pricing_model: z.literal(PRICING_MODEL).nullable().meta({
        description: 'The model of the movement fee schedule; null on the agent pricing surface.',
      }),
      rails: z.array(
        z.strictObject({
          rail: Rail,
          status: z.enum(['active', 'offered', 'free', 'paused']),
          entry: usd,
          standard: usd,
          pro: usd,
          rail_fee: usd.meta({ description: 'On standard; part of the prices of movement_fee.' }),
          totals: z.strictObject({ entry: usd, standard: usd, pro: usd }),
          paid_surfaces: z
            .array(z.enum(paidSurfaces))
            .meta({ description: 'Empty for what is free.' }),
          tiers: z.strictObject({ entry: TierTerms, standard: TierTerms, pro: TierTerms }),
        }),
      ),
      fee_rule: z.string(),
      quote_how: z.string(),
    })
    .meta({ id: 'AgentPricing' }),
  handle: async (input, { quotes }) => ({ body: await quotes.listPrices(input) }),
})

/** GET /api/agents/quote. */
const agentQuoteRead = operation({
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

/** The input of the run that a quote is for. */
const DryReadInput = dryReadInput('a price is given')

/** The agent that a quote is for; a sandbox run and an order without an agent have none. */
const quotedAgent = (context: Context): string | undefined => callerIn(context).agentId || undefined

/** A quote for the agent that calls, or for the one who presents its token. */
async function quoted(context: Context, asked: Omit<QuoteAsked, 'agentId'>) {
  const quote = await context.quotes.issue(
    { ...asked, agentId: quotedAgent(context) },
    context.callId,
  )
  return { body: quote }
}

/** The answer with the token of its quote, where it is for no agent and no order. */
const withQuoteToken = async (
  answer: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> =>
  quotedAgent(context) === undefined && callerIn(context).orderId === undefined
    ? context.quotes.withToken(answer, context.callId)
    : answer

/**
 * POST /api/agents/quote: a price for 24 hours, for its agent, for the holder of its token, or for a run of an order by
 * the token of the order.
 */
const agentQuote = operation({
  id: 'agent-quote',
  summary: 'Ask for a quote of any rail that is sold.',
  http: { method: 'POST', path: '/api/agents/quote', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'], rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st', 'tk', 'wt'], signed: true },
  errors: [
    ...inputErrors,
    'unsupported_request',
    'credential_required',
    'not_found',
    'not_owner',
    'wrong_state',
    'quote_mismatch',
  ],
  limits: { bodyBytes: 1_048_576 },
  input: z.strictObject({
    rail: Rail,
    tier: Tier,
    task_token: TaskToken.optional().meta({
      description: 'Of a trusted task, whose run the quote is for.',
    }),
    units: Units.default(1),
    input: DryReadInput.optional(),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: Quoted,
  handle: async ({ rail, tier, units, task_token, input }, context) => {
    const { caller, quotes, tasks } = context
    const asked = { rail, tier, units, input }
    const order = callerIn(context).orderId
    if (order !== undefined)
      return {
        body: await quotes.forOrder(order, { ...asked, taskToken: task_token }),
      }
    if (task_token === undefined) return quoted(context, asked)
    if (caller.kind === 'public')
      throw refuse('credential_required', {
        detail: 'a quote for a task is its agent’s to ask for',
      })
    const task = await tasks.ofToken(callerIn(context).taskActor, task_token)
    return { body: await quotes.forTask(task.task_id, asked) }
  },
  reveal: withQuoteToken,
})

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
const quoteRun = operation({
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
const agentPricingQuote = operation({
  id: 'agent-pricing-quote',
  summary: 'Ask for a quote of a run that agents can buy, where its price is read.',
  http: { method: 'POST', path: '/api/agent-pricing', host: 'base' },
  ...quoting,
  input: z.strictObject(asked),
  handle: ({ rail, tier, input }, context) =>
    quoted(context, { rail, tier, input, agentUse: true }),
  reveal: withQuoteToken,
})

/** Prices and quotes. */
export const quotes = [
  agentPricing,
  agentPricingQuote,
  agentQuoteRead,
  agentQuote,
  quoteRun,
] as const
