import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import { contractops } from '#domain/rails/contractops/index.ts'
import { ContractResult } from '#domain/rails/contractops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'

const contract = (name: string) =>
  readFileSync(new URL(`contracts/${name}.txt`, import.meta.url), 'utf8').toString()
const read = (name: string, as_of: string) => contractops.work({ text: contract(name), as_of })
const services = read('master-services', '2027-01-10')
const lease = read('office-lease', '2028-12-01')
const license = read('software-license', '2025-06-15')
const consulting = read('consulting', '2026-11-05')
type Work = typeof services

const codes = (list: { code: string }[]) => list.map(({ code }) => code)
const parties = ({ result }: Work) =>
  result.parties.map(({ name, role, form }) => [name, role, form])
const dates = ({ result }: Work) => result.dates.map(({ day, kind }) => `${day} ${kind}`)
const amounts = ({ result }: Work) =>
  result.amounts.map(({ value, currency, per }) => `${value} ${currency} ${per}`)
const said = ({ result }: Work) =>
  result.uncertain.map(({ code, citations }) => [code, citations[0]!.quote])

verifies(
  'contractops.facts',
  'a master services agreement: parties, dates and amounts, by hand',
  () => {
    expect(parties(services)).toEqual([
      ['Harborline Freight Systems, Inc.', 'Customer', 'a Delaware corporation'],
      ['Quillfeather Analytics LLC', 'Provider', 'a New York limited liability company'],
    ])
    expect(dates(services)).toEqual([
      '2023-03-15 effective',
      '2023-03-14 signature',
      '2023-03-15 signature',
    ])
    expect(amounts(services)).toEqual([
      '186000 USD year',
      '24500 USD null',
      '2500 USD null',
      '500000 USD null',
      '2000000 USD null',
    ])
  },
)

verifies(
  'contractops.terms',
  'a master services agreement: term, renewal and notice, by hand',
  () => {
    // Three years from 15 March 2023 end on 14 March 2026; on 10 January 2027 the first renewal runs, to 14 March 2027;
    // ninety days before that are 14 (March) + 28 + 31 + 17 of December: the 14th.
    expect(services.result.terms).toMatchObject({
      effective_on: '2023-03-15',
      initial_term: { unit: 'months', value: '36' },
      ends_on: '2026-03-14',
      renewal: { automatic: true, every: { unit: 'months', value: '12' } },
      current_term_ends_on: '2027-03-14',
      renews_on: '2027-03-15',
      notice: {
        length: { unit: 'seconds', value: String(90 * 86_400) },
        deadline_on: '2026-12-14',
        passed: true,
      },
      terminations: [
        { kind: 'cause', notice: { value: String(30 * 86_400) } },
        { kind: 'convenience', notice: { value: String(120 * 86_400) } },
      ],
    })
    expect(codes(services.findings)).toEqual(['notice_passed'])
    expect(codes(services.gaps)).toEqual(['attachment_not_supplied'])
  },
)

verifies(
  'contractops.obligations',
  'a master services agreement: who must do what, by hand',
  () => {
    const of = (party: string, kind: string) =>
      services.result.obligations
        .filter((one) => one.party === party && one.kind === kind)
        .map(({ act }) => act)
    expect(of('Customer', 'must')).toEqual([
      'keep its access credentials secret',
      'pay Provider an annual subscription fee of $186,000.00 per year, invoiced in advance',
      'pay each undisputed invoice within forty-five (45) days of receipt',
      'bear all sales taxes',
      'cease to use the platform',
    ])
    expect(of('Customer', 'must_not')).toEqual([
      'resell the platform',
      'permit third parties to use it',
    ])
    expect(of('Provider', 'must_not')).toEqual([
      'replace the lead engineer without the prior consent of Customer',
    ])
    expect(of('each party', 'must_not')).toEqual([
      'disclose Confidential Information to third parties',
      'assign this Agreement without the consent of the other',
    ])
    expect(of('Provider', 'must')).toHaveLength(9)
    const notify = services.result.obligations.find(({ act }) => act.startsWith('notify'))
    expect(notify).toMatchObject({ party: 'Provider', due: 'seventy-two (72) hours' })
    expect(codes(services.result.uncertain)).toEqual([
      'obligor_unclear',
      'obligor_unclear',
      'vague_time',
    ])
  },
)

verifies(
  'contractops.terms',
  'an office lease: parties, a stated end, an option and no renewal',
  () => {
    expect(parties(lease)).toEqual([
      ['Cedar & Vane Properties LLC', 'Landlord', null],
      ['Blue Otter Robotics Ltd.', 'Tenant', null],
    ])
    expect(lease.result.terms).toMatchObject({
      effective_on: '2024-07-01',
      ends_on: '2029-06-30',
      renewal: { automatic: false, every: { unit: 'months', value: '24' } },
      renews_on: null,
      notice: { length: { unit: 'months', value: '6' }, deadline_on: '2028-12-30', passed: false },
      terminations: [{ kind: 'convenience', notice: { unit: 'months', value: '9' } }],
    })
    expect(amounts(lease)).toEqual([
      '8400 GBP month',
      '25200 GBP null',
      '14000 GBP year',
      '300000 GBP null',
    ])
    expect(codes(lease.findings)).toEqual(['notice_due_soon'])
    expect(lease.result.obligations).toHaveLength(11)
  },
)

