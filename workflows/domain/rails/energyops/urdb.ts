import { z } from 'zod'
import { isObject } from '../../core/plain-object.ts'
import { decimalText, scaled } from '../values/amounts.ts'
import { dayOf, dayText } from '../values/calendar.ts'
import { type Band, CheckedTariff, type Demand } from './tariff-schema.ts'
import {
  MONTHS,
  monthSeasons,
  type Schedule,
  type Window,
  whenOf,
  windowsOf,
} from './urdb-times.ts'

/** A bill of at most so many days is of one month, whatever its first day. */
const MONTH_DAYS_MAX = 35

const Tier = z.looseObject({
  rate: z.number().optional(),
  adj: z.number().optional(),
  max: z.number().optional(),
  unit: z.string().optional(),
})
const Structure = z.array(z.array(Tier).min(1).max(20)).max(48)
const Hours = z.array(z.array(z.int().min(0)).length(24)).length(MONTHS)
const Rate = z.looseObject({
  country: z.literal('USA').optional(),
  energyratestructure: Structure,
  energyweekdayschedule: Hours.optional(),
  energyweekendschedule: Hours.optional(),
  energytoulabels: z.array(z.string().nullable()).optional(),
  flatdemandstructure: Structure.optional(),
  flatdemandmonths: z.array(z.int().min(0)).length(MONTHS).optional(),
  flatdemandunit: z.literal('kW').optional(),
  demandratestructure: Structure.optional(),
  demandweekdayschedule: Hours.optional(),
  demandweekendschedule: Hours.optional(),
  demandrateunit: z.literal('kW').optional(),
  demandwindow: z.union([5, 10, 15, 20, 30, 60].map((minutes) => z.literal(minutes))).optional(),
  fixedchargefirstmeter: z.number().optional(),
  fixedchargeunits: z.enum(['$/day', '$/month']).optional(),
})
type Rate = z.infer<typeof Rate>
type Tier = z.infer<typeof Tier>

/** The same members by other names, as copies of the database have them. */
const otherNames: Readonly<Record<string, string>> = {
  flatdemandunits: 'flatdemandunit',
  demandrateunits: 'demandrateunit',
  demandreactpwrcharge: 'demandreactivepowercharge',
}
const known = new Set(Object.keys(Rate.shape))
/** Members that state a price, of which those that are not known cannot be billed. */
const isPrice = /rate|charge|structure|schedule|adjust|ratchet|lookback|coincident/
/** Charges of further meters, words about prices, and what a price is in, which say nothing without it. */
const isWords = /^(fixedchargeeaaddl|.*comments?|.*attrs|.*units?|.*labels?|isdefault|dgrules)$/

type Period = { from: string; to: string }
type Fault = (member: string, message: string) => void
export type Converted =
  | { tariff: z.infer<typeof CheckedTariff> }
  | { faults: [member: string, message: string][] }

/** A rate of the OpenEI utility rate database as a tariff for a bill, or each member that the tariff cannot express. */
export function tariffOfUrdb(given: Record<string, unknown>, period: Period): Converted {
  const faults: [string, string][] = []
  const fault: Fault = (member, message) => faults.push([member, message])
  const members = membersOf(given, fault)
  const { data, error } = Rate.safeParse(members)
  for (const { path, message } of error?.issues ?? []) fault(String(path[0] ?? 'items'), message)
  for (const [member, value] of Object.entries(members))
    if (isPrice.test(member) && !known.has(member) && !isWords.test(member) && isPriced(value))
      fault(member, 'has a price that a tariff here cannot express')
  if (typeof members['mincharge'] === 'number' && members['mincharge'] !== 0)
    fault('mincharge', 'is a least amount of a bill, which a tariff here cannot express')
  if (data === undefined || faults.length > 0) return { faults }
  const tariff = {
    currency: 'USD',
    rate_unit: 'kWh',
    ...standingOf(data, period, fault),
    seasons: monthSeasons,
    bands: bandsOf(data, period, fault),
    ...demandOf(data, period, fault),
  }
  const checked = CheckedTariff.safeParse(tariff)
  if (faults.length === 0)
    for (const { path, message } of checked.error?.issues ?? [])
      fault('energyratestructure', `${path.join('/')} of the tariff made of it: ${message}`)
  return checked.data === undefined || faults.length > 0 ? { faults } : { tariff: checked.data }
}

