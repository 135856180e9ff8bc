import fc from 'fast-check'
import { stemmer } from 'stemmer'
import { expect } from 'vitest'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { DiligenceInput, DiligenceResult } from '#domain/rails/diligenceops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { dice, shuffled } from '../dice.ts'
import { questionnaire } from './questionnaire.ts'

const { input, answers, unanswerable, contradictions } = questionnaire()
const work = diligenceops.work(input)
const answered = work.result.answers.filter(({ answer }) => answer !== null)

verifies('diligenceops.answers', '500 questions over 300 texts are answered by sentences', () => {
  expect(input.questions).toHaveLength(500)
  expect(input.evidence).toHaveLength(300)
  expect(DiligenceInput.parse(input)).toEqual(input)
  expect(DiligenceResult.parse(work.result)).toEqual(work.result)
  for (const { answer, verdict, citations } of answered) {
    expect(answer).toBe(citations[0]!.quote)
    expect(verdict).toBe('value')
  }
})

verifies(
  'diligenceops.answers',
  'every question about a stated control cites a text that states it',
  () => {
    for (const [id, { evidenceIds }] of answers) {
      const answer = work.result.answers.find(({ question_id }) => question_id === id)!
      expect(evidenceIds, `${id}: ${answer.answer}`).toContain(answer.citations[0]?.evidence_id)
    }
    const unlike = answered.filter(
      ({ question_id, answer }) => !answer!.includes(answers.get(question_id)!.sentence),
    )
    // The twenty-five that are contradicted may be answered in the contradiction's words.
    expect(unlike.length).toBeLessThanOrEqual(25)
  },
)

verifies('diligenceops.coverage', 'an unanswered question is listed with its unused stems', () => {
  expect(work.result.unanswered.map(({ question_id }) => question_id)).toEqual(unanswerable)
  expect(work.result.coverage).toEqual({
    questions: 500,
    answered: 475,
    required: 164,
    required_answered: 159,
    percent: 95,
  })
  expect(work.result.unanswered.every(({ unknown_stems }) => unknown_stems.length > 0)).toBe(true)
  expect(work.gaps.map(({ code }) => code)).toEqual(unanswerable.map(() => 'unanswered'))
})

verifies(
  'diligenceops.conflicts',
  'of 300 texts exactly the planted contradictions are found',
  () => {
    expect(contradictions).toHaveLength(25)
    const found = work.result.conflicts.map(({ sides }) =>
      sides.map(({ citations }) => citations[0]!.quote).sort(),
    )
    expect(found.sort()).toEqual(contradictions)
    expect(work.findings).toHaveLength(25)
    for (const { question_ids } of work.result.conflicts)
      expect(question_ids.length).toBeGreaterThan(0)
  },
)

verifies(
  'rails.citations',
  'every quote of an answer, a conflict and a gap stands at its offsets',
  () => {
    expect(expectCited(input, work)).toBeGreaterThan(700)
  },
)

const withoutPlaces = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replaceAll(/"pointer":"[^"]*"/g, '"pointer":""'))

verifies('rails.order', 'the order of questions and texts changes only citation positions', () => {
  const some = { questions: input.questions.slice(0, 60), evidence: input.evidence.slice(0, 120) }
  const before = withoutPlaces(diligenceops.work(some))
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const roll = dice(seed)
      const mixed = {
        questions: shuffled(some.questions, roll),
        evidence: shuffled(some.evidence, roll),
      }
      expect(withoutPlaces(diligenceops.work(mixed))).toEqual(before)
    }),
    { numRuns: 5 },
  )
})

const ask = (questions: string[], texts: string[], more: Partial<DiligenceInput> = {}) =>
  diligenceops.work({
    questions: questions.map((text, index) => ({ id: `q${index}`, text })),
    evidence: texts.map((text, index) => ({ id: `e${index}`, title: `t${index}`, text })),
    ...more,
  })

