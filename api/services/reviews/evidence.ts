import { canonicalJson } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { type EvidenceName, evidenceManifest } from '#domain/reviews/evidence.ts'
import type { Decision, SubjectKind } from '#domain/reviews/review.ts'
import { sliceEnd } from '#domain/reviews/slice.ts'
import { readInputBytes } from '../../../activities/store/inputs/agent-inputs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { SubjectEvidence } from './subject.ts'
import type { UploadedPart } from './uploads.ts'

/** Parts up to this many bytes are shown whole; longer ones are read in slices of at most as many. */
const PART_MAX = 64 * 1024

type Read = ReturnType<typeof manifestOf>
/** Evidence that was read, with its manifest. */
export type ReadEvidence = { manifest: Read; found: SubjectEvidence }

export const manifestOf = (
  kind: SubjectKind,
  subjectId: string,
  { since, content, uploads }: SubjectEvidence,
) =>
  evidenceManifest(
    { subject_kind: kind, subject_id: subjectId, waiting_since: since.toISOString() },
    content,
    uploads,
  )

/** The evidence as it is shown: long parts and uploaded lists without their content. */
export function shownEvidence({ manifest, found: { content, uploads = [] } }: ReadEvidence) {
  const listOf = (name: string) => uploads.find((list) => list.name === name)
  const parts = manifest.parts.map((part) => {
    const list = listOf(part.name)
    const isWhole = list === undefined && part.bytes <= PART_MAX
    return {
      ...part,
      media_type: list?.media_type ?? ('application/json' as const),
      content: isWhole ? content[part.name as EvidenceName] : null,
    }
  })
  return { ...manifest, parts }
}

/** A slice of one part from an offset: canonical JSON (RFC 8785) by characters, or an uploaded list by bytes, in whole lines. */
export async function sliceOf(
  db: Tx,
  { manifest, found: { content, uploads = [] } }: ReadEvidence,
  { name, offset }: { name: string; offset: number },
) {
  const part = manifest.parts.find((one) => one.name === name)
  if (part === undefined) throw unknownSubject(`the subject has no ${name}`)
  const list = uploads.find((one) => one.name === name)
  if (list !== undefined) return { ...part, offset, ...(await listSlice(db, list, offset)) }
  const text = canonicalJson(content[name as EvidenceName])
  const end = offset + PART_MAX
  const next_offset = end < text.length ? end : null
  return { ...part, offset, next_offset, text: text.slice(offset, end) }
}

async function listSlice(db: Tx, { blob_id, bytes }: UploadedPart, offset: number) {
  const read = await readInputBytes(db, blob_id, { offset, most: PART_MAX })
  const isLast = offset + read.length >= bytes
  const end = isLast ? read.length : sliceEnd(read)
  return { next_offset: isLast ? null : offset + end, text: read.toString('utf8', 0, end) }
}

export const unknownSubject = (detail: string) =>
  refuse('not_found', { detail, next_action: 'Take the id from the review console.' })

/** 409 for a decision that is not among those that the subject allows now. */
export const notAllowed = (detail: string, allowed: readonly Decision[], standing: object = {}) =>
  refuse('wrong_state', {
    detail,
    next_action: `Allowed: ${allowed.join(', ') || 'nothing'}.`,
    extra: { ...standing, allowed_decisions: allowed },
  })
