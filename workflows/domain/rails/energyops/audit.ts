import { differs, exact, firstOfAll, firstWrong, planned, sumOf } from '../audit.ts'
import { dayOf } from '../calendar.ts'
import type { Audit, Work } from '../rail.ts'
import type { EnergyopsHead, EnergyopsResult, Reading } from './schema.ts'
import { weekdays } from './schema.ts'
import { zoneOf } from './zone.ts'

const checks = {
  energy_conserved:
    'the energy of each band, against the sum of all readings by the clock on the wall',
  lines_multiply: 'each line item, against its quantity times its rate',
  bill_adds_up: 'the bill, against the sum of its line items, rounded once',
  intervals_counted: 'the intervals of the period, against those counted and those missing',
  verdict_follows: 'the verdict, against the difference and the tolerance',
}
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const PLACES = 12

/** Findings and gaps that leave rows out of the bill, so that the rows only bound its energy. */
const leavesOut = new Set([
  'repeated',
  'outside_period',
  'negative',
  'conflicting',
  'off_grid',
  'no_such_time',
  'uncertain_time',
])

/** Recomputes a bill from sums by band that are taken row by row, without the intervals of its period. */
export const energyopsAudit: Audit<EnergyopsResult> = {
  plan: () => planned(checks),
  open(input) {
    const head = input as EnergyopsHead
    const bands = new Map<string, bigint>()
    const bandOf = bandsByClock(head)
    return {
      take(_list, row) {
        const { at, value } = row as Reading
        const band = bandOf(at)
        if (band === null) return
        const energy = exact(String(value), 6)
        if (energy > 0n) bands.set(band, (bands.get(band) ?? 0n) + energy)
      },
      close: ({ result, findings, gaps }) => ({
        energy_conserved: energyFault(head, result, {
          bands,
          isWhole: ![...findings, ...gaps].some(({ code }) => leavesOut.has(code)),
        }),
        lines_multiply: firstWrong(result.line_items, ({ quantity, rate_minor, amount_minor }) =>
          differs(
            `an amount of ${quantity} at ${rate_minor}`,
            exact(amount_minor, PLACES),
            exact(quantity, 6) * exact(rate_minor, 6),
          ),
        ),
        bill_adds_up: billFault(head, result),
        intervals_counted: intervalsFault(result),
        verdict_follows: differs('the verdict', result.verdict, verdictOf(head, result, gaps)),
      }),
    }
  },
}

type Counted = { bands: ReadonlyMap<string, bigint>; isWhole: boolean }

function energyFault(
  { tariff }: EnergyopsHead,
  result: EnergyopsResult,
  { bands, isWhole }: Counted,
): string | null {
  return firstWrong(new Set(tariff.bands.map(({ name }) => name)), (name) => {
    const own = result.energy_by_band.filter(({ band }) => band === name)
    const billed = sumOf(own.map(({ energy }) => exact(energy, 6)))
    const read = bands.get(name) ?? 0n
    if (isWhole ? billed === read : billed <= read) return null
    return `the energy of ${name} is ${billed} millionths, and ${read} were read`
  })
}

/** The name of the band at the time of a reading, null outside the bill's days and where there is no band. */
function bandsByClock({ meter, tariff, bill }: EnergyopsHead): (at: string) => string | null {
  const zone = zoneOf(meter.time_zone)
  const [from, to] = [dayOf(bill.from) * DAY_MS, (dayOf(bill.to) + 1) * DAY_MS]
  const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
  return (at) => {
    const isLocal = !/(Z|[+-][0-9]{2}:[0-9]{2})$/.test(at)
    const local = isLocal ? Date.parse(`${at}Z`) : zone.toLocal(Date.parse(at))
    if (local < from || local >= to) return null
    const minute = Math.floor(local / MINUTE_MS) % 1_440
    const weekday = weekdays[new Date(local).getUTCDay()]
    const found = tariff.bands.find(({ from: begin = '00:00', to: end = '00:00', days }) => {
      if (days !== undefined && !days.some((day) => day === weekday)) return false
      const length = (minutes(end) - minutes(begin) + 1_440) % 1_440 || 1_440
      return (minute - minutes(begin) + 1_440) % 1_440 < length
    })
    return found?.name ?? null
  }
}

function billFault({ bill, tariff }: EnergyopsHead, result: EnergyopsResult): string | null {
  const total = sumOf(result.line_items.map(({ amount_minor }) => exact(amount_minor, PLACES)))
  const unit = 10n ** BigInt(PLACES)
  const absolute = total < 0n ? -total : total
  const rounded = Number((absolute + unit / 2n) / unit) * (total < 0n ? -1 : 1)
  const days = dayOf(bill.to) - dayOf(bill.from) + 1
  const standing = result.line_items.filter(({ kind }) => kind === 'standing')
  const daily = tariff.standing_per_day === undefined ? [] : [String(days)]
  return firstOfAll(
    differs('the exact bill', exact(result.recomputed_exact_minor, PLACES), total),
    differs('the rounded bill', result.recomputed_minor, rounded === 0 ? 0 : rounded),
    differs('the billed amount', result.billed_minor, bill.total_minor),
    differs('the difference', result.difference_minor, bill.total_minor - result.recomputed_minor),
    differs('the days', standing.map(({ quantity }) => quantity).join(), daily.join()),
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

function verdictOf(
  { tolerance_minor }: EnergyopsHead,
  { intervals, line_items, difference_minor: difference }: EnergyopsResult,
  gaps: Work<unknown>['gaps'],
): EnergyopsResult['verdict'] {
  const isOpen =
    intervals.counted < intervals.expected || gaps.some(({ code }) => code === 'no_band')
  if (isOpen) return 'undetermined'
  const tolerance = tolerance_minor ?? Math.ceil(line_items.length / 2)
  if (difference > tolerance) return 'overbilled'
  return difference < -tolerance ? 'underbilled' : 'agrees'
}
