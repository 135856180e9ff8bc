import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { correctionsOf } from '#domain/rails/input/corrections.ts'
import { type Extraction, sheetType } from '#domain/rails/input/documents.ts'
import { readInput, workOn } from '#domain/rails/input/read-input.ts'
import { packetops, packetopsInput } from '#domain/rails/packetops/index.ts'
import type { Columns } from '#domain/rails/rail.ts'
import { checkRows } from '../../../activities/runs/check-rows.ts'
import { extract } from '../../../activities/runs/extract/extract.ts'
import { csvOf, type RowSource } from '../../../activities/runs/rows.ts'
import { plannedChecks, validateWork } from '../../../activities/runs/validation.ts'
import { workInTier } from '../../../activities/runs/work-in-tier.ts'
import { workOnInput } from '../../../activities/runs/work-on-rows.ts'
import { numberCell, textCell, xlsxOf } from '../../support/office-files.ts'
import { verifies } from '../../verifies.ts'

const { items: _, ...head } = packetopsInput
/** A register of evidence as a company keeps it: names of its own, a column of no field, a text of several lines. */
const titles = ['Document', 'Control', 'Text', 'Issued', 'Owner', 'Size', 'Folder']
const columns: Columns = {
  items: {
    name: 'Document',
    section: 'Control',
    content: 'Text',
    issued_at: 'Issued',
    owner: 'Owner',
    population_size: 'Size',
  },
}
const cells: [string, string, string, string, string, number, string][] = [
  ['mfa.json', 'logical_access', '{"mfa_enforced": false}', '2026-06-12', 'M. Sato', 3, 'A'],
  [
    'plan.md',
    'incident_response',
    'Who answers, "and" when:\nOperations',
    '2026-05-01',
    '',
    0,
    'B',
  ],
  ['list.csv', 'change_management', 'id,owner\n1,ops', '2026-06-01', 'Ops; all', 1, 'C'],
]
const rows = cells.map((row) =>
  Object.fromEntries(titles.map((title, at) => [title, row[at]]).filter(([, cell]) => cell !== '')),
)
const quoted = (cell: unknown) => `"${String(cell).replaceAll('"', '""')}"`
const texts = {
  csv: [titles, ...cells].map((row) => row.map(quoted).join(',')).join('\n'),
  jsonl: rows.map((row) => JSON.stringify(row)).join('\n'),
}
const book = xlsxOf({
  rows: [titles, ...cells].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? numberCell(cell) : textCell(cell))),
  ),
})
const sourceOf = (format: RowSource['format'], text: string): RowSource => ({
  format,
  stream: Readable.from([Buffer.from(text)]),
})
async function sheetOf(bytes: Uint8Array): Promise<Extraction> {
  const as = { kind: 'rows', list: 'items', sheet: null } as const
  const read = await extract(sheetType, Readable.from([bytes]), as)
  if (!('extraction' in read)) throw new Error(JSON.stringify(read))
  return read.extraction
}
const inline = { ...head, columns, items: rows }

verifies(
  ['rails.columns', 'rails.rows'],
  'a register of evidence gives one work as CSV, JSONL, XLSX and inline',
  async () => {
    const expected = workOn(packetops, inline)
    expect(expected.findings.map(({ code }) => code)).toContain('columns_unread')
    const sheet = await sheetOf(book)
    const sources: [string, () => RowSource, Extraction[]][] = [
      ['csv', () => sourceOf('csv', texts.csv), []],
      ['jsonl', () => sourceOf('jsonl', texts.jsonl), []],
      ['xlsx', () => csvOf(sheet) as RowSource, [sheet]],
    ]
    for (const [name, source, extractions] of sources) {
      const value = { ...head, columns, items: { sha256: sheet.upload_sha256 } }
      const named = () => ({ sources: { items: source() }, extractions })
      const work = await workInTier(packetops, { tier: 'standard', value }, named())
      expect(work.result, name).toEqual(expected.result)
      expect(digestOf(work.gaps), name).toBe(digestOf(expected.gaps))
      const again = (see: Parameters<typeof workOnInput>[3]) =>
        workOnInput(packetops, value, named(), see)
      const checks = await validateWork(
        { rail: packetops, tier: 'standard', value, lists: ['items'], again },
        work,
      )
      expect(checks.map(({ check }) => check)).toEqual(
        plannedChecks(packetops, value).map(({ check }) => check),
      )
      expect(
        checks.filter(({ ok }) => !ok),
        name,
      ).toEqual([])
    }
  },
)

