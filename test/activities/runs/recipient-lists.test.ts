import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readList } from '../../support/read-list.ts'
import { verifies } from '../../verifies.ts'

const files = '../../workflows/domain/rails/distributionops/files'
const fileOf = (name: string) => readFileSync(join(import.meta.dirname, files, name), 'utf8')

/** A file of recipients as the service reads it, without a column map. */
async function read(text: string) {
  const { reading, findings, ...read } = await readList('distributionops', 'recipients', text)
  return { ...read, form: reading.form, findings: findings.map(({ code }) => code) }
}

verifies('distributionops.forms', 'lists of banks are read by their headings', async () => {
  const german =
    'Begünstigter;IBAN;BIC;Betrag;Währung;Verwendungszweck\r\n' +
    'Søn ApS;DK5000400440116243;;1.500,50;EUR;Q2\r\nAnna;NL91ABNA0417164300;ABNANL2A;12,00;EUR;Q2\r\n'
  const { rows, wrong } = await read(german)
  expect(wrong).toEqual([])
  const [remittance, currency] = ['Q2', 'EUR']
  expect(rows).toEqual([
    {
      id: 'Søn ApS',
      name: 'Søn ApS',
      iban: 'DK5000400440116243',
      amount: '1500.50',
      currency,
      remittance,
    },
    {
      id: 'Anna',
      name: 'Anna',
      iban: 'NL91ABNA0417164300',
      bic: 'ABNANL2A',
      amount: '12.00',
      currency,
      remittance,
    },
  ])
  const american =
    'Recipient Name,Routing Transit Number,Account Number,Account Type,Amount\n' +
    'Jane Smith,021000021,000123456789,1,"1,250.00"\nDelta LLC,091000019,77,Savings,40.5\n'
  expect(await read(american)).toMatchObject({
    wrong: [],
    rows: [
      {
        id: 'Jane Smith',
        routing_number: '021000021',
        account_number: '000123456789',
        account_type: '1',
        amount: '1250.00',
      },
      { id: 'Delta LLC', account_type: 'Savings', amount: '40.5' },
    ],
  })
})

verifies('distributionops.forms', 'royalty statements are read, recouped ones too', async () => {
  const statement =
    'Royalties Q2 2026\nPayee ID,Payee,Currency,Opening balance,Earnings,Net payable\n' +
    'p1,Anna Lind,USD,0.00,"1,250.75","1,250.75"\np2,Bram Vos,USD,"-2,000.00",500.00,"(1,500.00)"\n' +
    'Total,,,,,-249.25\n'
  const { rows, wrong, findings } = await read(statement)
  expect([wrong, findings]).toEqual([[], []])
  expect(rows.slice(0, 2)).toEqual([
    { id: 'p1', name: 'Anna Lind', currency: 'USD', amount: '1250.75' },
    { id: 'p2', name: 'Bram Vos', currency: 'USD', amount: '-1500.00' },
  ])
  const splits = await read('Payee,Share %\nAnna,33.333333333 %\nBram,"66,67 %"\n')
  expect(splits).toMatchObject({
    wrong: [],
    rows: [
      { id: 'Anna', weight: '33.333333333 %' },
      { id: 'Bram', weight: '66,67 %' },
    ],
  })
  const points = await read('payee,shares\nt1ypi542zmmgaltijzw4byonei5c267ev5iif2liy,1500000000\n')
  expect(points).toMatchObject({ wrong: [], rows: [{ weight: '1500000000' }] })
})

verifies(
  'distributionops.forms',
  'the forms of recipients are found by their content',
  async () => {
    const nacha = await read(fileOf('credits.ach'))
    expect([nacha.form, nacha.rows.length, nacha.wrong, nacha.findings]).toEqual([
      'NACHA',
      12,
      [],
      [],
    ])
    const holders = await read(
      '"HolderAddress","Balance","PendingBalanceUpdate"\r\n"0x00d6e10aa6675906fe8eebf7dfb35fe2e7204c98","1.000000000000000001","No"\r\n',
    )
    expect([holders.form, holders.rows]).toEqual([
      'Etherscan token holders',
      [
        {
          id: '0x00d6e10aa6675906fe8eebf7dfb35fe2e7204c98',
          wallet: '0x00d6e10aa6675906fe8eebf7dfb35fe2e7204c98',
          weight: '1.000000000000000001',
        },
      ],
    ])
    const payouts = await read(
      'name1@email.com\t10.00\tUSD\tmasspay_001\tThanks for your business!\nname2@email.com\t10.00\tUSD\tmasspay_002\tHere is your payment.\n',
    )
    expect([payouts.form, payouts.rows.length]).toEqual(['PayPal payouts', 2])
    const airdrop = await read(
      'token_type,token_address,receiver,amount,id\nnative,,0x3000000000000000000000000000000000000000,0.0001\n',
    )
    expect([airdrop.form, airdrop.wrong, airdrop.findings]).toEqual([
      'Safe CSV airdrop',
      [],
      ['token_of_file'],
    ])
    const own = await read('id,weight\na,1\nb,2.5\n')
    expect(own.rows).toEqual([
      { id: 'a', weight: '1' },
      { id: 'b', weight: '2.5' },
    ])
  },
)
