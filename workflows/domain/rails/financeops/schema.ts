import { z } from 'zod'
import { Id, oneLine } from '../input/names.ts'
import { Decimal, MINOR_MAX } from '../values/amounts.ts'
import { ExchangeRate } from '../values/exchange.ts'
import { Major, moneyRow } from '../values/money.ts'
import { CitationShape } from '../work/notes.ts'

export const FinanceopsHead = z.strictObject({
  /** How far a sum of payments may be from a sum of invoices and still settle them. */
  tolerance_minor: z.int().min(0).max(MINOR_MAX).optional(),
  /** Open amounts are aged on this day, and payments after it are left out. */
  as_of: z.iso.date().optional(),
  /** Names of payers that stand for another party, such as a parent company that pays. */
  party_aliases: z
    .array(z.strictObject({ name: oneLine(256), party: oneLine(256) }))
    .max(5_000)
    .optional(),
  /** Payments in another currency than the invoice are converted by the rate of their day, half away from zero. */
  exchange_rates: z.array(ExchangeRate).max(5_000).optional(),
})
const Percent = Decimal.refine((value) => Number(value) >= 0 && Number(value) <= 100, {
  error: 'is not from 0 to 100',
})
/** A day, or a time of which the day counts as it is written, in whatever zone. */
const Moment = z.union([z.iso.date(), z.iso.datetime({ local: true, offset: true })])
/** An amount below zero is a credit note. */
export const Invoice = moneyRow({
  id: Id,
  counterparty: oneLine(256),
  due_at: Moment,
  /** The invoice that a credit note is for. */
  credits: Id.optional(),
  /** The share that a payer may keep back who pays by a day. */
  discount_percent: Percent.optional(),
  discount_until: z.iso.date().optional(),
})
/** An amount below zero is a refund. */
export const Payment = moneyRow(
  {
    id: Id,
    paid_at: Moment,
    counterparty: oneLine(256).optional(),
    /** What the payer wrote; ids of invoices in it are evidence, next to amount and party. */
    reference: oneLine(512).optional(),
    /** What a processor of payments kept back of the amount, or took in addition where it is below zero. */
    fee: Major.optional(),
    fee_minor: z.int().min(0).max(MINOR_MAX).optional(),
  },
  ['fee'],
).refine(({ amount_minor, fee_minor = 0 }) => amount_minor < 0 || fee_minor <= amount_minor, {
  path: ['fee_minor'],
  error: 'is more than the amount',
})

const citations = z.array(CitationShape)
const ids = z.array(z.string())
const Match = z.strictObject({
  kind: z.enum(['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many']),
  basis: z.enum(['reference', 'amount', 'combination', 'only_candidate', 'credit']),
  /** `discounted`: short by the discount that its terms allow. */
  status: z.enum(['exact', 'within_tolerance', 'discounted', 'partial', 'over']),
  /** How sure the match is, from 0 to 1, by what speaks for it. */
  confidence: z.number().min(0).max(1),
  evidence: z.array(
    z.enum(['reference', 'party', 'party_alias', 'amount', 'sum', 'discount', 'exchange_rate']),
  ),
  /** Names that differ on the two sides, and how they are of one party. */
  names: z.array(
    z.strictObject({
      invoiced: z.string(),
      paid: z.string(),
      by: z.enum(['spelling', 'alias', 'other']),
    }),
  ),
  currency: z.string(),
  /** `one_to_many` is one payment for many invoices. */
  invoice_ids: ids,
  payment_ids: ids,
  credit_ids: ids,
  refund_ids: ids,
  /** Payments by date on invoices by due date, each the oldest first. */
  allocations: z.array(
    z.strictObject({ invoice_id: z.string(), payment_id: z.string(), amount_minor: z.int() }),
  ),
  /** Credit notes on invoices, before payments. */
  credited: z.array(
    z.strictObject({ invoice_id: z.string(), credit_id: z.string(), amount_minor: z.int() }),
  ),
  discount_minor: z.int(),
  /** Payments in another currency, and what they came to. */
  exchanged: z.array(
    z.strictObject({
      payment_id: z.string(),
      currency: z.string(),
      amount_minor: z.int(),
      converted_minor: z.int(),
      citations,
    }),
  ),
  /** Paid and credited less refunded and invoiced. */
  difference_minor: z.int(),
  citations,
})
const Posting = z.strictObject({
  /** Lines of one entry are of one currency, and their debits and credits are equal. */
  entry: z.int(),
  date: z.string().nullable(),
  account: z.enum(['bank', 'fees', 'receivables', 'discounts', 'small_differences', 'prepayments']),
  currency: z.string(),
  debit_minor: z.int(),
  credit_minor: z.int(),
  /** The invoice, credit note, payment or refund that the line is for. */
  document: z.string().nullable(),
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
  /** Repeated and conflicting rows, amounts of zero, payments after `as_of`. */
  set_aside_minor: z.int(),
  allocated_minor: z.int(),
  /** Left over by matches within the tolerance. */
  tolerated_minor: z.int(),
  /** Kept back by terms of payment. */
  discounted_minor: z.int(),
  /** Converted to another currency, or below zero from one. */
  exchanged_minor: z.int(),
  /** Open of invoices, not applied of payments. */
  left_minor: z.int(),
})

/** Exceptions whose rows are in no match. */
export const asideCodes = [
  'conflicting_invoice',
  'conflicting_payment',
  'invoice_of_zero',
  'payment_of_zero',
  'payment_after_as_of',
  'repeated_invoice',
  'repeated_payment',
] as const
export type AsideCode = (typeof asideCodes)[number]

export const FinanceopsResult = z.strictObject({
  matches: z.array(Match),
  /** The matches as journal lines, for posting. */
  postings: z.array(Posting),
  unmatched_invoices: z.array(Unmatched),
  unmatched_payments: z.array(Unmatched),
  /** Null without `as_of`. */
  ageing: z.array(Ageing).nullable(),
  exceptions: z.array(
    z.strictObject({ code: z.string(), invoice_ids: ids, payment_ids: ids, citations }),
  ),
  /** For both sides: total = set aside + allocated + tolerated + discounted + exchanged + left, and both allocated sums are one. */
  control_totals: z.array(
    z.strictObject({ currency: z.string(), invoices: Side, payments: Side, balances: z.boolean() }),
  ),
})

export type FinanceopsHead = z.infer<typeof FinanceopsHead>
export type Invoice = z.infer<typeof Invoice>
export type Payment = z.infer<typeof Payment>
export type FinanceopsResult = z.infer<typeof FinanceopsResult>
export type FinanceopsInput = FinanceopsHead & { invoices: Invoice[]; payments: Payment[] }
