import { z } from 'zod'
import { refuse } from '../../../workflows/domain/errors.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { moverOf } from '../caller.ts'
import { TaskToken } from '../tasks/shapes.ts'
import { Quoted, Tier, Units } from './shapes.ts'

/** POST /api/agents/quote (endpoints §9): a price for 24 hours; the same caller gets the same unpaid one within five minutes. */
export const agentQuote = operation({
  id: 'agent-quote',
  summary: 'Ask for a quote of any rail that is sold.',
  http: { method: 'POST', path: '/api/agents/quote', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'], rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  price: null,
  charge: 'after',
  status: [200],
  errors: ['unsupported_request', 'credential_required', 'not_found', 'not_owner', 'wrong_state', 'quote_mismatch'],
  idempotency: { kind: 'body', key: ({ idempotency_key }) => idempotency_key },
  input: z.strictObject({
    rail: Rail,
    tier: Tier,
    task_token: TaskToken.optional().meta({ description: 'Of a trusted task, whose run the quote is for.' }),
    units: Units.default(1),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: Quoted,
  handle: async ({ rail, tier, units, task_token }, context) => {
    const { caller, money, tasks } = context
    const asked = { caller: caller.id, rail, tier, units }
    if (task_token === undefined) return { body: Quoted.parse(await money.quote(asked)) }
    if (caller.kind === 'public')
      throw refuse('credential_required', 'a quote for a task is its agent’s to ask for', 'Use the access key.')
    const task = await tasks.taskOf(moverOf(context), task_token)
    return { body: Quoted.parse(await money.quoteTask(task.task_id, asked)) }
  },
})
