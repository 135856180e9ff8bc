const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Local time of an instant as if it were UTC: `Date`'s UTC functions read the clock on the wall from it. */
export type Zone = {
  toLocal(instant: number): number
  /** The instants of a local time: one, two where the clock goes back, none where it goes forward over it. */
  toInstants(local: number): number[]
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * A time zone of the IANA database by its name, as `Intl` knows it. That is deterministic for one version of the database, which
 * Node carries in itself; versions differ for days to come, hardly ever for days gone by. A day on which the offset is the same at
 * both ends is taken to have no change in between, as is true of every zone in use.
 */
export function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const ask = (instant: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - instant
  }
  const ends = new Map<number, number>()
  const offsetAtStart = (day: number): number => {
    const known = ends.get(day) ?? ask(day * DAY_MS)
    ends.set(day, known)
    return known
  }
  const offsetAt = (instant: number): number => {
    const day = Math.floor(instant / DAY_MS)
    const offset = offsetAtStart(day)
    return offset === offsetAtStart(day + 1)
      ? offset
      : ask(Math.floor(instant / MINUTE_MS) * MINUTE_MS)
  }
  return {
    toLocal: (instant) => instant + offsetAt(instant),
    toInstants(local) {
      const offsets = new Set([offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)])
      const instants = [...offsets].map((offset) => local - offset)
      return instants
        .filter((instant) => instant + offsetAt(instant) === local)
        .sort((a, b) => a - b)
    },
  }
}
