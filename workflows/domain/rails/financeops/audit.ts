import type { Audit, PlannedCheck } from '../rail.ts'
import { differs, firstOfAll, firstWrong, planned } from '../work/audit.ts'
import {
  asideCodes,
  type FinanceopsHead,
  type FinanceopsResult,
  type Invoice,
  type Payment,
} from './schema.ts'

const checks = {
  totals_recomputed: 'the control totals of both sides, against the sum of all rows by currency',
  rows_placed: 'each invoice and payment, against one match or one list of the rest',
  nothing_overdrawn: 'what is laid on invoices, against what each is owed and each payment has',
  postings_balance: 'the debits of each journal entry, against its credits',
}
const ageing = { ageing_adds_up: 'the open amount of each currency, against the sum of its ages' }

type Totals = FinanceopsResult['control_totals'][number]
type Rows = ReadonlyMap<string, Invoice | Payment>
type Came = { rows: Rows; totals: Map<string, { rows: number; amount: bigint }> }

/** Books each row and each allocation in an account of its own and looks whether all accounts close. */
export const financeopsAudit: Audit<FinanceopsResult> = {
  plan: (input): PlannedCheck[] => {
    const { as_of } = (input ?? {}) as FinanceopsHead
    return planned(as_of === undefined ? checks : { ...checks, ...ageing })
  },
  open(input) {
    const invoices = new Map<string, Invoice | Payment>()
    const payments = new Map<string, Invoice | Payment>()
    const sides = {
      invoices: { rows: invoices, totals: new Map() } as Came,
      payments: { rows: payments, totals: new Map() } as Came,
    }
    return {
      take(list, row) {
        const taken = row as Invoice | Payment
        const { rows, totals } = sides[list as keyof typeof sides]
        if (!rows.has(taken.id)) (rows as Map<string, Invoice | Payment>).set(taken.id, taken)
        const total = totals.get(taken.currency) ?? { rows: 0, amount: 0n }
        const amount = total.amount + BigInt(taken.amount_minor)
        totals.set(taken.currency, { rows: total.rows + 1, amount })
      },
      close: ({ result }) => ({
        totals_recomputed: firstOfAll(
          totalsFault(result, sides.invoices, ({ invoices: side }) => side),
          totalsFault(result, sides.payments, ({ payments: side }) => side),
        ),
        rows_placed: firstOfAll(
          placedFault(
            invoices,
            placesOf(result, result.unmatched_invoices, 'invoice_ids', 'credit_ids'),
          ),
          placedFault(
            payments,
            placesOf(result, result.unmatched_payments, 'payment_ids', 'refund_ids'),
          ),
        ),
        nothing_overdrawn: overdrawnFault(result, sides),
        postings_balance: postingsFault(result),
        ...((input as FinanceopsHead).as_of === undefined
          ? {}
          : { ageing_adds_up: ageingFault(result) }),
      }),
    }
  },
}

function totalsFault(
  { control_totals }: FinanceopsResult,
  { totals }: Came,
  sideOf: (totals: Totals) => Totals['invoices'],
): string | null {
  const known = new Set(control_totals.map(({ currency }) => currency))
  const missing = [...totals.keys()].find((currency) => !known.has(currency))
  if (missing !== undefined) return `there are no totals in ${missing}`
  return firstWrong(control_totals, (line) => {
    const side = sideOf(line)
    const came = totals.get(line.currency) ?? { rows: 0, amount: 0n }
    const { set_aside_minor, allocated_minor, tolerated_minor } = side
    const { discounted_minor, exchanged_minor, left_minor } = side
    const parts = [set_aside_minor, allocated_minor, tolerated_minor, discounted_minor]
    const sum = [...parts, exchanged_minor, left_minor].reduce((all, one) => all + BigInt(one), 0n)
    return firstOfAll(
      differs(`the number of rows in ${line.currency}`, side.rows, came.rows),
      differs(`the total in ${line.currency}`, BigInt(side.total_minor), came.amount),
      differs(`the sum of the parts in ${line.currency}`, sum, came.amount),
    )
  })
}

