import fc from 'fast-check'
import { expect } from 'vitest'
import { sliceEnd } from '#domain/reviews/slice.ts'
import { verifies } from '../../../verifies.ts'

/** The slices of a text of at most so many bytes each. */
function slicesOf(text: string, most: number): string[] {
  const bytes = Buffer.from(text)
  const slices: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const window = bytes.subarray(at, at + most)
    const end = at + window.length === bytes.length ? window.length : sliceEnd(window)
    slices.push(window.toString('utf8', 0, end))
    at += end
  }
  return slices
}

verifies('review.uploads', 'slices of any text are complete and split no character', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(anyText, fc.integer({ min: 4, max: 40 }), (text, most) => {
      const slices = slicesOf(text, most)
      expect(slices.join('')).toBe(text)
      for (const slice of slices) expect(Buffer.byteLength(slice)).toBeLessThanOrEqual(most)
    }),
  )
})

verifies('review.uploads', 'a slice ends after its last whole line', () => {
  const end = (text: string) => sliceEnd(Buffer.from(text))
  expect(end('a,b\n1,2\n3,')).toBe(8)
  expect(end('abc')).toBe(3)
  expect(end('ä')).toBe(2)
  expect(sliceEnd(Buffer.from('ab€').subarray(0, 4))).toBe(2)
})

verifies('review.uploads', 'bytes that are no text still come to an end', () => {
  const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const end = sliceEnd(bytes)
      expect(end).toBeGreaterThan(0)
      expect(end).toBeLessThanOrEqual(bytes.length)
    }),
  )
})