verifies('diligenceops.answers', 'a score by hand: the share of a question that is covered', () => {
  const { result } = ask(['Are backups encrypted?'], ['Backups encrypted.'])
  expect(result.answers[0]).toMatchObject({ score: 1, answer: 'Backups encrypted.' })
  // Of two words that weigh the same one is found: half.
  const half = ask(['glaciers backups'], ['Backups exist.', 'Tenants exist.'])
  expect(half.result.answers[0]).toMatchObject({ score: 0.5, answer: null })
  expect(half.result.answers[0]!.reason).toBe('no text speaks of “glacier”')
})

verifies('diligenceops.verdicts', 'yes, no and partial have the words that decide them', () => {
  const of = (question: string, text: string) => {
    const { verdict, reason } = ask([question], [text]).result.answers[0]!
    return [verdict, /by “(.+?)”/.exec(reason)?.[1]]
  }
  expect(of('Do you sell personal data?', 'Personal data is never sold.')).toEqual(['no', 'never'])
  expect(of('Is MFA in use?', 'Multi-factor authentication is used.')).toEqual(['yes', undefined])
  expect(of('Is MFA in use?', 'MFA is used by staff, but not by contractors.')).toEqual([
    'partial',
    'but not',
  ])
  expect(of('Is MFA required?', 'Two-factor authentication is optional.')).toEqual([
    'no',
    'optional',
  ])
  expect(of('Haben Sie einen DSB?', 'Wir haben keinen Datenschutzbeauftragten.')).toEqual([
    'no',
    'keinen',
  ])
  expect(of('How many sub-processors are there?', 'We use three subprocessors.')[0]).toBe('value')
})

verifies('diligenceops.answers', 'a question about something else is refused', () => {
  for (const [question, text] of [
    ['Is there a data protection officer?', 'Passwords must have at least 14 characters.'],
    ['Have you ever suffered a data breach?', 'We notify customers of a breach within 48 hours.'],
    ['Do you support single sign-on?', 'Keys are kept in a module, and a sign is on the door.'],
    ['How long are backups retained?', 'Audit logs are retained for 400 days.'],
    ['How long are backups retained?', 'Backups are retained in Dublin.'],
  ] as const)
    expect(ask([question], [text]).result.answers[0], question).toMatchObject({ answer: null })
})

verifies('diligenceops.conflicts', 'answers to one question with other values contradict', () => {
  const of = (question: string, one: string, two: string) =>
    ask([question], [one, two]).result.conflicts.map(({ kind, sides, question_ids }) => [
      kind,
      ...sides.map(({ words }) => words),
      ...question_ids,
    ])
  expect(
    of(
      'How long are backups retained?',
      'Full backups run each night and are retained for 30 days.',
      'We keep back-ups for 60 days.',
    ),
  ).toEqual([['duration', '30 days', '60 days', 'q0']])
  expect(
    of(
      'Within what time are clients told of a breach?',
      'Customers are notified of a data breach within 48 hours.',
      'In the case of a breach we inform each customer after 72 hours.',
    ),
  ).toEqual([['duration', '48 hours', '72 hours', 'q0']])
  expect(
    of(
      'How many employees do you have?',
      'At the end of the year the company employed 212 people.',
      'We have 240 employees.',
    ),
  ).toEqual([['count', '212 people', '240 employees', 'q0']])
  expect(
    of(
      'Wann fand der letzte Penetrationstest statt?',
      'Der letzte Pentest fand am 8. Mai 2026 statt.',
      'Der Penetrationstest fand zuletzt am 3. März 2026 statt.',
    ),
  ).toEqual([['date', '8. Mai 2026', '3. März 2026', 'q0']])
  expect(of('How long are logs kept?', 'Logs are kept 1 year.', 'We keep logs 12 months.')).toEqual(
    [],
  )
})

verifies('diligenceops.answers', 'a higher min_score only takes citations away', () => {
  const some = { questions: input.questions.slice(0, 40), evidence: input.evidence.slice(0, 60) }
  const at = (min_score: number) =>
    diligenceops
      .work({ ...some, min_score })
      .result.answers.flatMap(({ question_id, citations }) =>
        citations.map(({ evidence_id, from }) => `${question_id} ${evidence_id} ${from}`),
      )
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (a, b) => {
        const [low, high] = [at(Math.min(a, b)), at(Math.max(a, b))]
        expect(high.filter((cited) => !low.includes(cited))).toEqual([])
      },
    ),
    { numRuns: 10 },
  )
})

