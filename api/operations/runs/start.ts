import { z } from 'zod'
import { ResultContract } from '#domain/runs/return-package.ts'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaymentChallenge } from '../payments/shapes.ts'
import { Run } from './shapes.ts'
import {
  FUNDED_TWICE,
  fundedOnce,
  fundingFields,
  paidStart,
  startErrors,
  startFields,
} from './start-fields.ts'

/** A run that has begun. */
export const startedRun = {
  run: Run,
  challenge: PaymentChallenge.nullable().meta({
    description: 'What is still to be confirmed; null once it is funded.',
  }),
  receipts: z.array(Receipt),
  result_contract: ResultContract,
}
export const StartedRun = z.strictObject(startedRun).meta({ id: 'StartedRun' })

/**
 * POST /api/agent-use, mode `start_agent_run` : begins a task that continues once it is paid and reviewed.
 * Unpaid it is a 402 with the challenge, also in the form of x402: an x402 client pays it, and the same call goes through.
 */
export const startAgentRun = operation({
  id: 'start-agent-run',
  summary:
    'Start a paid run: create its task, contract, quote and challenge; the run continues once it is paid and reviewed.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'start_rail_run',
  startsRun: ({ run }) => run.run_id,
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  gate: { rails: 'paid_agent_use', callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  errors: startErrors,
  input: z
    .strictObject({
      mode: z.literal('start_agent_run'),
      ...startFields,
      ...fundingFields,
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: StartedRun,
  handle: async (
    { mode: _mode, accept_terms: _terms, idempotency_key: _key, ...asked },
    context,
  ) => {
    const { callback_url = null, customer_account = null } = asked
    const { headers, started } = await context.runStarts.start(
      writerOf(context),
      { ...asked, callback_url, customer_account, carried_payment: context.carriedPayment() },
      context.callId,
    )
    return { body: started, headers }
  },
})
