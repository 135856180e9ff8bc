import { byRows } from '../input/by-rows.ts'
import type { Citation, Finding, Gap, GapRules, Rail, Work } from '../rail.ts'
import { decimalText } from '../values/amounts.ts'
import { robustScore } from '../values/robust-score.ts'
import { cite, type Notes, notes } from '../work/notes.ts'
import { rowTiers, tiersOf } from '../work/tiers.ts'
import { judgedGaps } from '../work/work.ts'
import { energyopsAudit } from './audit.ts'
import { recompute } from './bill.ts'
import { formsOf, headings } from './forms/index.ts'
import {
  citedIn,
  type Interval,
  instantText,
  netted,
  type Placed,
  readingsSoFar,
} from './intervals.ts'
import { type Counted, type Period, walkPeriod } from './period.ts'
import { energyopsInput, unreadEnergyopsInput } from './sample.ts'
import {
  checkHead,
  EnergyopsGiven,
  type EnergyopsHead,
  EnergyopsResult,
  type GivenInput,
  headOf,
  Reading,
} from './schema.ts'
import { timesOf } from './tariff.ts'
import type { Band } from './tariff-schema.ts'
import { ENERGY_PLACES } from './units.ts'
import { citedInUrdb } from './urdb.ts'
import { type Zone, zoneOf } from './zone.ts'

export { energyopsInput } from './sample.ts'
export { type EnergyopsInput, lineReasons } from './schema.ts'

/** Use varies by nature; a reading is a spike only this far above those of its hour of the day. */
const SPIKE_SCORE = 10
const HOUR_MS = 3_600_000

const details = {
  spikes: (count: number) =>
    `readings far above the others of their hour of the day; they count: ${count}`,
  repeated: (count: number) =>
    `intervals with the same reading more than once; it counts once: ${count}`,
  clock_changes: (count: number) =>
    `days with more or fewer intervals because the clocks change: ${count}`,
  outside_period: (count: number) =>
    `intervals outside the bill’s period, which do not count: ${count}`,
  missing: (count: number) =>
    `intervals without a usable reading, which the recomputed bill lacks; the range of the bill is with them: ${count}`,
  negative: (count: number) =>
    `intervals with a negative reading, for which the tariff has no feed-in; the range of the bill is with and without them: ${count}`,
  generation: (count: number) =>
    `intervals with a negative reading, which count as fed in: ${count}`,
  unlike_meter: (count: number) =>
    `readings in a unit or of a length that is not the meter’s, which do not count: ${count}`,
  conflicting: (count: number) =>
    `intervals with readings that differ, none of which counts: ${count}`,
  off_grid: (count: number) =>
    `times of readings at which no interval of the meter begins; they do not count: ${count}`,
  no_such_time: (count: number) =>
    `readings at local times that the clock went over; they do not count: ${count}`,
  uncertain_time: (count: number) =>
    `local times that came twice and have one reading, taken as the first: ${count}`,
  no_band: (count: number) =>
    `intervals that no band of the tariff covers, which cost nothing here: ${count}`,
  split_band: (count: number) =>
    `intervals in which the band changes; the band of their beginning counts: ${count}`,
  exports_not_counted: (count: number) =>
    `readings of what was fed in that are repeated or outside the bill’s period: ${count}`,
  exports_missing: (count: number) =>
    `intervals without a usable reading of what was fed in: ${count}`,
  exports_unplaced: (count: number) =>
    `times of readings of what was fed in at which no interval begins, or which came twice: ${count}`,
  exports_no_band: (count: number) =>
    `intervals of feed-in that no band covers, for which nothing is paid here: ${count}`,
  exports_not_priced: (count: number) =>
    `readings of what was fed in, for which the tariff has no rate: ${count}`,
  lines_do_not_sum: () => 'the lines of the bill do not come to its total',
  lines_differ: (count: number) =>
    `lines of the bill that are wrong, and charges that it has no line for: ${count}`,
  few_readings: () =>
    `hours of the day with fewer than ${HOUR_READINGS_MIN} readings: no spikes are told there`,
}

/**
 * Checks interval readings against the bill's period in local time (missing, repeated, negative, unusual; days of 23 and 25 hours)
 * and recomputes the bill from the tariff, line by line: energy by bands, seasons, holidays and blocks, demand, standing charge,
 * feed-in and taxes.
 */
