import { conflictsIn } from './diligenceops/conflicts.ts'
import { type Answer, DiligenceInput, DiligenceResult, type EvidenceSpan } from './diligenceops/schema.ts'
import { diligenceopsInput } from './fixtures/diligenceops.ts'
import type { Finding, Gap, Rail, Work } from './rail.ts'
import { rankingOf } from './ranking.ts'
import { passagesOf, stemsOf, wordsOf } from './words.ts'
import { finishedWork, inOrder } from './work.ts'

export const diligenceops: Rail<DiligenceInput, DiligenceResult> = {
  key: 'diligenceops',
  about: {
    summary:
      'Answers a due-diligence questionnaire from evidence texts, word by word and with the place of each answer.',
    capabilities: [
      'answer a security or due diligence questionnaire from documents',
      'find the passages of policies that answer a question, with citations',
      'tell which questions the evidence leaves unanswered',
      'find contradictions between documents by dates and numbers',
    ],
  },
  takes: {
    paidAgentUse: true,
    quickstart: false,
    pricingModelV2: true,
    controlledLoop: 'current',
    offer: false,
    requestedTool: false,
  },
  prices: { entry: 99, standard: 199, pro: 399 },
  input: DiligenceInput,
  result: DiligenceResult,
  sandboxInput: diligenceopsInput,
  work,
}

/** Decision: a passage that answers has about a third of what a passage made for the question would have. */
const MIN_SCORE = 0.3
const PASSAGE_CHARS = 480
const CITATIONS_MAX = 3

type Passage = EvidenceSpan & { stems: string[] }

function work(input: DiligenceInput): Work<DiligenceResult> {
  const minScore = input.min_score ?? MIN_SCORE
  const passages = input.evidence.flatMap(({ id, text }, index) => passagesIn(id, text, `/evidence/${index}/text`))
  const known = new Set(passages.flatMap(({ stems }) => stems))
  const ranking = rankingOf(passages.map(({ stems }) => stems))
  const asked = input.questions.map((question, index) => {
    const stems = stemsOf(question.text)
    const ranked = ranking.rank(stems).flatMap(({ at, score }) => {
      const passage = passages[at]
      return passage === undefined ? [] : [{ passage, score }]
    })
    const bestFirst = ranked.toSorted(
      inOrder(
        ({ score }) => -score,
        ({ passage }) => passage.evidence_id,
        ({ passage }) => passage.from,
      ),
    )
    const answer = answerOf(question.id, bestFirst, minScore)
    const cited = { pointer: `/questions/${index}/text`, quote: question.text }
    return { question, cited, stems, answer, unknown: stems.filter((stem) => !known.has(stem)).toSorted() }
  })
  const open = asked.filter(({ answer }) => answer.answer === null)
  const required = asked.filter(({ question }) => question.required === true)
  const answered = asked.length - open.length
  const { conflicts, complete } = conflictsIn(input.evidence, citingQuestions(asked.map(({ answer }) => answer)))
  const result: DiligenceResult = {
    min_score: minScore,
    answers: asked.map(({ answer }) => answer).toSorted(inOrder(({ question_id }) => question_id)),
    coverage: {
      questions: asked.length,
      answered,
      required: required.length,
      required_answered: required.filter(({ answer }) => answer.answer !== null).length,
      percent: Math.floor((100 * answered) / asked.length),
    },
    unanswered: open
      .map(({ question, answer, unknown }) => ({
        question_id: question.id,
        required: question.required === true,
        best_score: answer.score,
        unknown_stems: unknown,
      }))
      .toSorted(inOrder(({ question_id }) => question_id)),
    conflicts,
  }
  const gaps: Gap[] = [
    ...open.map(({ question, answer, stems, cited }) => ({
      code: stems.length === 0 ? 'question_without_words' : 'unanswered',
      detail: `${question.required === true ? 'required ' : ''}question ${question.id}: best score ${answer.score}`,
      citations: [cited],
    })),
    ...emptyTexts(input),
    ...(complete
      ? []
      : [{ code: 'conflicts_incomplete', detail: 'too many sentences are alike to compare all', citations: [] }]),
  ]
  return finishedWork(result, result.conflicts.map(conflictFinding), gaps)
}

function passagesIn(evidenceId: string, text: string, pointer: string): Passage[] {
  return passagesOf(text, PASSAGE_CHARS).flatMap(({ from, to }) => {
    const quote = text.slice(from, to)
    const stems = wordsOf(quote).map(({ stem }) => stem)
    return stems.length === 0 ? [] : [{ evidence_id: evidenceId, pointer, quote, from, to, stems }]
  })
}

function answerOf(questionId: string, ranked: { passage: Passage; score: number }[], minScore: number): Answer {
  const [best] = ranked
  const good = ranked.filter(({ score }) => score >= minScore && score > 0).slice(0, CITATIONS_MAX)
  return {
    question_id: questionId,
    answer: good[0]?.passage.quote ?? null,
    score: best?.score ?? 0,
    citations: good.map(({ passage: { stems: _, ...span }, score }) => ({ ...span, score })),
  }
}

/** Which questions cite something that overlaps a span. */
function citingQuestions(answers: Answer[]): (span: EvidenceSpan) => string[] {
  const citing = answers.flatMap(({ question_id, citations }) => citations.map((cited) => ({ question_id, cited })))
  return ({ evidence_id, from, to }) =>
    citing
      .filter(({ cited }) => cited.evidence_id === evidence_id && cited.from < to && from < cited.to)
      .map(({ question_id }) => question_id)
}

function conflictFinding({ kind, about, sides }: DiligenceResult['conflicts'][number]): Finding {
  const [one, two] = sides
  return {
    code: `conflict_${kind}`,
    detail: `${about.join(' ')}: “${one.words}” and “${two.words}”`,
    citations: [...one.citations, ...two.citations].map(({ pointer, quote }) => ({ pointer, quote })),
  }
}

function emptyTexts({ evidence }: DiligenceInput): Gap[] {
  return evidence.flatMap(({ id, title, text }, index) =>
    wordsOf(text).length > 0
      ? []
      : [
          {
            code: 'evidence_without_words',
            detail: `${id} has no words to search`,
            citations: [{ pointer: `/evidence/${index}/title`, quote: title }],
          },
        ],
  )
}