function membersOf(given: Record<string, unknown>, fault: Fault): Record<string, unknown> {
  const { items } = given
  if (items !== undefined && (!Array.isArray(items) || items.length !== 1))
    fault('items', 'has not exactly one rate')
  const rate = Array.isArray(items) ? items[0] : given
  if (!isObject(rate)) return {}
  return Object.fromEntries(
    Object.entries(rate).map(([name, value]) => {
      const lower = name.toLowerCase()
      return [otherNames[lower] ?? lower, value]
    }),
  )
}

const isPriced = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(isPriced)
  if (isObject(value)) return Object.values(value).some(isPriced)
  return typeof value === 'number' && value !== 0
}

/** Dollars as minor units; undefined and a fault where they have more than eight places. */
function minorOf(amounts: readonly number[], member: string, fault: Fault): string {
  const exact = amounts.map((amount) => scaled(amount, 8))
  const sum = exact.reduce<bigint>((total, one) => total + (one ?? 0n), 0n)
  if (exact.includes(null)) fault(member, 'has a rate with more than eight decimal places')
  return decimalText(sum, 6)
}

const rateOf = ({ rate = 0, adj = 0 }: Tier, member: string, fault: Fault) =>
  minorOf([rate, adj], member, fault)

const daysOf = ({ from, to }: Period): number => dayOf(to) - dayOf(from) + 1

/** The calendar months of a bill: one where it is of about a month, else whole ones; null where neither is so. */
function billedMonths(period: Period): number | null {
  if (daysOf(period) <= MONTH_DAYS_MAX) return 1
  const { from, to } = period
  if (!from.endsWith('-01') || !dayText(dayOf(to) + 1).endsWith('-01')) return null
  const [first, last] = [from, to].map(
    (day) => Number(day.slice(0, 4)) * MONTHS + Number(day.slice(5, 7)),
  )
  return (last ?? 0) - (first ?? 0) + 1
}

const noMonths = 'is for a month, and the bill is neither of about one month nor of whole ones'

function standingOf(
  { fixedchargefirstmeter: fixed = 0, fixedchargeunits: unit }: Rate,
  period: Period,
  fault: Fault,
) {
  if (fixed === 0) return {}
  const member = 'fixedchargefirstmeter'
  if (unit === '$/day') return { standing_per_day: minorOf([fixed], member, fault) }
  const months = billedMonths(period)
  if (unit === undefined) fault('fixedchargeunits', 'is missing')
  if (months === null) fault(member, noMonths)
  const all = Array.from({ length: months ?? 1 }, () => fixed)
  return { standing_per_bill: minorOf(all, member, fault) }
}

/** The months of the year that a bill has days of. */
function monthsIn(period: Period): number[] {
  const days = Array.from({ length: daysOf(period) }, (_, index) => dayOf(period.from) + index)
  return [...new Set(days.map((day) => Number(dayText(day).slice(5, 7)) - 1))]
}

/** Several periods need what says when each of them applies. */
function requireSchedules(rate: Rate, fault: Fault): void {
  const needed = [
    ['energyratestructure', 'energyweekdayschedule'],
    ['energyratestructure', 'energyweekendschedule'],
    ['demandratestructure', 'demandweekdayschedule'],
    ['demandratestructure', 'demandweekendschedule'],
    ['flatdemandstructure', 'flatdemandmonths'],
  ] as const
  for (const [structure, schedule] of needed)
    if ((rate[structure]?.length ?? 0) > 1 && rate[schedule] === undefined)
      fault(schedule, 'is missing, and there are several periods')
}

const always: Schedule = Array.from({ length: MONTHS }, () => Array.from({ length: 24 }, () => 0))

function bandsOf(rate: Rate, period: Period, fault: Fault): Band[] {
  const { energyratestructure: structure, energytoulabels: labels } = rate
  const working = rate.energyweekdayschedule ?? always
  const weekend = rate.energyweekendschedule ?? working
  const member = 'energyratestructure'
  requireSchedules(rate, fault)
  if ([...working, ...weekend].flat().some((index) => index >= structure.length))
    fault(member, 'lacks a period of the schedule')
  return structure.flatMap((tiers, index): Band[] => {
    const name = labels?.[index] || `period ${index}`
    const windows = windowsOf(working, weekend, index)
    const priced = pricesOf(tiers, { windows, period, fault })
    return windows.map((window) => ({ name, ...priced, ...whenOf(window) }))
  })
}

