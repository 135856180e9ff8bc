const DAY_MS = 86_400_000

/** Days since 1970-01-01 of the UTC day on which a day or an RFC 3339 instant lies. */
export function dayOf(moment: string): number {
  return Math.floor(Date.parse(moment) / DAY_MS)
}

/** `1` → `1970-01-02`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** Milliseconds since 1970 at which a moment begins. */
export function startOf(moment: string): number {
  return Date.parse(moment)
}

/** Milliseconds since 1970 at which a moment is over: a day has its 24 hours, an instant has none. */
export function endOf(moment: string): number {
  return Date.parse(moment) + (moment.includes('T') ? 0 : DAY_MS)
}
