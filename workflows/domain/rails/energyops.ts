import { decimalText } from './amounts.ts'
import { byRows } from './by-rows.ts'
import { energyopsAudit } from './energyops/audit.ts'
import { recompute } from './energyops/bill.ts'
import {
  citedIn,
  type Interval,
  instantText,
  type Placed,
  readingsSoFar,
} from './energyops/intervals.ts'
import { type Counted, type Period, walkPeriod } from './energyops/period.ts'
import { EnergyopsHead, type EnergyopsInput, EnergyopsResult, Reading } from './energyops/schema.ts'
import { zoneOf } from './energyops/zone.ts'
import { energyopsInput, unreadEnergyopsInput } from './fixtures/energyops.ts'
import { judgedGaps } from './gaps.ts'
import { cite, notes } from './notes.ts'
import type { Citation, Finding, Gap, GapRules, Rail, Work } from './rail.ts'
import { robustScore } from './robust-score.ts'
import { rowTiers, tiersOf } from './tiers.ts'

/** Use varies by nature; a reading is a spike only this far above those of its hour of the day. */
const SPIKE_SCORE = 10
/** Fewer readings of an hour than these say nothing about what is usual. */
const HOUR_READINGS_MIN = 20
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
    `intervals without a usable reading, which the recomputed bill lacks: ${count}`,
  negative: (count: number) =>
    `intervals with a negative reading, which is no use and does not count: ${count}`,
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
  few_readings: () =>
    `hours of the day with fewer than ${HOUR_READINGS_MIN} readings: no spikes are told there`,
}

const readingsOf = (what: string) => `a reading for ${what}`
const gapRules = {
  missing: { kind: 'needed', pointer: '/readings', filled_by: readingsOf('each missing interval') },
  negative: { kind: 'needed', filled_by: readingsOf('each of the intervals, not below zero') },
  conflicting: { kind: 'needed', filled_by: 'one reading for each of the intervals' },
  no_band: {
    kind: 'needed',
    pointer: '/tariff/bands',
    filled_by: 'a band of the tariff for these times',
  },
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

/**
 * Checks interval readings against the bill's period in local time (missing, repeated, negative, unusual; days of 23 and 25 hours)
 * and recomputes the bill from the tariff: each interval by the band of its beginning, a standing charge for each local day.
 */
export const energyops: Rail<EnergyopsInput, EnergyopsResult> = {
  key: 'energyops',
  about: {
    summary:
      'Recomputes an energy bill from interval meter readings and the tariff, and says whether it agrees.',
    capabilities: [
      'check an electricity or gas bill',
      'find gaps, spikes, negative and duplicate intervals in meter readings',
      'handle daylight saving time in interval data',
      'recompute time-of-use charges and standing charges with line items',
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
    head: EnergyopsHead,
    lists: { readings: Reading },
    open(head) {
      const zone = zoneOf(head.meter.time_zone)
      const readings = readingsSoFar(zone)
      return {
        take: { readings: readings.take },
        close: () => {
          const placed = readings.placed()
          return audit(head, placed, walkPeriod(head, placed, zone))
        },
      }
    },
  }),
}

function audit(head: EnergyopsHead, placed: Placed, period: Period): Work<EnergyopsResult> {
  const { counted, expected } = period
  const whole = counted.length === expected && counted.every(({ band }) => band >= 0)
  const spikes = spikesAmong(counted)
  const negative = period.negative.map((interval) => outlier(interval, 'negative', null))
  const result: EnergyopsResult = {
    gaps: period.missing,
    duplicates: [
      ...period.repeated.map((interval) => duplicate(interval, true)),
      ...period.conflicting.map((interval) => duplicate(interval, false)),
    ],
    outliers: [...spikes.found, ...negative],
    clock_changes: period.clock_changes,
    intervals: { expected, counted: counted.length },
    ...recompute(head, counted, whole),
  }
  return {
    result,
    findings: findingsOf(result, period, spikes.found),
    gaps: gapsOf(period, placed, spikes.fewReadings),
  }
}

function findingsOf(result: EnergyopsResult, period: Period, spikes: Outlier[]): Finding[] {
  const findings = notes(details)
  findings.add(
    'spikes',
    spikes.flatMap(({ citations }) => citations),
    spikes.length,
  )
  findings.add('repeated', citedBy(period.repeated), period.repeated.length)
  findings.add('clock_changes', [{ pointer: '/meter/time_zone' }], result.clock_changes.length)
  findings.add('outside_period', citedBy(period.outside), period.outside.length)
  return findings.list()
}

function gapsOf(period: Period, { nowhere, uncertain }: Placed, fewReadings: boolean): Gap[] {
  const gaps = notes(details)
  const rows = (indexes: number[]) => indexes.map((index) => cite('readings', index, 'at'))
  const unbanded = period.counted.filter(({ band }) => band < 0).map(({ interval }) => interval)
  const split = period.counted.filter((one) => one.split).map(({ interval }) => interval)
  gaps.add('missing', [{ pointer: '/bill' }], period.expected - period.counted.length)
  gaps.add('negative', citedBy(period.negative), period.negative.length)
  gaps.add('conflicting', citedBy(period.conflicting), period.conflicting.length)
  gaps.add('off_grid', citedBy(period.offGrid), period.offGrid.length)
  gaps.add('no_such_time', rows(nowhere), nowhere.length)
  gaps.add('uncertain_time', rows(uncertain), uncertain.length)
  gaps.add('no_band', citedBy(unbanded), unbanded.length)
  gaps.add('split_band', citedBy(split), split.length)
  if (fewReadings) gaps.add('few_readings', [{ pointer: '/bill' }])
  return judgedGaps(gapRules, gaps.list())
}

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
  const value = decimalText(interval.values[0] ?? 0n, 6)
  return { at: instantText(interval.at), kind, value, score, citations: citedIn(interval) }
}

function duplicate(interval: Interval, same: boolean): EnergyopsResult['duplicates'][number] {
  return { at: instantText(interval.at), same, citations: citedIn(interval) }
}

function citedBy(intervals: Interval[]): Citation[] {
  return intervals.flatMap(citedIn)
}
