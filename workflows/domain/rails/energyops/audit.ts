import type { Audit, Work } from '../rail.ts'
import { dayOf, dayText } from '../values/calendar.ts'
import { differs, exact, firstOfAll, firstWrong, planned, sumOf } from '../work/audit.ts'
import {
  type EnergyopsHead,
  type EnergyopsResult,
  type Given,
  headOf,
  type Reading,
} from './schema.ts'
import { type Band, weekdays } from './tariff-schema.ts'
import { unitExponent } from './units.ts'
import { zoneOf } from './zone.ts'

const checks = {
  energy_conserved:
    'the energy of each band, drawn and fed in, against the sum of all readings by the clock on the wall',
  lines_multiply: 'each line item, against its quantity times its rate',
  blocks_fill: 'the blocks of each band, against its energy, each full before the next one begins',
  demand_reached: 'each demand, against the highest power of a single interval and its minimum',
  taxes_follow: 'each tax, against the lines or the energy that it is of',
  bill_adds_up: 'the bill, against the sum of its line items, rounded once',
  bill_lines_add_up: 'the judged lines of the bill, against the bill and all line items',
  intervals_counted: 'the intervals of the period, against those counted and those missing',
  range_is_ordered: 'the bill by estimate, against the least and the most that it may be',
  verdict_follows: 'the verdict, against the difference, the range and the tolerance',
}
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const ENERGY = 12
const SHARE = 8
/** More places than any amount has: eight for each of at most eight taxes above eighteen. */
const PLACES = 82

/** Findings and gaps that leave rows out of the bill, so that the rows only bound its energy. */
const leavesOut = new Set([
  'repeated',
  'outside_period',
  'negative',
  'conflicting',
  'off_grid',
  'no_such_time',
  'uncertain_time',
  'unlike_meter',
  'exports_not_counted',
  'exports_missing',
  'exports_unplaced',
])

/** `generated`: what readings below zero fed in, which counts where there is no list of it. */
type Sums = {
  drawn: Map<string, bigint>
  fedIn: Map<string, bigint>
  generated: Map<string, bigint>
  highest: bigint
  hasExports: boolean
}

/** Recomputes a bill from sums by band that are taken row by row, without the intervals of its period. */
export const energyopsAudit: Audit<EnergyopsResult> = {
  plan: (input) => planned(checks).filter(({ check }) => isNeeded(headOf(input as Given), check)),
  open(input) {
    const head = headOf(input as Given)
    const sums: Sums = {
      drawn: new Map(),
      fedIn: new Map(),
      generated: new Map(),
      highest: 0n,
      hasExports: false,
    }
    const bandOf = bandsByClock(head, head.tariff.bands)
    const feedInOf = bandsByClock(head, head.tariff.feed_in?.bands ?? [])
    const clocks = { readings: clockOf(head), exports: clockOf(head) }
    return {
      take(list, row) {
        const energy = energyIn(head, row as Reading)
        if (energy === null) return
        const isDrawn = list === 'readings'
        const local = clocks[isDrawn ? 'readings' : 'exports'](row as Reading)
        if (!isDrawn) sums.hasExports = true
        if (isDrawn && energy > sums.highest) sums.highest = energy
        const isGenerated = isDrawn && energy < 0n
        const band = local === null ? null : (isDrawn && !isGenerated ? bandOf : feedInOf)(local)
        if (band === null || (energy <= 0n && !isGenerated)) return
        const read = isDrawn ? sums.drawn : sums.fedIn
        const own = isGenerated ? sums.generated : read
        own.set(band, (own.get(band) ?? 0n) + (isGenerated ? -energy : energy))
      },
      close: ({ result, findings, gaps }) => {
        const outcome: Record<keyof typeof checks, string | null> = {
          energy_conserved: energyFault(head, result, {
            sums,
            isWhole: ![...findings, ...gaps].some(({ code }) => leavesOut.has(code)),
          }),
          lines_multiply: firstWrong(result.line_items, (line) => productFault(head, line)),
          blocks_fill: blocksFault(head, result),
          demand_reached: demandFault(head, result, sums),
          taxes_follow: taxesFault(head, result),
          bill_adds_up: billFault(head, result),
          bill_lines_add_up: billLinesFault(head, result),
          intervals_counted: intervalsFault(result),
          range_is_ordered: rangeFault(result),
          verdict_follows: differs('the verdict', result.verdict, verdictOf(head, result, gaps)),
        }
        return Object.fromEntries(
          Object.entries(outcome).filter(([check]) => isNeeded(head, check)),
        )
      },
    }
  },
}

