const DAY_MS = 86_400_000
export const DAY_MINUTES = 1_440

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

/** The day (`2026-05-31`) so many days after another; negative counts go back. */
export function addDays(day: string, days: number): string {
  return dayText(dayOf(day) + days)
}

/** The day so many months after another, at the latest the last of that month: 31 January and one month is 28 February. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth)))
    .toISOString()
    .slice(0, 10)
}

/** `2026-05-31` of year, month and day; undefined where there is no such day or it is not of these centuries. */
export function dayFrom(year: number, month: number, date: number): string | undefined {
  const day = new Date(Date.UTC(year, month - 1, date))
  const exists =
    year >= 1800 && year <= 2200 && day.getUTCMonth() === month - 1 && day.getUTCDate() === date
  return exists ? day.toISOString().slice(0, 10) : undefined
}
