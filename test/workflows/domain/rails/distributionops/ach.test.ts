import { expect } from 'vitest'
import { nachaForm } from '#domain/rails/distributionops/forms/nacha-file.ts'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import type { DistributionInput } from '#domain/rails/distributionops/schema.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { verifies } from '../../../../verifies.ts'

type Recipient = DistributionInput['recipients'][number]
const account = { routing_number: '091000019', account_number: '8301-22', account_type: 'checking' }
const paid: Recipient[] = [
  { id: 'a', weight: 1, name: 'Ana Núñez & Søn', ...account },
  { id: 'b', weight: 2, name: 'Delta LLC', ...account, account_number: '77', account_type: '2' },
  { id: 'c', amount: '0.99', name: 'Echo Inc', ...account, routing_number: '021000021' },
]
const ach: NonNullable<DistributionInput['ach']> = {
  company: { name: 'Northern Society', id: '1123456789' },
  bank: { name: 'First Bank', routing_number: '061000052' },
  entry_class: 'CCD',
  description: 'ROYALTIES',
  effective_date: '2026-07-15',
  created_at: '2026-07-13T09:05:00Z',
}
const input = (changes: Partial<DistributionInput> = {}): DistributionInput => ({
  pool: { amount_minor: 1_000_099, currency: 'USD' },
  ach,
  recipients: paid,
  ...changes,
})
const filesOf = (given: DistributionInput) => {
  const run = { run_id: 'run_1', rail: 'distributionops', tier: 'standard', usage: 'operational' }
  const digests = { input_sha256: 'a'.repeat(64), result_sha256: 'b'.repeat(64), partial: false }
  return reportOf({ ...run, ...digests } as never, distributionops.work(given))
}
const refusedOf = (given: DistributionInput) =>
  distributionops.work(given).result.payments.map(({ ach_refused }) => ach_refused)

verifies('distributionops.ach', 'a NACHA file as its rules lay it out', () => {
  const text = filesOf(input())['payouts/nacha.txt'] ?? ''
  const records = text.split('\n').slice(0, -1)
  expect(records).toHaveLength(10)
  expect(new Set(records.map(({ length }) => length))).toEqual(new Set([94]))
  // 1,000,000 cents by 1 to 2, and 99 cents; 09100001 twice and 02100002 make 20300004.
  const expected = [
    '101 06100005211234567892607130905A094101First Bank             Northern Society               ',
    '5220Northern Society                    1123456789CCDROYALTIES       260715   1061000050000001',
    /^6220910000198301-22 {10}0000333333[0-9a-f]{15}Ana Nunez \+ Son {9}0061000050000001$/,
    /^63209100001977 {15}0000666667[0-9a-f]{15}Delta LLC {15}0061000050000002$/,
    /^6220210000218301-22 {10}0000000099[0-9a-f]{15}Echo Inc {16}0061000050000003$/,
    '822000000300203000040000000000000000010000991123456789                         061000050000001',
    '9000001000001000000030020300004000000000000000001000099                                       ',
    ...Array(3).fill('9'.repeat(94)),
  ]
  for (const [at, record] of expected.entries())
    expect(records[at], `record ${at + 1}`).toEqual(
      record instanceof RegExp ? expect.stringMatching(record) : record,
    )
  expect(distributionops.work(input()).result.ach).toMatchObject({
    entries: 3,
    credit_total_minor: 1_000_099,
    entry_hash: '0020300004',
    refused: 0,
  })
  // The service reads its own file, and finds its totals right.
  const back = nachaForm.read(text as never)
  expect(back?.findings).toEqual([])
  expect(back?.rows).toHaveLength(3)
})

