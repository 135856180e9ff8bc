import { z } from 'zod'
import { Digest } from './fields.ts'
import type { Rail } from './rail.ts'

/** Stands in a run's input where a list is that was uploaded: the SHA-256 of its bytes. */
const Uploaded = z.strictObject({ sha256: Digest })

/** The uploads that an input names, by the list that each of them is; none for a rail without row lists. */
export function uploadsOf({ rows }: Pick<Rail, 'rows'>, input: unknown): Record<string, string> {
  if (typeof input !== 'object' || input === null) return {}
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, list]) => {
      const uploaded = Object.hasOwn(rows?.lists ?? {}, name)
        ? Uploaded.safeParse(list).data
        : undefined
      return uploaded === undefined ? [] : [[name, uploaded.sha256]]
    }),
  )
}
