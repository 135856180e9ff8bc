import { type EnergyopsHead, weekdays } from './schema.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440

type Band = EnergyopsHead['tariff']['bands'][number]

/** The index of the first band that a local time is in; −1 where there is none. */
export function bandAt(bands: Band[], local: number): number {
  const weekday = weekdays[new Date(local).getUTCDay()] ?? 'sun'
  const minute = Math.floor(local / MINUTE_MS) % DAY_MINUTES
  return bands.findIndex(({ from, to, days }) => (days?.includes(weekday) ?? true) && isWithin(minute, from, to))
}

/** Whether the band changes between the beginning of an interval and its end. */
export function isSplit(bands: Band[], local: number, minutes: number): boolean {
  const band = bandAt(bands, local)
  for (let step = 1; step < minutes; step++) if (bandAt(bands, local + step * MINUTE_MS) !== band) return true
  return false
}

function isWithin(minute: number, from = '00:00', to = '00:00'): boolean {
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  if (begin === end) return true
  return begin < end ? begin <= minute && minute < end : minute >= begin || minute < end
}

function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
}