/** Fewer readings of an hour than these say nothing about what is usual. */
const HOUR_READINGS_MIN = 20

const readingsOf = (what: string) => `a reading for ${what}`
const gapRules = {
  missing: { kind: 'needed', pointer: '/readings', filled_by: readingsOf('each missing interval') },
  negative: {
    kind: 'needed',
    pointer: '/tariff/feed_in',
    filled_by: 'the rates for what is fed in, or readings not below zero',
  },
  unlike_meter: {
    kind: 'needed',
    pointer: '/meter',
    filled_by: 'the unit and the interval of the meter as the readings have them',
  },
  conflicting: { kind: 'needed', filled_by: 'one reading for each of the intervals' },
  no_band: {
    kind: 'needed',
    pointer: '/tariff/bands',
    filled_by: 'a band of the tariff for these times',
  },
  exports_missing: {
    kind: 'needed',
    pointer: '/exports',
    filled_by: 'one reading of what was fed in for each of the intervals, not below zero',
  },
  exports_no_band: {
    kind: 'needed',
    pointer: '/tariff/feed_in/bands',
    filled_by: 'a band of the feed-in for these times',
  },
  exports_not_priced: {
    kind: 'needed',
    pointer: '/tariff/feed_in',
    filled_by: 'the rates for what is fed in',
  },
  exports_unplaced: { kind: 'advisory', filled_by: 'readings with Z or an offset, on the grid' },
  off_grid: { kind: 'advisory', filled_by: 'readings at times at which an interval begins' },
  no_such_time: { kind: 'advisory', filled_by: 'the times with Z or an offset' },
  uncertain_time: { kind: 'advisory', filled_by: 'the times with Z or an offset' },
  split_band: { kind: 'advisory', filled_by: 'readings of shorter intervals' },
  few_readings: {
    kind: 'advisory',
    pointer: '/readings',
    filled_by: `a longer period, with at least ${HOUR_READINGS_MIN} readings of each hour of the day`,
  },
} as const satisfies GapRules

export const energyops: Rail<GivenInput, EnergyopsResult> = {
  key: 'energyops',
  about: {
    summary:
      'Recomputes an energy bill from interval meter readings and the tariff, and says whether it agrees.',
    capabilities: [
      'check an electricity or gas bill',
      'find gaps, spikes, negative and duplicate intervals in meter readings',
      'handle daylight saving time in interval data',
      'recompute time-of-use, seasonal, tiered, demand and standing charges, taxes and feed-in credits',
      'compare each line of a bill and say why it differs',
    ],
    asks: [
      'is our electricity, power or gas bill correct',
      'why is the energy bill so high',
      'did the utility or supplier overcharge us',
      'verify an invoice for power against a smart meter',
      'missing or strange values in half-hourly meter data',
      'what should the tariff and peak demand have cost',
      'credit for solar power that we fed into the grid',
    ],
  },
  takes: {
    paidAgentUse: false,
    quickstart: true,
    pricingModelV2: true,
    controlledLoop: 'current',
    offer: true,
    requestedTool: false,
  },
  prices: { entry: 149, standard: 299, pro: 499 },
  tiers: tiersOf({
    entry: {
      depth: 'the bill recomputed by band, with missing and repeated intervals',
      leaves_out: ['outliers', 'clock_changes'],
      leaves_out_codes: ['spikes', 'clock_changes', 'few_readings'],
    },
    whole: 'all of it, with unusual readings and days of clock changes',
    rows: rowTiers,
  }),
  result: EnergyopsResult,
  sandboxInput: energyopsInput,
  gapRules,
  audit: energyopsAudit,
  inputWithGaps: unreadEnergyopsInput,
  parameters: ['tolerance_minor'],
  ...byRows({
    head: EnergyopsGiven,
    check: checkHead,
    lists: { readings: Reading, exports: Reading },
    optional: ['exports'],
    forms: { readings: formsOf('readings'), exports: formsOf('exports') },
    headings,
    open(given) {
      const head = headOf(given)
      const zone = zoneOf(head.meter.time_zone)
      const readings = readingsSoFar('readings', zone, head)
      const exports = readingsSoFar('exports', zone, head)
      return {
        take: { readings: readings.take, exports: exports.take },
        close: () => {
          const read = { readings: readings.placed(), exports: exports.placed() }
          const work = audit(head, apart(head, read), zone)
          return given.urdb === undefined ? work : citedInUrdb(work)
        },
      }
    },
  }),
}

