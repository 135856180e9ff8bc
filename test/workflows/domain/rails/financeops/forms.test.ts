import { expect } from 'vitest'
import { bai2 } from '#domain/rails/financeops/forms/bai2.ts'
import { camt } from '#domain/rails/financeops/forms/camt.ts'
import { invoiceForms, paymentForms } from '#domain/rails/financeops/forms/index.ts'
import { crossIndustry, ubl } from '#domain/rails/financeops/forms/invoices.ts'
import { mt940 } from '#domain/rails/financeops/forms/mt940.ts'
import { ofxSgml, ofxXml } from '#domain/rails/financeops/forms/ofx.ts'
import { Invoice, Payment } from '#domain/rails/financeops/schema.ts'
import type { Form } from '#domain/rails/form.ts'
import { verifies } from '../../../../verifies.ts'
import { fileText, readBy } from './files.ts'

type Value = Record<string, string>
function read(form: Form, text: string) {
  const found = readBy(form, text)
  if (found === undefined) throw new Error(`the file is not ${form.name}`)
  const values = found.rows.flatMap((row) => ('value' in row ? [row.value as Value] : []))
  const malformed = found.rows.flatMap((row) => ('malformed' in row ? [row.malformed] : []))
  return { ...found, values, malformed, sum: sumOf(values) }
}
const sumOf = (values: readonly Value[]) =>
  values.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0)

verifies('financeops.forms', 'CAMT statements are read with their balances', () => {
  const { values, findings, says, rows } = read(camt, fileText('camt053.xml'))
  expect(values).toEqual([
    {
      id: 'NL26VAYB8060476890 2014-12-31 1',
      amount: '8.85',
      currency: 'EUR',
      paid_at: '2014-12-31',
      reference: 'Transaction Description 1 000000001',
    },
    {
      id: 'NL26VAYB8060476890 2014-12-31 2',
      amount: '-7',
      currency: 'EUR',
      paid_at: '2014-12-31',
      counterparty: 'Company Name 2',
      reference: 'Transaction Description 2 000000002',
    },
  ])
  expect(findings).toEqual([])
  expect(says['account']).toBe('NL26VAYB8060476890')
  expect(rows.map(({ line }) => line)).toEqual([17, 42])
  const wrong = read(camt, fileText('camt053.xml').replace('>8.85<', '>8.86<'))
  expect(wrong.findings).toEqual([
    {
      code: 'statement_differs',
      detail:
        'Closing balance of NL26VAYB8060476890: the file states 27, and its entries come to 27.01.',
    },
  ])
  const notified = read(camt, fileText('camt054.xml'))
  expect(notified.values).toMatchObject([
    { id: 'AAAASESS-FP-ACCR001', amount: '-200000', currency: 'SEK', paid_at: '2007-10-18' },
  ])
  expect(notified.values[0]?.['reference']).toContain('ISR ref number V1')
})

const batch = (details: string, more = '') => `<Document><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>DE1</IBAN></Id></Acct>
<Ntry><Amt Ccy="EUR">300.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${more}<Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>2026-05-04</Dt></BookgDt><AcctSvcrRef>B1</AcctSvcrRef><NtryDtls>${details}</NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts></Ntry>
</Stmt></BkToCstmrStmt></Document>`
const part = (amount: string, name: string, invoice: string) =>
  `<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls>
<RltdPties><Dbtr><Pty><Nm>${name}</Nm></Pty></Dbtr></RltdPties><RmtInf><Strd><RfrdDocInf><Nb>${invoice}</Nb></RfrdDocInf></Strd></RmtInf></TxDtls>`

verifies('financeops.forms', 'a CAMT batch is one row for each transaction', () => {
  const both = part('100.00', 'Alder', 'INV-1001') + part('200.00', 'Birch', 'INV-1002')
  const split = read(camt, batch(both))
  expect(split.values).toMatchObject([
    { id: 'B1/1', amount: '100', counterparty: 'Alder', reference: 'INV-1001' },
    { id: 'B1/2', amount: '200', counterparty: 'Birch', reference: 'INV-1002' },
  ])
  expect(split.leftOut).toMatchObject([{ reason: 'is not booked, but PDNG' }])
  // Transactions that do not come to the entry leave its amount as it is booked.
  const short = read(camt, batch(both.replace('200.00', '199.00')))
  expect(short.values).toMatchObject([{ id: 'B1', amount: '300', reference: 'INV-1001 INV-1002' }])
  expect(short.findings).toMatchObject([{ code: 'statement_differs' }])
})

