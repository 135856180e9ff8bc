import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { paymentMethods } from '#domain/core/payment-methods.ts'
import { quoteUnitsMax } from '#domain/credit/pricing.ts'
import { paymentPaths, referenceStates } from '#domain/payments/payment-reference.ts'
import { linkStates } from '#domain/payments/product-link.ts'
import { reportFormats, tiers } from '#domain/rails/rail.ts'
import { Digest, encodedText, freeText, ReceiptId, Time, text } from '../fields.ts'
import { Rail } from './agents.ts'

/** What a tier of a rail gets. */
export const TierTerms = z
  .strictObject({
    depth: z.string().meta({ description: 'What is done.' }),
    leaves_out: z.array(z.string()).meta({ description: 'Members that its result has not.' }),
    leaves_out_codes: z.array(z.string()).meta({
      description: 'Codes of findings and of advisory gaps that it has not.',
    }),
    rows_max: z
      .int()
      .nullable()
      .meta({ description: 'Rows or items of an input; null where it has no lists.' }),
    bytes_max: z.int().meta({ description: 'Of an input with its uploads.' }),
    reruns_max: z.int().meta({ description: 'Changes of the input of one task by its agent.' }),
    report_formats: z.array(z.enum(reportFormats)),
    turnaround_hours: z.int().meta({ description: 'The aim; work of higher tiers begins first.' }),
  })
  .meta({ id: 'TierTerms' })

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

/** What can be bought, and where: on the provider's page where a live one is set, else by the checkout of this service. */
export const ProductCard = z
  .strictObject({
    rail: Rail,
    tier: Tier,
    total_usd: z.int().min(1),
    link_state: z.enum(['hosted', 'rail_checkout']),
    url: z.string(),
  })
  .meta({ id: 'ProductCard' })

/** The provider's page of one rail and tier, as operators see it. */
export const LinkCell = z
  .strictObject({
    rail: Rail,
    tier: Tier,
    link: z.string().nullable(),
    checked_at: Time.nullable(),
    state: z.enum(linkStates),
  })
  .meta({ id: 'ProductLinkCell' })

/** The fields of a payment that a caller presents. */
export const payment = {
  method: Method,
  external_reference: text(1, 200).meta({
    'x-free-text': true,
    description:
      'Of the provider’s session, the invoice or the transaction; any name for the other methods.',
  }),
  payer: text(0, 160)
    .meta({ 'x-free-text': true })
    .optional()
    .meta({ description: 'The wallet that pays: an address, or aw_…; agent_allowance needs it.' }),
  proof: z
    .strictObject({
      signature: encodedText(8192).optional(),
      payment: encodedText(8192).optional(),
      challenge_token: encodedText(8192).optional(),
    })
    .optional(),
  evidence: z
    .strictObject({
      sha256: Digest.optional(),
      url: freeText(2048, 1).optional(),
      presentation: encodedText(limits.presentationCharsMax)
        .optional()
        .meta({ description: 'An open payment mandate of AP2 and the mandate that closes it.' }),
      checkout_presentation: encodedText(limits.presentationCharsMax)
        .optional()
        .meta({ description: 'The open checkout mandate that it is bound to, closed likewise.' }),
    })
    .optional(),
  provider: text(1, 40).optional().meta({
    description:
      'The payment provider whose events confirm it. Needed for a hosted checkout where several are configured.',
  }),
}
