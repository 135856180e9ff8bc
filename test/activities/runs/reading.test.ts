import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { z } from 'zod'
import type { Form } from '#domain/rails/form.ts'
import { columnReader } from '#domain/rails/input/columns.ts'
import type { ListCorrections } from '#domain/rails/input/corrections.ts'
import type { Question } from '#domain/rails/tables/table-reader.ts'
import { eachRow, type WrongRecord } from '../../../activities/runs/rows.ts'
import { verifies } from '../../verifies.ts'

const schema = z.strictObject({
  id: z.string().min(1),
  paid_at: z.union([z.iso.date(), z.iso.datetime({ local: true, offset: true })]),
  amount: z.union([z.number(), z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/)]).optional(),
  amount_minor: z.int().optional(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  paid: z.boolean().optional(),
  reference: z.string().optional(),
})
const headings = {
  id: ['Transaction ID', 'Beleg'],
  paid_at: ['Booking date', 'Buchungstag', 'Date'],
  amount: ['Betrag', 'Total'],
  currency: ['Währung', 'Ccy'],
  reference: ['Verwendungszweck', 'Memo'],
}

type Read = Awaited<ReturnType<typeof eachRow>> & {
  rows: unknown[]
  wrong: WrongRecord[]
  questions: Question[]
}

async function read(
  text: string | Uint8Array,
  corrections: ListCorrections = {},
  forms: readonly Form[] = [],
): Promise<Read> {
  const rows: unknown[] = []
  const wrong: WrongRecord[] = []
  const questions: Question[] = []
  const reader = columnReader('payments', schema, corrections)
  const bytes = Buffer.from(text as string)
  const stream = Readable.from([bytes.subarray(0, 7), bytes.subarray(7)])
  const named = { list: 'payments', schema, reader, headings, corrections, forms }
  const answer = await eachRow(
    { ...named, source: { format: 'csv', stream } },
    (row) => rows.push(row),
    { record: (one) => wrong.push(one), question: (one) => questions.push(one) },
  )
  return { ...answer, rows, wrong, questions }
}
const ids = (rows: readonly unknown[]) => rows.map((row) => (row as { id: string }).id)

const german = [
  'Kontoauszug;Musterbank',
  'Zeitraum: Januar',
  '',
  'Beleg;Buchungstag;Betrag;Währung;Verwendungszweck;Saldo',
  'a;15.01.2024;1.500,00;eur;"Rechnung 7;',
  'zweiter Teil";9',
  'b;03.02.2024;-12,5;EUR;;9',
  'Summe;;1.487,50;;;',
].join('\r\n')

verifies('reading.tables', 'a bank export is read by its headings, with its preamble', async () => {
  const { rows, wrong, questions, reading, findings } = await read(german)
  expect([wrong, questions, findings]).toEqual([[], [], []])
  const note = 'Rechnung 7;\nzweiter Teil'
  expect(rows).toEqual([
    { id: 'a', paid_at: '2024-01-15', amount: '1500.00', currency: 'EUR', reference: note },
    { id: 'b', paid_at: '2024-02-03', amount: '-12.5', currency: 'EUR' },
  ])
  expect(reading).toMatchObject({
    form: 'table',
    delimiter: ';',
    header_line: 4,
    numbers: 'comma',
    units: 'major',
    rows: 2,
    left_out: {
      count: 3,
      first: [
        { line: 1, reason: 'above the header' },
        { line: 2, reason: 'above the header' },
        { line: 8, reason: 'a total' },
      ],
    },
  })
  expect(reading.columns).toContainEqual({ column: 'Betrag', fields: ['amount'] })
  expect(reading.columns).toContainEqual({ column: 'Saldo', fields: [] })
})

verifies('reading.tables', 'the same rows are read in every encoding and line end', async () => {
  const { rows } = await read(german)
  const latin1 = Buffer.from(german, 'latin1')
  const utf16 = Buffer.from(`\ufeff${german}`, 'utf16le')
  for (const file of [latin1, utf16, german.replaceAll('\r\n', '\r'), german.replaceAll('\r', '')])
    expect((await read(file)).rows).toEqual(rows)
  const tabbed = german
    .replaceAll('"', '')
    .replace(';\r\nzweiter', ' zweiter')
    .replaceAll(';', '\t')
  expect(ids((await read(tabbed)).rows)).toEqual(['a', 'b'])
})

verifies('reading.totals', 'a total that its rows do not come to is a finding', async () => {
  const { findings } = await read(german.replace('1.487,50', '1.500,00'))
  expect(findings).toMatchObject([
    {
      code: 'total_differs',
      detail: 'line 8 states 1500.00 of amount, and its rows come to 1487.5.',
    },
  ])
})

const table = (...lines: string[]) => ['id,paid_at,amount,currency', ...lines].join('\n')

verifies('reading.questions', 'what a column leaves open is asked and never guessed', async () => {
  const open = table('a,03/04/2024,"1,500",USD', 'b,05/06/2024,"2,500",USD')
  const asked = await read(open)
  expect(asked.questions.map(({ field, line }) => [field, line])).toEqual([
    ['paid_at', 2],
    ['amount', 2],
  ])
  const answered = await read(open, { dates: 'month_first', numbers: 'point', units: 'major' })
  expect(answered.questions).toEqual([])
  expect(answered.rows).toEqual([
    { id: 'a', paid_at: '2024-03-04', amount: '1500', currency: 'USD' },
    { id: 'b', paid_at: '2024-05-06', amount: '2500', currency: 'USD' },
  ])
  // One later row decides all of the column.
  const decided = await read(`${open}\nc,05/16/2024,"2,500.50",USD`)
  expect(decided.questions).toEqual([])
  expect(decided.rows).toMatchObject([
    { paid_at: '2024-03-04', amount: '1500' },
    { paid_at: '2024-05-06', amount: '2500' },
    { paid_at: '2024-05-16', amount: '2500.50' },
  ])
  // And one that contradicts it is wrong.
  const mixed = await read(`${open}\nc,05/16/2024,"2,500.50",USD\nd,16/05/2024,"1,5",USD`)
  expect(mixed.wrong).toHaveLength(1)
})

