import { expect } from 'vitest'
import { bankTable } from '#domain/rails/financeops/forms/bank-table.ts'
import { openInvoices } from '#domain/rails/financeops/forms/open-invoices.ts'
import { paypal } from '#domain/rails/financeops/forms/paypal.ts'
import type { Form } from '#domain/rails/form.ts'
import { verifies } from '../../../../verifies.ts'

/** A table of cells that bars part. */
function read(form: Form, lines: readonly string[]) {
  const [header = [], ...records] = lines.map((line) => line.split('|'))
  if (form.kind !== 'table') throw new Error(`${form.name} is no table`)
  const table = {
    above: [],
    header,
    records: records.map((cells, index) => ({ line: index + 2, cells })),
  }
  const found = form.read(table)
  const rows = found?.rows.map((row) => ('value' in row ? row.value : row.malformed))
  return {
    found,
    rows,
    amounts: rows?.map((row) => (typeof row === 'string' ? row : row['amount'])),
  }
}

verifies('financeops.forms', 'bank statements are read with the sign of each country', () => {
  for (const [lines, amounts] of [
    [
      [
        'Date|Description|Money Out|Money In|Balance',
        '03/02/2026|A|10.00||90.00',
        '14/02/2026|B||5.50|95.50',
      ],
      ['-10', '5.5'],
    ],
    [
      [
        'Buchungstag|Verwendungszweck|Umsatz in EUR|',
        '13.02.2026|A|1.500,00|S',
        '14.02.2026|B|20,00|H',
      ],
      ['-1500', '20'],
    ],
    [
      [
        'Datum|Naam / Omschrijving|Rekening|Af Bij|Bedrag (EUR)|Mededelingen',
        '20260213|Alder|NL1|Af|10,50|x',
        '20260214|Birch|NL1|Bij|1,00|INV-1',
      ],
      ['-10.5', '1'],
    ],
    [
      ['Date opération|Libellé|Débit|Crédit', '13/02/2026|A|-10,00|', '14/02/2026|B||20,00'],
      ['-10', '20'],
    ],
    [
      [
        'Fecha|Concepto|Importe|Saldo',
        '13/02/2026|A|-1.000,00|500,00',
        '12/02/2026|B|20,00|1.500,00',
      ],
      ['-1000', '20'],
    ],
    [
      ['Data contabile|Causale|Dare|Avere', '13/02/2026|A|10,00|', '14/02/2026|B||20,00'],
      ['-10', '20'],
    ],
    [
      [
        'Buchungstag|Name|Betrag|Waehrung',
        '13.02.26|Alder|-10,00|EUR',
        '14.02.26|Birch|20|EUR',
        'Summe||10,00|EUR',
      ],
      ['-10', '20'],
    ],
  ] as const)
    expect(read(bankTable, lines).amounts, lines[0]).toEqual(amounts)
})

verifies('financeops.forms', 'what a bank statement does not decide is not guessed', () => {
  const open = read(bankTable, [
    'Date|Description|Amount',
    '03/02/2026|A|1,500',
    '04/02/2026|B|2,000',
  ])
  expect(open.rows).toEqual([
    'states no amount that can be read',
    'states no amount that can be read',
  ])
  const days = read(bankTable, ['Date|Description|Amount', '03/02/2026|A|1.50'])
  expect(days.rows).toEqual(['states no day of booking'])
  const both = read(bankTable, ['Datum|Soll|Haben', '13.02.2026|1,00|2,00', '13.02.2026||'])
  expect(both.amounts).toEqual([
    'states no amount that can be read',
    'states no amount that can be read',
  ])
  const mixed = read(bankTable, ['Datum|S/H|Betrag', '13.02.2026|H|-1,00'])
  expect(mixed.amounts).toEqual(['states no amount that can be read'])
  // A table with ids and signed amounts needs no form.
  expect(read(bankTable, ['Transaction ID|Date|Amount', 'a|2026-02-13|1.00']).found).toBeUndefined()
  expect(read(bankTable, ['id|counterparty', 'a|b']).found).toBeUndefined()
})

verifies('financeops.forms', 'a bank statement is checked by its running balance', () => {
  const lines = ['Datum|Betrag (EUR)|Saldo|Verwendungszweck|Kundenreferenz (End-to-End)']
  const rows = ['13.02.2026|10,00|110,00|INV-1|E2E-7', '14.02.2026|-5,00|105,00|x|']
  const fine = read(bankTable, [...lines, ...rows])
  expect(fine.found?.findings).toEqual([])
  expect(fine.rows?.[0]).toEqual({
    id: 'account 2026-02-13 1',
    amount: '10',
    currency: 'EUR',
    paid_at: '2026-02-13',
    reference: 'INV-1 E2E-7',
  })
  const cut = read(bankTable, [...lines, rows[0] ?? '', '14.02.2026|-5,00|90,00|x|'])
  expect(cut.found?.findings).toMatchObject([{ code: 'statement_differs' }])
})

verifies('financeops.forms', 'PayPal activity gives the gross amount, and states fees', () => {
  const header =
    'Date|Time|TimeZone|Name|Type|Status|Currency|Gross|Fee|Net|Transaction ID|Invoice Number|Balance Impact'
  const { found, rows } = read(paypal, [
    header,
    '02/13/2026|10:00:00|PST|Alder|Website Payment|Completed|USD|1,000.00|-29.30|970.70|T1|INV-1001|Credit',
    '02/14/2026|10:00:00|PST|Birch|Website Payment|Pending|USD|50.00|0.00|50.00|T2||Memo',
    '02/14/2026|10:00:00|PST|Cedar|Payment Refund|Completed|USD|-10.00|0.29|-9.71|T3||Debit',
    '02/15/2026|10:00:00|PST|Dogwood|Website Payment|Completed|USD|10.00|-1.00|9.50|T4||Credit',
  ])
  expect(rows).toMatchObject([
    {
      id: 'T1',
      amount: '1000',
      fee: '29.3',
      paid_at: '2026-02-13',
      reference: 'INV-1001 Website Payment',
    },
    { id: 'T3', amount: '-10', counterparty: 'Cedar' },
    { id: 'T4', amount: '10' },
  ])
  expect(found?.leftOut).toEqual([{ line: 3, reason: 'is not completed, but Pending' }])
  expect(found?.findings).toMatchObject([{ detail: expect.stringContaining('T4') }])
  expect(found?.says['fees']).toBe('30.01 USD')
})

verifies('financeops.forms', 'of an invoice that is paid in part the open amount counts', () => {
  const header = 'Date|Transaction type|Num|Customer|Due date|Amount|Open balance'
  const { rows, found } = read(openInvoices, [
    header,
    '01/15/2026|Invoice|1001|Alder|02/14/2026|"1,200.00|700.00',
    'Total for Alder||||||700.00',
    '01/15/2026|Invoice|1002|Birch|02/14/2026|50.00|none',
    'Cedar||||||50.00',
  ])
  expect(rows).toEqual([
    { id: '1001', counterparty: 'Alder', due_at: '2026-02-14', amount: '700' },
    'states no open amount or day that can be read',
    'states no open amount or day that can be read',
  ])
  expect(found?.leftOut).toEqual([{ line: 3, reason: 'a total or title' }])
  expect(
    read(openInvoices, ['Num|Due date|Open balance', '1|2026-02-14|1.00']).found,
  ).toBeUndefined()
})
