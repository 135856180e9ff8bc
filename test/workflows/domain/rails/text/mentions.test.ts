import fc from 'fast-check'
import { expect } from 'vitest'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { datesIn, quantitiesIn } from '#domain/rails/text/mentions.ts'
import { sentencesOf, stemsOf } from '#domain/rails/text/words.ts'
import { addDays, addMonths } from '#domain/rails/values/calendar.ts'
import { verifies } from '../../../../verifies.ts'

verifies('rails.words', 'a day in each way of writing it', () => {
  const days = (text: string) =>
    datesIn(text).map(({ day, other }) => (other === null ? day : `${day}|${other}`))
  for (const text of [
    '2026-05-08',
    'May 8, 2026',
    'May 8th, 2026',
    '8 May 2026',
    'the 8th day of May, 2026',
    '8 MAY 2026',
  ])
    expect(days(`On ${text} it began.`), text).toEqual(['2026-05-08'])
  expect(days('Sept. 30, 2025 and 30.09.2025 and 9/30/2025')).toEqual([
    '2025-09-30',
    '2025-09-30',
    '2025-09-30',
  ])
  expect(days('03/04/2026, 05/05/2026')).toEqual(['2026-03-04|2026-04-03', '2026-05-05'])
  expect(days('2026-02-29, 31 April 2026, build 1.2.3.2026, May 2026, 0008-05-08')).toEqual([])
})

verifies('rails.words', 'sums, shares, lengths and counts', () => {
  const read = (text: string) =>
    quantitiesIn(text).map(({ kind, unit, value }) => `${kind} ${value} ${unit}`)
  expect(read('$1,250.50, EUR 1.5 million, 300 USD, £2k, twelve thousand euros')).toEqual([
    'money 1250.5 USD',
    'money 1500000 EUR',
    'money 300 USD',
    'money 2000 GBP',
    'money 12000 EUR',
  ])
  expect(read('99.95 %, five percent (5%), ten per cent')).toEqual([
    'percent 99.95 percent',
    'percent 5 percent',
    'percent 5 percent',
    'percent 10 percent',
  ])
  expect(
    read(
      'one (1) year, 90-day, six months, 36 hours, two weeks, 5 business days, one hundred and five days',
    ),
  ).toEqual([
    'duration 12 months',
    `duration ${90 * 86_400} seconds`,
    'duration 6 months',
    `duration ${36 * 3600} seconds`,
    `duration ${14 * 86_400} seconds`,
    'duration 5 business days',
    `duration ${105 * 86_400} seconds`,
  ])
  expect(
    read(
      '250 employees, Section 4 applies, ISO 27001 certified, TLS 1.3 only, 3 of them, in 2026 customers',
    ),
  ).toEqual(['count 250 employe'])
  expect(quantitiesIn('thirty (20) days')[0]).toMatchObject({
    value: String(20 * 86_400),
    spelled: String(30 * 86_400),
  })
})

verifies('rails.words', 'sentences end where they end', () => {
  const of = (text: string) => sentencesOf(text).map(({ from, to }) => text.slice(from, to))
  expect(of('Acme, Inc. pays Dr. Ada. The U.S. branch (No. 4) does not.')).toEqual([
    'Acme, Inc. pays Dr. Ada.',
    'The U.S. branch (No. 4) does not.',
  ])
  expect(of('It ran on 3 May 2026. Nothing failed.')).toEqual([
    'It ran on 3 May 2026.',
    'Nothing failed.',
  ])
  expect(of('within\n30 days of\n2.5 units\n\nNext')).toEqual([
    'within\n30 days of\n2.5 units',
    'Next',
  ])
  expect(of('1. Term. It lasts.\n2. Fees. None.')).toEqual([
    '1. Term.',
    'It lasts.',
    '2. Fees.',
    'None.',
  ])
  expect(of(`${'word '.repeat(2000)}end.`).every((sentence) => sentence.length <= 4000)).toBe(true)
})

verifies('rails.words', 'sentences stand in order, do not overlap, and lose no word', () => {
  const part = fc.constantFrom(
    'Data is kept. ',
    'No!\n\n',
    'It is (very) late ',
    '1. Term. ',
    '- item\n',
    ' ',
    'Ümläut. ',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      const sentences = sentencesOf(text)
      const joined = sentences.map(({ from, to }) => text.slice(from, to)).join(' ')
      expect(joined.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''))
      for (const [at, { from }] of sentences.entries())
        if (at > 0) expect(from).toBeGreaterThanOrEqual(sentences[at - 1]!.to)
    }),
  )
  expect(stemsOf('The backups are encrypted; encrypting a backup.')).toEqual(['backup', 'encrypt'])
})

