import { z } from 'zod'
import { groupedBy } from '../../core/grouped-by.ts'
import { ASSET_DECIMALS } from '../../core/limits.ts'
import { decimalsOf } from '../../core/money.ts'
import { Currency } from '../input/names.ts'
import { inOrder, leading } from '../work/work.ts'
import { decimalOf, scaled } from './amounts.ts'

/** Rates are held as whole numbers of 10⁻⁸. */
export const RATE_PLACES = 8

/** One unit of `from` is `rate` units of `to`, in whole units such as dollars, from a day until the next rate of the pair. */
export const ExchangeRate = z.strictObject({
  from: Currency,
  to: Currency,
  rate: decimalOf(RATE_PLACES).refine((rate) => Number(rate) > 0, 'is not above zero'),
  day: z.iso.date().optional(),
})
type ExchangeRate = z.infer<typeof ExchangeRate>

type Rate = { scaled: bigint; index: number }
export type Rates = {
  /** The rate on a day; null where none is given, or where two of one day differ. A rate is not turned round. */
  of(from: string, to: string, day: string): Rate | null
}

export function exchangeRates(table: readonly ExchangeRate[]): Rates {
  const rows = table.map(({ from, to, rate, day = '' }, index) => {
    return { pair: `${from} ${to}`, day, index, scaled: scaled(rate, RATE_PLACES) ?? 0n }
  })
  rows.sort(
    inOrder(
      ({ day }) => day,
      ({ index }) => index,
    ),
  )
  const pairs = new Map(
    [...groupedBy(rows, ({ pair }) => pair)].map(([pair, own]) => [pair, byDay(own)]),
  )
  return {
    of(from, to, day) {
      if (from === to) return { scaled: 10n ** BigInt(RATE_PLACES), index: -1 }
      const known = pairs.get(`${from} ${to}`) ?? []
      return known[leading(known, (one) => one.day <= day) - 1]?.rate ?? null
    },
  }
}

/** One rate for each day; none where those of a day differ. */
function byDay<R extends Rate & { day: string }>(rows: R[]): { day: string; rate: R | null }[] {
  return [...groupedBy(rows, ({ day }) => day)].map(([day, own]) => {
    const [first] = own
    const differ = own.some((row) => row.scaled !== first?.scaled)
    return { day, rate: differ ? null : (first ?? null) }
  })
}

/** The decimal places of a currency's minor unit (ISO 4217, and USDC); two where it is not known. */
export const minorPlaces = (currency: string | null): number =>
  currency === 'USDC' ? ASSET_DECIMALS : (decimalsOf(currency ?? '') ?? 2)