/** `generated`: the intervals of a net meter that are below zero. */
type Read = { readings: Placed; exports: Placed; generated: Interval[] }
type Walked = { drawn: Period; fedIn: Period | null }

/** Where the tariff pays for what is fed in and there is no list of it, intervals below zero are what was fed in. */
function apart({ tariff }: EnergyopsHead, read: Omit<Read, 'generated'>): Read {
  const isNet = tariff.feed_in !== undefined && isEmpty(read.exports)
  const generated = isNet
    ? [...read.readings.intervals.values()].filter(({ values: [value = 0n] }) => value < 0n)
    : []
  return generated.length === 0 ? { ...read, generated } : { ...netted(read.readings), generated }
}

function audit(head: EnergyopsHead, read: Read, zone: Zone): Work<EnergyopsResult> {
  const { tariff } = head
  const walk = (placed: Placed, bands: readonly Band[]) =>
    walkPeriod(head, placed, zone, timesOf(tariff, bands))
  const walked = {
    drawn: walk(read.readings, tariff.bands),
    fedIn: tariff.feed_in === undefined ? null : walk(read.exports, tariff.feed_in.bands),
  }
  const { drawn, fedIn } = walked
  const spikes = spikesAmong(drawn.counted)
  const negative = drawn.negative.map((interval) => outlier(interval, 'negative', null))
  const periods = fedIn === null ? [drawn] : [drawn, fedIn]
  const isBounded = periods.every(isBanded) && (fedIn !== null || isEmpty(read.exports))
  const isWhole = isBounded && periods.every(({ counted, expected }) => counted.length === expected)
  const result: EnergyopsResult = {
    gaps: drawn.missing,
    duplicates: [
      ...drawn.repeated.map((interval) => duplicate(interval, true)),
      ...drawn.conflicting.map((interval) => duplicate(interval, false)),
    ],
    outliers: [...spikes.found, ...negative],
    clock_changes: drawn.clock_changes,
    intervals: { expected: drawn.expected, counted: drawn.counted.length },
    ...recompute(head, walked, { isWhole, isBounded }),
  }
  return {
    result,
    findings: findingsOf(head, result, { ...walked, ...read, spikes: spikes.found }),
    gaps: gapsOf(walked, read, spikes.fewReadings),
  }
}

const isBanded = (period: Period): boolean => withoutBand(period).length === 0

const isEmpty = ({ intervals, nowhere }: Placed): boolean =>
  intervals.size === 0 && nowhere.length === 0

function findingsOf(
  { bill }: EnergyopsHead,
  result: EnergyopsResult,
  { drawn, fedIn, spikes, generated }: Walked & { spikes: Outlier[]; generated: Interval[] },
): Finding[] {
  const findings = notes(details)
  findings.add(
    'spikes',
    spikes.flatMap(({ citations }) => citations),
    spikes.length,
  )
  findings.add('repeated', citedBy(drawn.repeated), drawn.repeated.length)
  findings.add('clock_changes', [{ pointer: '/meter/time_zone' }], result.clock_changes.length)
  findings.add('outside_period', citedBy(drawn.outside), drawn.outside.length)
  findings.add('generation', citedBy(generated), generated.length)
  const hasList = fedIn !== null && generated.length === 0
  const uncounted = hasList ? [...fedIn.repeated, ...fedIn.outside] : []
  findings.add('exports_not_counted', citedBy(uncounted), uncounted.length)
  const { lines = [] } = bill
  const sum = lines.reduce((total, { amount_minor }) => total + amount_minor, 0)
  if (lines.length > 0 && sum !== bill.total_minor)
    findings.add('lines_do_not_sum', [{ pointer: '/bill/total_minor' }, { pointer: '/bill/lines' }])
  const wrong = result.bill_lines.filter(
    ({ reason }) => reason !== 'agrees' && reason !== 'undetermined',
  )
  const places = wrong.flatMap(({ citations: [first] }) => (first === undefined ? [] : [first]))
  findings.add('lines_differ', places, wrong.length)
  return findings.list()
}

