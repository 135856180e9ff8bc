import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { nachaForm } from '#domain/rails/distributionops/forms/nacha-file.ts'
import { paypalPayoutsForm } from '#domain/rails/distributionops/forms/paypal-payouts.ts'
import { safeAirdropForm } from '#domain/rails/distributionops/forms/safe-airdrop.ts'
import { tokenHoldersForm } from '#domain/rails/distributionops/forms/token-holders.ts'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import type { Form, FormRows } from '#domain/rails/form.ts'
import { cellTable } from '../../../../../activities/runs/csv.ts'
import { verifies } from '../../../../verifies.ts'

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, 'files', name), 'utf8')
const read = (form: Form, whole: unknown): FormRows => {
  const rows = form.read(whole as never)
  if (rows === undefined) throw new Error(`is not of the form ${form.name}`)
  return rows
}
const valuesOf = ({ rows }: FormRows) => rows.flatMap((row) => ('value' in row ? [row.value] : []))
const wrongOf = ({ rows }: FormRows) =>
  rows.flatMap((row) => ('malformed' in row ? [`${row.line}: ${row.malformed}`] : []))
/** That every row of a form passes the schema of the rail. */
const assertRows = (rows: readonly Record<string, unknown>[]) => {
  const schema = distributionops.rows?.lists['recipients']
  for (const row of rows) expect(schema?.safeParse(row).error, JSON.stringify(row)).toBeUndefined()
}

verifies('distributionops.forms', 'the credits of a NACHA file are recipients', () => {
  const file = read(nachaForm, fileOf('credits.ach'))
  expect(file.rows).toHaveLength(12)
  expect(file.rows[11]).toEqual({
    line: 31,
    value: {
      id: '121042880000012',
      name: 'Steven Tander',
      amount_minor: 100_000,
      routing_number: '231380104',
      account_number: '81967038518',
      account_type: 'checking',
      currency: 'USD',
      remittance: 'bonus pay for amazing work on #OSS',
    },
  })
  expect(file.says).toEqual({ company: 'Wells Fargo', bank: 'Citadel', description: 'Trans. Des' })
  expect(file.findings).toEqual([])
  assertRows(valuesOf(file))
  const loan = read(nachaForm, fileOf('loan.ach'))
  expect(loan.findings).toEqual([])
  expect(wrongOf(loan)).toEqual(['3: has the transaction code 52, which is no credit'])
  const asSavings = read(nachaForm, fileOf('loan.ach').replace('\n652', '\n632'))
  expect(valuesOf(asSavings)).toMatchObject([
    { amount_minor: 100_000_000, account_type: 'savings' },
  ])
})

verifies('distributionops.forms', 'totals that a NACHA file does not come to are told', () => {
  const text = fileOf('credits.ach')
  const changed = text.replace('0000100000#83738AB#', '0000100001#83738AB#')
  expect(read(nachaForm, changed).findings.map(({ detail }) => detail)).toEqual([
    'the control of its batch states credits of 300000, and its entries have 300001',
    'the control of the file states credits of 1200000, and its entries have 1200001',
  ])
  // A line that went missing, one that was cut off, and debits.
  const lines = text.split('\n')
  const fewer = read(nachaForm, lines.toSpliced(2, 2).join('\n')).findings
  expect(fewer.map(({ code }) => code)).toEqual(Array(6).fill('totals_differ'))
  const cut = read(nachaForm, text.replace('Steven Tander           1', 'Steven Tander  1'))
  expect(wrongOf(cut)).toEqual(['3: is no record of 94 characters'])
  const debit = read(nachaForm, text.replace('\n622', '\n627'))
  expect(debit.leftOut).toEqual([{ line: 3, reason: 'a debit, which pays no recipient' }])
  const international = read(nachaForm, text.replace('PPDTrans', 'IATTrans'))
  expect(wrongOf(international)[0]).toBe('3: is of the class IAT, which is not read')
  for (const other of ['', 'id,weight\na,1', '101 but no file'])
    expect(nachaForm.read(other as never)).toBeUndefined()
})

const MIXED = `token_type,token_address,receiver,amount,id
erc20,0x6810e776880c02933d47db1b9fc05908e5386b96,0x1000000000000000000000000000000000000000,0.0001
erc20,0x6b175474e89094c44da98b954eedeac495271d0f,0x2000000000000000000000000000000000000000,0.0001
native,,0x3000000000000000000000000000000000000000,0.0001
nft,0x57f1887a8bf19b14fc0df6fd9b2acc9af147ea85,0x4000000000000000000000000000000000000000,,42`
const VALUES = `token_type,token_address,receiver,value,id
erc20,0xd0dab4e640d95e9e8a47545598c33e31bdb53c7c,0x79BD0Bd219Dd0D50CEF72e1194Fc970FFEceB304,0.5
erc20,0xd0dab4e640d95e9e8a47545598c33e31bdb53c7c,0x79BD0Bd219Dd0D50CEF72e1194Fc970FFEceB304,0.19`

