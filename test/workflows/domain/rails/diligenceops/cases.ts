import type { RailCases } from '../cases.ts'
import { day, maybe, pick, type Roll, some, times, upTo } from '../dice.ts'
import { prose } from '../prose.ts'
import { questionnaire } from './questionnaire.ts'

const subjects = [
  'Backups',
  'Audit logs',
  'Session tokens',
  'Customer records',
  'Support tickets',
  'Release 4.2 images',
]
const verbs = [
  'are kept encrypted for',
  'are retained by operations for',
  'are reviewed by security every',
  'expire in storage after',
]
const amounts = [
  '30 days',
  'thirty (30) days',
  '1 month',
  '12 months',
  'one year',
  '90 days',
  '5 years',
  '14 business days',
  '10 percent',
  '$500',
]
const sentence = (roll: Roll) =>
  `${pick(subjects, roll)} ${pick(verbs, roll)} ${pick(amounts, roll)}.`
const words = [...subjects, ...verbs, 'How long', 'Which', 'archive']

export const cases: RailCases = {
  declared: [true, false, true, 'current', false, false, [99, 199, 399]],
  figures: ({ coverage, conflicts }) => ({
    Answered: `${coverage.percent} %`,
    Questions: coverage.questions,
    'Questions answered': coverage.answered,
    'Required questions': coverage.required,
    'Required questions answered': coverage.required_answered,
    Contradictions: conflicts.length,
  }),
  planted: {
    questions_once: (result) => {
      result.answers[1].question_id = result.answers[0].question_id
    },
    answers_quoted: (result) => {
      result.answers[0].answer = 'We do everything.'
    },
    scores_reached: (result) => {
      result.answers[0].citations[0].score = 0.1
    },
    coverage_counted: (result) => {
      result.coverage.answered += 1
    },
    conflicts_differ: (result) => {
      result.conflicts[0].sides[1].value = result.conflicts[0].sides[0].value
    },
  },
  input: diligence,
  larger: () => {
    const { input } = questionnaire()
    return [{ questions: input.questions.slice(0, 150), evidence: input.evidence }]
  },
}

function diligence(roll: Roll): unknown {
  const dated = (index: number) => maybe(roll, { dated: day(index) })
  return {
    questions: times(1 + upTo(14, roll), (index) => ({
      id: `q${index}`,
      text: some(words, 4, roll).join(' '),
      ...maybe(roll, { required: roll() < 0.5 }),
    })),
    evidence: times(1 + upTo(7, roll), (index) => ({
      id: `e${index}`,
      title: `Text ${index}`,
      text:
        roll() < 0.2
          ? prose(80, roll)
          : times(upTo(25, roll), () => sentence(roll)).join(roll() < 0.3 ? '\n\n' : ' '),
      ...dated(index),
    })),
    ...maybe(roll, { min_score: upTo(10, roll) / 10 }),
  }
}
