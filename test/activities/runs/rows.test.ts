import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { columnReader } from '#domain/rails/input/columns.ts'
import { oneLine } from '#domain/rails/input/names.ts'
import { workOn } from '#domain/rails/input/read-input.ts'
import { LitellmRow, tokenops, type UsageRow } from '#domain/rails/tokenops/index.ts'
import { eachRow, type RowSource } from '../../../activities/runs/rows.ts'
import { workOnRows } from '../../../activities/runs/work-on-rows.ts'
import { verifies } from '../../verifies.ts'
import { usageMaterial, usageRows } from '../../workflows/domain/rails/tokenops/usage.ts'

type Format = RowSource['format']
const columns = ['agent', 'at', 'model', 'input_tokens', 'output_tokens', 'task'] as const
const quoted = (cell: string | number = '') =>
  /[",\n]/.test(`${cell}`) ? `"${`${cell}`.replaceAll('"', '""')}"` : cell
const csvOf = (rows: UsageRow[]) =>
  [
    columns.join(','),
    ...rows.map((row) => columns.map((name) => quoted(row[name])).join(',')),
  ].join('\n')
const fileOf = (format: Format, rows: UsageRow[]) =>
  Buffer.from(format === 'csv' ? csvOf(rows) : rows.map((row) => JSON.stringify(row)).join('\n'))
const cut = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
const source = (format: Format, text: string | Buffer, size = 65_536): RowSource => {
  return { format, stream: Readable.from(cut(Buffer.from(text), size)) }
}
const head = { price_table: usageMaterial(0).price_table, budget_minor: 40_000 }
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof DomainError)) throw error
  expect(error.refusal.code).toBe('input_rejected')
  return error.refusal.detail
}

verifies(
  ['rails.rows', 'rails.fold'],
  'a stream of CSV or JSON Lines gives the same work as inline rows',
  async () => {
    const { usage, ...rest } = usageMaterial(5_000)
    const inline = tokenops.work({ ...rest, usage })
    for (const format of ['csv', 'jsonl'] as const) {
      expect(
        await workOnRows(tokenops, rest, { usage: source(format, fileOf(format, usage)) }),
      ).toEqual(inline)
    }
    expect(await workOnRows(tokenops, { ...rest, usage }, {})).toEqual(inline)
  },
)

verifies('rails.rows', 'semicolons, tabs and bars part cells as commas do', async () => {
  const { usage, ...rest } = usageMaterial(50)
  const inline = tokenops.work({ ...rest, usage })
  const partedBy = (sign: string, cell: (text: string) => string) =>
    [
      columns.map((name) => ` ${name}`).join(sign),
      ...usage.map((row) => columns.map((name) => cell(`${row[name] ?? ''}`)).join(sign)),
    ].join('\r\n')
  const plain = (text: string) => text
  const whole = (text: string) => (/^[0-9]+$/.test(text) ? `+${text}.0` : `"${text}"`)
  for (const sign of [',', ';', '\t', '|'])
    for (const cell of [plain, whole])
      for (const size of [7, 65_536]) {
        const list = source('csv', partedBy(sign, cell), size)
        expect(await workOnRows(tokenops, rest, { usage: list }), sign).toEqual(inline)
      }
})

// Two rows of FOCUS-Sample-Data (maxjahn/FOCUS-Sample-Data, CC BY 4.0), some columns left out.
const focusSample = `"BilledCost","BillingCurrency","ChargeCategory","ChargeClass","ChargePeriodStart","ConsumedQuantity","ConsumedUnit","ResourceName","ServiceCategory","SkuId","Tags"
0.00000080000,"USD","Usage",NULL,"2024-09-18 22:00:00",2.000000000000000,"Requests",NULL,"Integration","G95FST5FTYV3JSRX",NULL
0.00001605990,"USD","Usage",NULL,"2024-09-05 19:00:00",0.000669162000,"GB",NULL,"Storage","WP9ANXZGBYYSGJEA",NULL
`

verifies('rails.rows', 'a cloud bill is read as it was exported', async () => {
  const { result, gaps } = await workOnRows(tokenops, head, { focus: source('csv', focusSample) })
  expect(result).toMatchObject({ total_cost_minor: '0', billed: [] })
  expect(gaps.map(({ code }) => code)).toEqual(expect.arrayContaining(['not_tokens', 'no_usage']))
})

