import { isObject } from '../core/plain-object.ts'
import { jsonOf, readsOneWay } from '../core/strict-json.ts'
import type { KeySet } from '../receipts/key-set.ts'
import { openArtifact, type TokenKind, tokenForms } from './artifact.ts'
import { type AuthorityKind, authorityForms } from './authority.ts'
import { openPackageParts, type PackageParts } from './return-package.ts'
import { headerOf, type Opened } from './signed.ts'
import { type BodyKind, bodyForms, bodyKind } from './signed-body.ts'
import { type ArtifactKind, unread, type Verdict } from './verdict.ts'

/** A file to verify: its text, or a zip that was taken apart; with what its reader trusts and expects. */
export type FileToVerify = {
  readonly content: string | PackageParts
  readonly keys: KeySet | undefined
  /** Unix seconds. */
  readonly at: number
  readonly kind?: ArtifactKind | undefined
}

/** Where in an answer of the service the artifact is, if it is not the file itself; the rest of the answer is not signed. */
type Found = { readonly kind: ArtifactKind; readonly artifact: unknown }

/** Everything about a file but the check of its signature itself; never throws for what it is given. */
export function openFile({ content, keys, at, kind }: FileToVerify): Opened<Verdict> {
  const found: ReturnType<typeof findArtifact> =
    typeof content === 'string'
      ? findArtifact(content)
      : { kind: 'return_package', artifact: content }
  if (found === undefined) return { done: unread(null, 'unknown_kind', 'indeterminate') }
  if (found === 'malformed') return { done: unread(null, 'malformed') }
  if (kind !== undefined && kind !== found.kind) return { done: unread(found.kind, 'wrong_type') }
  if (keys === undefined) return { done: unread(found.kind, 'keys_missing', 'indeterminate') }
  if (typeof content !== 'string') return openPackageParts(content, keys)
  return openArtifact({ ...found, keys, at })
}

/** The members under which answers of the service carry what is signed. */
const carriers = [
  'return_package',
  'signed_mandate',
  'signed_action_grant',
  'delegated_action',
  'signed_action',
  'passport',
  'handoff_pack',
  'jws',
  'receipt',
  'acknowledgement',
]
const NESTED_MAX = 3
/** The members that carry the proof of a log. */
const logMembers = ['checkpoint', 'tlog_proof', 'leaf_index']
/** The compact JWS of the receipt in a file, if that is what the file has. */
export function receiptIn(content: FileToVerify['content']): string | undefined {
  const found = typeof content === 'string' ? findArtifact(content) : undefined
  if (found === undefined || found === 'malformed') return undefined
  if (found.kind === 'attestation') return String(Object(found.artifact).jws)
  return found.kind === 'receipt' ? String(found.artifact) : undefined
}

/** The artifact in a text: a compact JWS, JSON, or an answer of the service that carries one; JSON that names a member twice is malformed. */
function findArtifact(text: string): Found | 'malformed' | undefined {
  const value = jsonOf(text)
  if (value === undefined) return tokenIn(text)
  return readsOneWay(text, value) ? artifactIn(value, 0) : 'malformed'
}

function artifactIn(value: unknown, depth: number): Found | undefined {
  if (typeof value === 'string') return tokenIn(value)
  if (!isObject(value) || depth > NESTED_MAX) return undefined
  const kind = objectKind(value)
  if (kind !== undefined) return { kind, artifact: value }
  for (const member of carriers) {
    const found = Object.hasOwn(value, member) ? artifactIn(value[member], depth + 1) : undefined
    if (found !== undefined) return found
  }
  const { attestation } = value
  return isObject(attestation) ? { kind: 'attestation', artifact: attestation } : undefined
}

function objectKind(value: Record<string, unknown>): ArtifactKind | undefined {
  if (typeof value['completion_signature'] === 'string') return 'return_package'
  // A receipt with the proof of a log is not judged by the receipt alone.
  if (logMembers.some((name) => Object.hasOwn(value, name))) return 'receipt_bundle'
  const kinds = Object.keys(authorityForms) as AuthorityKind[]
  return kinds.find((kind) => authorityForms[kind].schema === value['schema']) ?? bodyKind(value)
}

/** What a compact JWS may be. A receipt comes first: one alone is no attestation, whatever it attests. */
const forms: Readonly<Record<TokenKind | BodyKind, { readonly typ: string }>> = {
  ...tokenForms,
  ...bodyForms,
}

function tokenIn(text: string): Found | undefined {
  const jws = text.trim()
  const typ = headerOf(jws)?.['typ']
  const kinds = Object.keys(forms) as (keyof typeof forms)[]
  const kind = kinds.find((one) => forms[one].typ === typ)
  return kind === undefined ? undefined : { kind, artifact: jws }
}
