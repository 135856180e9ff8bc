import type { PaymentConstraint } from './mandates.ts'
import { minorUnits } from './money.ts'
import type { AskedConstraint } from './terms.ts'

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
