import { auditOf, differs, firstOfAll, firstWrong } from '../work/audit.ts'
import type { DiligenceInput, DiligenceResult } from './schema.ts'

const checks = {
  questions_once: 'the answers, against the questions of the input',
  answers_quoted: 'each answer, against the words of its first citation in the named text',
  scores_reached: 'each score, against the smallest one that is asked for',
  coverage_counted: 'the coverage, against the answers counted again',
  conflicts_differ: 'both sides of each contradiction, against each other and their citations',
}

/** Counts the answers again and reads each of them again where it is said to stand. */
export const diligenceopsAudit = auditOf<DiligenceInput, DiligenceResult>(
  checks,
  (input, { result }) => ({
    questions_once: differs(
      'the list of questions',
      idsOf(result.answers.map(({ question_id }) => question_id)),
      idsOf(input.questions.map(({ id }) => id)),
    ),
    answers_quoted: quotedFault(input, result),
    scores_reached: scoresFault(result),
    coverage_counted: coverageFault(input, result),
    conflicts_differ: conflictsFault(result),
  }),
)

const idsOf = (ids: string[]): string => JSON.stringify(ids.sort())

function quotedFault({ evidence }: DiligenceInput, { answers }: DiligenceResult): string | null {
  const texts = new Map(evidence.map(({ id, text }) => [id, text]))
  return firstWrong(answers, ({ question_id, answer, citations }) => {
    const [first] = citations
    if (answer === null) return null
    if (first?.quote !== answer) return `the answer to ${question_id} is not its first citation`
    return firstWrong(citations, ({ evidence_id, quote, from, to }) =>
      texts.get(evidence_id)?.slice(from, to) === quote
        ? null
        : `a citation of ${question_id} is not in ${evidence_id}`,
    )
  })
}

function scoresFault({ answers, min_score }: DiligenceResult): string | null {
  return firstWrong(answers, ({ question_id, answer, score, verdict, citations }) =>
    firstOfAll(
      differs(`the verdict on ${question_id}`, verdict === 'unanswered', answer === null),
      answer === null || citations.every((one) => one.score >= min_score && one.score <= score)
        ? null
        : `a citation of ${question_id} has another score than ${min_score} to ${score}`,
    ),
  )
}

function coverageFault(
  { questions }: DiligenceInput,
  { answers, coverage, unanswered }: DiligenceResult,
) {
  const required = new Set(questions.flatMap((one) => (one.required === true ? [one.id] : [])))
  const open = new Set(
    answers.flatMap(({ question_id, answer }) => (answer === null ? [question_id] : [])),
  )
  const answered = questions.length - open.size
  const openRequired = [...required].filter((id) => open.has(id)).length
  return firstOfAll(
    differs('the number of questions', coverage.questions, questions.length),
    differs('the number of answers', coverage.answered, answered),
    differs('the number of required questions', coverage.required, required.size),
    differs('the required answers', coverage.required_answered, required.size - openRequired),
    differs('the percentage', coverage.percent, Math.floor((answered * 100) / questions.length)),
    differs(
      'the list of open questions',
      idsOf(unanswered.map(({ question_id }) => question_id)),
      idsOf([...open]),
    ),
  )
}

function conflictsFault({ conflicts }: DiligenceResult): string | null {
  return firstWrong(conflicts, ({ about, sides: [one, other] }) => {
    if (one.value === other.value && one.unit === other.unit)
      return `both sides about ${about.join(' ')} say ${one.value}`
    return firstWrong([one, other], ({ words, citations }) =>
      citations.some(({ quote }) => quote.includes(words)) ? null : `“${words}” is not cited`,
    )
  })
}
