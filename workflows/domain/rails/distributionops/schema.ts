import { z } from 'zod'
import { Decimal, MINOR_MAX, Minor } from '../amounts.ts'
import { Currency, Id, oneLine } from '../names.ts'
import { CitationShape } from '../notes.ts'

const Amount = z.int().min(0).max(MINOR_MAX)
export const Head = z.strictObject({
  pool: z.strictObject({ amount_minor: Amount, currency: Currency }),
  /** What becomes of fractions of a unit: handed out by largest remainder, or left in the pool. */
  rounding: z.enum(['largest_remainder', 'down']).optional(),
})
export const Recipient = z.strictObject({
  id: Id,
  weight: Decimal.optional(),
  amount_minor: Amount.optional(),
  cap_minor: Amount.optional(),
  floor_minor: Amount.optional(),
  destination_reference: oneLine(256).optional(),
})

const Allocation = z.strictObject({
  recipient_id: z.string(),
  amount_minor: z.int(),
  basis: z.enum(['weight', 'amount']),
  destination_reference: z.string().nullable(),
  citations: z.array(CitationShape),
})
export const Result = z.strictObject({
  currency: z.string(),
  allocations: z.array(Allocation),
  /** What is left in the pool. */
  remainder_minor: z.int(),
  duplicates: z.array(
    z.strictObject({
      recipient_id: z.string(),
      same: z.boolean(),
      citations: z.array(CitationShape),
    }),
  ),
  refused: z.array(
    z.strictObject({
      recipient_id: z.string(),
      reason: z.string(),
      citations: z.array(CitationShape),
    }),
  ),
  caps_applied: z.array(
    z.strictObject({
      recipient_id: z.string(),
      kind: z.enum(['cap', 'floor']),
      limit_minor: Minor,
    }),
  ),
  total_check: z.strictObject({
    pool_minor: z.int(),
    allocated_minor: z.int(),
    remainder_minor: z.int(),
    balances: z.boolean(),
  }),
  /** SHA-256 of the canonical JSON of pool, rounding and payments (recipient, amount, destination), in the order of ids. */
  manifest_sha256: z.string(),
  batch: z.strictObject({
    ready_for_review: z.boolean(),
    payments: z.int(),
    blockers: z.array(z.string()),
  }),
})

export type Head = z.infer<typeof Head>
export type Recipient = z.infer<typeof Recipient>
export type Result = z.infer<typeof Result>
export type DistributionInput = Head & { recipients: Recipient[] }