verifies(
  'rails.columns',
  'a mapped packet is validated, and its files keep their name',
  async () => {
    const upload = { sha256: 'a'.repeat(64) }
    const value = { ...inline, items: [...rows, { Document: 'x', Control: 'monitoring', upload }] }
    const read = readInput(packetops, value)
    expect(read).toMatchObject({
      data: { items: [...Array(3).fill(expect.anything()), { upload }] },
    })
    const mapped = { ...value, columns: { items: { upload: 'File' } } }
    expect(readInput(packetops, mapped)).toMatchObject({
      faults: [{ kind: 'unknown_field', pointer: '/columns/items/upload' }],
    })
    const work = workOn(packetops, inline)
    const again = (see: Parameters<typeof workOnInput>[3]) =>
      workOnInput(packetops, inline, { sources: {}, extractions: [] }, see)
    const asked = { rail: packetops, tier: 'standard', value: inline, lists: [], again } as const
    expect((await validateWork(asked, work)).filter(({ ok }) => !ok)).toEqual([])
    const { result } = workOn(packetops, inline)
    result.manifest[0]!.name = 'another'
    const failed = (await validateWork(asked, { ...work, result })).flatMap(({ check, ok }) =>
      ok ? [] : [check],
    )
    expect(failed).toEqual(expect.arrayContaining(['items_sealed', 'result_repeated']))
  },
)

verifies('input.checked', 'faults of an uploaded packet are found before it is paid', async () => {
  const faultsOf = async (row: Record<string, unknown>, named: Columns = columns) => {
    const source = sourceOf('jsonl', JSON.stringify(row))
    const outcome = await checkRows(packetops, {
      list: 'items',
      corrections: correctionsOf({ columns: named }, 'items'),
      source,
    })
    if (!('faults' in outcome)) throw new Error(JSON.stringify(outcome))
    return outcome.faults.groups.map(({ kind, field, message }) => [kind, field, message])
  }
  const [row = {}] = rows
  expect(await faultsOf(row)).toEqual([])
  const plain = { name: 'a', section: 'b', content: 'c' }
  expect(await faultsOf(plain, {})).toEqual([])
  expect(await faultsOf({ ...plain, upload: { sha256: 'a'.repeat(64) } }, {})).toMatchObject([
    ['unknown_field', '/items/*/upload', expect.any(String)],
  ])
  expect(await faultsOf({ name: 'a', section: 'b' }, {})).toMatchObject([
    ['inconsistent', '/items/*', expect.stringContaining('or else sha256')],
  ])
  expect(await faultsOf({ ...plain, content: 'c'.repeat(7_000) }, {})).toEqual([])
  expect(await faultsOf({ ...plain, content: 'c'.repeat(7_001) }, {})).toMatchObject([
    ['inconsistent', '/items/*', expect.stringContaining('at most 7000 characters')],
  ])
  expect(await faultsOf({ ...row, Issued: 'May' })).toMatchObject([
    ['wrong_format', '/items/*/issued_at', expect.any(String)],
  ])
})

verifies('tiers.limits', 'an uploaded packet has no more items than its tier takes', async () => {
  const many = Array.from({ length: 51 }, (_, at) => ({ ...rows[0], Document: `d${at}` }))
  const source = sourceOf('jsonl', many.map((row) => JSON.stringify(row)).join('\n'))
  const value = { ...head, columns, items: { sha256: 'a'.repeat(64) } }
  const named = { sources: { items: source }, extractions: [] }
  await expect(workInTier(packetops, { tier: 'entry', value }, named)).rejects.toMatchObject({
    refusal: { code: 'input_rejected', detail: expect.stringContaining('at most 50 rows') },
  })
})
