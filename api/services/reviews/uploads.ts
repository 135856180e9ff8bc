import { railOf } from '#domain/rails/index.ts'
import type { Extraction, rowTypes } from '#domain/rails/input/documents.ts'
import { uploadDigestsOf, uploadsOf } from '#domain/rails/input/uploads.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { EvidencePart } from '#domain/reviews/evidence.ts'
import { isRows } from '../../../activities/runs/input.ts'
import { findInput, type InputRow } from '../../../activities/store/inputs/agent-inputs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listExtractions, type TaskRow } from '../../../activities/store/tasks/tasks.ts'

/** An uploaded list as a part of the evidence, and where its bytes are. */
export type UploadedPart = EvidencePart &
  Pick<InputRow, 'blob_id'> & { media_type: (typeof rowTypes)[number] }

/** The uploaded lists that an input of a task names, as far as they are still stored; `within` names the part that names them. */
export async function uploadedParts(
  tx: Tx,
  { agent_id, rail }: TaskRow,
  { input, within }: { input: unknown; within: string },
): Promise<UploadedPart[]> {
  if (agent_id === null) return []
  const parts: UploadedPart[] = []
  for (const [list, { sha256 }] of Object.entries(uploadsOf(railOf(rail as RailKey), input))) {
    const stored = await findInput(tx, { owner: agent_id, sha256 })
    if (stored === undefined) continue
    const { byte_length: bytes, blob_id, media_type } = stored
    if (!isRows(media_type)) continue
    parts.push({ name: `${within}.${list}`, sha256, bytes, blob_id, media_type })
  }
  return parts
}

/** What was read from the files that an input of a task names, sheets included; undefined where it names none. */
export async function filesOf(
  tx: Tx,
  { task_id, rail }: TaskRow,
  input: unknown,
): Promise<Extraction[] | undefined> {
  const digests = uploadDigestsOf(railOf(rail as RailKey), input)
  const files = await listExtractions(tx, task_id, digests)
  return files.length === 0 ? undefined : files
}
