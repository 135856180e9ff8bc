import fc from 'fast-check'
import { expect } from 'vitest'
import { railOf, rails } from '#domain/rails/index.ts'
import { columnReader, columnsSchema } from '#domain/rails/input/columns.ts'
import { readInput, workOn } from '#domain/rails/input/read-input.ts'
import { LitellmRow } from '#domain/rails/tokenops/index.ts'
import { verifies } from '../../../../verifies.ts'

type Row = Record<string, unknown>
type Input = Record<string, unknown>

const withLists = rails.filter(({ rows }) => rows !== undefined)
const listsOf = (input: Input, names: readonly string[]) =>
  names.flatMap((name) => (Array.isArray(input[name]) ? [[name, input[name] as Row[]]] : [])) as [
    string,
    Row[],
  ][]

/** The input with the columns of each list renamed, and the `columns` that undo it. */
function renamed(input: Input, names: readonly string[], nameOf: (field: string) => string) {
  const columns: Record<string, Record<string, string>> = {}
  const lists = listsOf(input, names).map(([list, rows]) => {
    const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    columns[list] = Object.fromEntries(fields.map((field) => [field, nameOf(field)]))
    const rename = ([field, cell]: [string, unknown]) => [nameOf(field), cell]
    return [list, rows.map((row) => Object.fromEntries(Object.entries(row).map(rename)))]
  })
  return { ...input, ...Object.fromEntries(lists), columns }
}
const faultsOf = (input: Input) => {
  const read = readInput(railOf('tokenops'), input)
  return 'faults' in read ? read.faults : []
}
const usage = (rows: Row[], columns: unknown): Input => ({
  price_table: [],
  usage: rows,
  columns: { usage: columns },
})
const row = { at: '2026-03-01T00:00:00Z', model: 'm', input_tokens: 1, output_tokens: 1 }

verifies('rails.columns', 'renamed columns with their mapping give the same work', () => {
  expect(withLists.map(({ key }) => key)).toEqual([
    'packetops',
    'energyops',
    'distributionops',
    'tokenops',
    'financeops',
  ])
  for (const rail of withLists) {
    const input = rail.sandboxInput as Input
    const names = Object.keys(rail.rows?.lists ?? {})
    const expected = rail.work(input)
    const suffix = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' })
    fc.assert(
      fc.property(suffix, (more) => {
        const given = renamed(input, names, (field) => `${field} ${more}`)
        expect(workOn(rail, given)).toEqual(expected)
      }),
      { numRuns: 20 },
    )
    // Columns that exchange their names are read by the mapping, too.
    const fields = listsOf(input, names)[0]?.[1].flatMap((one) => Object.keys(one)) ?? []
    const [first = '', second = ''] = new Set(fields)
    const swapped = new Map([
      [first, second],
      [second, first],
    ])
    const given = renamed(input, names.slice(0, 1), (field) => swapped.get(field) ?? field)
    expect(workOn(rail, given)).toEqual(expected)
  }
})

verifies('rails.columns', 'columns without a field are left unread and named', () => {
  const { usage: rows } = railOf('tokenops').sandboxInput as { usage: Row[] }
  const more = rows.map((one) => ({ ...one, Region: 'eu', 'Cost "center"': 7 }))
  const input = { ...(railOf('tokenops').sandboxInput as Input), usage: more }
  expect(faultsOf(input)).toHaveLength(2 * rows.length)
  const work = workOn(railOf('tokenops'), { ...input, columns: { usage: {} } })
  const plain = railOf('tokenops').work(railOf('tokenops').sandboxInput)
  expect(work.result).toEqual(plain.result)
  expect(work.gaps).toEqual(plain.gaps)
  expect(work.findings).toContainEqual({
    code: 'columns_unread',
    detail:
      'Columns of usage that are in no field and were not read (2): "Cost \\"center\\"", "Region".',
    citations: [{ pointer: '/usage' }],
  })
  // The column that has the name of a field which is read from another column is one of them.
  const other = { ...row, model_name: 'x' }
  const read = readInput(railOf('tokenops'), usage([other], { model: 'model_name' }))
  expect(read).toMatchObject({
    data: { usage: [{ ...row, model: 'x' }] },
    findings: [{ detail: expect.stringContaining('(1): "model".') }],
  })
})

