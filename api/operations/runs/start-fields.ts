import { z } from 'zod'
import type { Context } from '../../context.ts'
import { Digest, freeText, IdempotencyKey } from '../../fields.ts'
import type { Funding } from '../../services/runs/admission.ts'
import { Rail } from '../agents/shapes.ts'
import { postsOf } from '../callbacks/request-count.ts'
import { EntitlementId, QuoteId, quoteToken, ReferenceId, WalletId } from '../payments/shapes.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
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
  customer_account: freeText(160, 1).optional(),
  usage: TaskUsage.default('operational'),
  on_gaps: OnGaps,
  accept_terms: z.literal(true).meta({
    description:
      'Accepts the contract that is prepared for this run, and declares with it that the input holds no regulated records and no confidential production client data.',
  }),
  idempotency_key: IdempotencyKey,
}

/** What the start of a paid run may be refused with, whichever operation makes it. */
export const startErrors = [
  ...inputErrors,
  'payment_required',
  'payment_invalid',
  'payment_pending',
  'rail_not_allowed',
  'trust_required',
  'not_owner',
  'not_found',
  'quote_mismatch',
  'quote_expired',
  'amount_mismatch',
  'callback_refused',
  'credit_exhausted',
  'wallet_underfunded',
  'control_denied',
] as const

/** How an agent starts a paid run, which may be delegated and costs the total of its quote. */
export const paidStart = {
  access: 'agent',
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  uses: ({ callback_url }: { callback_url?: string | undefined }) => ({
    tasks: 1,
    workflows: 2,
    posts: postsOf(callback_url),
  }),
  idempotency: { kind: 'body' },
  delegable: true,
  spendsUsd: ({ quote_id }: { quote_id: string }, { quotes }: Context) => quotes.totalUsd(quote_id),
  authorizeDelegated: (asked: Funding, { runStarts }: Context) => runStarts.assertFunded(asked),
} as const

/** Of a start that takes no other runs. */
export const operationalUsage = startFields.usage
  .unwrap()
  .extract(['operational'])
  .default('operational')

/** What an agent names to pay for a run. */
export const fundingFields = {
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
}
const funding = Object.keys(fundingFields) as (keyof typeof fundingFields)[]

/** At most one way of funding is named. */
export const fundedOnce = (asked: Partial<Record<(typeof funding)[number], unknown>>): boolean =>
  funding.filter((name) => asked[name] !== undefined).length <= 1
export const FUNDED_TWICE = `give at most one of ${funding.join(', ')}`
