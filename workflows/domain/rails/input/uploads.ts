import { z } from 'zod'
import type { Rail } from '../rail.ts'
import { documentsOf, type Extraction } from './documents.ts'
import { Digest } from './fields.ts'

/** Stands in a run's input where a list is that was uploaded: the SHA-256 of its bytes, and the sheet of an XLSX file. */
const Uploaded = z.strictObject({ sha256: Digest, sheet: z.string().min(1).max(31).optional() })
export type Uploaded = { sha256: string; sheet: string | null }

/** The uploads that an input names, by the list that each of them is; none for a rail without row lists. */
export function uploadsOf({ rows }: Pick<Rail, 'rows'>, input: unknown): Record<string, Uploaded> {
  if (typeof input !== 'object' || input === null) return {}
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, list]) => {
      const uploaded = Object.hasOwn(rows?.lists ?? {}, name)
        ? Uploaded.safeParse(list).data
        : undefined
      const { sha256, sheet = null } = uploaded ?? {}
      return sha256 === undefined ? [] : [[name, { sha256, sheet }]]
    }),
  )
}

/** The digests of all uploads that an input names, lists and documents, each once. */
export function uploadDigestsOf(rail: Pick<Rail, 'rows' | 'documents'>, input: unknown): string[] {
  const named = [...Object.values(uploadsOf(rail, input)), ...documentsOf(rail, input)]
  return [...new Set(named.map(({ sha256 }) => sha256))]
}

/** The rows that were read from an uploaded sheet. */
export const rowsOfSheet = (
  all: readonly Extraction[],
  { sha256, sheet }: Uploaded,
): Extraction | undefined =>
  all.find((one) => one.upload_sha256 === sha256 && one.sheet !== null && one.sheet_asked === sheet)