verifies('reading.questions', 'a column that stays open for long is asked for', async () => {
  const rows = Array.from({ length: 200_001 }, (_, row) => `r${row},03/04/2024,1.00,USD`)
  const text = table(rows.join('\n'), 'z,05/16/2024,1.00,USD')
  const { questions } = await read(text)
  expect(questions).toMatchObject([{ field: 'paid_at', line: 2, cell: '03/04/2024' }])
})

verifies('reading.questions', 'whole numbers are never cents without a word', async () => {
  const whole = 'id,paid_at,Total,currency\na,2024-01-15,1500,USD'
  expect((await read(whole)).questions).toMatchObject([{ field: 'amount', line: 2, cell: '1500' }])
  const mapped = { columns: { amount_minor: 'Total' } }
  expect((await read(whole, mapped)).questions).toMatchObject([{ field: 'amount_minor' }])
  expect((await read(whole, { ...mapped, units: 'minor' })).rows).toMatchObject([
    { amount_minor: 1500 },
  ])
  expect((await read(whole, { ...mapped, units: 'major' })).rows).toMatchObject([
    { amount: '1500' },
  ])
  expect((await read(whole, { columns: { amount: 'Total' } })).rows).toMatchObject([
    { amount: '1500' },
  ])
  const cents = whole.replace('Total', 'Total (cents)')
  expect((await read(cents, { columns: { amount: 'Total (cents)' } })).rows).toMatchObject([
    { amount_minor: 1500 },
  ])
  const decimals = 'id,paid_at,Total,currency\na,2024-01-15,1500,USD\nb,2024-01-15,0.50,USD'
  expect((await read(decimals)).rows).toMatchObject([{ amount: '1500' }, { amount: '0.50' }])
})

verifies(
  'reading.corrections',
  'one column feeds two fields, and a constant fills a third',
  async () => {
    const text = 'Ref,When,Value\nx,2024-01-15,10.00'
    const corrections = {
      columns: { id: 'Ref', reference: 'Ref', paid_at: 'When', amount: 'Value' },
      constants: { currency: 'EUR' },
    }
    const { rows, reading } = await read(text, corrections)
    expect(rows).toEqual([
      { id: 'x', reference: 'x', paid_at: '2024-01-15', amount: '10.00', currency: 'EUR' },
    ])
    expect(reading.constants).toEqual({ currency: 'EUR' })
  },
)

verifies('reading.left-out', 'exactly the lines that a caller accepts are left out', async () => {
  const text = table('a,2024-01-15,1.00,USD', 'b,never,2.00,USD', 'End of the statement')
  expect((await read(text)).wrong.map(({ line }) => line)).toEqual([3, 4])
  const { rows, wrong, reading } = await read(text, { leave_out: [3, 4] })
  expect([ids(rows), wrong, reading.left_out.count]).toEqual([['a'], [], 2])
  for (const leave_out of [
    [2, 3, 4],
    [3, 4, 9],
  ])
    await expect(read(text, { leave_out })).rejects.toThrow('input_rejected')
})

verifies(
  'reading.forms',
  'a form is recognised by its content, and its total is stated',
  async () => {
    const form: Form = {
      name: 'Example',
      source: 'a test',
      example: null,
      kind: 'xml',
      read: ({ name, children }) =>
        name !== 'Statement'
          ? undefined
          : {
              rows: children.map(({ attributes, text, line }) =>
                text === 'bad'
                  ? { line, malformed: 'is bad' }
                  : {
                      line,
                      value: {
                        id: attributes['id'],
                        paid_at: '2024-01-15',
                        amount: text,
                        currency: 'EUR',
                      },
                    },
              ),
              says: { account: 'DE1' },
              leftOut: [],
              findings: [{ code: 'balance_differs', detail: 'It does.' }],
            },
    }
    const text =
      '<?xml version="1.0"?>\n<b:Statement xmlns:b="u">\n<Ntry id="a">1.00</Ntry>\n<Ntry id="b">bad</Ntry></b:Statement>'
    const { rows, wrong, reading, findings } = await read(text, {}, [form])
    expect(rows).toEqual([{ id: 'a', paid_at: '2024-01-15', amount: '1.00', currency: 'EUR' }])
    expect(wrong).toMatchObject([{ line: 4, malformed: 'is bad' }])
    expect(reading).toMatchObject({ form: 'Example', says: { account: 'DE1' } })
    expect(findings).toMatchObject([{ code: 'balance_differs' }])
    await expect(read('<Other/>', {}, [form])).rejects.toThrow('input_rejected')
    await expect(read('<!DOCTYPE a [<!ENTITY b "c">]><Statement/>', {}, [form])).rejects.toThrow(
      'input_rejected',
    )
    const filled = { constants: { reference: 'all' } }
    expect((await read(text.replace('bad', '2.00'), filled, [form])).rows).toMatchObject([
      { reference: 'all' },
      { reference: 'all' },
    ])
    const rowsOfJson = JSON.stringify([{ id: 'a', paid_at: '2024-01-15', currency: 'EUR' }])
    expect((await read(rowsOfJson)).reading).toMatchObject({ form: 'json', rows: 1 })
  },
)
