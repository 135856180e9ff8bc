import type { FinanceopsInput } from '#domain/rails/financeops/schema.ts'
import { dice } from '../dice.ts'

type Status = 'exact' | 'within_tolerance' | 'partial' | 'over'
type Expected = { invoices: string[]; payments: string[]; status: Status }

/**
 * A year's receivables of so many invoices and the payments that met them, with the matches that they were made from: alone, in
 * two parts, several at once, short or over; with references and without. Amounts without a reference are one of a kind, so that
 * only one reading is right.
 */
export function receivables(count: number): { input: FinanceopsInput; expected: Expected[] } {
  const roll = dice(77)
  const invoices: FinanceopsInput['invoices'] = []
  const payments: FinanceopsInput['payments'] = []
  const expected: Expected[] = []
  const dayOf = (number: number) =>
    new Date(Date.UTC(2025, 0, 1 + number)).toISOString().slice(0, 10)
  const pay = (amount_minor: number, counterparty: string, reference?: string) => {
    const id = `BK-${String(payments.length).padStart(6, '0')}`
    const row = {
      id,
      amount_minor,
      currency: 'EUR',
      paid_at: dayOf(200 + Math.floor(roll() * 100)),
      counterparty,
    }
    payments.push(reference === undefined ? row : { ...row, reference })
    return id
  }
  while (invoices.length < count) {
    const many = Math.min(roll() < 0.06 ? 2 + Math.floor(roll() * 3) : 1, count - invoices.length)
    const counterparty = `customer ${invoices.length % 700}`
    const own = Array.from({ length: many }, () => {
      // Steps of a thousand with a number of its own in between: no two are alike, nor near.
      const amount_minor = 1_000 * (10 + invoices.length) + 500
      const row = {
        id: `RE-${2025_00000 + invoices.length}`,
        amount_minor,
        currency: 'EUR',
        counterparty,
        due_at: dayOf(Math.floor(roll() * 200)),
      }
      invoices.push(row)
      return row
    })
    const total = own.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
    const ids = own.map(({ id }) => id)
    const named = `Rechnung ${ids.join(', ')}`
    const fate = roll()
    const match = (status: Status, paid: string[]) =>
      expected.push({ invoices: ids, payments: paid, status })
    if (many > 1) match('exact', [pay(total, counterparty, named)])
    else if (fate < 0.5) match('exact', [pay(total, counterparty, named)])
    else if (fate < 0.7) match('exact', [pay(total, counterparty)])
    else if (fate < 0.75) match('within_tolerance', [pay(total - 40, counterparty)])
    else if (fate < 0.84)
      match('exact', [
        pay(total - 3_000, counterparty, named),
        pay(3_000, 'a factoring bank', named),
      ])
    else if (fate < 0.87) match('partial', [pay(total - 2_000, counterparty, named)])
    else if (fate < 0.9) match('over', [pay(total + 5_000, counterparty, named)])
  }
  return { input: { tolerance_minor: 100, as_of: '2025-12-31', invoices, payments }, expected }
}
