import { z } from 'zod'
import type { Context } from '../../context.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { Method } from '../payments/shapes.ts'
import { agentPricing } from '../quotes/agent-pricing.ts'

/** The eight modes of the document, in its order. */
export const agentUseModes = [
  'read_agent_use_pack',
  'quote_run',
  'create_payment_challenge',
  'start_agent_run',
  'get_run_status',
  'fetch_return_package',
  'record_agent_use_receipt',
  'read_agent_use_runs',
] as const

export const AgentUsePack = z
  .strictObject({
    modes: z.array(z.enum(agentUseModes)),
    rails: z.array(Rail),
    prices: agentPricing.output,
    accepted_methods: z.array(Method),
    sequence: z.array(z.string()),
    example_bodies: z.record(z.enum(agentUseModes), z.looseObject({})),
  })
  .meta({ id: 'AgentUsePack' })

const sequence = [
  'quote_run: what the run costs, for 24 hours; with your access key the quote is yours, without it keep quote_token',
  'create_payment_challenge: a 402 with the ways to pay; or start at once and get the same challenge',
  'POST /api/agent-payment-rail: the payment, named by its reference; nothing is funded before it is confirmed',
  'start_agent_run: one run for each idempotency key, however often it is sent; unpaid it is a 402 that an x402 client pays by itself',
  'an operator reviews what is asked for, and later what was done',
  'get_run_status with wait_ms until the run is attested',
  'fetch_return_package: the result, its proof hash and completion signature; as application/zip the same as files',
  'record_agent_use_receipt: taken, or disputed',
]

const id = (prefix: string) => `${prefix}_${'0'.repeat(64)}`

/** One body for each mode, as its schema takes it. */
function exampleBodies([rail]: Context['runs']['offered']): Record<
  (typeof agentUseModes)[number],
  Record<string, unknown>
> {
  const run_id = id('run')
  const quote = { rail: rail?.key, tier: 'standard' }
  return {
    read_agent_use_pack: { mode: 'read_agent_use_pack' },
    quote_run: { mode: 'quote_run', ...quote },
    create_payment_challenge: {
      mode: 'create_payment_challenge',
      quote_id: id('qt'),
      idempotency_key: 'run-7-pay',
    },
    start_agent_run: {
      mode: 'start_agent_run',
      ...quote,
      quote_id: id('qt'),
      input: rail?.sandboxInput,
      payment_reference_id: id('pr'),
      accept_terms: true,
      idempotency_key: 'run-7',
    },
    get_run_status: { mode: 'get_run_status', run_id, wait_ms: 20_000 },
    fetch_return_package: { mode: 'fetch_return_package', run_id, include_files: true },
    record_agent_use_receipt: {
      mode: 'record_agent_use_receipt',
      run_id,
      receipt_id: id('rc'),
      accepted: true,
      idempotency_key: 'run-7-taken',
    },
    read_agent_use_runs: { mode: 'read_agent_use_runs', state: 'closed', limit: 25 },
  }
}

export const agentUsePack = async ({ payments, quotes, runs: { offered } }: Context) => ({
  modes: [...agentUseModes],
  rails: offered.map(({ key }) => key),
  prices: await quotes.listPrices({ surface: 'agent' }),
  accepted_methods: payments.methods,
  sequence,
  example_bodies: exampleBodies(offered),
})

/** POST /api/agent-use, mode `read_agent_use_pack`. */
export const readAgentUsePack = operation({
  id: 'read-agent-use-pack',
  summary:
    'Read what agents can buy and run by themselves, in which order, with a body for each mode.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  access: 'public',
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_agent_use_pack') }),
  output: AgentUsePack,
  handle: async (_input, context) => ({ body: await agentUsePack(context) }),
})
