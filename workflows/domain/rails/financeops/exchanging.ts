import { groupedBy } from '../../core/grouped-by.ts'
import { divideRounded } from '../values/amounts.ts'
import { dayText } from '../values/calendar.ts'
import { minorPlaces, RATE_PLACES, type Rates } from '../values/exchange.ts'
import type { Item } from './items.ts'
import type { Named } from './naming.ts'

export type Exchanged = {
  payments: Item[]
  /** Payments whose reference names invoices of another currency, without a rate. */
  foreign: { payment: Item; named: Item[] }[]
}

/** Payments in the currency of the invoices that they name, or of all invoices of their party, where a rate is given. */
export function exchangePayments(
  invoices: Item[],
  payments: Item[],
  namedBy: (payment: Item) => Named,
  rates: Rates,
): Exchanged {
  const owed = new Map(
    [...groupedBy(invoices, ({ party }) => party)].map(([party, own]) => [
      party,
      new Set(own.map(({ currency }) => currency)),
    ]),
  )
  const foreign: Exchanged['foreign'] = []
  const targetOf = (payment: Item): string | null => {
    const { strong, weak } = namedBy(payment)
    const named = [...strong, ...weak]
    const ofNamed = new Set(named.map(({ currency }) => currency))
    const meant = named.length > 0 ? ofNamed : (owed.get(payment.party) ?? ofNamed)
    const [currency, another] = meant
    if (meant.has(payment.currency)) return null
    const target = another === undefined ? (currency ?? null) : null
    const known = target !== null && converted(payment, target, rates) !== null
    if (named.length > 0 && !known) foreign.push({ payment, named })
    return target
  }
  const exchanged = payments.map((payment) => {
    const target = targetOf(payment)
    return (target === null ? null : converted(payment, target, rates)) ?? payment
  })
  return { payments: exchanged, foreign }
}

/** Null without a rate on the day, or where nothing is left after rounding. */
function converted(payment: Item, currency: string, rates: Rates): Item | null {
  const rate = rates.of(payment.currency, currency, dayText(payment.day))
  if (rate === null) return null
  const amount = divideRounded(
    payment.amount * rate.scaled * 10n ** BigInt(minorPlaces(currency)),
    10n ** BigInt(RATE_PLACES + minorPlaces(payment.currency)),
  )
  if (amount === 0n) return null
  return { ...payment, currency, amount, open: amount, paidAs: { item: payment, rate: rate.index } }
}