function gapsOf(
  { drawn, fedIn }: Walked,
  { readings, exports, generated }: Read,
  fewReadings: boolean,
): Gap[] {
  const gaps = notes(details)
  const rows = (indexes: number[]) => indexes.map((index) => cite('readings', index, 'at'))
  const unbanded = withoutBand(drawn)
  const split = drawn.counted.filter((one) => one.split).map(({ interval }) => interval)
  gaps.add('missing', [{ pointer: '/bill' }], drawn.expected - drawn.counted.length)
  gaps.add('negative', citedBy(drawn.negative), drawn.negative.length)
  gaps.add('conflicting', citedBy(drawn.conflicting), drawn.conflicting.length)
  gaps.add('off_grid', citedBy(drawn.offGrid), drawn.offGrid.length)
  gaps.add('no_such_time', rows(readings.nowhere), readings.nowhere.length)
  gaps.add('uncertain_time', rows(readings.uncertain), readings.uncertain.length)
  gaps.add('no_band', citedBy(unbanded), unbanded.length)
  gaps.add('split_band', citedBy(split), split.length)
  if (fewReadings) gaps.add('few_readings', [{ pointer: '/bill' }])
  const unlike = [
    ...rows(readings.unlike),
    ...exports.unlike.map((index) => cite('exports', index, 'at')),
  ]
  gaps.add('unlike_meter', unlike, unlike.length)
  if (generated.length === 0) addExportGaps(gaps, fedIn, exports)
  else if (fedIn !== null) addWithoutBand(gaps, fedIn)
  return judgedGaps(gapRules, gaps.list())
}

function addExportGaps(
  gaps: Notes<keyof typeof details>,
  fedIn: Period | null,
  { intervals, nowhere, uncertain }: Placed,
): void {
  if (fedIn === null) {
    const unpriced = nowhere.map((index) => cite('exports', index, 'at'))
    const places = [...citedBy([...intervals.values()]), ...unpriced]
    gaps.add('exports_not_priced', places, intervals.size + nowhere.length)
    return
  }
  const unusable = [...fedIn.negative, ...fedIn.conflicting]
  const missing = fedIn.expected - fedIn.counted.length
  gaps.add('exports_missing', [{ pointer: '/bill' }, ...citedBy(unusable)], missing)
  const unplaced = [...nowhere, ...uncertain].map((index) => cite('exports', index, 'at'))
  const count = unplaced.length + fedIn.offGrid.length
  gaps.add('exports_unplaced', [...unplaced, ...citedBy(fedIn.offGrid)], count)
  addWithoutBand(gaps, fedIn)
}

function addWithoutBand(gaps: Notes<keyof typeof details>, fedIn: Period): void {
  const unbanded = withoutBand(fedIn)
  gaps.add('exports_no_band', citedBy(unbanded), unbanded.length)
}

/** The intervals with energy that no band covers. */
const withoutBand = ({ counted }: Period): Interval[] =>
  counted.filter(({ band, value }) => band < 0 && value > 0n).map(({ interval }) => interval)

type Outlier = EnergyopsResult['outliers'][number]

function spikesAmong(counted: Counted[]): { found: Outlier[]; fewReadings: boolean } {
  const hourOf = ({ local }: Counted) => Math.floor(local / HOUR_MS) % 24
  const hours = Array.from({ length: 24 }, (_, hour) =>
    counted.filter((one) => hourOf(one) === hour),
  )
  const found = hours.flatMap((own) => {
    const score =
      own.length < HOUR_READINGS_MIN
        ? null
        : robustScore(Float64Array.from(own, ({ value }) => Number(value)))
    if (score === null) return []
    return own.flatMap(({ interval, value }) => {
      const above = score(Number(value))
      return above > SPIKE_SCORE ? [outlier(interval, 'spike', Math.round(above * 100) / 100)] : []
    })
  })
  const fewReadings = hours.some((own) => own.length > 0 && own.length < HOUR_READINGS_MIN)
  return { found: found.sort((a, b) => (a.at < b.at ? -1 : 1)), fewReadings }
}

function outlier(interval: Interval, kind: Outlier['kind'], score: number | null): Outlier {
  const value = decimalText(interval.values[0] ?? 0n, ENERGY_PLACES)
  return { at: instantText(interval.at), kind, value, score, citations: citedIn(interval) }
}

function duplicate(interval: Interval, same: boolean): EnergyopsResult['duplicates'][number] {
  return { at: instantText(interval.at), same, citations: citedIn(interval) }
}

function citedBy(intervals: Interval[]): Citation[] {
  return intervals.flatMap(citedIn)
}