/** Whether an input has what a check is of. */
function isNeeded({ tariff, bill }: EnergyopsHead, check: string): boolean {
  if (check === 'demand_reached') return tariff.demand !== undefined
  if (check === 'taxes_follow') return tariff.taxes !== undefined
  return check !== 'bill_lines_add_up' || bill.lines !== undefined
}

function energyFault(
  { tariff }: EnergyopsHead,
  result: EnergyopsResult,
  { sums, isWhole }: { sums: Sums; isWhole: boolean },
): string | null {
  const faultsOf = (
    bands: readonly Band[],
    shown: EnergyopsResult['energy_by_band'],
    read: ReadonlyMap<string, bigint>,
  ) =>
    firstWrong(new Set(bands.map(({ name }) => name)), (name) => {
      const own = shown.filter(({ band }) => band === name)
      const billed = sumOf(own.map(({ energy }) => exact(energy, ENERGY)))
      const sum = read.get(name) ?? 0n
      if (isWhole ? billed === sum : billed <= sum) return null
      return `the energy of ${name} is ${billed}, and ${sum} were read (10⁻¹²)`
    })
  return firstOfAll(
    faultsOf(tariff.bands, result.energy_by_band, sums.drawn),
    faultsOf(
      tariff.feed_in?.bands ?? [],
      result.feed_in_by_band,
      sums.hasExports ? sums.fedIn : sums.generated,
    ),
  )
}

/** The energy of a row in 10⁻¹² of a unit of the rates; null for a row of another unit or length than the meter's. */
function energyIn({ meter, tariff }: EnergyopsHead, row: Reading): bigint | null {
  const { value, unit = meter.unit, interval_minutes = meter.interval_minutes } = row
  const toMeter = unitExponent(unit, meter.unit)
  if (toMeter === null || interval_minutes !== meter.interval_minutes) return null
  const toRates = unitExponent(meter.unit, tariff.rate_unit) ?? 0
  return exact(String(value), 6) * 10n ** BigInt(6 + toMeter + toRates)
}

/** The time on the clock at which the interval of a row begins; null for a time that the clock goes over. */
function clockOf({ meter }: EnergyopsHead): (row: Reading) => number | null {
  const zone = zoneOf(meter.time_zone)
  const ended = new Set<number>()
  return ({ at, interval_time = meter.interval_time }) => {
    const back = interval_time === 'end' ? meter.interval_minutes * MINUTE_MS : 0
    if (/(Z|[+-][0-9]{2}:[0-9]{2})$/.test(at)) return zone.toLocal(Date.parse(at) - back)
    const local = Date.parse(`${at}Z`)
    if (back === 0) return local
    const [first, second] = zone.toInstants(local)
    const ending = ended.has(local) ? (second ?? first) : first
    ended.add(local)
    return ending === undefined ? null : zone.toLocal(ending - back)
  }
}

/** The name of the band at a time on the clock, null outside the bill's days and where there is no band. */
function bandsByClock(
  { tariff, bill }: EnergyopsHead,
  bands: readonly Band[],
): (local: number) => string | null {
  const [from, to] = [dayOf(bill.from) * DAY_MS, (dayOf(bill.to) + 1) * DAY_MS]
  const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
  const seasonOf = seasonsByDay(tariff)
  const free = new Set(tariff.holidays)
  return (local) => {
    if (local < from || local >= to) return null
    const minute = Math.floor(local / MINUTE_MS) % 1_440
    const date = dayText(Math.floor(local / DAY_MS))
    const weekday = free.has(date) ? 'holiday' : weekdays[new Date(local).getUTCDay()]
    const season = seasonOf(date.slice(5))
    const found = bands.find(({ from: begin = '00:00', to: end = '00:00', days, seasons }) => {
      if (days !== undefined && !days.some((day) => day === weekday)) return false
      if (seasons !== undefined && !seasons.some((name) => name === season)) return false
      const length = (minutes(end) - minutes(begin) + 1_440) % 1_440 || 1_440
      return (minute - minutes(begin) + 1_440) % 1_440 < length
    })
    return found?.name ?? null
  }
}

