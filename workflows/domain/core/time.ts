/** A time in Unix seconds with a fraction; null stays null. */
export const unixSeconds = (time: Date | null): number | null =>
  time === null ? null : time.getTime() / 1000

/** A time as RFC 3339 text in UTC; null stays null. */
export const isoTime = (time: Date | null): string | null => time?.toISOString() ?? null

/** Milliseconds before the next try of what ends in `leftMs`: no later than its end, and after it at most `expired`. */
export const backoffUntilMs = (
  times: { first: number; longest: number; expired: number },
  tries: number,
  leftMs: number,
): number => Math.min(backoffMs(times, tries), Math.max(leftMs, times.expired))

/** Milliseconds before the next try: doubles with each try that came to nothing, from `first` to `longest`. */
export function backoffMs(
  { first, longest }: { first: number; longest: number },
  tries: number,
): number {
  return Math.min(longest, first * 2 ** Math.min(Math.max(0, tries - 1), 30))
}
