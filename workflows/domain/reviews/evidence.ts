import { utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalJson, digestOf, sha256Hex } from '../core/canonical-json.ts'
import type { SubjectKind } from './review.ts'

/** What a decision can be about. A part that a subject lacks is left out. */
export const evidenceNames = [
  'agent',
  'request',
  'terms',
  'contract',
  'criteria',
  'price',
  'payment',
  'checkouts',
  'input',
  'files',
  'parameters',
  'plan',
  'delivery',
  'result',
  'drafts',
  'findings',
  'gaps',
  'checks',
  'changes',
  'exception',
  'history',
] as const
export type EvidenceName = (typeof evidenceNames)[number]

/** The content of each part, as JSON. */
export type EvidenceContent = Partial<Record<EvidenceName, unknown>>

/** A part by the digest of all its bytes; the name of an uploaded list ends with the list, such as `input.usage`. */
export type EvidencePart = { name: string; sha256: string; bytes: number }

/** The version of a subject that a decision is about: the digest of each part, and one digest over all of them. */
export type EvidenceManifest = {
  subject_kind: SubjectKind
  subject_id: string
  waiting_since: string
  parts: EvidencePart[]
  root_sha256: string
}

export type EvidenceSubject = Pick<
  EvidenceManifest,
  'subject_kind' | 'subject_id' | 'waiting_since'
>

/**
 * The manifest of a subject with this content. Parts have the order of `evidenceNames`, with uploaded lists after them; null and
 * undefined are no parts.
 */
export function evidenceManifest(
  { subject_kind, subject_id, waiting_since }: EvidenceSubject,
  content: EvidenceContent,
  uploads: readonly EvidencePart[] = [],
): EvidenceManifest {
  const documents = evidenceNames.flatMap((name) => {
    const value = content[name]
    if (value === undefined || value === null) return []
    const text = canonicalJson(value)
    return [{ name, sha256: sha256Hex(text), bytes: utf8ToBytes(text).length }]
  })
  const lists = uploads.map(({ name, sha256, bytes }) => ({ name, sha256, bytes }))
  const parts = [...documents, ...lists]
  const manifest = { subject_kind, subject_id, waiting_since, parts }
  return { ...manifest, root_sha256: digestOf(manifest) }
}

/** Whether these digests name this version: its root, and otherwise only parts of it. */
export function hasSeen(
  { root_sha256, parts }: EvidenceManifest,
  seen: readonly string[],
): boolean {
  const known = new Set([root_sha256, ...parts.map(({ sha256 }) => sha256)])
  return seen.includes(root_sha256) && seen.every((digest) => known.has(digest))
}

export const verdicts = ['met', 'not_met', 'not_judged'] as const
/** A reviewer's opinion on one acceptance criterion. */
export type Judgement = { criterion: string; verdict: (typeof verdicts)[number]; note: string }

/** One judgement for each criterion, in their order; a criterion that was not judged says so. */
export function judgeAll(criteria: readonly string[], judged: readonly Judgement[]): Judgement[] {
  return criteria.map(
    (criterion) =>
      judged.find((one) => one.criterion === criterion) ?? {
        criterion,
        verdict: 'not_judged',
        note: '',
      },
  )
}

/** Why judgements do not fit the criteria: one names no criterion, or two name the same. */
export function judgementFault(
  criteria: readonly string[],
  judged: readonly Judgement[],
): string | undefined {
  const names = judged.map(({ criterion }) => criterion)
  const unknown = names.find((name) => !criteria.includes(name))
  if (unknown !== undefined) return `“${unknown}” is no acceptance criterion of this subject`
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined ? undefined : `“${repeated}” is judged twice`
}
