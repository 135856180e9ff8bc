import { z } from 'zod'
import type { Citation, Finding } from '../rail.ts'

/** How many places a finding or a gap cites; its detail says how many there are. */
const CITATIONS_MAX = 20

export const CitationShape = z.strictObject({
  pointer: z.string(),
  quote: z.string().exactOptional(),
})

/** The place of a row, or of a field of it. */
export function cite(list: string, index: number, field?: string): Citation {
  return { pointer: field === undefined ? `/${list}/${index}` : `/${list}/${index}/${field}` }
}

export type Notes<Code extends string> = {
  /** Reports a number of occurrences of the code; zero is allowed. */
  add(code: Code, citations: Citation[], count?: number): void
  count(code: Code): number
  list(): Finding[]
}

/** One note for each code: the number of occurrences, and the first places. */
export function notes<Code extends string>(
  details: Record<Code, (count: number) => string>,
): Notes<Code> {
  const seen = new Map<Code, { count: number; citations: Citation[] }>()
  return {
    add(code, citations, count = 1) {
      if (count === 0) return
      const entry = seen.get(code) ?? { count: 0, citations: [] }
      entry.count += count
      entry.citations.push(...citations.slice(0, CITATIONS_MAX - entry.citations.length))
      seen.set(code, entry)
    },
    count: (code) => seen.get(code)?.count ?? 0,
    list: () =>
      [...seen]
        .map(([code, { count, citations }]) => ({ code, detail: details[code](count), citations }))
        .sort((a, b) => (a.code < b.code ? -1 : 1)),
  }
}
