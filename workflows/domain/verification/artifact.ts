import { isObject } from '../core/plain-object.ts'
import { jsonOf, readsOneWay } from '../core/strict-json.ts'
import type { KeySet } from '../receipts/key-set.ts'
import { RECEIPT_TYP } from '../receipts/receipt.ts'
import { STATEMENT_TYP } from '../receipts/statement.ts'
import { HANDOFF_TYP } from '../trust/handoff-pack.ts'
import { PASSPORT_TYP } from '../trust/passport.ts'
import { type AuthorityKind, openAuthority, periodOf } from './authority.ts'
import { Bundle, judgeBundle } from './bundle.ts'
import { openPackageView } from './return-package.ts'
import { after, type Opened, settle } from './signature.ts'
import { isTime, openSigned } from './signed.ts'
import { type BodyKind, bodyForms, openBody } from './signed-body.ts'
import { type ArtifactKind, judge, unread, type Verdict } from './verdict.ts'

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
export type Given = {
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
