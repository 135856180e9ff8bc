import fc from 'fast-check'
import { expect } from 'vitest'
import { readNumber } from '#domain/rails/input/numbers.ts'
import { readTime } from '#domain/rails/input/times.ts'
import { verifies } from '../../../../verifies.ts'

verifies('reading.numbers', 'numbers in the forms of the trade are read exactly', () => {
  const cases: [string, string, string?][] = [
    ['1500', '1500'],
    ['1500.00', '1500.00', 'point'],
    ['1,500.00', '1500.00', 'point'],
    ['1.500,00', '1500.00', 'comma'],
    ['1 500,00', '1500.00', 'comma'],
    ['1\u202f500,00', '1500.00', 'comma'],
    ["1'500.00", '1500.00', 'point'],
    ['12,34,567.00', '1234567.00', 'point'],
    ['1.234.567', '1234567', 'comma'],
    ['0.500', '0.500', 'point'],
    ['59200.0', '59200.0', 'point'],
    ['+150000', '150000'],
    ['(1,500.00)', '-1500.00', 'point'],
    ['1500-', '-1500'],
    ['−12,5', '-12.5', 'comma'],
    ['-€ 3,00', '-3.00', 'comma'],
    ['$1,234.56', '1234.56', 'point'],
    ['.5', '0.5', 'point'],
    ['2.5e-06', '2.5e-06', 'point'],
  ]
  for (const [cell, text, sign] of cases)
    expect(readNumber(cell), cell).toEqual(sign === undefined ? { text } : { text, sign })
  expect(readNumber('1,500')).toEqual({ by: { point: '1500', comma: '1.500' } })
  expect(readNumber('1.500')).toEqual({ by: { point: '1.500', comma: '1500' } })
  // A whole number has no fraction but zeros.
  expect(readNumber('1,500', true)).toEqual({ text: '1500', sign: 'point' })
  expect(readNumber('1.000', true)).toEqual({ by: { point: '1.000', comma: '1000' } })
  for (const cell of ['', 'abc', '1..2', '1,50,0', 'USD 5', '--1', '1 50', '1,2,3.4'])
    expect(readNumber(cell), cell).toBeUndefined()
})

verifies('reading.numbers', 'what a locale writes is read back by its decimal sign', () => {
  const locales = [
    ['en-US', 'point'],
    ['de-DE', 'comma'],
    ['fr-FR', 'comma'],
    ['de-CH', 'point'],
    ['en-IN', 'point'],
    ['es-ES', 'comma'],
    ['nl-NL', 'comma'],
  ] as const
  const cents = fc.integer({ min: -1_000_000_000_00, max: 1_000_000_000_00 })
  fc.assert(
    fc.property(
      cents,
      fc.constantFrom(...locales),
      fc.integer({ min: 2, max: 4 }),
      (value, [locale, sign], places) => {
        const written = new Intl.NumberFormat(locale, {
          minimumFractionDigits: places,
          maximumFractionDigits: places,
        }).format(value / 100)
        const read = readNumber(written)
        const text = read === undefined || !('by' in read) ? read?.text : read.by[sign]
        expect(Number(text), `${locale} ${written}`).toBeCloseTo(value / 100, 6)
      },
    ),
    { numRuns: 1_000 },
  )
})

verifies('reading.dates', 'days and times in the forms of the trade are read', () => {
  const cases: [string, string, string?][] = [
    ['2024-01-15', '2024-01-15'],
    ['2026-06-28 03:46:57.713', '2026-06-28T03:46:57.713'],
    ['2024-01-15T00:00:00+01:00', '2024-01-15T00:00:00+01:00'],
    ['2024-01-15 10:00:00 UTC', '2024-01-15T10:00:00Z'],
    ['01/15/2024', '2024-01-15', 'month_first'],
    ['15/01/2024', '2024-01-15', 'day_first'],
    ['15.01.2024', '2024-01-15'],
    ['15.01.24', '2024-01-15'],
    ['03.04.2024', '2024-04-03'],
    ['04/04/2024', '2024-04-04'],
    ['20240115', '2024-01-15'],
    ['15 Jan 2024', '2024-01-15'],
    ['Jan 15, 2024', '2024-01-15'],
    ['2024/01/15 1:45 PM', '2024-01-15T13:45:00'],
    ['15-01-2024 13:45', '2024-01-15T13:45:00', 'day_first'],
  ]
  for (const [cell, text, order] of cases)
    expect(readTime(cell), cell).toEqual(order === undefined ? { text } : { text, order })
  expect(readTime('03/04/2024')).toEqual({
    by: { day_first: '2024-04-03', month_first: '2024-03-04' },
  })
  for (const cell of ['', 'soon', '2024-02-30', '31/02/2024', '2024-01-15 25:00', '13:00'])
    expect(readTime(cell), cell).toBeUndefined()
})