verifies('rails.columns', 'each fault of a mapping is named where it stands', () => {
  expect(faultsOf(usage([row], { modell: 'model' }))).toEqual([
    {
      kind: 'unknown_field',
      field: '/columns/usage/modell',
      message: 'unknown field',
      pointer: '/columns/usage/modell',
      row: null,
      value: '"model"',
    },
  ])
  const { model, ...rest } = row
  expect(faultsOf(usage([{ ...rest, name: model }], { model: 'name', agent: 'name' }))).toEqual([])
  expect(faultsOf(usage([row, row], { model: 'Model' }))).toEqual([
    {
      kind: 'missing_column',
      field: '/columns/usage/model',
      message: 'no row of usage has this column',
      pointer: '/columns/usage/model',
      row: null,
      value: '"Model"',
    },
  ])
  expect(faultsOf(usage([], { model: 'Model' }))).toEqual([])
  expect(faultsOf(usage([row], { model: 'x'.repeat(257) }))).toMatchObject([
    { kind: 'wrong_format', pointer: '/columns/usage/model' },
  ])
  expect(faultsOf({ price_table: [], usage: [], columns: { rows: {} } })).toMatchObject([
    { kind: 'unknown_field', pointer: '/columns/rows' },
  ])
  const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`c${at}`, at]))
  expect(faultsOf(usage([{ ...row, ...wide }], {}))).toMatchObject([
    { kind: 'out_of_bounds', pointer: '/usage' },
  ])
})

verifies('rails.columns', 'a fault of a row points to the caller’s own column', () => {
  const { at: _at, ...rest } = row
  const rows = [
    { ...rest, 'time/stamp': row.at },
    { ...rest, 'time/stamp': 'yesterday' },
  ]
  expect(faultsOf(usage(rows, { at: 'time/stamp' }))).toEqual([
    {
      kind: 'wrong_format',
      field: '/usage/*/at',
      message: expect.any(String),
      pointer: '/usage/1/time~1stamp',
      row: 1,
      value: '"yesterday"',
    },
  ])
})

verifies('rails.columns', 'the schema of an input lists the fields of each list', () => {
  for (const { input, rows } of withLists) {
    const { properties = {} } = input.toJSONSchema({ io: 'input' })
    expect(properties['columns']).toMatchObject({
      description: expect.stringContaining('Names of columns'),
      properties: Object.fromEntries(
        Object.keys(rows?.lists ?? {}).map((list) => [list, { additionalProperties: false }]),
      ),
    })
  }
  const schema = columnsSchema({ litellm: LitellmRow })
  expect(schema.safeParse({ litellm: { model: 'Model' } }).success).toBe(true)
  const reader = columnReader('litellm', LitellmRow, { columns: { model: 'Model' } })
  expect(reader.take({ Model: 'm', other: 1 })).toEqual({ model: 'm', other: 1 })
  expect(reader.finding()).toEqual([])
})

verifies('reading.corrections', 'what is said of a file says nothing of an inline list', () => {
  const input = { ...usage([row], { model: 'model' }), dates: { usage: 'day_first' } }
  expect(faultsOf(input)).toMatchObject([
    { kind: 'inconsistent', pointer: '/dates/usage', message: 'usage is no uploaded file' },
  ])
  const uploaded = readInput(railOf('tokenops'), { ...input, usage: { sha256: 'a' } }, { usage: 1 })
  expect('faults' in uploaded ? uploaded.faults : []).toEqual([])
  const constants = {
    ...usage([{ ...row, model: undefined }], {}),
    constants: { usage: { model: 'm' } },
  }
  expect(faultsOf(JSON.parse(JSON.stringify(constants)))).toEqual([])
})
