import { z } from 'zod'
import type { Context } from '../../context.ts'
import { IdempotencyKey, text } from '../../fields.ts'
import type { Funding } from '../../services/runs/admission.ts'
import { Rail } from '../agents/shapes.ts'
import { QuoteId, quoteToken } from '../payments/shapes.ts'
import { CallbackUrl, OnGaps, TaskUsage, Tier } from '../tasks/shapes.ts'

/** The input of every operation that starts a paid run, without its funding. */
export const startFields = {
  rail: Rail,
  tier: Tier,
  quote_id: QuoteId,
  ...quoteToken,
  input: z.record(z.string(), z.unknown()).meta({
    'x-free-text': true,
    description: 'As /schemas/rail-input-<rail>.v1.json describes it.',
  }),
  callback_url: CallbackUrl.optional(),
  customer_account: text(1, 160).meta({ 'x-free-text': true }).optional(),
  usage: TaskUsage.default('operational'),
  on_gaps: OnGaps,
  accept_terms: z.literal(true).meta({
    description:
      'Accepts the contract that is prepared for this run, and declares with it that the input holds no regulated records and no confidential production client data.',
  }),
  idempotency_key: IdempotencyKey,
}

/** A run may be delegated; it costs the total of its quote. */
export const delegableRun = {
  delegable: true,
  spendsUsd: ({ quote_id }: { quote_id: string }, { quotes }: Context) => quotes.totalUsd(quote_id),
  authorizeDelegated: (asked: Funding, { runStarts }: Context) => runStarts.assertFunded(asked),
} as const
