/** A time in Unix seconds with a fraction; null stays null. */
export const unixSeconds = (time: Date | null): number | null =>
  time === null ? null : time.getTime() / 1000

/** A time as RFC 3339 text in UTC; null stays null. */
export const isoTime = (time: Date | null): string | null => time?.toISOString() ?? null
