import { type EnergyopsHead, weekdays } from './schema.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440

type Band = EnergyopsHead['tariff']['bands'][number]

/** The bands by local time; each minute of the week is looked up once. */
export function bandsOf(bands: readonly Band[]) {
  const times = bands.map(({ from = '00:00', to = '00:00', days }) => ({
    begin: minutesOf(from),
    end: minutesOf(to),
    days,
  }))
  const known = new Map<number, number>()
  /** The index of the first band that a local time is in; −1 where there is none. */
  const at = (local: number): number => {
    const day = new Date(local).getUTCDay()
    const minute = Math.floor(local / MINUTE_MS) % DAY_MINUTES
    const place = day * 2 * DAY_MINUTES + minute
    const found =
      known.get(place) ??
      times.findIndex(
        ({ begin, end, days }) =>
          (days?.includes(weekdays[day] ?? 'sun') ?? true) && isWithin(minute, begin, end),
      )
    known.set(place, found)
    return found
  }
  /** Whether the band changes between the beginning of an interval and its end. */
  const isSplit = (local: number, minutes: number): boolean => {
    const band = at(local)
    for (let step = 1; step < minutes; step++)
      if (at(local + step * MINUTE_MS) !== band) return true
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
