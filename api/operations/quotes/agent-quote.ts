import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { moverOf, orderOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Quoted, Tier, Units } from '../payments/shapes.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
import { TaskToken } from '../tasks/shapes.ts'
import { DryReadInput, quoted, withQuoteToken } from './quoting.ts'

/**
 * POST /api/agents/quote: a price for 24 hours, for its agent, for the holder of its token, or for a run of an order by
 * the token of the order.
 */
export const agentQuote = operation({
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
    const order = orderOf(context)
    if (order !== undefined)
      return {
        body: await quotes.forOrder(order, { ...asked, taskToken: task_token }),
      }
    if (task_token === undefined) return quoted(context, asked)
    if (caller.kind === 'public')
      throw refuse('credential_required', {
        detail: 'a quote for a task is its agent’s to ask for',
      })
    const task = await tasks.ofToken(moverOf(context), task_token)
    return { body: await quotes.forTask(task.task_id, asked) }
  },
  reveal: withQuoteToken,
})