verifies('financeops.forms', 'a CAMT return states its reason and is a debit', () => {
  const reason = '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>'
  const detail = part('300.00', 'Alder', 'INV-1001').replace('</TxDtls>', reason)
  const text = batch(detail, '<RvslInd>true</RvslInd>').replace('CRDT', 'DBIT')
  const { values } = read(camt, text)
  expect(values).toMatchObject([{ amount: '-300', reference: 'INV-1001 RETURN AC04 REVERSAL' }])
})

verifies('financeops.forms', 'MT940 statements come to their balances', () => {
  const sepa = read(mt940, fileText('sepa.sta'))
  expect(sepa).toMatchObject({ findings: [], malformed: [], leftOut: [] })
  expect(sepa.values).toHaveLength(11)
  // A credit that is taken back (RC) is a debit, or the first statement would not come to its balance.
  expect(sepa.values[5]).toMatchObject({ amount: '-204.88' })
  expect(sepa.values[0]).toMatchObject({
    id: '0724710345313905',
    amount: '300',
    currency: 'EUR',
    paid_at: '2007-09-04',
  })
  expect(sepa.values[0]?.['reference']).toContain('TFNR 40005 00005 MTLG:Grund nicht spezifiziert')
  expect(sepa.values[7]?.['counterparty']).toContain('Richter Renate 70 Zeichen Beginn')
  const rabo = read(mt940, fileText('rabobank-iban.sta'))
  expect(rabo).toMatchObject({ findings: [], sum: -7_000 })
  expect(rabo.values[1]).toMatchObject({
    id: 'NL71RABO0123456789 2013-01-02 2',
    counterparty: 'JOHN DOE',
    reference: 'Reference 201301234',
  })
  expect(rabo.values[0]?.['counterparty']).toBe('CONTRA ACCOUNT HOLDER')
  const intraday = read(mt940, fileText('mt942.sta'))
  expect(intraday).toMatchObject({ findings: [], sum: 3 })
  expect(intraday.values[0]).toMatchObject({ id: 'MB170119012058', currency: 'PLN' })
  // Lines of this file were cut by its source, and it no longer comes to its balances.
  const abn = read(mt940, fileText('abnamro.sta'))
  expect(abn).toMatchObject({ sum: -34_593, findings: [{}, {}] })
})

verifies('financeops.forms', 'each mark of an MT940 line has its sign', () => {
  const of = (line: string) =>
    read(mt940, `:20:A\n:25:X\n:60F:C260101EUR0,\n:61:${line}\n:86:INV-1\n:62F:C260101EUR0,\n-`)
  for (const [line, amount, day] of [
    ['2601020103C1500,00NTRFNONREF//B1', '1500', '2026-01-03'],
    ['2601020103D1500,5NTRFNONREF', '-1500.5', '2026-01-03'],
    ['260102RC20,NTRFNONREF', '-20', '2026-01-02'],
    ['260102RD20,NTRFNONREF', '20', '2026-01-02'],
    ['260102CR20,NTRFNONREF', '20', '2026-01-02'],
    ['2601021231C0,01NMSCNONREF', '0.01', '2025-12-31'],
  ] as const)
    expect(of(line).values, line).toMatchObject([{ amount, paid_at: day }])
  expect(of('260102EC20,NTRFNONREF').leftOut).toHaveLength(1)
  expect(of('260102C20.00NTRFNONREF').malformed).toHaveLength(1)
  expect(of('260230C20,00NTRFNONREF').malformed).toEqual(['states no day of booking'])
})

verifies('financeops.forms', 'OFX is read with and without closing tags', () => {
  const { values } = read(ofxSgml, fileText('bank_medium.ofx'))
  expect(values).toHaveLength(3)
  expect(values[1]).toEqual({
    id: '12300 000012345678 0000123456782009040200004',
    amount: '-316.67',
    currency: 'CAD',
    paid_at: '2009-04-02',
    counterparty: "Joe's Bald Hairstyles",
    reference: "MISCELLANEOUS PAYMENTS;Joe's Bald Hairstyles",
  })
  expect(read(ofxXml, fileText('suncorp.ofx')).values).toMatchObject([
    { id: '123456789 1', amount: '-16.85', currency: 'AUD', paid_at: '2013-12-15' },
  ])
  const empty = fileText('bank_medium.ofx').replace('<CHECKNUM>0<NAME>', '<CHECKNUM><NAME>')
  expect(read(ofxSgml, empty).values).toEqual(values)
  const comma = fileText('bank_medium.ofx').replace('-316.67', '-316,67')
  expect(read(ofxSgml, comma).values).toEqual(values)
  const wrong = fileText('bank_medium.ofx').replace('-316.67', 'minus 3')
  expect(read(ofxSgml, wrong).malformed).toEqual(['states no amount that can be read'])
})

