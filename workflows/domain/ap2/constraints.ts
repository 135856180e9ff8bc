import { type Frequency, instantsOf, isSameDay, periodOf } from './calendar.ts'
import { type CheckoutItem, meetsLineItems } from './line-items.ts'
import type {
  CheckoutConstraint,
  Merchant,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentConstraint,
  PaymentInstrument,
  PaymentMandate,
  Pisp,
} from './mandates.ts'
import { minorUnits } from './money.ts'
import type { AskedConstraint } from './terms.ts'

/** A constraint that a closed mandate breaks, by its type, or the claim of the open mandate that it changes. */
export type Violation = { readonly constraint: string; readonly detail: string }

/** What was paid under an open payment mandate before, read under its lock. */
export type History = {
  /** In minor units of the currency of the payment. */
  readonly spent: bigint
  readonly occurrences: number
  /** Unix seconds of the latest payment. */
  readonly lastAt: number | undefined
}
/** Of a mandate that was never used. */
export const unused: History = { spent: 0n, occurrences: 0, lastAt: undefined }

type PaymentFacts = {
  readonly nowSeconds: number
  /** `sd_hash` of the open checkout mandate that was presented with the payment, as it was presented. */
  readonly openCheckoutHash: string | undefined
  readonly history: History
}

const violates = (constraint: string, broken: boolean, detail: string): Violation[] =>
  broken ? [{ constraint, detail }] : []

/** Every constraint of the open payment mandate that the closed one breaks now; each constraint must hold. */
export function paymentViolations(
  open: OpenPaymentMandate,
  closed: PaymentMandate,
  facts: PaymentFacts,
): Violation[] {
  return [
    ...presetViolations(open, closed),
    ...executionViolations(closed, facts.nowSeconds),
    ...reuseViolations(open.constraints, facts.history),
    ...open.constraints.flatMap((constraint) => judgePayment(constraint, closed, facts)),
  ]
}

/** What one constraint of the open payment mandate finds wrong with the closed one. */
export function judgePayment(
  constraint: PaymentConstraint,
  closed: PaymentMandate,
  facts: PaymentFacts,
): Violation[] {
  const { type } = constraint
  const { payee, payment_instrument, pisp } = closed
  switch (constraint.type) {
    case 'payment.allowed_payees':
      return violates(
        type,
        !constraint.allowed.some((one) => isSameMerchant(one, payee)),
        'the payee is not one of those revealed',
      )
    case 'payment.allowed_payment_instruments':
      return violates(
        type,
        !constraint.allowed.some((one) => isSameInstrument(one, payment_instrument)),
        'the payment instrument is not one of those revealed',
      )
    case 'payment.allowed_pisps':
      return violates(
        type,
        pisp === undefined || !constraint.allowed.some((one) => isSamePisp(one, pisp)),
        'the payment service is not one of those allowed',
      )
    case 'payment.amount_range':
      return rangeViolations(constraint, closed)
    case 'payment.budget':
      return budgetViolations(constraint, closed, facts.history)
    case 'payment.agent_recurrence':
      return recurrenceViolations(constraint, facts)
    case 'payment.execution_date':
      return windowViolations(constraint, facts.nowSeconds)
    case 'payment.reference':
      return violates(
        type,
        constraint.conditional_transaction_id !== facts.openCheckoutHash,
        'the open checkout mandate that it names was not presented',
      )
  }
}

type Of<Type extends PaymentConstraint['type']> = Extract<PaymentConstraint, { type: Type }>

function rangeViolations(
  { type, currency, max, min = 0 }: Of<'payment.amount_range'>,
  { payment_amount }: PaymentMandate,
): Violation[] {
  const { amount } = payment_amount
  return [
    ...violates(type, payment_amount.currency !== currency, `the currency is not ${currency}`),
    ...violates(type, amount > max, `${amount} is more than ${max}`),
    ...violates(type, amount < min, `${amount} is less than ${min}`),
  ]
}

function budgetViolations(
  { type, currency, max }: Of<'payment.budget'>,
  { payment_amount }: PaymentMandate,
  { spent }: History,
): Violation[] {
  if (payment_amount.currency !== currency)
    return [{ constraint: type, detail: `the currency is not ${currency}` }]
  const budget = minorUnits(max, currency)
  if (budget === undefined)
    return [{ constraint: type, detail: `${max} ${currency} is no whole number of minor units` }]
  const total = spent + BigInt(payment_amount.amount)
  return violates(type, total > budget, `${total} in total is more than the budget of ${budget}`)
}

export function recurrenceViolations(
  { type, frequency, max_occurrences }: Of<'payment.agent_recurrence'>,
  { nowSeconds, history: { occurrences, lastAt } }: Pick<PaymentFacts, 'nowSeconds' | 'history'>,
): Violation[] {
  const spentAll = max_occurrences !== undefined && occurrences + 1 > max_occurrences
  return [
    ...violates(type, spentAll, `it was used ${occurrences} times of ${max_occurrences}`),
    ...violates(
      type,
      isInUsedPeriod(frequency, nowSeconds, lastAt),
      `it was used in this period of ${frequency} already`,
    ),
  ]
}

/** Whether the latest use is in the current period; a clock that went back does not open an earlier one. */
function isInUsedPeriod(frequency: Frequency, now: number, lastAt: number | undefined): boolean {
  if (lastAt === undefined) return false
  const [current, used] = [periodOf(frequency, now), periodOf(frequency, lastAt)]
  return current !== undefined && used !== undefined && current <= used
}

