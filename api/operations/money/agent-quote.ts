import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { Quoted, Tier, Units } from './shapes.ts'

/** POST /api/agents/quote (endpoints §9): a price for 24 hours; the same caller gets the same unpaid one within five minutes. */
export const agentQuote = operation({
  id: 'agent-quote',
  summary: 'Ask for a quote of any rail that is sold.',
  http: { method: 'POST', path: '/api/agents/quote', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scope: 'runs:read', rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st'], signed: true },
  price: null,
  charge: 'after',
  status: [200],
  errors: ['unsupported_request'],
  idempotency: { kind: 'body', key: ({ idempotency_key }) => idempotency_key },
  input: z.strictObject({
    rail: Rail,
    tier: Tier,
    units: Units.default(1),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: Quoted,
  handle: async ({ rail, tier, units }, { caller, money }) => ({
    body: Quoted.parse(await money.quote({ caller: caller.id, rail, tier, units })),
  }),
})