verifies('financeops.forms', 'many rows, and elements without an end, are read', () => {
  const file = fileText('bank_medium.ofx')
  const entry = /<STMTTRN>.*<\/STMTTRN>/.exec(file)?.[0] ?? ''
  const many = Array.from({ length: 100_000 }, (_, at) => entry.replace('00001<', `${at}<`))
  const unclosed = file.replace(entry, many.join('\n')).replace('</BANKTRANLIST>', '')
  expect(read(ofxSgml, unclosed).values).toHaveLength(100_002)
  expect(readBy(ofxSgml, `OFXHEADER:100\n${'<A>'.repeat(200_000)}`)).toBeUndefined()
  const lines = ':61:2601020103C1,00NTRFNONREF\n:86:INV-1\n'.repeat(100_000)
  const statement = `:20:A\n:25:X\n:60F:C260101EUR0,\n${lines}:62F:C260101EUR100000,\n-`
  expect(read(mt940, statement)).toMatchObject({ findings: [], sum: 10_000_000 })
})

verifies('financeops.forms', 'BAI2 is read with its control totals', () => {
  const cad = read(bai2, fileText('bai2-cad.txt'))
  expect(cad).toMatchObject({ findings: [], malformed: [], sum: 0 })
  expect(cad.values).toHaveLength(17)
  expect(cad.values[3]).toEqual({
    id: '10200123456 2006-03-17 4',
    amount: '2035',
    currency: 'CAD',
    paid_at: '2006-03-17',
    reference: 'TFR 1020 0345678',
  })
  const spec = read(bai2, fileText('bai2-spec.txt'))
  expect(spec.values[2]).toMatchObject({
    id: 'SP4738',
    amount: '200000',
    reference: 'PROCEEDS OF LETTER OF CREDIT FROM THE ARAMCO OIL CO YRC065321',
  })
  // The example gives all control totals, and fewer entries than its sums of credits and debits.
  expect(spec.findings.map(({ detail }) => detail.split(' of ')[0])).toEqual([
    'Credits',
    'Debits',
    'Credits',
    'Debits',
  ])
  const changed = read(bai2, fileText('bai2-cad.txt').replace('000000002500,V', '000000002600,V'))
  expect(
    changed.findings.map(({ detail }) => detail.split(' of ').slice(0, 2).join(' of ')),
  ).toContain(
    'Control total of the account 10200123456: the file states 834000, and there are 834100.',
  )
})

verifies('financeops.forms', 'UBL and CII invoices are read', () => {
  expect(read(ubl, fileText('ubl-invoice.xml'))).toMatchObject({
    values: [
      {
        id: 'Snippet1',
        counterparty: 'Buyer Official Name',
        currency: 'EUR',
        due_at: '2017-12-01',
        amount: '1656.25',
      },
    ],
    findings: [],
  })
  expect(read(ubl, fileText('ubl-credit-note.xml')).values).toMatchObject([
    { amount: '-1656.25', credits: 'Snippet1', due_at: '2017-11-13' },
  ])
  const basic = fileText('facturx-basic.xml')
  expect(read(crossIndustry, basic).values).toEqual([
    {
      id: '471102',
      counterparty: 'Kunden AG Mitte',
      currency: 'EUR',
      due_at: '2020-04-04',
      amount: '235.62',
    },
  ])
  const undated = basic.replace(
    /<ram:SpecifiedTradePaymentTerms>[\s\S]*<\/ram:SpecifiedTradePaymentTerms>/,
    '',
  )
  expect(read(crossIndustry, undated).malformed).toEqual(['states no day on which it is due'])
  const prepaid = basic.replace('DuePayableAmount>235.62', 'DuePayableAmount>200.00')
  expect(read(crossIndustry, prepaid).findings).toMatchObject([{ code: 'invoice_differs' }])
})

verifies('financeops.forms', 'rows of each form fit the list, with unique ids', () => {
  const files = [
    ['camt053.xml', 'camt054.xml', 'suncorp.ofx', 'ubl-invoice.xml', 'facturx-basic.xml'],
    ['sepa.sta', 'rabobank-iban.sta', 'mt942.sta', 'bank_medium.ofx', 'bai2-cad.txt'],
  ] as const
  for (const [kind, names] of [['xml', files[0]] as const, ['text', files[1]] as const])
    for (const name of names) {
      const lists = [
        { forms: paymentForms, row: Payment },
        { forms: invoiceForms, row: Invoice },
      ]
      const taken = lists.flatMap(({ forms, row }) =>
        forms.flatMap((form) => {
          const found = form.kind === kind ? readBy(form, fileText(name)) : undefined
          return found === undefined ? [] : [{ form, found, row }]
        }),
      )
      expect(taken, name).toHaveLength(1)
      const ids = taken.flatMap(({ found, row }) =>
        found.rows.map((one) => row.parse('value' in one ? one.value : {}).id),
      )
      expect(new Set(ids).size).toBe(ids.length)
    }
})
