import { dayOf, dayText } from '../values/calendar.ts'
import { type Interval, instantText, type Placed } from './intervals.ts'
import type { EnergyopsHead, EnergyopsResult } from './schema.ts'
import type { timesOf } from './tariff.ts'
import type { Zone } from './zone.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** No clock goes forward by more than this over a midnight. */
const SKIP_MINUTES_MAX = 180

export type Counted = {
  interval: Interval
  local: number
  value: bigint
  band: number
  split: boolean
}
export type Period = {
  /** The instant of the first local midnight. */
  start: number
  expected: number
  /** The intervals with one value that is not negative. */
  counted: Counted[]
  negative: Interval[]
  conflicting: Interval[]
  /** The intervals without a usable value, with those that were read for them. */
  unread: Omit<Counted, 'value'>[]
  repeated: Interval[]
  missing: EnergyopsResult['gaps']
  clock_changes: EnergyopsResult['clock_changes']
  /** Rows of intervals outside the period, and of times at which no interval of it begins. */
  outside: Interval[]
  offGrid: Interval[]
}

/** Walks the bill's intervals from the first local midnight to the last and says of each what was read. */
export function walkPeriod(
  { meter, bill }: EnergyopsHead,
  { intervals }: Placed,
  zone: Zone,
  bands: ReturnType<typeof timesOf>,
): Period {
  const step = meter.interval_minutes * MINUTE_MS
  const [from, to] = [dayOf(bill.from), dayOf(bill.to)]
  const [start, end] = [midnight(zone, from), midnight(zone, to + 1)]
  const others = [...intervals.values()].sort((a, b) => a.at - b.at)
  const within = others.filter(({ at }) => start <= at && at < end)
  const period: Period = {
    start,
    expected: Math.round((end - start) / step),
    counted: [],
    negative: [],
    conflicting: [],
    unread: [],
    repeated: within.filter(({ values }) => values.length > 1 && allEqual(values)),
    missing: [],
    clock_changes: [],
    outside: others.filter(({ at }) => at < start || at >= end),
    offGrid: within.filter(({ at }) => (at - start) % step !== 0),
  }
  const countedOfDay = new Map<number, number>()
  for (let at = start; at < end; at += step) {
    const interval = intervals.get(at)
    const value = interval === undefined ? undefined : usable(interval, period)
    const local = zone.toLocal(at)
    const band = bands.at(local)
    if (interval === undefined || value === undefined) {
      miss(period.missing, at, step)
      const none = interval ?? { list: 'readings', at, values: [], indexes: [] }
      period.unread.push({ interval: none, local, band, split: false })
    } else {
      const split = bands.isSplit(local, meter.interval_minutes)
      period.counted.push({ interval, local, value, band, split })
      const day = Math.floor(local / DAY_MS)
      countedOfDay.set(day, (countedOfDay.get(day) ?? 0) + 1)
    }
  }
  for (let day = from; day <= to; day++) {
    const length = midnight(zone, day + 1) - midnight(zone, day)
    if (length === DAY_MS) continue
    const own = {
      day: dayText(day),
      intervals: Math.round(length / step),
      counted: countedOfDay.get(day) ?? 0,
    }
    period.clock_changes.push(own)
  }
  return period
}

/** The value of an interval, where there is one and only one that can have been used. */
function usable(interval: Interval, { conflicting, negative }: Period): bigint | undefined {
  const [value = 0n] = interval.values
  if (!allEqual(interval.values)) conflicting.push(interval)
  else if (value < 0n) negative.push(interval)
  else return value
  return undefined
}

function miss(missing: Period['missing'], at: number, step: number): void {
  const last = missing.at(-1)
  if (last?.to === instantText(at)) {
    last.to = instantText(at + step)
    last.intervals += 1
  } else missing.push({ from: instantText(at), to: instantText(at + step), intervals: 1 })
}

/** The instant at which a local day begins, where the clock goes over midnight that at which it arrives. */
function midnight(zone: Zone, day: number): number {
  for (let minute = 0; minute <= SKIP_MINUTES_MAX; minute++) {
    const [instant] = zone.toInstants(day * DAY_MS + minute * MINUTE_MS)
    if (instant !== undefined) return instant
  }
  throw new RangeError(`day ${dayText(day)} has no beginning in this zone`)
}

function allEqual(values: bigint[]): boolean {
  return values.every((value) => value === values[0])
}