/** The season of each day of a year, listed day by day from the first of each season. */
function seasonsByDay({ seasons = [] }: EnergyopsHead['tariff']): (day: string) => string | null {
  const days = Array.from({ length: 366 }, (_, index) =>
    dayText(dayOf('2024-01-01') + index).slice(5),
  )
  const names = new Map<string, string>()
  for (const { name, from, to } of seasons) {
    const start = days.findIndex((day) => day >= from)
    for (let step = 0; start >= 0 && step < days.length; step++) {
      const day = days[(start + step) % days.length] ?? ''
      const isIn = from <= to ? day >= from && day <= to : day >= from || day <= to
      if (!isIn) break
      names.set(day, name)
    }
  }
  return (day) => names.get(day) ?? null
}

type Line = EnergyopsResult['line_items'][number]

/** A product in 10⁻⁸² minor units, rounded where the tariff rounds lines. */
function productOf({ tariff }: EnergyopsHead, product: bigint): bigint {
  if (tariff.rounding !== 'lines') return product
  return roundedMinor(product) * 10n ** BigInt(PLACES)
}

function roundedMinor(amount: bigint): bigint {
  const unit = 10n ** BigInt(PLACES)
  const absolute = amount < 0n ? -amount : amount
  const whole = (absolute + unit / 2n) / unit
  return amount < 0n ? -whole : whole
}

function productFault(head: EnergyopsHead, line: Line): string | null {
  const { quantity, rate_minor, amount_minor } = line
  const product = (exact(quantity, PLACES) * exact(rate_minor, SHARE)) / 10n ** BigInt(SHARE)
  const due = productOf(head, product)
  return differs(`an amount of ${quantity} at ${rate_minor}`, exact(amount_minor, PLACES), due)
}

function blocksFault({ tariff, bill }: EnergyopsHead, result: EnergyopsResult): string | null {
  const days = BigInt(dayOf(bill.to) - dayOf(bill.from) + 1)
  const unique = tariff.bands.filter(
    ({ name }) => tariff.bands.filter((other) => other.name === name).length === 1,
  )
  return firstWrong(unique, ({ name, blocks, blocks_per }) => {
    const lines = result.line_items.filter((line) => line.kind === 'energy' && line.name === name)
    const energy = sumOf(
      result.energy_by_band
        .filter(({ band }) => band === name)
        .map((band) => exact(band.energy, ENERGY)),
    )
    const billed = sumOf(lines.map(({ quantity }) => exact(quantity, ENERGY)))
    if (billed !== energy) return differs(`the energy in the lines of ${name}`, billed, energy)
    if (blocks === undefined) return null
    const times = blocks_per === 'day' ? days : 1n
    return firstWrong(lines, ({ block, quantity }) => {
      const { from, to } = blocks[(block ?? 1) - 1] ?? {}
      if (to === undefined || block === lines.length) return null
      const size = (exact(String(to), ENERGY) - exact(String(from), ENERGY)) * times
      return differs(`block ${block} of ${name}`, exact(quantity, ENERGY), size)
    })
  })
}

function demandFault(
  { meter, tariff }: EnergyopsHead,
  result: EnergyopsResult,
  { highest }: Sums,
): string | null {
  const power = highest * BigInt(60 / meter.interval_minutes)
  return firstWrong(result.demand, ({ name, peak, billed }) => {
    const charge = tariff.demand?.find((one) => one.name === name)
    const minimum = exact(String(charge?.minimum ?? 0), ENERGY)
    const reached = peak === null ? 0n : exact(peak, ENERGY)
    if (reached > power) return `the demand ${name} is above the highest interval`
    const due = reached > minimum ? reached : minimum
    return differs(`the billed demand ${name}`, exact(billed, ENERGY), due)
  })
}

function taxesFault({ tariff }: EnergyopsHead, { line_items }: EnergyopsResult): string | null {
  const lines = line_items.filter(({ kind }) => kind === 'tax')
  const others = line_items.filter(({ kind }) => kind !== 'tax')
  return firstWrong(
    tariff.taxes ?? [],
    ({ name, percent, on = ['energy', 'demand', 'standing'] }) => {
      const at = lines.findIndex((line) => line.name === name)
      const own = lines[at]
      if (own === undefined) return `there is no line of the tax ${name}`
      if (percent === undefined) return null
      const before = [...others, ...lines.slice(0, at)].filter(({ kind }) => on.includes(kind))
      const base = sumOf(before.map(({ amount_minor }) => exact(amount_minor, PLACES)))
      return differs(`what the tax ${name} is of`, exact(own.quantity, PLACES), base)
    },
  )
}

