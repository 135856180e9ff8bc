import {
  authorityContexts,
  authorityLimits,
  type ArtifactKind as ContextKind,
  signedText,
} from '../authority/artifacts.ts'
import { isObject } from '../core/plain-object.ts'
import { bytesIn, hasSafeNumbers } from '../core/strict-json.ts'
import type { KeySet, PublishedKey } from '../receipts/key-set.ts'
import { isActivatedBy } from '../receipts/key-standing.ts'
import { type Reason, reasons } from './reasons.ts'
import { findKey, type Opened, type Signed, standingOf, timesOf } from './signed.ts'
import type { Period } from './verdict.ts'

/** The artifacts of delegated authority: JSON objects with a signature among their members. */
export type AuthorityKind = 'mandate' | 'action_grant' | 'delegated_action'

type Form = {
  readonly context: ContextKind
  readonly schema: string
  /** The members that are texts, and those that are times. */
  readonly texts: readonly string[]
  readonly times: readonly string[]
}

export const authorityForms: Readonly<Record<AuthorityKind, Form>> = {
  mandate: {
    context: 'mandate',
    schema: 'authority-mandate.v1',
    texts: ['mandate_id', 'issuer', 'principal_id', 'agent_id'],
    times: ['valid_from', 'expires_at'],
  },
  action_grant: {
    context: 'grant',
    schema: 'action-grant.v1',
    texts: ['grant_id', 'issuer', 'mandate_id', 'agent_id', 'operation_id', 'input_sha256'],
    times: ['expires_at'],
  },
  delegated_action: {
    context: 'action',
    schema: 'delegated-action.v1',
    texts: ['action_id', 'issuer', 'grant_id', 'agent_id', 'operation_id', 'result_sha256'],
    times: ['executed_at'],
  },
}

/** Everything about a mandate, a grant or an action but the check of its signature itself. */
export function openAuthority(kind: AuthorityKind, value: unknown, keys: KeySet): Opened<Signed> {
  const form = authorityForms[kind]
  const text = isObject(value) ? textToSign(form, value) : undefined
  if (!isObject(value) || text === undefined) return refused('malformed')
  const { schema, context, key_id, signature } = value
  if (schema !== form.schema || context !== authorityContexts[form.context])
    return refused('wrong_type')
  const key = findKey(keys, 'authority', key_id)
  if (typeof key === 'string') return refused(key)
  const bytes = typeof signature === 'string' ? bytesIn(signature) : undefined
  if (bytes === undefined) return refused('signature_invalid')
  return {
    check: { publicKey: key.x, text, signature: bytes },
    conclude: (valid) => (valid ? signedBy(key, kind, value) : failed('signature_invalid', key)),
  }
}

function signedBy(key: PublishedKey, kind: AuthorityKind, claims: Record<string, unknown>): Signed {
  const { texts, times } = authorityForms[kind]
  const holds =
    texts.every((name) => typeof claims[name] === 'string') &&
    times.every((name) => secondsOf(claims[name]) !== undefined)
  if (!holds) return { ...failed('claims_invalid', key), payload: claims }
  // A mandate or grant of a revoked key permits nothing, whatever its date.
  if (key.revoked_at !== null && kind !== 'delegated_action')
    return { ...failed('key_revoked', key), payload: claims }
  const life = timesOf(key)
  if (!isActivatedBy(life, latestIssue(kind, claims)))
    return { ...failed('key_not_active', key), payload: claims }
  const issuedAt = earliestIssue(kind, claims)
  if (issuedAt === undefined) return { ok: true, payload: claims, key, standing: 'active' }
  const { retiredAt, revokedAt } = life
  const standing = standingOf(key, issuedAt, { retiredAt, revokedAt })
  if (standing.reason !== undefined) return { ...failed(standing.reason, key), payload: claims }
  return { ok: true, payload: claims, key, standing: standing.standing }
}

/** The first time at which it may have been signed; a mandate does not show its own. */
function earliestIssue(kind: AuthorityKind, claims: Record<string, unknown>): number | undefined {
  if (kind === 'mandate') return undefined
  if (kind === 'delegated_action') return secondsOf(claims['executed_at'])
  const until = secondsOf(claims['expires_at'])
  return until === undefined ? undefined : until - authorityLimits.grantSecondsMax
}

/** The last time at which it may have been signed: what permits something was not signed after its end. */
const latestIssue = (kind: AuthorityKind, claims: Record<string, unknown>): number =>
  secondsOf(claims[kind === 'delegated_action' ? 'executed_at' : 'expires_at']) ?? 0

/** From when until when it permits something; an action is a fact and has no period. */
export function periodOf(
  kind: AuthorityKind,
  claims: Record<string, unknown> | undefined,
): Period | undefined {
  const until = secondsOf(claims?.['expires_at'])
  if (until === undefined || kind === 'delegated_action') return undefined
  return { from: secondsOf(claims?.['valid_from']) ?? null, until }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** The Unix seconds of an RFC 3339 time in UTC, of a day that the calendar has. */
function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined
  const date = new Date(value)
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 19))
  return exists ? date.getTime() / 1000 : undefined
}

/** What is signed; undefined for a value that has no canonical JSON that is the same everywhere. */
function textToSign({ context }: Form, value: Record<string, unknown>): string | undefined {
  const { signature: _, ...unsigned } = value
  try {
    return hasSafeNumbers(unsigned) ? signedText(context, value) : undefined
  } catch {
    return undefined
  }
}

const failed = (reason: Reason, key: PublishedKey) =>
  ({ ok: false, reason, fault: reasons[reason], key }) as const
const refused = (reason: Reason): Opened<Signed> => ({
  done: { ok: false, reason, fault: reasons[reason] },
})
