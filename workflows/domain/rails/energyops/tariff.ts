import { DAY_MINUTES, dayText } from '../values/calendar.ts'
import type { EnergyopsHead } from './schema.ts'
import { isInSeason } from './seasons.ts'
import { weekdays } from './tariff-schema.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** A minute that was not looked up yet. */
const UNKNOWN = -2

type Tariff = Pick<EnergyopsHead['tariff'], 'seasons' | 'holidays'>
type Times = {
  from?: string | undefined
  to?: string | undefined
  days?: readonly string[] | undefined
  seasons?: readonly string[] | undefined
}

/** Which of several times of a tariff a local time is in; each minute of a kind of day is looked up once. */
export function timesOf({ seasons = [], holidays = [] }: Tariff, times: readonly Times[]) {
  const free = new Set(holidays)
  const spans = times.map(({ from = '00:00', to = '00:00', ...on }) => {
    return { begin: minutesOf(from), end: minutesOf(to), ...on }
  })
  const found = new Map<string, Int16Array>()
  const kinds = new Map<number, { kind: string; season: string; minutes: Int16Array }>()
  const kindOf = (day: number) => {
    const known = kinds.get(day)
    if (known !== undefined) return known
    const text = dayText(day)
    const weekday = weekdays[new Date(day * DAY_MS).getUTCDay()] ?? 'sun'
    const kind = free.has(text) ? 'holiday' : weekday
    const season = seasons.find((one) => isInSeason(one, text.slice(5)))?.name ?? ''
    const key = `${kind} ${season}`
    const minutes = found.get(key) ?? new Int16Array(DAY_MINUTES).fill(UNKNOWN)
    found.set(key, minutes)
    const own = { kind, season, minutes }
    kinds.set(day, own)
    return own
  }
  /** The index of the first of the times that a local time is in; −1 where there is none. */
  const at = (local: number): number => {
    const { kind, season, minutes } = kindOf(Math.floor(local / DAY_MS))
    const minute = Math.floor(local / MINUTE_MS) % DAY_MINUTES
    if (minutes[minute] === UNKNOWN)
      minutes[minute] = spans.findIndex(
        ({ begin, end, days, seasons: own }) =>
          (days?.includes(kind) ?? true) &&
          (own?.includes(season) ?? true) &&
          isWithin(minute, begin, end),
      )
    return minutes[minute] ?? -1
  }
  /** Whether another one applies between the beginning of an interval and its end. */
  const isSplit = (local: number, minutes: number): boolean => {
    const first = at(local)
    for (let step = 1; step < minutes; step++)
      if (at(local + step * MINUTE_MS) !== first) return true
    return false
  }
  return { at, isSplit }
}

function isWithin(minute: number, begin: number, end: number): boolean {
  if (begin === end) return true
  return begin < end ? begin <= minute && minute < end : minute >= begin || minute < end
}

function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
}
