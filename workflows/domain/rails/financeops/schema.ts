import { z } from 'zod'
import { MINOR_MAX, Minor } from '../amounts.ts'
import { Moment } from '../fields.ts'
import { Currency, Id, oneLine } from '../names.ts'
import { CitationShape } from '../notes.ts'

export const FinanceopsHead = z.strictObject({
  /** How far a sum of payments may be from a sum of invoices and still settle them. */
  tolerance_minor: z.int().min(0).max(MINOR_MAX).optional(),
  /** Open amounts are aged on this day, and payments after it are left out. */
  as_of: z.iso.date().optional(),
})
const money = { id: Id, amount_minor: Minor, currency: Currency }
export const Invoice = z.strictObject({ ...money, counterparty: oneLine(256), due_at: Moment })
export const Payment = z.strictObject({
  ...money,
  paid_at: Moment,
  counterparty: oneLine(256).optional(),
  /** What the payer wrote; ids of invoices are found in it. */
  reference: oneLine(512).optional(),
})

const citations = z.array(CitationShape)
const ids = z.array(z.string())
const Match = z.strictObject({
  kind: z.enum(['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many']),
  basis: z.enum(['reference', 'amount', 'combination', 'only_candidate']),
  status: z.enum(['exact', 'within_tolerance', 'partial', 'over']),
  currency: z.string(),
  /** `one_to_many` is one payment for many invoices. */
  invoice_ids: ids,
  payment_ids: ids,
  /** Payments by date on invoices by due date, each the oldest first. */
  allocations: z.array(
    z.strictObject({ invoice_id: z.string(), payment_id: z.string(), amount_minor: z.int() }),
  ),
  /** Paid less invoiced. */
  difference_minor: z.int(),
  citations,
})
const Unmatched = z.strictObject({
  id: z.string(),
  counterparty: z.string().nullable(),
  currency: z.string(),
  amount_minor: z.int(),
  citations,
})
const Ageing = z.strictObject({
  currency: z.string(),
  not_due_minor: z.int(),
  days_1_30_minor: z.int(),
  days_31_60_minor: z.int(),
  days_61_90_minor: z.int(),
  over_90_minor: z.int(),
  open_minor: z.int(),
})
const Side = z.strictObject({
  rows: z.int(),
  total_minor: z.int(),
  /** Repeated and conflicting rows, amounts not above zero, payments after `as_of`. */
  set_aside_minor: z.int(),
  allocated_minor: z.int(),
  /** Left over by matches within the tolerance. */
  tolerated_minor: z.int(),
  /** Open of invoices, not applied of payments. */
  left_minor: z.int(),
})

export const FinanceopsResult = z.strictObject({
  matches: z.array(Match),
  unmatched_invoices: z.array(Unmatched),
  unmatched_payments: z.array(Unmatched),
  /** Null without `as_of`. */
  ageing: z.array(Ageing).nullable(),
  exceptions: z.array(
    z.strictObject({ code: z.string(), invoice_ids: ids, payment_ids: ids, citations }),
  ),
  /** For both sides: total = set aside + allocated + tolerated + left, and both allocated sums are one. */
  control_totals: z.array(
    z.strictObject({ currency: z.string(), invoices: Side, payments: Side, balances: z.boolean() }),
  ),
})

export type FinanceopsHead = z.infer<typeof FinanceopsHead>
export type Invoice = z.infer<typeof Invoice>
export type Payment = z.infer<typeof Payment>
export type FinanceopsResult = z.infer<typeof FinanceopsResult>
export type FinanceopsInput = FinanceopsHead & { invoices: Invoice[]; payments: Payment[] }