verifies(
  'rails.rows',
  'quotes, commas, spaces and all letters survive any cut of the stream',
  async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((text) => oneLine(128).safeParse(text).success)
    const row = fc.record({
      model: name,
      agent: name,
      input_tokens: fc.nat(1_000),
      output_tokens: fc.nat(1_000),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, size) => {
          const usage = rows.map((one) => ({ at: '2026-01-01T00:00:00Z', ...one }))
          const inline = tokenops.work({ ...head, usage })
          for (const format of ['csv', 'jsonl'] as const) {
            const streamed = workOnRows(tokenops, head, {
              usage: source(format, fileOf(format, usage), size),
            })
            expect(await streamed).toEqual(inline)
          }
        },
      ),
      { numRuns: 60 },
    )
  },
)

verifies('rails.rows', 'a wrong record is refused by the number of its line', async () => {
  const good = { at: '2026-01-01T00:00:00Z', model: 'm', input_tokens: 1, output_tokens: 2 }
  const title = 'at,model,input_tokens,output_tokens'
  const line = '2026-01-01T00:00:00Z,m,1,2'
  const wrong: [format: Format, text: string | Buffer, detail: RegExp][] = [
    ['jsonl', `${JSON.stringify(good)}\n\n{"at":`, /^Line 3 of usage is not JSON\.$/],
    [
      'jsonl',
      `${JSON.stringify(good)}\n${JSON.stringify({ ...good, input_tokens: '1' })}`,
      /^Line 2 .*input_tokens: .*number/,
    ],
    ['jsonl', JSON.stringify({ ...good, more: 1 }), /^Line 1 .*more/],
    ['jsonl', `"${'x'.repeat(70_000)}`, /^Line 1 of usage is longer than 65536 characters/],
    ['csv', `${title}\n${line}\n\n2026-01-01T00:00:00Z,m,1.5,2`, /^Line 4 .*input_tokens: /],
    ['csv', `${title}\n${line},3`, /^Line 2 of usage has 5 cells, and the header 4/],
    ['csv', `${title}\n2026-01-01T00:00:00Z,m,,2`, /^Line 2 .*input_tokens: /],
    [
      'csv',
      `${title},color\n${line},red`,
      /^Line 1 of usage has the unknown column color; known are at, model,/,
    ],
    ['csv', `${title},model\n${line},m`, /^Line 1 of usage has the column model twice/],
    ['csv', `${title}\n2026-01-01T00:00:00Z,"${'x'.repeat(70_000)}`, /^Line 2 of usage .*65536/],
    ['csv', `${title}\n2026-01-01T00:00:00Z,"m,1,2`, /^Line 2 of usage .*Quote/],
    [
      'csv',
      `${title}\n${line}\r\n"2026-01-01T00:00:00Z",m,1,2\n2026-01-01T00:00:00Z,"m"m,1,2\n`,
      /^Line 4 of usage .*Quote/,
    ],
    [
      'csv',
      `${title}\n"2026-01-01T00:00:00Z",m,1,2\n\n${line},3\n`,
      /^Line 4 of usage has 5 cells/,
    ],
    [
      'csv',
      `${title}\n2026-01-01T00:00:00Z,${'x'.repeat(70_000)},1,2\n`,
      /^Line 2 of usage is longer/,
    ],
    ['csv', '', /^Line 1 of usage has no header/],
    [
      'csv',
      Buffer.concat([Buffer.from(`${title}\n${line}\nü`), Buffer.of(0xff, 0x0a)]),
      /^Line \d+ of usage .*not utf-8/,
    ],
  ]
  for (const [format, text, detail] of wrong) {
    expect(await refusalOf(workOnRows(tokenops, head, { usage: source(format, text) }))).toMatch(
      detail,
    )
  }
})

verifies('files.encodings', 'a list in another encoding is the same list, and named', async () => {
  const list = 'at,model,input_tokens,output_tokens\n2026-01-01T00:00:00Z,möbel,1,2\n'
  const workOn = (bytes: Buffer) => workOnRows(tokenops, head, { usage: source('csv', bytes) })
  const { result, findings } = await workOn(Buffer.from(list))
  const utf16 = Buffer.from(`\ufeff${list}`, 'utf16le')
  for (const [bytes, note] of [
    [utf16, 'read as UTF-16LE, as its byte order mark says'],
    [Buffer.from(list, 'latin1'), 'not UTF-8: it was read as Windows-1252, which is assumed'],
  ] as const) {
    const work = await workOn(bytes)
    expect(work.result).toEqual(result)
    const detail = `The list usage is ${note}.`
    const named = { code: 'encoding_read', detail, citations: [{ pointer: '/usage' }] }
    expect(work.findings).toEqual(expect.arrayContaining([...findings, named]))
    expect(work.findings).toHaveLength(findings.length + 1)
  }
})

