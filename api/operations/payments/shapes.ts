import { z } from 'zod'
import { quoteUnitsMax } from '#domain/credit/pricing.ts'
import {
  paymentMethods,
  paymentPaths,
  referenceStates,
} from '#domain/payments/payment-reference.ts'
import { tiers } from '#domain/rails/rail.ts'
import { Digest, ReceiptId, Time } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { TierTerms } from './tier-shape.ts'

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f]{64}$`))
export const QuoteId = id('qt')
export const ChallengeId = id('ch')
export const ReferenceId = id('pr')
export const EntitlementId = id('en')
export const WalletId = id('aw')
export const Tier = z.enum(tiers)
export const Units = z.int().min(1).max(quoteUnitsMax)
export const Method = z.enum(paymentMethods)
const usd = z.int().min(0)
const Currency = z.literal('usd')

export const ChallengeState = z.enum(['open', 'pending', 'settled', 'expired'])

/** A price that holds for 24 hours. */
export const Quote = z
  .strictObject({
    quote_id: QuoteId,
    rail: Rail,
    tier: Tier,
    units: Units,
    base_usd: usd,
    rail_fee_usd: usd,
    total_usd: usd,
    currency: Currency,
    pricing_model: z.string(),
    provider_route: z.strictObject({
      route_id: z.string(),
      provider: z.string().meta({ description: 'The issuer of the receipts about the work.' }),
      service_id: z.string(),
    }),
    tier_terms: TierTerms,
    expires_at: Time,
  })
  .meta({ id: 'Quote' })
const Lines = z.array(z.strictObject({ item: z.string(), usd }))
/** The capability of a quote that was asked for without a credential. */
const QuoteToken = z.string().regex(/^qk_[A-Za-z0-9_-]{43}$/)
export const Quoted = z
  .strictObject({
    quote: Quote,
    lines: Lines,
    quote_token: QuoteToken.optional().meta({
      description:
        'Given where no credential was presented: binds the quote to the first agent that presents both.',
    }),
  })
  .meta({ id: 'Quoted' })
/** What goes with `quote_id` where the quote was asked for without a credential and is not bound yet. */
export const quoteToken = {
  quote_token: QuoteToken.optional().meta({
    description: 'Of a quote that was asked for without a credential.',
  }),
}

export const PaymentChallenge = z
  .strictObject({
    challenge_id: ChallengeId,
    quote_id: QuoteId,
    entitlement_id: EntitlementId.nullable(),
    state: ChallengeState,
    amount_usd: usd,
    currency: Currency,
    accepted_methods: z.array(Method),
    payment_paths: z.array(z.enum(paymentPaths)),
    accepts: z
      .array(z.looseObject({}))
      .meta({ description: 'x402 v2 terms for exactly this amount.' }),
    checkout_url: z.string().nullable(),
    reference_instructions: z.string(),
    expires_at: Time,
    next_action: z.string(),
    mandate: z
      .looseObject({})
      .nullable()
      .meta({ description: 'What a mandate’s holder presents it for.' }),
  })
  .meta({ id: 'PaymentChallenge' })

export const PaymentReference = z
  .strictObject({
    payment_reference_id: ReferenceId,
    method: Method,
    external_reference: z.string(),
    amount_usd: usd,
    challenge_id: ChallengeId.nullable(),
    entitlement_id: EntitlementId.nullable(),
    wallet_id: WalletId.nullable(),
    state: z.enum(referenceStates),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'What it waits for, or why it brought nothing.' }),
    evidence_sha256: Digest.nullable(),
    decided_by: z.string().nullable(),
    settlement_receipt_id: ReceiptId.nullable(),
  })
  .meta({ id: 'PaymentReference' })
export const Verification = z.strictObject({
  how: z.string(),
  by: z.array(z.string()),
  next_poll_ms: z.int().nullable(),
  settles: z
    .literal('nothing')
    .optional()
    .meta({ description: 'The mandate names an instrument that moves no money here.' }),
})
