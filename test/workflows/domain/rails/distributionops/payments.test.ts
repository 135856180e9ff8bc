import { expect } from 'vitest'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import { latinText } from '#domain/rails/distributionops/latin-text.ts'
import { walletFault } from '#domain/rails/distributionops/payments.ts'
import { distributionopsInput } from '#domain/rails/distributionops/sample.ts'
import type { DistributionInput } from '#domain/rails/distributionops/schema.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import type { Tier } from '#domain/rails/rail.ts'
import type { ReportedRun } from '#domain/rails/report/report.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { delivered } from '#domain/rails/work/tiers.ts'
import { verifies } from '../../../../verifies.ts'

/** EIP-55's own examples: of mixed letters, of capitals and of small letters. */
const wallets = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
]
const usdc = (changes: Partial<DistributionInput> = {}): DistributionInput => ({
  pool: { amount_minor: 40_000_000, currency: 'USDC' },
  recipients: wallets.map((wallet, at) => ({ id: `r${at}`, weight: 1 + at, wallet })),
  ...changes,
})
const run = (tier: Tier = 'standard', run_id = 'run_1'): ReportedRun => ({
  run_id,
  rail: 'distributionops',
  tier,
  usage: 'operational',
  partial: false,
  input_sha256: 'a'.repeat(64),
  result_sha256: 'b'.repeat(64),
})
const filesOf = (input: DistributionInput, tier: Tier = 'standard') =>
  reportOf(run(tier), delivered(distributionops, tier, distributionops.work(input)))
const refusedOf = (input: DistributionInput) =>
  distributionops
    .work(input)
    .result.payments.map(({ recipient_id, payout_refused }) => [recipient_id, payout_refused])

verifies('distributionops.payout_calls', 'four shares in USDC, worked out by hand', () => {
  const lines = (filesOf(usdc())['payouts/payout-create.jsonl'] ?? '').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ['4', '8', '12', '16'].map((amount_usdc, at) => ({
      recipient: wallets[at],
      amount_usdc,
      idempotency_key: expect.stringMatching(/^[0-9a-f]{64}$/),
      memo: `r${at}`,
      rail_reference: 'run_1',
      usage: 'operational',
    })),
  )
  const { payout_calls } = distributionops.work(usdc()).result
  expect(payout_calls).toEqual({ ready: 4, refused: 0, amount_minor: 40_000_000 })
})

verifies('distributionops.payments', 'each payment that no payout is asked for says why', () => {
  const [good = '', other = ''] = wallets
  const [wrong, short] = [good.replace('5aA', '5aa'), good.slice(0, -1)]
  const recipients = [
    { id: 'cap', amount_minor: 25_000_000, wallet: good },
    { id: 'over', amount_minor: 25_000_001, wallet: other },
    { id: 'missing', amount_minor: 1 },
    { id: 'short', amount_minor: 1, wallet: short },
    { id: 'wrong', amount_minor: 1, wallet: wrong },
    { id: 'zero', amount_minor: 1, wallet: `0x${'0'.repeat(40)}` },
  ]
  const input = usdc({ pool: { amount_minor: 60_000_000, currency: 'USDC' }, recipients })
  expect(refusedOf(input)).toEqual([
    ['cap', null],
    ['missing', 'wallet_missing'],
    ['over', 'over_payout_cap'],
    ['short', 'wallet_malformed'],
    ['wrong', 'wallet_checksum_wrong'],
    ['zero', 'wallet_is_zero'],
  ])
  const gap = distributionops.work(input).gaps.find(({ code }) => code === 'payouts_refused')
  expect(gap).toMatchObject({ kind: 'advisory', pointer: '/recipients/2' })
  const euros = { ...input, pool: { amount_minor: 60_000_000, currency: 'EUR' } }
  expect(new Set(refusedOf(euros).map(([, why]) => why))).toEqual(new Set(['currency_not_usdc']))
  // Which of two rows is right is not known, and every share hangs on it.
  const disputed = usdc({
    recipients: [...usdc().recipients, { id: 'r3', weight: 9, wallet: good }],
  })
  expect(new Set(refusedOf(disputed).map(([, why]) => why))).toEqual(new Set(['rows_differ']))
  expect(filesOf(disputed)).not.toHaveProperty('payouts/payout-create.jsonl')
})

verifies('distributionops.payments', 'a file has the first ten thousand payments by id', () => {
  const recipients = Array.from({ length: 10_002 }, (_, at) => ({
    id: `r${String(at).padStart(5, '0')}`,
    amount_minor: 1,
    wallet: `0x${String(at + 1).padStart(40, '0')}`,
  }))
  const full = refusedOf(usdc({ recipients })).filter(([, why]) => why !== null)
  expect(full).toEqual([
    ['r10000', 'file_full'],
    ['r10001', 'file_full'],
  ])
})

verifies('distributionops.payout_calls', 'mixed letters need the checksum of EIP-55', () => {
  for (const wallet of wallets) {
    expect(walletFault(wallet)).toBeNull()
    expect(walletFault(wallet.toLowerCase())).toBeNull()
    expect(walletFault(`0x${wallet.slice(2).toUpperCase()}`)).toBeNull()
  }
  for (const wallet of wallets.slice(0, 2))
    for (const [at, letter] of [...wallet].entries()) {
      const turned = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (at < 2 || turned === letter) continue
      const changed = wallet.slice(0, at) + turned + wallet.slice(at + 1)
      expect(walletFault(changed), changed).toBe('wallet_checksum_wrong')
    }
})