verifies('distributionops.forms', "the payments of Safe's airdrop are of one token", () => {
  const mixed = read(safeAirdropForm, cellTable(MIXED))
  const first = '0x1000000000000000000000000000000000000000'
  expect(valuesOf(mixed)).toEqual([{ id: first, wallet: first, amount: '0.0001' }])
  expect(wrongOf(mixed).map((text) => text.slice(0, 20))).toEqual([
    '3: pays the token 0x',
    '4: pays the native t',
    '5: is of a token tha',
  ])
  expect(mixed.says).toEqual({ token: 'the token 0x6810e776880c02933d47db1b9fc05908e5386b96' })
  // Two lines to one receiver are two payments.
  const twice = read(safeAirdropForm, cellTable(VALUES))
  const receiver = '0x79BD0Bd219Dd0D50CEF72e1194Fc970FFEceB304'
  expect(valuesOf(twice)).toEqual([
    { id: receiver, wallet: receiver, amount: '0.5' },
    { id: `${receiver} (2)`, wallet: receiver, amount: '0.19' },
  ])
  assertRows([...valuesOf(mixed), ...valuesOf(twice)])
  const wrong = read(
    safeAirdropForm,
    cellTable(
      `${VALUES}\nerc20,0xd0dab4e640d95e9e8a47545598c33e31bdb53c7c,,1\nerc20,0xd0dab4e640d95e9e8a47545598c33e31bdb53c7c,0x1,1e3`,
    ),
  )
  expect(wrongOf(wrong)).toEqual(['4: has no receiver', '5: has the amount 1e3'])
  expect(safeAirdropForm.read(cellTable('receiver,amount\na,1') as never)).toBeUndefined()
})

const PAYPAL = [
  ['name1@email.com', '10.00', 'USD', 'masspay_001', 'Thanks for your business!'],
  ['name2@email.com', '10.00', 'USD', 'masspay_002', 'Here is your payment.'],
  ['name3@email.com', '10.00', 'USD', 'masspay_003'],
  ['name3@email.com', '"100,50"'.replaceAll('"', ''), 'usd'],
]

const paid = (id: string) => {
  return { id, destination_reference: id, amount: '10.00', currency: 'USD' }
}

verifies('distributionops.forms', 'a payment file of PayPal is read without a header', () => {
  const text = PAYPAL.map((cells) => cells.join('\t')).join('\n')
  const file = read(paypalPayoutsForm, cellTable(text))
  expect(file.rows.map(({ line }) => line)).toEqual([1, 2, 3, 4])
  expect(valuesOf(file)).toEqual([
    paid('name1@email.com'),
    paid('name2@email.com'),
    paid('name3@email.com'),
    {
      id: 'name3@email.com (2)',
      destination_reference: 'name3@email.com',
      amount: '100.50',
      currency: 'USD',
    },
  ])
  assertRows(valuesOf(file))
  const headed = `Email/Phone\tAmount\tCurrency code\n${text}\nname4@email.com\t1,000.00\tUSD`
  const second = read(paypalPayoutsForm, cellTable(headed))
  expect(valuesOf(second)).toEqual(valuesOf(file))
  expect(wrongOf(second)).toEqual(['6: does not begin with a recipient, an amount and a currency'])
  for (const other of ['id,amount,currency\na,1,EUR', 'Date,Amount,Currency\n2026-01-01,1,EUR'])
    expect(paypalPayoutsForm.read(cellTable(other) as never), other).toBeUndefined()
})

/** The first rows of an export for a token on Ethereum, and balances as such exports round them. */
const HOLDERS = `HolderAddress,Balance,PendingBalanceUpdate
0x00d6e10aa6675906fe8eebf7dfb35fe2e7204c98,10373.44,No
0x00fcb6f244c45a4e6baa812ddee0bdb7996518bd,10000,No
0x00d6e10aa6675906fe8eebf7dfb35fe2e7204c97,1.1e+14,No
0x00d6e10aa6675906fe8eebf7dfb35fe2e7204c96,5e-09,No`

verifies('distributionops.forms', 'the holders of a token share by their balances', () => {
  const file = read(tokenHoldersForm, cellTable(HOLDERS))
  expect(valuesOf(file).map(({ wallet, weight }) => [wallet, weight])).toEqual(
    HOLDERS.split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 2)),
  )
  assertRows(valuesOf(file))
  const grouped = {
    ...cellTable(HOLDERS),
    records: [{ line: 2, cells: ['0x1', '1,234,567.5', 'No'] }],
  }
  expect(valuesOf(read(tokenHoldersForm, grouped))).toMatchObject([{ weight: '1234567.5' }])
  expect(tokenHoldersForm.read(cellTable('Address,Balance\na,1') as never)).toBeUndefined()
})
