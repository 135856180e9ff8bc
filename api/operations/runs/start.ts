import { z } from 'zod'
import { invalidPayment } from '#domain/payments/payment.ts'
import { ResultContract } from '#domain/runs/return-package.ts'
import type { Context } from '../../context.ts'
import { runExamples } from '../../examples/runs.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { postsOf } from '../callbacks/request-count.ts'
import { Receipt } from '../operators/receipt.ts'
import { EntitlementId, PaymentChallenge, ReferenceId, WalletId } from '../payments/shapes.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
import { Run } from './shapes.ts'
import { delegableRun, startFields } from './start-fields.ts'

const funding = [
  'payment_reference_id',
  'entitlement_id',
  'wallet_id',
  'ap2_mandate_reference',
] as const

/** The payment that the call carries, read strictly where it is presented; 402 `payment_invalid` for version 1's header. */
function carriedPayment({ sent }: Context): string | undefined {
  const { 'payment-signature': header, 'x-payment': former } = sent.headers
  if (former !== undefined || Array.isArray(header))
    throw invalidPayment('send one PAYMENT-SIGNATURE of x402 version 2')
  return header
}

/** At most one way of funding is named. */
const fundedOnce = (asked: Partial<Record<(typeof funding)[number], unknown>>): boolean =>
  funding.filter((name) => asked[name] !== undefined).length <= 1

const Started = z
  .strictObject({
    run: Run,
    challenge: PaymentChallenge.nullable().meta({
      description: 'What is still to be confirmed; null once it is funded.',
    }),
    receipts: z.array(Receipt),
    result_contract: ResultContract,
  })
  .meta({ id: 'StartedRun' })

/**
 * POST /api/agent-use, mode `start_agent_run` : begins a task that continues once it is paid and reviewed.
 * Unpaid it is a 402 with the challenge, also in the form of x402: an x402 client pays it, and the same call goes through.
 */
export const startAgentRun = operation({
  id: 'start-agent-run',
  summary:
    'Start a paid run: create its task, contract, quote and challenge; the run continues once it is paid and reviewed.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  mode: 'start_agent_run',
  tool: 'start_rail_run',
  access: 'agent',
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  carriesPayment: true,
  ...delegableRun,
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: [
    ...inputErrors,
    ...([
      'payment_required',
      'payment_invalid',
      'rail_not_allowed',
      'trust_required',
      'not_owner',
      'not_found',
      'payment_pending',
    ] as const),
    ...(['quote_mismatch', 'quote_expired', 'amount_mismatch', 'callback_refused'] as const),
    ...(['credit_exhausted', 'wallet_underfunded', 'control_denied'] as const),
  ],
  uses: ({ callback_url }) => ({ tasks: 1, workflows: 2, posts: postsOf(callback_url) }),
  idempotency: { kind: 'body' },
  input: z
    .strictObject({
      mode: z.literal('start_agent_run'),
      ...startFields,
      payment_reference_id: ReferenceId.optional().meta({
        description: 'A payment that was presented for this quote.',
      }),
      entitlement_id: EntitlementId.optional().meta({
        description: 'Credit that was funded for this quote.',
      }),
      wallet_id: WalletId.optional().meta({
        description: 'An allowance wallet, which pays the quote now.',
      }),
      ap2_mandate_reference: Digest.optional().meta({
        description: 'The SHA-256 of a mandate that was presented.',
      }),
    })
    .refine(fundedOnce, { message: `give at most one of ${funding.join(', ')}` }),
  output: Started,
  example: runExamples['start-agent-run'],
  handle: async (
    { mode: _mode, accept_terms: _terms, idempotency_key: _key, ...asked },
    context,
  ) => {
    const { callback_url = null, customer_account = null } = asked
    const { headers, started } = await context.runStarts.start(
      callingAgent(context),
      { ...asked, callback_url, customer_account, payment_signature: carriedPayment(context) },
      context.callId,
    )
    return { body: started, headers }
  },
})
