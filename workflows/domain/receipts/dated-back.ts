import type { KeyTimes } from './key-standing.ts'

/** `typ` of the signature of a replay package; the receipt ring signs it. */
export const REPLAY_TYP = 'replay-package+jwt'

/**
 * Whether a receipt is a sample: it says so in three places, has a fixed time in the past, and proves nothing of anything that
 * happened.
 */
export const isSample = ({ kind, usage, sub }: Record<string, unknown>): boolean =>
  kind === 'sample' && usage === 'synthetic' && String(sub).startsWith('sample:')

/** Whether an artifact has the time of something older than itself: a sample, or a replay package, which has that of its last entry. */
export const isDatedBack = (typ: string, claims: Record<string, unknown>): boolean =>
  typ === REPLAY_TYP || isSample(claims)

/** The times of a key by which its signature is judged: what is dated back may be older than a key that was active since. */
export function timesFor(times: KeyTimes, typ: string, claims: Record<string, unknown>): KeyTimes {
  if (!isDatedBack(typ, claims) || times.activatedAt === null) return times
  const { retiredAt, revokedAt } = times
  return { retiredAt, revokedAt }
}