type Where = { windows: readonly Window[]; period: Period; fault: Fault }

/** One rate, or blocks of the energy of a month or a day. */
function pricesOf(tiers: readonly Tier[], { windows, period, fault }: Where) {
  const member = 'energyratestructure'
  const [first, ...others] = tiers
  const refuse = (message: string) => fault(member, message)
  const unit = first?.unit?.toLowerCase() ?? 'kwh'
  if (unit !== 'kwh' && unit !== 'kwh daily') refuse(`has tiers in ${first?.unit}`)
  if (tiers.at(-1)?.max !== undefined) refuse('has no rate above its last tier')
  if (first === undefined || others.length === 0)
    return { rate_minor: rateOf(first ?? {}, member, fault) }
  const isOfMonth = windows.every(({ months }) =>
    monthsIn(period).every((one) => months.includes(one)),
  )
  if (windows.length > 1) refuse('has tiers of a period with several times of day')
  if (unit === 'kwh' && billedMonths(period) !== 1)
    refuse('has tiers of a month, and the bill is longer')
  if (!isOfMonth) refuse('has tiers of a period that begins or ends within the bill')
  if (tiers.slice(0, -1).some(({ max }) => max === undefined)) refuse('has a tier without an end')
  const blocks = tiers.map((tier, index) => ({
    from: tiers[index - 1]?.max ?? 0,
    ...(tier.max !== undefined && { to: tier.max }),
    rate_minor: rateOf(tier, member, fault),
  }))
  return { blocks, ...(unit === 'kwh daily' && { blocks_per: 'day' as const }) }
}

/** Demand of each month by the flat structure, and in the hours of a period. */
function demandOf(rate: Rate, period: Period, fault: Fault): { demand?: Demand[] } {
  const { flatdemandstructure: flat = [], flatdemandmonths: months, demandwindow } = rate
  const working = rate.demandweekdayschedule ?? always
  const weekend = rate.demandweekendschedule ?? working
  const isOneMonth = daysOf(period) <= MONTH_DAYS_MAX
  const ofFlat: Window[][] = flat.map((_, index) => {
    const own = Array.from({ length: MONTHS }, (_, month) => month).filter(
      (month) => (months?.[month] ?? 0) === index,
    )
    return own.length === 0 ? [] : [{ from: 0, to: 0, days: 'all', months: own }]
  })
  const structures = [
    { member: 'flatdemandstructure', structure: flat, windows: ofFlat },
    {
      member: 'demandratestructure',
      structure: rate.demandratestructure ?? [],
      windows: (rate.demandratestructure ?? []).map((_, index) =>
        windowsOf(working, weekend, index),
      ),
    },
  ]
  const demand = structures.flatMap(({ member, structure, windows }) =>
    structure.flatMap((tiers, index): Demand[] => {
      const [tier = {}, ...others] = tiers
      const own = windows[index] ?? []
      const rate_minor = rateOf(tier, member, fault)
      if (others.length > 0 || tier.max !== undefined) fault(member, 'has tiers')
      const [window, ...more] = own
      const isCharged = window !== undefined && rate_minor !== '0'
      if (!isCharged) return []
      const inBill = monthsIn(period).filter((month) => window.months.includes(month))
      if (inBill.length === 0) return []
      if (more.length > 0) fault(member, 'has a period with several times of day')
      if (billedMonths(period) === null) fault(member, noMonths)
      if (isOneMonth && inBill.length < monthsIn(period).length)
        fault(member, 'changes within the bill')
      const name =
        member === 'flatdemandstructure' ? `demand ${index}` : `demand of period ${index}`
      const per = isOneMonth ? ('bill' as const) : ('month' as const)
      const ofWindow = demandwindow === undefined ? {} : { window_minutes: demandwindow }
      return [{ name, rate_minor, per, ...ofWindow, ...whenOf(window) }]
    }),
  )
  return demand.length === 0 ? {} : { demand }
}

/** The work with the places of the tariff as those of the rate that it was made of. */
export function citedInUrdb<Work>(work: Work): Work {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, own]) => [
        name,
        name === 'pointer' && String(own).startsWith('/tariff') ? '/urdb' : moved(own),
      ]),
    )
  }
  return moved(work) as Work
}