verifies('distributionops.accounts', 'accounts are checked before anything is paid', () => {
  const faultsOf = (changes: object, debtor: object = {}) => {
    const { credit_transfer: asked, recipients, ...head } = distributionopsInput
    const read = readInput(distributionops, {
      ...head,
      credit_transfer: { ...asked, debtor: { ...asked?.debtor, ...debtor } },
      recipients: [{ ...recipients[0], ...changes }],
    })
    return 'faults' in read ? read.faults.map(({ pointer }) => pointer) : []
  }
  expect(faultsOf({})).toEqual([])
  for (const iban of ['DE89370400440532013000', 'de89 3704 0044 0532 0130 00'])
    expect(faultsOf({ iban })).toEqual([])
  for (const iban of ['DE88370400440532013000', 'DE8937040044053201300', 'DE89  3704 0044', 'DE89'])
    expect(faultsOf({ iban }), iban).toEqual(['/recipients/0/iban'])
  for (const bic of ['DEUTDEFF', 'DEUTDEFF500']) expect(faultsOf({ bic })).toEqual([])
  for (const bic of ['DEUTDEF', 'deutdeff', 'DEUT1EFF', 'DEUTDEFF50'])
    expect(faultsOf({ bic }), bic).toEqual(['/recipients/0/bic'])
  expect(faultsOf({}, { iban: 'DE00370400440532013000' })).toEqual(['/credit_transfer/debtor/iban'])
  expect(faultsOf({}, { name: '王伟' })).toEqual(['/credit_transfer/debtor/name'])
})

verifies('distributionops.pain001', 'texts are written in the characters of SEPA', () => {
  const written: [text: string, latin: string | undefined][] = [
    ["O'Neill (Ltd): a-b/c?,.+ 1", "O'Neill (Ltd): a-b/c?,.+ 1"],
    ['Søren Ægidius & Søn', 'Soren AEgidius + Son'],
    ['  Größe\u00a05\u20131 ', 'Grosse 5-1'],
    ['a<b>"c"&amp;{d}', 'a.b..c.+amp..d.'],
    ['ﬁne №7', 'fine No7'],
    ['Ελλάδα', 'Ellada'],
    ['Anna אנה', undefined],
    ['Anna 王', undefined],
    ['★ ☆', undefined],
  ]
  for (const [text, latin] of written) expect(latinText(text, 70), text).toBe(latin)
  expect(latinText('ß'.repeat(70), 70)).toBe('s'.repeat(70))
})

verifies('distributionops.pain001', 'the file of a euro pool by bank', () => {
  const files = filesOf(distributionopsInput)
  const xml = files['payouts/pain.001.001.09.xml'] ?? ''
  const { credit_transfer } = distributionops.work(distributionopsInput).result
  expect(credit_transfer).toMatchObject({
    transactions: 5,
    control_sum_minor: 1_250_000,
    refused: 0,
  })
  for (const part of [
    '<NbOfTxs>5</NbOfTxs>',
    '<CtrlSum>12500.00</CtrlSum>',
    '<CreDtTm>2026-07-13T09:00:00Z</CreDtTm>',
    '<Dt>2026-07-15</Dt>',
    '<Cd>SEPA</Cd>',
    '<IBAN>DE89370400440532013000</IBAN>',
    '<Id>NOTPROVIDED</Id>',
    '<InstdAmt Ccy="EUR">6028.63</InstdAmt>',
    '<Nm>Label Nord + Son ApS</Nm>',
    '<BICFI>PSSTFRPPPAR</BICFI>',
    '<Ustrd>Agency fee 2026 Q2</Ustrd>',
  ])
    expect(xml, part).toContain(part)
  const table = (files['payouts/payouts.csv'] ?? '').split('\r\n')
  expect(table).toHaveLength(7)
  for (const [, reference] of xml.matchAll(/<EndToEndId>([0-9a-f]{32})</g))
    expect(table.filter((line) => line.includes(`,"${reference}",`))).toHaveLength(1)
})

verifies('distributionops.payments', 'without a debtor the accounts are listed, and a gap', () => {
  const { credit_transfer: _, ...input } = distributionopsInput
  const { result, gaps } = distributionops.work(input)
  expect(result.credit_transfer).toBeNull()
  expect(gaps).toMatchObject([
    { code: 'no_debtor_account', kind: 'advisory', pointer: '/credit_transfer' },
  ])
  const files = filesOf(input)
  expect(files).not.toHaveProperty('payouts/pain.001.001.09.xml')
  expect(files['payouts/payouts.csv']).toContain('"NL91ABNA0417164300"')
})

verifies('tiers.deliver', 'payment files are of the tiers standard and pro', () => {
  const named = (tier: Tier, input: DistributionInput) =>
    Object.keys(filesOf(input, tier)).filter((name) => name.startsWith('payouts/'))
  for (const input of [usdc(), distributionopsInput]) {
    expect(named('entry', input)).toEqual([])
    expect(named('standard', input)).toHaveLength(2)
    expect(named('pro', input)).toHaveLength(2)
  }
  const { 'README.md': readme = '', 'report.html': page = '' } = filesOf(
    usdc({ pool: { amount_minor: 40_000_018, currency: 'USDC' } }),
  )
  for (const text of ['40.000018 USDC', '>16.000007<']) expect(page).toContain(text)
  for (const text of [readme, page]) expect(text).toContain('payouts/payout-create.jsonl')
})

verifies('distributionops.payments', 'cells of a payment run no formula in a spreadsheet', () => {
  const [wallet = ''] = wallets
  const input = usdc({ recipients: [{ id: '=1+1', weight: 1, wallet, name: '@cmd' }] })
  const line = (filesOf(input)['payouts/payouts.csv'] ?? '').split('\r\n')[1] ?? ''
  expect(line).toContain(`"'=1+1"`)
  expect(line).toContain(`"'@cmd"`)
})
