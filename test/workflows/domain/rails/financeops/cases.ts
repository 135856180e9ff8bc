import type { RailCases } from '../cases.ts'
import { day, maybe, pick, type Roll, times, upTo } from '../dice.ts'
import { money } from '../money.ts'
import { receivables } from './receivables.ts'

export const cases: RailCases = {
  declared: [false, true, false, 'current', true, false, [99, 199, 399]],
  figures: ({ matches, control_totals: [total], exceptions, ...unmatched }) => ({
    Matches: matches.length,
    Invoiced: money(total.invoices.total_minor, 'EUR'),
    Paid: money(total.payments.total_minor, 'EUR'),
    'Paid on invoices': money(total.payments.allocated_minor, 'EUR'),
    'Open on invoices': money(total.invoices.left_minor, 'EUR'),
    'Payments not applied': money(total.payments.left_minor, 'EUR'),
    'Unmatched invoices': unmatched.unmatched_invoices.length,
    'Unmatched payments': unmatched.unmatched_payments.length,
    Exceptions: exceptions.length,
  }),
  planted: {
    totals_recomputed: (result) => {
      result.control_totals[0].payments.total_minor += 1
    },
    rows_placed: (result) => {
      result.unmatched_payments = []
    },
    nothing_overdrawn: (result) => {
      result.matches[0].allocations[0].amount_minor += 1_000_000
    },
    postings_balance: (result) => {
      result.postings[0].debit_minor += 1
    },
    ageing_adds_up: (result) => {
      result.ageing[0].open_minor += 1
    },
  },
  input: finance,
  larger: () => [receivables(400).input],
}

function finance(roll: Roll): unknown {
  const parties = ['Alder', 'birch ', 'Cedar  Ltd', 'cedar ltd', 'Dogwood']
  const size = 1 + upTo(30, roll)
  const money = () => ({
    amount_minor: upTo(12, roll) * 50 - 50,
    currency: pick(['USD', 'USD', 'EUR'], roll),
  })
  const names = () =>
    times(upTo(3, roll), () => `INV-${upTo(size, roll)}`).join(pick([' ', ', ', ';', ' # '], roll))
  return {
    ...maybe(roll, { tolerance_minor: pick([0, 1, 50, 120], roll) }),
    ...maybe(roll, { as_of: day(40) }),
    invoices: times(size, (index) => ({
      id: `inv-${roll() < 0.1 ? upTo(size, roll) : index}`,
      ...money(),
      counterparty: pick(parties, roll),
      due_at: day(upTo(120, roll)),
    })),
    payments: times(upTo(30, roll), (index) => ({
      id: `pay-${roll() < 0.1 ? upTo(30, roll) : index}`,
      ...money(),
      paid_at: day(upTo(120, roll)),
      ...maybe(roll, { counterparty: pick(parties, roll) }),
      ...maybe(roll, { reference: names() || 'none' }),
    })),
  }
}
