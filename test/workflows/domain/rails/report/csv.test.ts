import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect } from 'vitest'
import { printable } from '#domain/core/plain-text.ts'
import { csvOf } from '#domain/rails/report/csv.ts'
import { verifies } from '../../../../verifies.ts'

const read = (text: string): string[][] => parse(text, { relax_column_count: false })
const starts = [
  '',
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  ' =',
  '＝',
  '"',
  "'",
  ',',
  ';=',
  '-1',
  '+1',
]
const text = fc
  .tuple(fc.constantFrom(...starts), fc.string({ unit: 'binary' }))
  .map(([start, rest]) => start + rest)
const number = fc.oneof(
  fc.integer(),
  fc.integer().map((minor) => (minor / 100).toFixed(2)),
)
const cell = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const rows = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
  )

verifies(
  'package.report.hostile',
  'a table is read back whole, and no cell of it is a formula',
  () => {
    fc.assert(
      fc.property(rows, (given) => {
        const columns = (given[0] ?? []).map((_, at) => `c${at}`)
        const back = read(csvOf({ columns, rows: given }))
        expect(back[0]).toEqual(columns)
        expect(back.length).toBe(given.length + 1)
        for (const [at, row] of given.entries())
          for (const [place, value] of row.entries()) {
            const found = back[at + 1]?.[place] ?? 'missing'
            const isNumber = /^-?\d+(\.\d+)?$/.test(found)
            if (!isNumber) expect(found).not.toMatch(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/)
            // Where a semicolon separates, each part begins a cell.
            for (const part of found.split(';').slice(1))
              if (!/^\s*[+-][\d.,]+([\s;%]|$)/.test(part))
                expect(part).not.toMatch(/^\s*[=+\-@＝＋－＠]/)
            const plain = (text: string) => text.replaceAll("'", '')
            expect(plain(found)).toBe(plain(printable(String(value ?? ''))))
          }
      }),
      { numRuns: 500 },
    )
  },
)

verifies('package.report.hostile', 'formulas get an apostrophe and numbers do not', () => {
  const cells = [
    '=1+1',
    '+1',
    '-1',
    '-1.50',
    '@a',
    '\tx',
    '-a',
    '1;=2',
    'x; -cmd',
    '3; -4',
    'a"b',
    7,
    true,
    null,
  ]
  expect(csvOf({ columns: ['=c'], rows: cells.map((one) => [one]) })).toBe(
    [
      `"'=c"`,
      `"'=1+1"`,
      `"'+1"`,
      '-1',
      '-1.50',
      `"'@a"`,
      `"'\tx"`,
      `"'-a"`,
      `"1;'=2"`,
      `"x; '-cmd"`,
      '"3; -4"',
      '"a""b"',
      '7',
      'true',
      '',
      '',
    ].join('\r\n'),
  )
})
