import { z } from 'zod'
import { isObject } from '../core/plain-object.ts'
import { bytesIn, jsonOf, readsOneWay } from '../core/strict-json.ts'
import { checkBundle } from '../log/bundle.ts'
import { NOTE_ED25519, parseCheckpointText, parseNote } from '../log/checkpoint.ts'
import type { KeySet } from '../receipts/key-set.ts'
import { RECEIPT_TYP } from '../receipts/receipt.ts'
import { STATEMENT_TYP } from '../receipts/statement.ts'
import { HANDOFF_TYP } from '../trust/handoff-pack.ts'
import { PASSPORT_TYP } from '../trust/passport.ts'
import { type AuthorityKind, openAuthority, periodOf } from './authority.ts'
import type { Reason } from './reasons.ts'
import { openPackageView } from './return-package.ts'
import { after, findKeys, isTime, type Opened, openSigned, settle } from './signed.ts'
import { type BodyKind, bodyForms, openBody } from './signed-body.ts'
import { type ArtifactKind, judge, unread, type Verdict, withFailed, withHeld } from './verdict.ts'

/** The artifacts that are a compact JWS by a receipt key, each under a `typ` of its own. */
export type TokenKind = 'receipt' | 'passport' | 'handoff_pack' | 'statement'

type Form = {
  readonly typ: string
  readonly texts: readonly string[]
  /** What `kind` says, where it is always the same. */
  readonly kind?: string
}

export const tokenForms: Readonly<Record<TokenKind, Form>> = {
  receipt: { typ: RECEIPT_TYP, texts: ['iss', 'sub', 'kind'] },
  passport: { typ: PASSPORT_TYP, texts: ['iss', 'sub', 'jti'], kind: 'receipt_passport' },
  handoff_pack: { typ: HANDOFF_TYP, texts: ['iss', 'sub', 'aud', 'jti'], kind: 'handoff_pack' },
  statement: { typ: STATEMENT_TYP, texts: ['iss', 'sub', 'day'] },
}

/** An artifact as a text or as the value of its JSON; `at` is the time at which it is judged, in Unix seconds. */
type Given = {
  readonly kind: ArtifactKind
  readonly artifact: unknown
  readonly keys: KeySet
  readonly at?: number | undefined
}

/** Verifies an artifact of this kind offline; never throws for what it is given. */
export const verifyArtifact = (given: Given): Verdict => settle(openArtifact(given))

/** Everything about an artifact of this kind but the check of its signature itself. */
export function openArtifact({ kind, artifact, keys, at }: Given): Opened<Verdict> {
  const value = typeof artifact === 'string' ? jsonOf(artifact) : artifact
  if (typeof artifact === 'string' && value !== undefined && !readsOneWay(artifact, value))
    return { done: unread(kind, 'malformed') }
  if (kind === 'return_package') return openPackageView(value, keys)
  if (kind === 'receipt_bundle') return openBundle(value, { keys, at })
  const text = typeof artifact === 'string' ? artifact.trim() : ''
  if (isBodyKind(kind)) return openBody(kind, isObject(value) ? value : text, keys)
  if (isTokenKind(kind)) return openToken(kind, text, { keys, at })
  const opened = openAuthority(kind, value, keys)
  return after(opened, (signed) =>
    judge(kind, signed, { period: periodOf(kind, signed.payload), at }),
  )
}

const isBodyKind = (kind: ArtifactKind): kind is BodyKind => Object.hasOwn(bodyForms, kind)
const isTokenKind = (kind: AuthorityKind | TokenKind): kind is TokenKind =>
  Object.hasOwn(tokenForms, kind)

function openBundle(value: unknown, { keys, at }: Pick<Given, 'keys' | 'at'>): Opened<Verdict> {
  const { data } = Bundle.safeParse(value)
  if (data === undefined) return { done: unread('receipt_bundle', 'malformed') }
  return after(openToken('receipt', data.receipt, { keys, at }), (receipt) =>
    judgeBundle(data, receipt, keys),
  )
}

function openToken(
  kind: TokenKind,
  jws: string,
  { keys, at }: Pick<Given, 'keys' | 'at'>,
): Opened<Verdict> {
  const { typ, texts, kind: fixed } = tokenForms[kind]
  const isPack = kind === 'handoff_pack'
  const holds = (claims: Record<string, unknown>) =>
    texts.every((name) => typeof claims[name] === 'string') &&
    (fixed === undefined || claims['kind'] === fixed) &&
    (!isPack || isTime(claims['exp']))
  return after(openSigned(jws, { typ, ring: 'receipt', holds }, keys), (signed) => {
    const until = isPack ? signed.payload?.['exp'] : undefined
    const period = isTime(until) ? { from: null, until } : undefined
    return judge(kind, signed, { period, at })
  })
}

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** A receipt with the proof of its place in the log, as `/api/receipts/{id}/bundle` answers it; its own keys are not trusted. */
const Bundle = z.looseObject({
  receipt: z.string(),
  entry: Hash,
  leaf_index: z.int().min(0),
  tree_size: z.int().min(0),
  root: Hash,
  path: z.array(Hash).max(63),
  checkpoint: z.string(),
})
type Bundle = z.output<typeof Bundle>

/** The verdict on a bundle, from the one on its receipt. */
function judgeBundle(bundle: Bundle, receipt: Verdict, keys: KeySet): Verdict {
  const verdict: Verdict = { ...receipt, kind: 'receipt_bundle' }
  if (verdict.verdict === 'invalid') return verdict
  const fault = logFault(bundle, keys)
  if (fault === undefined) {
    const detail = `leaf ${bundle.leaf_index} of ${bundle.tree_size}`
    return withHeld(verdict, 'log', detail)
  }
  const as = fault === 'log_key_revoked' ? 'indeterminate' : 'invalid'
  return { ...withFailed(verdict, as, fault), reasons: [fault] }
}

/** Why the log proves nothing; a wrong signature by one key of the set leaves the others to be tried. */
function logFault(bundle: Bundle, keys: KeySet): Reason | undefined {
  const note = parseNote(bundle.checkpoint)
  const name = note && parseCheckpointText(note.text)?.origin
  if (name === undefined) return 'malformed'
  let fault: Reason = 'log_key_unknown'
  for (const { x, activated_at, revoked_at } of findKeys(keys, 'log')) {
    if (activated_at === null) continue
    const key = { name, type: NOTE_ED25519, key: bytesIn(x) ?? new Uint8Array() } as const
    const found = checkBundle(bundle, key)
    if (found === undefined) return revoked_at === null ? undefined : 'log_key_revoked'
    if (found === 'bad_signature') fault = 'checkpoint_invalid'
    else if (found !== 'unknown_key') return faultOf[found]
  }
  return fault
}

const faultOf = {
  malformed: 'malformed',
  other_origin: 'malformed',
  other_entry: 'bundle_mismatch',
  other_checkpoint: 'bundle_mismatch',
  not_included: 'not_included',
} as const satisfies Record<string, Reason>
