import { digestOf } from '../core/canonical-json.ts'
import { receiptId } from '../core/ids.ts'
import { isObject } from '../core/plain-object.ts'
import { REPLAY_TYP } from '../receipts/dated-back.ts'
import type { KeySet } from '../receipts/key-set.ts'
import { RECEIPT_TYP } from '../receipts/receipt.ts'
import { AUDIT_PACK_TYP, packClaims } from '../reviews/audit-pack.ts'
import type { Reason } from './reasons.ts'
import { after, headerOf, type Opened, openSigned } from './signed.ts'
import { judge, unread, type Verdict, withFailed, withHeld } from './verdict.ts'

/** The answers with a body that a compact JWS next to it signs: an attestation by its claims, the others by a digest. */
export type BodyKind = 'attestation' | 'replay_package' | 'audit_pack'
type Members = Record<string, unknown>

type Form = {
  readonly typ: string
  /** What the claim `kind` says, where it is always the same. */
  readonly kind?: string
  /** Whether an answer has a body at all, and not the JWS alone. */
  readonly isHere: (value: Members) => boolean
  /** Whether the body is what these claims were signed for; may throw for a body that has no digest. */
  readonly isOf: (value: Members, claims: Members) => boolean
}

export const bodyForms: Readonly<Record<BodyKind, Form>> = {
  attestation: { typ: RECEIPT_TYP, kind: 'attestation', isHere: () => true, isOf: isAttested },
  replay_package: {
    typ: REPLAY_TYP,
    kind: 'replay_package',
    isHere: ({ replay_package }) => isObject(replay_package),
    isOf: isReplayed,
  },
  audit_pack: {
    typ: AUDIT_PACK_TYP,
    kind: 'loop_audit_pack',
    isHere: ({ pack_sha256 }) => typeof pack_sha256 === 'string',
    isOf: isAudited,
  },
}

/** The kind of an answer by its members; an attestation is the member of that name. */
export const bodyKind = (value: Members): BodyKind | undefined =>
  (['replay_package', 'audit_pack'] as const).find((kind) => bodyForms[kind].isHere(value))

/** Everything about such an answer, or about its JWS alone, but the check of the signature itself. */
export function openBody(kind: BodyKind, value: Members | string, keys: KeySet): Opened<Verdict> {
  const { typ, kind: fixed, isHere, isOf } = bodyForms[kind]
  const jws = typeof value === 'string' ? value : value['jws']
  if (typeof jws !== 'string') return { done: unread(kind, 'malformed') }
  const holds = (claims: Members) =>
    ['iss', 'sub', 'kind'].every((name) => typeof claims[name] === 'string') &&
    (fixed === undefined || claims['kind'] === fixed)
  return after(openSigned(jws, { typ, ring: 'receipt', holds }, keys), (signed) => {
    const verdict = judge(kind, signed, {})
    if (verdict.verdict === 'invalid' || verdict.claims === null) return verdict
    if (typeof value === 'string' || !isHere(value))
      return refused(verdict, 'indeterminate', 'body_missing')
    if (!holdsFor(isOf, value, verdict.claims))
      return refused(verdict, 'invalid', 'claims_mismatch')
    return withHeld(verdict, 'body', 'signed')
  })
}

function holdsFor(isOf: Form['isOf'], value: Members, claims: Members): boolean {
  try {
    return isOf(value, claims)
  } catch {
    return false
  }
}

/** The fault of the body comes before that of the key. */
const refused = (verdict: Verdict, as: 'invalid' | 'indeterminate', reason: Reason): Verdict => ({
  ...withFailed(verdict, as, reason),
  reasons: [reason, ...verdict.reasons],
})

/** The view of a receipt says nothing but what its signature stands for. */
function isAttested(view: Members, claims: Members): boolean {
  const { iss, sub, kind, usage, prev, iat } = claims
  const [jws, payload_sha256] = [String(view['jws']), digestOf(claims)]
  const signed: Members = {
    jws,
    receipt_id: receiptId(jws),
    kind,
    issuer: iss,
    key_id: headerOf(jws)?.['kid'],
    issued_at: new Date(Number(iat) * 1000).toISOString(),
    subject: sub,
    usage: usage ?? null,
    payload_sha256,
    prev_receipt_id: typeof prev === 'string' ? `rc_${prev}` : null,
  }
  const isSigned = ([name, value]: [string, unknown]) =>
    name === 'payload'
      ? digestOf(value) === payload_sha256
      : Object.hasOwn(signed, name) && signed[name] === value
  return Object.entries(view).every(isSigned)
}

function isReplayed({ replay_package: made }: Members, claims: Members): boolean {
  const { package_sha256, ...body } = made as Members
  return package_sha256 === claims['package_sha256'] && package_sha256 === digestOf(body)
}

function isAudited({ jws: _, ...pack }: Members, claims: Members): boolean {
  const { decisions, loops, ledger_heads, receipts, ...about } = pack
  const { offset, limit, total, pack_sha256, ...others } = about
  const parts = { decisions, loops, ledger_heads, receipts } as Parameters<
    typeof packClaims
  >[0]['parts']
  const asked = claims['asked'] as object
  const made = packClaims({ asked, page: { offset, limit, total }, parts }, { issuer: '', iat: 0 })
  const isWhole = made.sub === claims['sub'] && made.sub === pack_sha256
  return isWhole && Object.keys(others).length === 0
}