function billFault({ bill, tariff }: EnergyopsHead, result: EnergyopsResult): string | null {
  const total = sumOf(result.line_items.map(({ amount_minor }) => exact(amount_minor, PLACES)))
  const days = dayOf(bill.to) - dayOf(bill.from) + 1
  const standing = result.line_items.filter(({ kind }) => kind === 'standing')
  const counts = [
    ...(tariff.standing_per_day === undefined ? [] : [String(days)]),
    ...(tariff.standing_per_bill === undefined ? [] : ['1']),
  ]
  return firstOfAll(
    differs('the exact bill', exact(result.recomputed_exact_minor, PLACES), total),
    differs('the rounded bill', result.recomputed_minor, Number(roundedMinor(total))),
    differs('the billed amount', result.billed_minor, bill.total_minor),
    differs('the difference', result.difference_minor, bill.total_minor - result.recomputed_minor),
    differs('the days', standing.map(({ quantity }) => quantity).join(), counts.join()),
  )
}

function billLinesFault({ bill }: EnergyopsHead, result: EnergyopsResult): string | null {
  const { bill_lines } = result
  if (bill.lines === undefined) return differs('the number of lines', bill_lines.length, 0)
  const billed = bill_lines.reduce((sum, { billed_minor }) => sum + (billed_minor ?? 0), 0)
  const given = bill.lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
  const recomputed = sumOf(
    bill_lines.map(({ recomputed_exact_minor }) => exact(recomputed_exact_minor, PLACES)),
  )
  return firstOfAll(
    differs('the sum of the billed lines', billed, given),
    differs(
      'the sum of the recomputed lines',
      recomputed,
      exact(result.recomputed_exact_minor, PLACES),
    ),
    firstWrong(bill_lines, ({ billed_minor, recomputed_minor, difference_minor }) =>
      differs('a difference', difference_minor, (billed_minor ?? 0) - recomputed_minor),
    ),
  )
}

function intervalsFault({ intervals, gaps, energy_by_band }: EnergyopsResult): string | null {
  const missing = gaps.reduce((sum, gap) => sum + gap.intervals, 0)
  const banded = energy_by_band.reduce((sum, band) => sum + band.intervals, 0)
  return firstOfAll(
    differs('the number of intervals', intervals.counted + missing, intervals.expected),
    banded <= intervals.counted ? null : `${banded} intervals have a band of ${intervals.counted}`,
  )
}

const unbounded = new Set(['no_band', 'exports_no_band', 'exports_not_priced'])

function verdictOf(
  { tolerance_minor }: EnergyopsHead,
  { intervals, line_items, ...result }: EnergyopsResult,
  gaps: Work<unknown>['gaps'],
): EnergyopsResult['verdict'] {
  if (gaps.some(({ code }) => unbounded.has(code))) return 'undetermined'
  const { range, billed_minor, recomputed_minor } = result
  const isOpen =
    intervals.counted < intervals.expected || gaps.some(({ code }) => code === 'exports_missing')
  if (isOpen && range === null) return 'undetermined'
  const [most, least] =
    range === null
      ? [recomputed_minor, recomputed_minor]
      : [range.highest_minor, range.lowest_minor]
  const tolerance = tolerance_minor ?? Math.ceil(line_items.length / 2)
  if (billed_minor - most > tolerance) return 'overbilled'
  if (billed_minor - least < -tolerance) return 'underbilled'
  const isWithin = billed_minor - least <= tolerance && billed_minor - most >= -tolerance
  return isWithin ? 'agrees' : 'undetermined'
}

function rangeFault({ range }: EnergyopsResult): string | null {
  if (range === null) return null
  const { lowest_minor, estimated_minor, highest_minor } = range
  const isOrdered = lowest_minor <= estimated_minor && estimated_minor <= highest_minor
  return isOrdered ? null : 'the estimate of the bill is outside of its range'
}