verifies('contractops.uncertain', 'what four contracts leave open or say twice', () => {
  expect(said(lease)).toEqual([
    ['ambiguous_date', '01/07/2026'],
    ['obligor_unclear', 'The deposit shall be returned within 30 days after the end\nof the term.'],
    ['words_and_figures_differ', 'twenty-five thousand pounds (£25,200)'],
  ])
  expect(said(license)).toEqual([
    ['ambiguous_date', '03/04/2025'],
    ['blank', '[insert number]'],
    ['blank', '____________'],
    ['notice_periods_differ', 'five (5) business days'],
    ['obligor_unclear', 'The software must be delivered by 03/04/2025.'],
    ['vague_time', 'Licensor shall deliver\nupdates in a timely manner.'],
    ['words_and_figures_differ', 'thirty (20) percent'],
  ])
  expect(said(consulting)).toEqual([['end_dates_differ', 'October 31, 2026']])
  expect(codes(license.gaps)).toEqual(['business_days_not_counted'])
  expect(codes(consulting.findings)).toEqual(['term_ended'])
})

verifies(
  'contractops.terms',
  'a licence that renews every month from the 31st does not drift',
  () => {
    // 31 January, 28 February, 31 March, 30 April, 31 May: the term of 15 June began on 31 May and ends before 30 June.
    expect(license.result.terms).toMatchObject({
      ends_on: '2025-02-27',
      current_term_ends_on: '2025-06-29',
      renews_on: '2025-06-30',
      notice: { deadline_on: null },
    })
  },
)

verifies('rails.citations', 'every quote of a contract’s result stands at its offsets', () => {
  for (const name of ['master-services', 'office-lease', 'software-license', 'consulting']) {
    const text = contract(name)
    const work = contractops.work({ text, as_of: '2026-01-01' })
    expect(expectCited({ text }, work)).toBeGreaterThan(12)
    expect(ContractResult.parse(work.result)).toEqual(work.result)
  }
})

const agreement = (day: string, years: number, days: number) =>
  `This Agreement is made as of ${day} (the "Effective Date") between Ash, Inc. ("Seller") and Birch LLC ("Buyer").\n\n` +
  `1. The initial term of this Agreement is ${years} years. It shall automatically renew for successive terms of one (1) ` +
  `year unless either party gives notice of non-renewal at least ${days} days before the end of the term.\n`

verifies(
  'contractops.terms',
  'the current term is the one that counting year by year finds',
  () => {
    const day = fc.date({
      min: new Date('1990-01-01'),
      max: new Date('2040-12-31'),
      noInvalidDate: true,
    })
    const text = (date: Date) => date.toISOString().slice(0, 10)
    fc.assert(
      fc.property(
        day,
        day,
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 2, max: 200 }),
        (start, asOf, years, days) => {
          const [began, on] = [text(start), text(asOf)]
          const anniversary = (count: number) => {
            const [year, rest] = [Number(began.slice(0, 4)) + count, began.slice(4)]
            const leap = new Date(`${year}-02-29`).getUTCDate() === 29
            return new Date(`${year}${rest === '-02-29' && !leap ? '-02-28' : rest}`).getTime()
          }
          let count = years
          while (anniversary(count) - 86_400_000 < new Date(on).getTime()) count++
          const end = anniversary(count) - 86_400_000
          const { terms } = contractops.work({
            text: agreement(began, years, days),
            as_of: on,
          }).result
          expect(terms.current_term_ends_on).toBe(text(new Date(end)))
          expect(terms.renews_on).toBe(text(new Date(end + 86_400_000)))
          expect(terms.notice?.deadline_on).toBe(text(new Date(end - days * 86_400_000)))
        },
      ),
      { numRuns: 60 },
    )
  },
)

verifies('contractops.uncertain', 'a text that is no contract says what was not found', () => {
  expect(codes(contractops.work({ text: 'Dear Ada, the meeting is tomorrow.' }).gaps)).toEqual([
    'as_of_missing',
    'effective_date_not_found',
    'obligations_not_found',
    'parties_not_found',
    'term_not_found',
  ])
})

verifies(
  'contractops.terms',
  'absurd lengths and a term that renews every second are not followed',
  () => {
    const { terms } = contractops.work({
      text: agreement('2020-01-01', 999_999_999, 3).replace('one (1) year', 'one second'),
      as_of: '2100-01-01',
    }).result
    expect(terms).toMatchObject({ initial_term: null, ends_on: null })
    const short = agreement('2020-01-01', 2, 3).replace('one (1) year', 'one second')
    expect(
      contractops.work({ text: short, as_of: '2100-01-01' }).result.terms.current_term_ends_on,
    ).toBe('2021-12-31')
  },
)

verifies('rails.bounded', 'texts made to be slow are read', () => {
  const slow = [
    'one '.repeat(120_000),
    '\n'.repeat(480_000),
    ' '.repeat(480_000),
    'shall '.repeat(80_000),
    'Seller shall '.repeat(36_000),
    'Seller shall pay $1 (one '.repeat(19_000),
    '1,111'.repeat(90_000),
    `${'a.'.repeat(200_000)}"`,
    '("A") '.repeat(80_000),
  ]
  for (const body of slow) {
    const text = `${agreement('2024-01-01', 2, 60)}\n\n${body}`
    expect(contractops.work({ text, as_of: '2026-01-01' }).result.terms.effective_on).toBe(
      '2024-01-01',
    )
  }
})
