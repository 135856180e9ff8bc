import {
  type AgreedCheckout,
  executionViolations,
  type History,
  judgeCheckout,
  judgePayment,
  presetViolations,
  recurrenceViolations,
  reuseViolations,
  unused,
  type Violation,
  windowViolations,
} from './constraints.ts'
import type {
  CheckoutConstraint,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentConstraint,
  PaymentMandate,
} from './mandates.ts'
import { minorUnits } from './money.ts'

/** What one constraint says now; `not_judged` where only a closed mandate or its checkout decides. */
export type ConstraintVerdict = {
  readonly constraint: string
  readonly verdict: 'met' | 'broken' | 'not_judged'
  readonly rule: string
  /** What is broken. */
  readonly details: string[]
}

/** The rule behind each constraint, as docs/reference/ap2.md has it. */
const rules = {
  'payment.amount_range': 'whole minor units, min and max included',
  'payment.budget': 'the sum of all payments stays within it, exactly',
  'payment.agent_recurrence':
    'one payment in each UTC period, max_occurrences in all; without it a mandate pays once',
  'payment.allowed_payees': 'one revealed payee is equal',
  'payment.allowed_payment_instruments': 'one revealed instrument is equal',
  'payment.allowed_pisps': 'one revealed payment service is equal',
  'payment.execution_date': 'now is in the window',
  'payment.reference': 'it names the open checkout mandate that is presented with it',
  'checkout.allowed_merchants': 'the merchant is revealed',
  'checkout.line_items': 'an assignment uses every item once and meets every quantity',
} as const satisfies Readonly<
  Record<PaymentConstraint['type'] | CheckoutConstraint['type'], string>
>
/** What earlier payments decide. */
const byHistory: ReadonlySet<string> = new Set(['payment.budget', 'payment.agent_recurrence'])
const presetRule = 'what the open mandate names stays the same'
const dateRule = 'the date of the payment is today in UTC'

/** What is judged of a payment mandate; `closed` and the checkout are absent where they were not presented. */
export type InspectedPayment = {
  readonly nowSeconds: number
  /** Undefined where the caller may not see it. */
  readonly history: History | undefined
  readonly closed: PaymentMandate | undefined
  readonly openCheckoutHash: string | undefined
}

/** Every constraint of an open payment mandate, and every claim that it fixes, with its verdict. */
export function paymentVerdicts(
  open: OpenPaymentMandate,
  inspected: InspectedPayment,
): ConstraintVerdict[] {
  const reuse = inspected.history && reuseViolations(open.constraints, inspected.history)
  const recurs = open.constraints.some(({ type }) => type === 'payment.agent_recurrence')
  return [
    ...open.constraints.map((constraint) => {
      const found = judged(constraint, inspected)
      const isRecurrence = constraint.type === 'payment.agent_recurrence'
      const all = isRecurrence && found && reuse ? [...reuse, ...found] : found
      return verdictOf(constraint.type, rules[constraint.type], all)
    }),
    ...(recurs
      ? []
      : [verdictOf('payment.agent_recurrence', rules['payment.agent_recurrence'], reuse)]),
    ...fixedVerdicts(open, inspected),
  ]
}

/** Undefined where the constraint needs what was not presented, or earlier payments that are not shown. */
function judged(
  constraint: PaymentConstraint,
  inspected: InspectedPayment,
): Violation[] | undefined {
  const { closed, history = unused, nowSeconds, openCheckoutHash } = inspected
  const { type } = constraint
  if (inspected.history === undefined && byHistory.has(type)) return undefined
  if (type === 'payment.agent_recurrence')
    return recurrenceViolations(constraint, { nowSeconds, history })
  if (type === 'payment.execution_date') return windowViolations(constraint, nowSeconds)
  if (type === 'payment.reference') return referenceViolations(constraint, openCheckoutHash)
  if (closed !== undefined)
    return judgePayment(constraint, closed, { nowSeconds, history, openCheckoutHash })
  return type === 'payment.budget' ? spentBudget(constraint, history) : undefined
}

type Of<Type extends PaymentConstraint['type']> = Extract<PaymentConstraint, { type: Type }>

function referenceViolations(
  { type, conditional_transaction_id }: Of<'payment.reference'>,
  openCheckoutHash: string | undefined,
): Violation[] | undefined {
  if (openCheckoutHash === undefined) return undefined
  if (conditional_transaction_id === openCheckoutHash) return []
  return [{ constraint: type, detail: 'another open checkout mandate was presented' }]
}

/** Whether anything is left for a further payment. */
function spentBudget(
  { type, max, currency }: Of<'payment.budget'>,
  { spent }: History,
): Violation[] {
  const budget = minorUnits(max, currency)
  if (budget === undefined)
    return [{ constraint: type, detail: `${max} ${currency} is no whole number of minor units` }]
  return spent < budget ? [] : [{ constraint: type, detail: 'nothing of the budget is left' }]
}

const fixed = ['payee', 'payment_amount', 'payment_instrument', 'pisp', 'execution_date'] as const

function fixedVerdicts(
  open: OpenPaymentMandate,
  { closed, nowSeconds }: InspectedPayment,
): ConstraintVerdict[] {
  const changed = closed && presetViolations(open, closed)
  const presets = fixed
    .filter((claim) => open[claim] !== undefined)
    .map((claim) =>
      verdictOf(
        claim,
        presetRule,
        changed?.filter(({ constraint }) => constraint === claim),
      ),
    )
  if (closed?.execution_date === undefined) return presets
  return [
    ...presets,
    verdictOf('execution_date', dateRule, executionViolations(closed, nowSeconds)),
  ]
}

/** Every constraint of an open checkout mandate with its verdict on the checkout that was agreed, if one was. */
export const checkoutVerdicts = (
  { constraints }: Pick<OpenCheckoutMandate, 'constraints'>,
  checkout: AgreedCheckout | undefined,
): ConstraintVerdict[] =>
  constraints.map((constraint) =>
    verdictOf(
      constraint.type,
      rules[constraint.type],
      checkout && judgeCheckout(constraint, checkout),
    ),
  )

function verdictOf(
  constraint: string,
  rule: string,
  violations: readonly Violation[] | undefined,
): ConstraintVerdict {
  if (violations === undefined) return { constraint, verdict: 'not_judged', rule, details: [] }
  const details = violations.map(({ detail }) => detail)
  return { constraint, verdict: details.length === 0 ? 'met' : 'broken', rule, details }
}
