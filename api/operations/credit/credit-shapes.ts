import { z } from 'zod'
import type { EntitlementState } from '#domain/credit/credit.ts'
import { BADGE_FEE } from '#domain/credit/pricing.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { EntitlementId, Tier } from '../payments/shapes.ts'

const usd = z.int().min(0)

/** Movements as pairs of a debited and a credited account. */
export const Postings = z.array(
  z.strictObject({
    posting_id: z.string(),
    debit: z.string(),
    credit: z.string(),
    units: z.int().min(1),
    reason: z.string().meta({ description: 'The kind of the receipt that it was posted under.' }),
    receipt_id: ReceiptId,
    at: Time,
  }),
)

const entitlementStates = [
  'pending',
  'funded',
  'consumed',
  'returned',
] as const satisfies EntitlementState[]
export const Entitlement = z
  .strictObject({
    entitlement_id: EntitlementId,
    agent_id: z.string(),
    rail: z.enum([...railKeys, BADGE_FEE]).meta({ description: 'What it pays for.' }),
    tier: Tier,
    state: z.enum(entitlementStates),
    granted_units: usd,
    consumed_units: usd,
    returned_units: usd,
    postings: Postings,
  })
  .meta({ id: 'Entitlement' })
export const credit = {
  entitlement: Entitlement,
  balance_units: usd,
  settlement_receipts: z.array(ReceiptId),
  usage_receipts: z.array(ReceiptId),
}
