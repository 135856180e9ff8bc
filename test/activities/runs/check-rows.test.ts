import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect } from 'vitest'
import { correctionsOf } from '#domain/rails/input/corrections.ts'
import { groupFaults, type UploadOutcome } from '#domain/rails/input/input-faults.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import type { Columns } from '#domain/rails/rail.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { checkRows } from '../../../activities/runs/check-rows.ts'
import type { RowSource } from '../../../activities/runs/rows.ts'
import { verifies } from '../../verifies.ts'
import { usageMaterial } from '../../workflows/domain/rails/tokenops/usage.ts'

const { usage, ...head } = usageMaterial(0)
const check = (format: RowSource['format'], text: string | Buffer, columns: Columns = {}) =>
  checkRows(tokenops, {
    list: 'usage',
    corrections: correctionsOf({ columns }, 'usage'),
    source: { format, stream: Readable.from([Buffer.from(text)]) },
  })
type Read = Extract<UploadOutcome, { rows: number }>
const title = 'at,model,input_tokens,output_tokens'
const line = '2026-01-01T00:00:00Z,m,1,2'

const cell = fc.oneof(fc.constantFrom('2026-01-01T00:00:00Z', 'm', '', 3, -1, 1.5, null), fc.nat(9))
const names = ['at', 'model', 'input_tokens', 'output_tokens', 'agent', 'surprise'] as const
const row = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(Object.fromEntries(names.map((name) => [name, cell])), {
      requiredKeys: [],
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 7, 'text', []) },
)

verifies('input.checked', 'an upload has the faults of the same rows inline', async () => {
  const mappings: Columns[] = [{}, { usage: { at: 'surprise' } }, { usage: { agent: 'Team' } }]
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 12 }),
      fc.constantFrom(...mappings),
      async (rows, columns) => {
        const given = { ...head, usage: rows, ...(columns['usage'] && { columns }) }
        const inline = readInput(tokenops, given)
        const text = rows.map((one) => JSON.stringify(one)).join('\n')
        expect(await check('jsonl', text, columns)).toMatchObject({
          rows: rows.length,
          faults: groupFaults('faults' in inline ? inline.faults : []),
        })
      },
    ),
    { numRuns: 300 },
  )
})

verifies(
  'input.checked',
  'faults of CSV are counted by field, with places and values',
  async () => {
    const csv = [title, line, `${line},7`, '2026-01-01T00:00:00Z,m,-1,2', 'then,m,-2,2', line]
    const { reading: _reading, ...outcome } = (await check('csv', csv.join('\n'))) as Read
    expect(outcome).toEqual({
      rows: 5,
      faults: {
        total: 4,
        groups_left_out: 0,
        groups: [
          {
            kind: 'out_of_bounds',
            field: '/usage/*/input_tokens',
            message: expect.any(String),
            count: 2,
            first: [
              { pointer: '/usage/2/input_tokens', row: 2, value: '-1' },
              { pointer: '/usage/3/input_tokens', row: 3, value: '-2' },
            ],
          },
          {
            kind: 'wrong_format',
            field: '/usage/*',
            message: 'has 5 cells, and the header 4',
            count: 1,
            first: [{ pointer: '/usage/1', row: 1, value: null }],
          },
          {
            kind: 'wrong_format',
            field: '/usage/*/at',
            message: expect.any(String),
            count: 1,
            first: [{ pointer: '/usage/3/at', row: 3, value: '"then"' }],
          },
        ],
      },
    })
  },
)

verifies('input.checked', 'what makes the rest unreadable is a fault of the list', async () => {
  const cases: [RowSource['format'], string | Buffer, RegExp, number][] = [
    ['csv', `${title},color\n${line},red`, /unknown column color/, 0],
    ['csv', `${title}\n${line}\n2026-01-01T00:00:00Z,"m,1,2`, /Quote/, 1],
    ['jsonl', `{"at":1}\n"${'x'.repeat(70_000)}`, /^Line 2 .* longer than 65536/, 1],
    ['csv', Buffer.concat([Buffer.from(`${title}\n`), Buffer.of(0x81)]), /not windows-1252/, 0],
  ]
  for (const [format, text, message, rows] of cases) {
    const checked = await check(format, text)
    expect(checked).toMatchObject({ rows })
    const { groups } = 'faults' in checked ? checked.faults : { groups: [] }
    expect(groups.find(({ field }) => field === '/usage')?.message).toMatch(message)
  }
})

verifies('input.checked', 'reading stops after 10,000 faults', async () => {
  const rows = function* () {
    for (let index = 0; index < 50_000; index += 1) yield Buffer.from('{"at":1}\n')
  }
  const stream = Readable.from(rows(), { objectMode: false, highWaterMark: 64 })
  const source = { format: 'jsonl', stream } as const
  const checked = await checkRows(tokenops, { list: 'usage', corrections: {}, source })
  expect(checked).toMatchObject({ rows: 2_500 })
  const { groups } = 'faults' in checked ? checked.faults : { groups: [] }
  expect(groups.find(({ field }) => field === '/usage')).toMatchObject({
    kind: 'out_of_bounds',
    message: 'has 10000 faults or more in its first 2500 rows; the rest was not read',
  })
})
