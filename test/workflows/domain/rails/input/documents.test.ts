import fc from 'fast-check'
import { expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { contractops } from '#domain/rails/contractops/index.ts'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { documentsOf, type Extraction, readingFindings } from '#domain/rails/input/documents.ts'
import { readInput, workOn } from '#domain/rails/input/read-input.ts'
import { verifies } from '../../../../verifies.ts'

const sha256 = 'ab'.repeat(32)
const extracted = (text: string, starts: number[]): Extraction => ({
  type: 'service.extraction.v1',
  upload_sha256: sha256,
  media_type: 'application/pdf',
  bytes: 10,
  extractor: 'pdf.js',
  version: '1',
  sheet_asked: null,
  sheet: null,
  text,
  text_sha256: sha256Hex(text),
  unit: 'page',
  starts,
})
/** Every object in a value that has a place. */
function placedIn(value: unknown): { from: number; place: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'place' in value ? [value as { from: number; place: string }] : []
  return [...own, ...Object.values(value).flatMap(placedIn)]
}

verifies(
  'files.used',
  'a contract from a file is read as its text, with pages of citations',
  () => {
    const { text } = contractops.sandboxInput as { text: string }
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 20 }),
        (cuts) => {
          const starts = [0, ...cuts.toSorted((a, b) => a - b)]
          const fromFile = workOn(contractops, { upload: { sha256 } }, [extracted(text, starts)])
          const inline = workOn(contractops, { text })
          const places = placedIn(fromFile.result)
          expect(places.length).toBeGreaterThan(0)
          for (const { from, place } of places)
            expect(place).toBe(`page ${starts.filter((start) => start <= from).length}`)
          const withoutPlaces = JSON.parse(
            JSON.stringify(fromFile.result, (name, value) =>
              name === 'place' ? undefined : value,
            ),
          )
          expect(withoutPlaces).toEqual(inline.result)
          expect(contractops.result.safeParse(fromFile.result).success).toBe(true)
          const more = fromFile.findings.filter(({ code }) => code === 'file_read')
          expect(fromFile.findings.length - more.length).toBe(inline.findings.length)
          expect(more.map(({ citations }) => citations)).toEqual([
            [{ pointer: '/upload/sha256', quote: sha256 }],
          ])
        },
      ),
      { numRuns: 50 },
    )
  },
)

verifies('files.used', 'a rail takes a text or a file, and works only on what was read', () => {
  expect(() => workOn(contractops, { upload: { sha256 } })).toThrow(RangeError)
  for (const input of [{}, { text: 'x', upload: { sha256 } }, { upload: { sha256: 'ab' } }])
    expect(readInput(contractops, input)).toHaveProperty('faults')
  const evidence = [
    { id: 'a', title: 'A', text: 'x' },
    { id: 'b', title: 'B', upload: { sha256 } },
  ]
  expect(documentsOf(diligenceops, { evidence })).toEqual([{ pointer: '/evidence/1', sha256 }])
  for (const none of [null, 7, {}, { evidence: 7 }, { evidence: [null, { upload: 7 }] }])
    expect(documentsOf(diligenceops, none)).toEqual([])
})

verifies('files.used', 'a finding counts the pages of a file that was read', () => {
  const detailsOf = (starts: number[]) => {
    const all = [extracted('Page one. Page two.', starts)]
    return readingFindings(contractops, { upload: { sha256 } }, all).map(({ detail }) => detail)
  }
  const file = `pdf.js 1 read the file ${sha256} (application/pdf, 10 bytes)`
  expect(detailsOf([0])).toEqual([expect.stringContaining(`${file}, 1 page; the SHA-256`)])
  expect(detailsOf([0, 9])).toEqual([expect.stringContaining(`${file}, 2 pages; the SHA-256`)])
})
