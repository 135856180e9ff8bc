import type { PublishedKey } from '../receipts/key-set.ts'
import { type KeyStanding, standingNow } from '../receipts/key-standing.ts'
import type { Check } from '../tasks/terms.ts'
import { type Reason, reasons } from './reasons.ts'
import { type Signed, timesOf } from './signed.ts'

/** What is verified, each signed by the service in its own form. */
export const artifactKinds = [
  'receipt',
  'passport',
  'handoff_pack',
  'statement',
  'mandate',
  'action_grant',
  'delegated_action',
  'return_package',
  'receipt_bundle',
  'attestation',
  'replay_package',
  'audit_pack',
] as const
export type ArtifactKind = (typeof artifactKinds)[number]

/** How the signing key stands today, and since when. */
type KeyFacts = {
  kid: string
  standing: KeyStanding
  retired_at: string | null
  revoked_at: string | null
}

/** What a verification comes to. `indeterminate`: it cannot be decided from what was given. */
export type Verdict = {
  kind: ArtifactKind | null
  verdict: 'valid' | 'invalid' | 'indeterminate'
  reasons: Reason[]
  checks: Check[]
  key: KeyFacts | null
  /** What was signed, once its signature has been verified. */
  claims: Record<string, unknown> | null
}

/** From when until when an artifact holds, in Unix seconds; `from` is null where it does not say. */
export type Period = { from: number | null; until: number }

/** A verdict of something whose signature could not even be checked. */
export const unread = (
  kind: ArtifactKind | null,
  reason: Reason,
  verdict: 'invalid' | 'indeterminate' = 'invalid',
): Verdict => ({
  kind,
  verdict,
  reasons: [reason],
  checks: [failed(reason)],
  key: null,
  claims: null,
})

/** The verdict of an artifact from its signature, and from its period where it has one and a time is given. */
export function judge(
  kind: ArtifactKind,
  signed: Signed,
  { period, at }: { period?: Period | undefined; at?: number | undefined },
): Verdict {
  const { key, payload: claims = null } = signed
  const about = { kind, key: key === undefined ? null : keyFacts(key), claims }
  const refused = (reason: Reason, fault?: string): Verdict => ({
    ...about,
    verdict: 'invalid',
    reasons: [reason],
    checks: [...checks, failed(reason, fault)],
  })
  const checks: Check[] = []
  if (claims !== null) checks.push(held('signature', `EdDSA of ${about.key?.kid}`))
  if (!signed.ok) return refused(signed.reason, signed.fault)
  if (period !== undefined && at !== undefined) {
    const begin = period.from === null ? '' : `from ${isoTime(period.from)} `
    const times = `${begin}until ${isoTime(period.until)}`
    if (period.from !== null && at < period.from) return refused('not_yet_valid', times)
    if (at >= period.until) return refused('expired', times)
    checks.push(held('period', times))
  }
  if (signed.standing === 'revoked') return undecided({ ...about, checks })
  checks.push(held('key standing', 'the key was good at its date'))
  return { ...about, verdict: 'valid', reasons: [], checks }
}

/** Dated before the revocation of its key: its thief may have chosen the date. */
const undecided = (about: Pick<Verdict, 'kind' | 'checks' | 'key' | 'claims'>): Verdict => ({
  ...about,
  verdict: 'indeterminate',
  reasons: ['key_revoked'],
  checks: [
    ...about.checks,
    failed('key_revoked', 'its key was revoked later, and its thief may have chosen the date'),
  ],
})

/** The verdict with one more check that holds. */
export const withHeld = (verdict: Verdict, check: string, detail: string): Verdict => ({
  ...verdict,
  checks: [...verdict.checks, held(check, detail)],
})

/** The verdict as it is once one more check fails. */
export const withFailed = (
  verdict: Verdict,
  as: 'invalid' | 'indeterminate',
  reason: Reason,
): Verdict => ({
  ...verdict,
  verdict: as,
  reasons: [...verdict.reasons, reason],
  checks: [...verdict.checks, failed(reason)],
})

const held = (check: string, detail: string): Check => ({ check, ok: true, detail })
const failed = (check: Reason, detail: string = reasons[check]): Check => ({
  check,
  ok: false,
  detail,
})

/** A Unix time as text; one beyond the calendar as its number. */
function isoTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString()
}

export function keyFacts(key: PublishedKey): KeyFacts {
  const { kid, retired_at, revoked_at } = key
  return { kid, standing: standingNow(timesOf(key)), retired_at, revoked_at }
}