verifies(
  'diligenceops.conflicts',
  'equal values in other words and other releases do not contradict',
  () => {
    const none = (...texts: string[]) => expect(ask(['x'], texts).result.conflicts).toEqual([])
    none('Logs are kept for 12 months.', 'Logs are kept for one (1) year.')
    none('Logs are kept for 30 days.', 'Logs are kept for one month.')
    none('Logs are kept for 5 business days.', 'Logs are kept for 7 days.')
    none('Restores finish within 24 hours.', 'Restores finish within 1 day.')
    none(
      'Release 41 was deployed to all regions on 2026-06-03.',
      'Release 42 was deployed to all regions on 2026-06-17.',
    )
    none('The cap is $2,000,000 per claim.', 'The cap per claim is USD 2 million.')
    none('Tests ran on 03/04/2026.', 'Tests ran on 5 March 2026.')
    none('Logs are kept for 30 or 60 days.', 'Logs are kept for 90 days.')
  },
)

verifies(
  'diligenceops.conflicts',
  'dates, money, shares, times and counts contradict; the later is named',
  () => {
    const texts = [
      [
        'The audit report was issued on 3 May 2026.',
        'The audit report was issued on May 13, 2026.',
        'date',
      ],
      ['The cover limit is $2,000,000.', 'The cover limit is 5 million dollars.', 'money'],
      ['Uptime promised is 99.9 %.', 'Uptime promised is 99.5 percent.', 'percent'],
      [
        'Customer data is deleted within thirty (30) days of termination.',
        'Upon termination, customer data is deleted after 60 days.',
        'duration',
      ],
      ['The cover limit is $2,000,000.', 'The cover limit is EUR 2 million.', 'money'],
      ['Logs are kept for 90 days.', 'Logs are kept for 1 year.', 'duration'],
      [
        'The company employs 250 people worldwide.',
        'Worldwide the company employs 310 people.',
        'count',
      ],
    ] as const
    for (const [one, two, kind] of texts) {
      const evidence = [
        { id: 'a', title: 'a', text: one, dated: '2026-01-01' },
        { id: 'b', title: 'b', text: two, dated: '2026-02-01' },
      ]
      const { conflicts } = ask([one], [], { evidence }).result
      expect(conflicts, one).toMatchObject([{ kind, newer_evidence_id: 'b', question_ids: ['q0'] }])
    }
  },
)

verifies(
  'diligenceops.conflicts',
  'the pairs compared by stems are those of an exhaustive comparison',
  () => {
    const noun = fc.constantFrom(
      'logs',
      'backups',
      'keys',
      'tenants',
      'servers',
      'badges',
      'audits',
    )
    const sentence = fc
      .tuple(fc.uniqueArray(noun, { minLength: 2, maxLength: 6 }), fc.integer({ min: 1, max: 3 }))
      .map(([nouns, days]) => ({
        stems: nouns.map((word) => stemmer(word)),
        days,
        text: `${nouns.join(' ')} ${days} days.`,
      }))
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 2, maxLength: 12 }), (said) => {
        const distinct = new Map(
          said.map((one) => [JSON.stringify([one.days, [...one.stems].sort()]), one]),
        )
        const all = [...distinct.values()]
        const opposed = all.flatMap((one, index) =>
          all.slice(0, index).filter((other) => {
            const common = one.stems.filter((stem) => other.stems.includes(stem)).length
            return (
              other.days !== one.days &&
              common / (one.stems.length + other.stems.length - common) >= 0.75
            )
          }),
        )
        expect(
          ask(
            ['x'],
            said.map(({ text }) => text),
          ).result.conflicts,
        ).toHaveLength(opposed.length)
      }),
    )
  },
)

verifies('diligenceops.coverage', 'a text and a question without words are gaps', () => {
  const { gaps } = ask(['What is it?'], ['—', 'Some words.'])
  expect(gaps.map(({ code }) => code)).toEqual(['evidence_without_words', 'question_without_words'])
  const twice = [
    { id: 'a', text: 'x' },
    { id: 'a', text: 'y' },
  ]
  expect(DiligenceInput.safeParse({ ...input, questions: twice }).success).toBe(false)
})
