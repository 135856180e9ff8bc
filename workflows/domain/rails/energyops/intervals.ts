import type { Citation } from '../rail.ts'
import { cite } from '../work/notes.ts'
import type { EnergyopsHead, Reading } from './schema.ts'
import { energyReader } from './units.ts'
import type { Zone } from './zone.ts'

const MINUTE_MS = 60_000

export type List = 'readings' | 'exports'
/** What was read for one interval; `values` is energy in 10⁻¹² of a unit of the rates, one for each row. */
export type Interval = { list: List; at: number; values: bigint[]; indexes: number[] }
export type Placed = {
  intervals: Map<number, Interval>
  /** Rows at local times that the clock went over, and at times that came twice but have one row only. */
  nowhere: number[]
  uncertain: number[]
  /** Rows of a unit or a length that the meter does not have. */
  unlike: number[]
}

/**
 * Readings by the instant at which their interval begins. A reading by the local clock at a time that comes
 * twice is the first of the two, and the next one at that time is the second.
 */
export function readingsSoFar(list: List, zone: Zone, head: EnergyopsHead) {
  const { interval_minutes: minutes, interval_time: meterTime = 'start' } = head.meter
  const energyOf = energyReader(head)
  const unlike: number[] = []
  const intervals = new Map<number, Interval>()
  const nowhere: number[] = []
  const twice = new Map<number, { instants: number[]; indexes: number[] }>()
  const put = (at: number, value: bigint, index: number) => {
    const interval = intervals.get(at)
    if (interval === undefined) intervals.set(at, { list, at, values: [value], indexes: [index] })
    else {
      interval.values.push(value)
      interval.indexes.push(index)
    }
  }
  return {
    take(reading: Reading, index: number): void {
      const { at, value, unit, interval_time = meterTime, interval_minutes = minutes } = reading
      const energy = energyOf(value, unit)
      if (energy === undefined || interval_minutes !== minutes) {
        unlike.push(index)
        return
      }
      const back = interval_time === 'end' ? minutes * MINUTE_MS : 0
      if (isInstant(at)) {
        put(Date.parse(at) - back, energy, index)
        return
      }
      const local = Date.parse(`${at}Z`)
      const instants = zone.toInstants(local)
      const [first, second] = instants
      if (first === undefined) nowhere.push(index)
      else if (second === undefined) put(first - back, energy, index)
      else {
        const seen = twice.get(local) ?? { instants, indexes: [] }
        twice.set(local, seen)
        put((seen.indexes.length === 0 ? first : second) - back, energy, index)
        seen.indexes.push(index)
      }
    },
    placed(): Placed {
      const uncertain = [...twice.values()]
        .filter(({ indexes }) => indexes.length === 1)
        .flatMap(({ indexes }) => indexes)
      return { intervals, nowhere, uncertain, unlike }
    },
  }
}

/**
 * What a net meter read, apart: an interval below zero was fed in and drew nothing, every other was drawn and fed nothing in.
 */
export function netted(read: Placed): { readings: Placed; exports: Placed } {
  const split = (of: (value: bigint) => bigint): Placed => {
    const intervals = [...read.intervals].map(([at, interval]): [number, Interval] => [
      at,
      { ...interval, values: interval.values.map(of) },
    ])
    return { ...read, intervals: new Map(intervals) }
  }
  return {
    readings: split((value) => (value < 0n ? 0n : value)),
    exports: {
      ...split((value) => (value < 0n ? -value : 0n)),
      nowhere: [],
      uncertain: [],
      unlike: [],
    },
  }
}

export function citedIn({ list, indexes }: Interval): Citation[] {
  return indexes.map((index) => cite(list, index))
}

export function instantText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

function isInstant(at: string): boolean {
  return /(Z|[+-][0-9]{2}:[0-9]{2})$/.test(at)
}
