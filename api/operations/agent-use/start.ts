import { z } from 'zod'
import { invalidPayment } from '../../../workflows/domain/payment.ts'
import { ResultContract } from '../../../workflows/domain/return-package.ts'
import type { Context } from '../../context.ts'
import { Digest, IdempotencyKey, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { postsOf } from '../callback-posts.ts'
import { callingAgent } from '../caller.ts'
import { EntitlementId, PaymentChallenge, QuoteId, quoteToken, ReferenceId, WalletId } from '../money/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { CallbackUrl, OnGaps, TaskUsage, Tier } from '../tasks/shapes.ts'
import { Run } from './shapes.ts'

const funding = ['payment_reference_id', 'entitlement_id', 'wallet_id', 'ap2_mandate_reference'] as const

/** What every operation that starts a paid run takes beside its funding (endpoints §2, Start). */
export const startFields = {
  rail: Rail,
  tier: Tier,
  quote_id: QuoteId,
  ...quoteToken,
  input: z
    .record(z.string(), z.unknown())
    .meta({ 'x-free-text': true, description: 'As /schemas/rail-input-<rail>.v1.json describes it.' }),
  callback_url: CallbackUrl.optional(),
  customer_account: text(1, 160).optional(),
  usage: TaskUsage.default('operational'),
  on_gaps: OnGaps,
  accept_terms: z.literal(true).meta({
    description:
      'Accepts the contract that is prepared for this run, and declares with it that the input holds no regulated records and no confidential production client data.',
  }),
  idempotency_key: IdempotencyKey,
}

/** The payment that the call carries, read strictly where it is presented; 402 `payment_invalid` for version 1's header. */
function carriedPayment({ sent }: Context): string | undefined {
  const { 'payment-signature': header, 'x-payment': former } = sent.headers
  if (former !== undefined || Array.isArray(header))
    throw invalidPayment('send one PAYMENT-SIGNATURE of x402 version 2')
  return header
}

/** At most one way of funding is named. */
export const fundedOnce = (asked: Partial<Record<(typeof funding)[number], unknown>>): boolean =>
  funding.filter((name) => asked[name] !== undefined).length <= 1

export const Started = z
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
 * POST /api/agent-use, mode `start_agent_run` (endpoints §11): begins a task that goes on by itself when money and review are there.
 * Unpaid it is a 402 with the challenge, also in the form of x402: an x402 client pays it, and the same call goes through.
 */
export const startAgentRun = operation({
  id: 'start-agent-run',
  summary:
    'Start a paid run: its task is agreed on, quoted and asked credit for; it goes on once that is paid and reviewed.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  mode: 'start_agent_run',
  tool: 'start_rail_run',
  access: 'agent',
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  price: null,
  carriesPayment: true,
  charge: 'after',
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: [
    ...([
      'payment_required',
      'payment_invalid',
      'rail_not_allowed',
      'trust_required',
      'not_owner',
      'not_found',
      'payment_pending',
    ] as const),
    ...(['quote_mismatch', 'quote_expired', 'amount_mismatch', 'callback_refused', 'input_rejected'] as const),
    ...(['credit_exhausted', 'wallet_underfunded', 'control_denied', 'forbidden_material'] as const),
  ],
  uses: ({ callback_url }) => ({ tasks: 1, workflows: 2, posts: postsOf(callback_url) }),
  idempotency: { kind: 'body', key: ({ idempotency_key }) => idempotency_key },
  input: z
    .strictObject({
      mode: z.literal('start_agent_run'),
      ...startFields,
      payment_reference_id: ReferenceId.optional().meta({
        description: 'A payment that was presented for this quote.',
      }),
      entitlement_id: EntitlementId.optional().meta({ description: 'Credit that was funded for this quote.' }),
      wallet_id: WalletId.optional().meta({ description: 'An allowance wallet, which pays the quote now.' }),
      ap2_mandate_reference: Digest.optional().meta({ description: 'The SHA-256 of a mandate that was presented.' }),
    })
    .refine(fundedOnce, { message: `give at most one of ${funding.join(', ')}` }),
  output: Started,
  handle: async ({ mode: _mode, accept_terms: _terms, idempotency_key: _key, ...asked }, context) => {
    const { callback_url = null, customer_account = null } = asked
    const { headers, started } = await context.runs.start(
      callingAgent(context),
      { ...asked, callback_url, customer_account, payment_signature: carriedPayment(context) },
      context.callId,
    )
    return { body: Started.parse(started), headers }
  },
})