verifies('distributionops.ach', 'each payment outside of the NACHA file says why', () => {
  const { account_type: _, ...untyped } = account
  const recipients: Recipient[] = [
    { id: 'a', amount_minor: 1, ...untyped, name: 'A' },
    { id: 'b', amount_minor: 1, ...account },
    { id: 'c', amount_minor: 1, ...account, name: '王伟' },
    { id: 'd', amount_minor: 10_000_000_000, ...account, name: 'D' },
    { id: 'e', amount_minor: 9_999_999_999, ...account, name: 'E' },
  ]
  const whole = input({ pool: { amount_minor: 20_000_000_002, currency: 'USD' }, recipients })
  expect(refusedOf(whole)).toEqual([
    'account_missing',
    'name_missing',
    'name_not_latin',
    'over_ach_maximum',
    null,
  ])
  expect(refusedOf({ ...whole, pool: { amount_minor: 20_000_000_002, currency: 'EUR' } })).toEqual(
    Array(5).fill('currency_not_usd'),
  )
  const { ach: _ach, ...without } = whole
  expect(new Set(refusedOf(without))).toEqual(new Set(['no_company']))
  const codes = (given: DistributionInput) =>
    distributionops.work(given).gaps.map(({ code }) => code)
  expect(codes(without)).toEqual(['no_ach_company'])
  expect(codes(whole)).toEqual(['transfers_refused'])
  expect(filesOf(without)).not.toHaveProperty('payouts/nacha.txt')
})

verifies('distributionops.ach', 'routing numbers have the check digit of the ABA', () => {
  const faultsOf = (changes: object) => {
    const read = readInput(
      distributionops,
      input({ recipients: [{ id: 'a', weight: 1, ...changes }] }),
    )
    return 'faults' in read ? read.faults.map(({ pointer }) => pointer) : []
  }
  for (const routing_number of ['091000019', '021000021', '231380104', '121042882'])
    expect(faultsOf({ routing_number }), routing_number).toEqual([])
  for (const routing_number of ['091000018', '190000019', '000000000', '9100001', '09100001A'])
    expect(faultsOf({ routing_number }), routing_number).toEqual(['/recipients/0/routing_number'])
  expect(faultsOf({ account_number: '1'.repeat(18) })).toEqual(['/recipients/0/account_number'])
  expect(faultsOf({ account_type: 'loan' })).toEqual(['/recipients/0/account_type'])
})

verifies('distributionops.amounts', 'amounts are given in whole units as well', () => {
  const inWhole: Recipient[] = [
    { id: 'a', amount: '-1500.05' },
    { id: 'b', amount: 1500, destination_reference: 'x' },
    { id: 'c', weight: 1, cap: '20.5', floor: 0.01, destination_reference: 'y' },
    { id: 'd', weight: 1, destination_reference: 'z' },
  ]
  const inCents: Recipient[] = [
    { id: 'a', amount_minor: -150_005 },
    { id: 'b', amount_minor: 150_000, destination_reference: 'x' },
    { id: 'c', weight: 1, cap_minor: 2_050, floor_minor: 1, destination_reference: 'y' },
    { id: 'd', weight: 1, destination_reference: 'z' },
  ]
  const workOf = (recipients: Recipient[]) => distributionops.work(input({ recipients }))
  expect(workOf(inWhole).result.manifest_sha256).toBe(workOf(inCents).result.manifest_sha256)
  expect(workOf(inWhole).result.carried[0]?.balance_minor).toBe(-150_005)
  const pool = readInput(distributionops, {
    pool: { amount: '10.50', currency: 'USD' },
    recipients: [],
  })
  expect(pool).toMatchObject({ data: { pool: { amount_minor: 1_050 } } })
  const below = readInput(distributionops, {
    pool: { amount: '-0.01', currency: 'USD' },
    recipients: [],
  })
  expect(below).toMatchObject({ faults: [{ pointer: '/pool/amount_minor' }] })
})

verifies('distributionops.amounts', 'an amount that is not sure is refused', () => {
  const recipients: Recipient[] = [
    { id: 'a', amount: '1.005' },
    { id: 'b', amount: '1', amount_minor: 100 },
    { id: 'c', amount: '1', currency: 'EUR' },
    { id: 'd', weight: 1, cap: -1 },
    { id: 'e', amount: 'ten' },
    { id: 'f', amount: '1', currency: 'USD', destination_reference: 'x' },
  ]
  const { result } = distributionops.work(input({ recipients }))
  expect(result.refused.map(({ reason }) => reason)).toEqual([
    'its amount is not a decimal of at most 2 places',
    'has both amount and amount_minor',
    'is in EUR, and the pool in USD',
    'its cap is below zero',
    'its amount is not a decimal of at most 2 places',
  ])
  expect(result.allocations.map(({ amount_minor }) => amount_minor)).toEqual([100])
})