export function windowViolations(
  { type, not_before, not_after }: Of<'payment.execution_date'>,
  nowSeconds: number,
): Violation[] {
  const from = not_before === undefined ? undefined : instantsOf(not_before)
  const to = not_after === undefined ? undefined : instantsOf(not_after)
  const unread =
    (not_before !== undefined && from === undefined) ||
    (not_after !== undefined && to === undefined)
  if (unread) return [{ constraint: type, detail: 'a date of the window is not ISO 8601' }]
  return [
    ...violates(type, from !== undefined && nowSeconds < from.first, `not before ${not_before}`),
    ...violates(type, to !== undefined && nowSeconds > to.last, `not after ${not_after}`),
  ]
}

/** The payment is made at once, so a date of execution must be today. */
export function executionViolations({ execution_date }: PaymentMandate, now: number): Violation[] {
  if (execution_date === undefined) return []
  const at = instantsOf(execution_date)
  return violates(
    'execution_date',
    at === undefined || !isSameDay(at.first, now),
    'the payment is executed now, which is another UTC day',
  )
}

/** A mandate without recurrence pays once; one with it needs a range and a budget. */
export function reuseViolations(
  constraints: readonly PaymentConstraint[],
  { occurrences }: History,
): Violation[] {
  const type = 'payment.agent_recurrence'
  const has = (named: PaymentConstraint['type']) => constraints.some((one) => one.type === named)
  if (!has(type)) return violates(type, occurrences > 0, 'a mandate without it is used once')
  return [
    ...violates(type, !has('payment.amount_range'), 'it needs a payment.amount_range'),
    ...violates(type, !has('payment.budget'), 'it needs a payment.budget'),
  ]
}

/** The claims that the open mandate names and the closed one changes. */
export function presetViolations(open: OpenPaymentMandate, closed: PaymentMandate): Violation[] {
  const { payee, payment_amount: amount, payment_instrument: instrument, pisp } = open
  const changed = (claim: string, same: boolean) =>
    violates(claim, !same, 'the open mandate names another')
  return [
    ...changed('payee', payee === undefined || isSameMerchant(payee, closed.payee)),
    ...changed(
      'payment_amount',
      amount === undefined ||
        (amount.amount === closed.payment_amount.amount &&
          amount.currency === closed.payment_amount.currency),
    ),
    ...changed(
      'payment_instrument',
      instrument === undefined || isSameInstrument(instrument, closed.payment_instrument),
    ),
    ...changed(
      'pisp',
      pisp === undefined || (closed.pisp !== undefined && isSamePisp(pisp, closed.pisp)),
    ),
    ...changed(
      'execution_date',
      open.execution_date === undefined || open.execution_date === closed.execution_date,
    ),
  ]
}

/** What was agreed in a checkout: who sells, and what. */
export type AgreedCheckout = {
  readonly merchant: Merchant
  readonly items: readonly CheckoutItem[]
}

/** Every constraint of the open checkout mandate that the checkout breaks. */
export function checkoutViolations(
  { constraints }: Pick<OpenCheckoutMandate, 'constraints'>,
  checkout: AgreedCheckout,
): Violation[] {
  return constraints.flatMap((constraint) => judgeCheckout(constraint, checkout))
}

/** What one constraint of the open checkout mandate finds wrong with the checkout. */
export function judgeCheckout(
  constraint: CheckoutConstraint,
  checkout: AgreedCheckout,
): Violation[] {
  if (constraint.type === 'checkout.line_items')
    return violates(
      constraint.type,
      !meetsLineItems(checkout.items, constraint.items),
      'the line items are not exactly those required',
    )
  return violates(
    constraint.type,
    !constraint.allowed.some((one) => isSameMerchant(one, checkout.merchant)),
    'the merchant is not one of those revealed',
  )
}

/** Every member that the mandate names must be equal; a name alone identifies no merchant. */
export const isSameMerchant = (named: Merchant, other: Merchant): boolean =>
  named.id === other.id &&
  named.name === other.name &&
  (named.website === undefined || named.website === other.website)

const isSameInstrument = (named: PaymentInstrument, other: PaymentInstrument): boolean =>
  named.id === other.id && named.type === other.type

const isSamePisp = (named: Pisp, other: Pisp): boolean =>
  named.domain_name === other.domain_name &&
  named.legal_name === other.legal_name &&
  named.brand_name === other.brand_name

/** What SQL guards of a mandate: its smallest budget, and how often it may be used. */
export type StateLimits = {
  currency: string | null
  budget_minor: string | null
  uses_max: number | null
}

/** Without recurrence a mandate is used once. A budget that is no whole number of minor units permits nothing. */
export function tightest(
  constraints: readonly (PaymentConstraint | AskedConstraint)[],
): StateLimits {
  const budgets = constraints.flatMap((one) => (one.type === 'payment.budget' ? [one] : []))
  const [first] = budgets
  const amounts = budgets.map(({ max, currency }) => minorUnits(max, currency) ?? 0n)
  const [least = 0n] = amounts.toSorted((a, b) => (a < b ? -1 : 1))
  const recurring = constraints.flatMap((one) =>
    one.type === 'payment.agent_recurrence' ? [one] : [],
  )
  const limited = recurring.flatMap(({ max_occurrences }) => max_occurrences ?? [])
  const uses = recurring.length === 0 ? [1] : limited
  return {
    currency: first?.currency ?? null,
    budget_minor: first === undefined ? null : String(least),
    uses_max: uses.length === 0 ? null : Math.min(...uses, 2_147_483_647),
  }
}
