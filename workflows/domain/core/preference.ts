/** The longest that a call waits for a change. */
export const WAIT_SECONDS_MAX = 20

/**
 * The seconds of the first `wait` preference of a Prefer header (RFC 7240), at most `WAIT_SECONDS_MAX`; undefined without one, and
 * for one that is malformed, which the RFC has ignored.
 */
export function waitPreference(header: string | readonly string[] | undefined): number | undefined {
  const text = typeof header === 'string' ? header : (header ?? []).join(',')
  for (const preference of text.split(',')) {
    const [, value] = /^\s*wait\s*=\s*"?([0-9]{1,10})"?\s*(?:;.*)?$/i.exec(preference) ?? []
    if (value !== undefined) return Math.min(Number(value), WAIT_SECONDS_MAX)
  }
  return undefined
}