verifies('rails.rows', 'a head, a list or a rail that does not fit is refused', async () => {
  const usage = source('jsonl', '')
  expect(await refusalOf(workOnRows(tokenops, {}, { usage }))).toMatch(/does not fit/)
  expect(await refusalOf(workOnRows(tokenops, { ...head, usage: [] }, { usage }))).toMatch(
    /usage is given both/,
  )
  expect(await refusalOf(workOnRows(tokenops, head, { other: usage }))).toMatch(
    /has no list other; it has usage/,
  )
  expect(await refusalOf(workOnRows(diligenceops, {}, {}))).toMatch(
    /diligenceops takes no uploaded lists/,
  )
})

verifies(
  'rails.rows',
  'rows are read only on demand, and reading stops after a wrong row',
  async () => {
    let given = 0
    const lines = (function* () {
      for (const row of usageRows(200_000)) {
        given += 1
        yield Buffer.from(`${JSON.stringify(given === 1_000 ? {} : row)}\n`)
      }
    })()
    const stream = Readable.from(lines, { highWaterMark: 16 })
    expect(
      await refusalOf(workOnRows(tokenops, head, { usage: { format: 'jsonl', stream } })),
    ).toMatch(/^Line 1000 /)
    expect(given).toBeLessThan(1_100)
    expect(stream.destroyed).toBe(true)
  },
)

verifies(
  'rails.rows',
  'a list in the form of another program keeps its other columns',
  async () => {
    const text =
      'startTime,model,prompt_tokens,completion_tokens,api_base\n2026-01-01 00:00:00,m,1,2,https://x.example\n'
    const stream = Readable.from([Buffer.from(text)])
    const taken: unknown[] = []
    const reader = columnReader('litellm', LitellmRow, {})
    const source = { format: 'csv', stream } as const
    await eachRow({ list: 'litellm', source, schema: LitellmRow, reader }, (row) => taken.push(row))
    expect(taken).toEqual([
      {
        startTime: '2026-01-01T00:00:00',
        model: 'm',
        prompt_tokens: 1,
        completion_tokens: 2,
        api_base: 'https://x.example',
      },
    ])
  },
)

verifies('rails.columns', 'uploads read by other column names give the same work', async () => {
  const { usage, ...rest } = usageMaterial(200)
  const named = usage.map(({ at, input_tokens, ...row }) => ({
    Timestamp: at,
    ...row,
    'tokens, in': input_tokens,
    team: 'search',
  }))
  const names = [...new Set(named.flatMap((row) => Object.keys(row)))]
  const cells = (row: Record<string, unknown>) =>
    names.map((name) => quoted(row[name] as string | number | undefined)).join(',')
  const files = {
    csv: [names.map(quoted).join(','), ...named.map(cells)].join('\n'),
    jsonl: named.map((row) => JSON.stringify(row)).join('\n'),
  }
  const columns = { usage: { at: 'Timestamp', input_tokens: 'tokens, in' } }
  const inline = workOn(tokenops, { ...rest, columns, usage: named })
  const unread = inline.findings.filter(({ code }) => code === 'columns_unread')
  expect(unread).toMatchObject([{ detail: expect.stringContaining('(1): "team".') }])
  const plain = tokenops.work({ ...rest, usage })
  expect(inline.result).toEqual(plain.result)
  for (const format of ['csv', 'jsonl'] as const) {
    const work = (given: object) =>
      workOnRows(tokenops, { ...rest, ...given }, { usage: source(format, files[format]) })
    expect(await work({ columns })).toEqual(inline)
    const absent = { columns: { usage: { ...columns.usage, agent: 'Agent' } } }
    expect(await refusalOf(work(absent))).toContain(
      '1 × missing_column /columns/usage/agent: no row of usage has this column',
    )
  }
  const twice = source('csv', 'Timestamp,Timestamp\n1,2')
  expect(await refusalOf(workOnRows(tokenops, { ...rest, columns }, { usage: twice }))).toBe(
    'Line 1 of usage has the column Timestamp twice.',
  )
})
