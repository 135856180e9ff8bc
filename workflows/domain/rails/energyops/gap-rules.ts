import type { GapRules } from '../rail.ts'

/** Fewer readings of an hour than these say nothing about what is usual. */
export const HOUR_READINGS_MIN = 20

const readingsOf = (what: string) => `a reading for ${what}`
export const gapRules = {
  missing: { kind: 'needed', pointer: '/readings', filled_by: readingsOf('each missing interval') },
  negative: { kind: 'needed', filled_by: readingsOf('each of the intervals, not below zero') },
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