/** How often each id is in a match, and in a list of the rest. */
type Places = { matched: string[]; rest: ReadonlySet<string> }

const aside: ReadonlySet<string> = new Set(asideCodes)
/** Where each invoice, or each payment, of the rows is. */
const placesOf = (
  { matches, exceptions }: FinanceopsResult,
  unmatched: readonly { id: string }[],
  own: 'invoice_ids' | 'payment_ids',
  reversed: 'credit_ids' | 'refund_ids',
): Places => ({
  matched: matches.flatMap((one) => one[own]),
  rest: new Set([
    ...unmatched.map(({ id }) => id),
    ...matches.flatMap((one) => one[reversed]),
    ...exceptions.flatMap((one) => (aside.has(one.code) ? one[own] : [])),
  ]),
})

/** Credit notes may be used up by invoices that are in no match. */
function placedFault(rows: Rows, { matched, rest }: Places): string | null {
  const once = new Set(matched)
  if (once.size !== matched.length) return 'a row is in two matches'
  const stranger = matched.find((id) => !rows.has(id))
  if (stranger !== undefined) return `${stranger} is in a match and not in the input`
  return firstWrong(rows.values(), ({ id, amount_minor }) =>
    amount_minor <= 0 || once.has(id) || rest.has(id)
      ? null
      : `${id} is in no match and in no list`,
  )
}

function overdrawnFault(
  { matches }: FinanceopsResult,
  { invoices, payments }: Record<'invoices' | 'payments', Came>,
): string | null {
  const [owed, paid] = [accounts(), accounts()]
  const converted = new Map<string, bigint>()
  for (const { allocations, credited, exchanged } of matches) {
    for (const { payment_id, converted_minor } of exchanged)
      converted.set(payment_id, BigInt(converted_minor))
    for (const { invoice_id, payment_id, amount_minor } of allocations) {
      owed.add(invoice_id, amount_minor)
      paid.add(payment_id, amount_minor)
    }
    for (const { invoice_id, amount_minor } of credited) owed.add(invoice_id, amount_minor)
  }
  const has = (rows: Rows) => (id: string) => BigInt(rows.get(id)?.amount_minor ?? 0)
  return firstOfAll(
    owed.overdrawn(has(invoices.rows)),
    paid.overdrawn((id) => converted.get(id) ?? has(payments.rows)(id)),
  )
}

function accounts() {
  const used = new Map<string, bigint>()
  return {
    add: (id: string, amount: number) => used.set(id, (used.get(id) ?? 0n) + BigInt(amount)),
    overdrawn: (has: (id: string) => bigint) =>
      firstWrong(used, ([id, amount]) =>
        amount <= has(id) ? null : `${amount} are laid on ${id}, which has ${has(id)}`,
      ),
  }
}

function postingsFault({ postings }: FinanceopsResult): string | null {
  const entries = new Map<number, bigint>()
  for (const { entry, debit_minor, credit_minor } of postings)
    entries.set(entry, (entries.get(entry) ?? 0n) + BigInt(debit_minor) - BigInt(credit_minor))
  return firstWrong(entries, ([entry, left]) => differs(`the balance of entry ${entry}`, left, 0n))
}

function ageingFault({ ageing: lines }: FinanceopsResult): string | null {
  return firstWrong(lines ?? [], ({ currency, open_minor, ...ages }) => {
    const { not_due_minor, days_1_30_minor, days_31_60_minor } = ages
    const { days_61_90_minor, over_90_minor } = ages
    const sum =
      not_due_minor + days_1_30_minor + days_31_60_minor + days_61_90_minor + over_90_minor
    return differs(`the open amount in ${currency}`, open_minor, sum)
  })
}
