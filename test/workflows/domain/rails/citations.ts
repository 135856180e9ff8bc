import { expect } from 'vitest'

type Cited = { pointer: string; quote?: string; from?: number; to?: number }

/** Every citation anywhere in a value. */
function citationsIn(value: unknown): Cited[] {
  if (typeof value !== 'object' || value === null) return []
  // A gap names where it would be filled, which need not be there.
  const isCitation = 'pointer' in value && !('filled_by' in value)
  const own = isCitation && typeof value.pointer === 'string' ? [value as Cited] : []
  return [...own, ...Object.values(value).flatMap(citationsIn)]
}

/** Checks that each pointer of the work leads into the input and that its quote stands there, at its offsets where it has any. */
export function expectCited(input: unknown, work: unknown): number {
  const citations = citationsIn(work)
  for (const { pointer, quote, from, to } of citations) {
    const there = lookUp(input, pointer)
    if (quote === undefined) continue
    if (typeof there === 'string' && from !== undefined) expect(there.slice(from, to)).toBe(quote)
    else if (typeof there === 'string') expect(there).toContain(quote)
    else expect(String(there)).toBe(quote)
  }
  return citations.length
}

/** RFC 6901, §4. */
function lookUp(document: unknown, pointer: string): unknown {
  let here: unknown = document
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    expect(
      here !== null && typeof here === 'object' && Object.hasOwn(here, key),
      `${pointer} leads nowhere`,
    ).toBe(true)
    here = (here as Record<string, unknown>)[key]
  }
  return here
}
