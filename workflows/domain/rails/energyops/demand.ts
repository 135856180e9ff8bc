import type { Citation } from '../rail.ts'
import { decimalText, toMicro } from '../values/amounts.ts'
import { dayOf, dayText } from '../values/calendar.ts'
import { citedIn, type Interval, instantText } from './intervals.ts'
import type { Counted, Period } from './period.ts'
import type { EnergyopsHead, EnergyopsResult } from './schema.ts'
import { timesOf } from './tariff.ts'
import type { Demand } from './tariff-schema.ts'
import { ENERGY_PLACES, rateUnitOf } from './units.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A demand charge of a bill or a month; powers are whole numbers of 10⁻¹² of the unit. */
export type Charged = {
  index: number
  charge: Demand
  month: string | null
  peak: { power: bigint; intervals: Interval[] } | null
  billed: bigint
}

/** What each demand charge is for: the highest mean power of the whole windows whose beginning it applies to. */
export function demandsOf(head: EnergyopsHead, period: Period): Charged[] {
  const { tariff, bill } = head
  return (tariff.demand ?? []).flatMap((charge, index) => {
    const peaks = peaksOf(head, charge, period)
    const months = charge.per === 'month' ? monthsOf(bill) : [null]
    const minimum = toMicro(charge.minimum ?? 0) * 10n ** BigInt(ENERGY_PLACES - 6)
    return months.map((month) => {
      const peak = peaks.get(month) ?? null
      const reached = peak?.power ?? 0n
      return { index, charge, month, peak, billed: reached > minimum ? reached : minimum }
    })
  })
}

/** The highest window of each month, or of all under `null`; of equal ones the first. */
function peaksOf(
  { meter, tariff }: EnergyopsHead,
  charge: Demand,
  { start, counted }: Period,
): Map<string | null, NonNullable<Charged['peak']>> {
  const minutes = charge.window_minutes ?? meter.interval_minutes
  const whole = minutes / meter.interval_minutes
  const applies = timesOf(tariff, [charge])
  const peaks = new Map<string | null, NonNullable<Charged['peak']>>()
  let [window, own]: [number, Counted[]] = [-1, []]
  for (const one of counted) {
    const index = Math.floor((one.interval.at - start) / (minutes * MINUTE_MS))
    if (index !== window) [window, own] = [index, []]
    own.push(one)
    const [first] = own
    if (first === undefined || own.length < whole || applies.at(first.local) < 0) continue
    const month = charge.per === 'month' ? monthOf(Math.floor(first.local / DAY_MS)) : null
    const power = own.reduce((sum, { value }) => sum + value, 0n) * BigInt(60 / minutes)
    if (power > (peaks.get(month)?.power ?? -1n))
      peaks.set(month, { power, intervals: own.map(({ interval }) => interval) })
  }
  return peaks
}

const monthOf = (day: number): string => dayText(day).slice(0, 7)

function monthsOf({ from, to }: EnergyopsHead['bill']): string[] {
  const months = new Set<string>()
  for (let day = dayOf(from); day <= dayOf(to); day++) months.add(monthOf(day))
  return [...months]
}

export const powerUnitOf = (head: EnergyopsHead): string => rateUnitOf(head).replace(/h$/, '')

export function demandCitations({ index, peak }: Charged): Citation[] {
  return [{ pointer: `/tariff/demand/${index}` }, ...(peak?.intervals ?? []).flatMap(citedIn)]
}

export function shownDemand(head: EnergyopsHead, charged: Charged): EnergyopsResult['demand'][0] {
  const { charge, month, peak, billed } = charged
  const [first] = peak?.intervals ?? []
  return {
    name: charge.name,
    month,
    at: first === undefined ? null : instantText(first.at),
    peak: peak === null ? null : decimalText(peak.power, ENERGY_PLACES),
    billed: decimalText(billed, ENERGY_PLACES),
    unit: powerUnitOf(head),
    citations: demandCitations(charged),
  }
}