verifies('rails.words', 'a German day before its month ends no sentence', () => {
  const text = 'Der Test endete am 8. Mai 2026. Er dauerte 14 Tage.'
  expect(sentencesOf(text).map(({ from, to }) => text.slice(from, to))).toEqual([
    'Der Test endete am 8. Mai 2026.',
    'Er dauerte 14 Tage.',
  ])
  expect(datesIn(text).map(({ day }) => day)).toEqual(['2026-05-08'])
  expect(quantitiesIn(text).map(({ unit, value }) => [unit, value])).toEqual([
    ['seconds', '1209600'],
  ])
})

verifies('rails.words', 'months and days are added as a calendar does', () => {
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
  expect(addMonths('2024-01-31', 1)).toBe('2024-02-29')
  expect(addMonths('2026-03-31', -1)).toBe('2026-02-28')
  expect(addMonths('2026-12-15', 14)).toBe('2028-02-15')
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
})

verifies(
  'rails.bounded',
  'comparisons of similar sentences stop at a limit that is reported',
  () => {
    const text = Array.from(
      { length: 2000 },
      (_, index) => `Backups of customer data live ${index + 1} days.`,
    ).join(' ')
    const { result, gaps } = diligenceops.work({
      questions: [{ id: 'q', text: 'How long do backups live?' }],
      evidence: [{ id: 'e', title: 't', text }],
    })
    // A thousand by the comparison of sentences, and the pairs of the three sentences that answer the question.
    expect(result.conflicts).toHaveLength(1003)
    expect(gaps.map(({ code }) => code)).toEqual(['conflicts_incomplete'])
  },
)

verifies('rails.bounded', 'searches for common words stop at a limit that is reported', () => {
  const { result, gaps } = diligenceops.work({
    questions: Array.from({ length: 90 }, (_, index) => ({
      id: `${1000 + index}`,
      text: 'Where is data kept?',
    })),
    evidence: [{ id: 'e', title: 't', text: 'Data is kept in Oslo.\n\n'.repeat(20_000) }],
  })
  // Each question looks at two words of 20,000 passages, so that 75 come to three million.
  expect(result.coverage.answered).toBe(75)
  expect(new Set(gaps.map(({ code }) => code))).toEqual(new Set(['question_not_searched']))
})

verifies('rails.words', 'thousands are read as they are written in many countries', () => {
  const read = (text: string) => quantitiesIn(text).map(({ value, unit }) => `${value} ${unit}`)
  for (const [text, amount] of [
    ['EUR 1.250.000,00', '1250000 EUR'],
    ['€ 4.500,50', '4500.5 EUR'],
    ['4.500,50 €', '4500.5 EUR'],
    ['1.250.000 EUR', '1250000 EUR'],
    ["CHF 1'250'000.50", '1250000.5 CHF'],
    ['CHF 4’500', '4500 CHF'],
    ['€\u00a01\u202f250\u202f000', '1250000 EUR'],
    ['USD 4 500.50', '4500.5 USD'],
    ['INR 12,50,000', '1250000 INR'],
    ['$1,250.50', '1250.5 USD'],
    ['$1.5m', '1500000 USD'],
    ['€ 1.250 million', '1250000 EUR'],
    ['€ 3,5', '3.5 EUR'],
    ['A$1,000', '1000 AUD'],
    ['HK$ 300', '300 HKD'],
    ['SEK 5 000', '5000 SEK'],
    ['3,5 %', '3.5 percent'],
    ['99.999 %', '99.999 percent'],
    ['1.204 users', '1204 user'],
    ['1,204 users', '1204 user'],
  ] as const)
    expect(read(`It is ${text} in all.`), text).toEqual([amount])
  // What one country reads as thousands and another as a fraction, and what no country writes, is no amount.
  for (const text of [
    '€ 1.250',
    '4.500 €',
    '1.000 days',
    '$1,25,0',
    '$1.2.3',
    'R$ 5',
    '1.2.3.4 users',
  ])
    expect(read(`It is ${text} in all.`), text).toEqual([])
})

verifies('rails.words', 'a year before its month and “of” a month are read as days', () => {
  const days = (text: string) => datesIn(text).map(({ day, other }) => [day, other])
  expect(days('From 2026/07/01 to the 1st of January 2027.')).toEqual([
    ['2026-07-01', null],
    ['2027-01-01', null],
  ])
  expect(days('Lot 2026/07/0112, file 2026-07/01.')).toEqual([])
})
