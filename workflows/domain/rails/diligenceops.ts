import { groupedBy } from '../core/grouped-by.ts'
import { conflictsIn } from './diligenceops/conflicts.ts'
import {
  type Answer,
  DiligenceInput,
  DiligenceResult,
  type EvidenceSpan,
} from './diligenceops/schema.ts'
import { diligenceopsInput } from './fixtures/diligenceops.ts'
import type { Citation, Finding, Gap, Rail, Work } from './rail.ts'
import { type Ranked, rankingOf } from './ranking.ts'
import { passagesOf, stemsOf, wordsOf } from './words.ts'
import { finishedWork, firstOf, inOrder } from './work.ts'

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
  parameters: ['min_score'],
  work,
}

/** Decision: a passage that answers has about a third of what a passage made for the question would have. */
const MIN_SCORE = 0.3
const PASSAGE_CHARS = 480
const CITATIONS_MAX = 3
/** The most places that are searched. Without a bound, many questions about common words would take unlimited time. */
const PLACES_MAX = 3_000_000

type Passage = EvidenceSpan & { stems: string[] }
type Search = { question: Question; found: Ranked[]; passages: Passage[]; minScore: number }

type Question = DiligenceInput['questions'][number]
type Asked = {
  question: Question
  cited: Citation
  stems: string[]
  /** Stems of the question that no text has. */
  unknown: string[]
  searched: boolean
  answer: Answer
}

function work(input: DiligenceInput): Work<DiligenceResult> {
  const minScore = input.min_score ?? MIN_SCORE
  const asked = askAll(input, minScore)
  const answers = asked.map(({ answer }) => answer)
  const open = asked.filter(({ answer }) => answer.answer === null)
  const { conflicts, complete, cited } = conflictsIn(input.evidence, citingQuestions(answers))
  const result: DiligenceResult = {
    min_score: minScore,
    answers,
    coverage: coverageOf(asked),
    unanswered: open.map(({ question, answer, unknown }) => ({
      question_id: question.id,
      required: question.required === true,
      best_score: answer.score,
      unknown_stems: unknown,
    })),
    conflicts,
  }
  const gaps: Gap[] = [...open.map(openGap), ...emptyTexts(input)]
  if (!complete) gaps.push(incompleteGap)
  if (!cited) gaps.push(leftOutGap)
  return finishedWork(result, result.conflicts.map(conflictFinding), gaps)
}

/** Searches the evidence for each question, in the order of the questions' ids. */
function askAll({ evidence, questions }: DiligenceInput, minScore: number): Asked[] {
  const passages = evidence.flatMap(({ id, text }, index) =>
    passagesIn(id, text, `/evidence/${index}/text`),
  )
  const known = new Set(passages.flatMap(({ stems }) => stems))
  const ranking = rankingOf(passages.map(({ stems }) => stems))
  let places = 0
  return questions
    .map((question, index) => ({ question, index }))
    .toSorted(inOrder(({ question }) => question.id))
    .map(({ question, index }) => {
      const stems = stemsOf(question.text)
      places += ranking.reach(stems)
      const searched = places <= PLACES_MAX
      const found = searched ? ranking.rank(stems) : []
      return {
        question,
        cited: { pointer: `/questions/${index}/text`, quote: question.text },
        stems,
        unknown: stems.filter((stem) => !known.has(stem)).toSorted(),
        searched,
        answer: answerOf({ question, found, passages, minScore }),
      }
    })
}

function coverageOf(asked: Asked[]): DiligenceResult['coverage'] {
  const required = asked.filter(({ question }) => question.required === true)
  const isAnswered = ({ answer }: Asked) => answer.answer !== null
  const answered = asked.filter(isAnswered).length
  return {
    questions: asked.length,
    answered,
    required: required.length,
    required_answered: required.filter(isAnswered).length,
    percent: Math.floor((100 * answered) / asked.length),
  }
}

function openGap({ question, answer, stems, searched, cited }: Asked): Gap {
  const required = question.required === true ? 'required ' : ''
  return {
    code: gapCode(stems, searched),
    detail: `${required}question ${question.id}: best score ${answer.score}`,
    citations: [cited],
  }
}

function gapCode(stems: string[], searched: boolean): string {
  if (stems.length === 0) return 'question_without_words'
  return searched ? 'unanswered' : 'question_not_searched'
}

const incompleteGap: Gap = {
  code: 'conflicts_incomplete',
  detail: 'too many sentences are alike to compare all',
  citations: [],
}
const leftOutGap: Gap = {
  code: 'conflict_places_left_out',
  detail: 'sentences that stand in many places are cited once',
  citations: [],
}

function passagesIn(evidenceId: string, text: string, pointer: string): Passage[] {
  return passagesOf(text, PASSAGE_CHARS).flatMap(({ from, to }) => {
    const quote = text.slice(from, to)
    const stems = wordsOf(quote).map(({ stem }) => stem)
    return stems.length === 0 ? [] : [{ evidence_id: evidenceId, pointer, quote, from, to, stems }]
  })
}

function answerOf({ question, found, passages, minScore }: Search): Answer {
  const best = firstOf(
    found,
    CITATIONS_MAX,
    inOrder(
      ({ score }) => -score,
      ({ at }) => passages[at]?.evidence_id ?? '',
      ({ at }) => passages[at]?.from ?? 0,
    ),
  )
  const citations = best.flatMap(({ at, score }) => {
    const passage = passages[at]
    if (passage === undefined || score < minScore || score === 0) return []
    const { stems: _, ...span } = passage
    return [{ ...span, score }]
  })
  return {
    question_id: question.id,
    answer: citations[0]?.quote ?? null,
    score: best[0]?.score ?? 0,
    citations,
  }
}

/** Which questions cite something that overlaps any of some spans; passages of one text do not overlap each other. */
function citingQuestions(answers: Answer[]): (spans: readonly EvidenceSpan[]) => string[] {
  const citing = answers.flatMap(({ question_id, citations }) =>
    citations.map((cited) => ({ question_id, cited })),
  )
  const passages = [
    ...groupedBy(citing, ({ cited }) => JSON.stringify([cited.evidence_id, cited.from])).values(),
  ]
    .flatMap((same) => {
      const [first] = same
      if (first === undefined) return []
      return [{ ...first.cited, questions: same.map(({ question_id }) => question_id) }]
    })
    .toSorted(inOrder(({ from }) => from))
  const byText = groupedBy(passages, ({ evidence_id }) => evidence_id)
  return (spans) => {
    const met = new Set(
      spans.flatMap(({ evidence_id, from, to }) => {
        const own = byText.get(evidence_id) ?? []
        const met: typeof own = []
        for (let at = firstAfter(own, from); (own[at]?.from ?? to) < to; at += 1)
          met.push(own[at] as (typeof own)[number])
        return met
      }),
    )
    return [...new Set([...met].flatMap(({ questions }) => questions))]
  }
}

/** The place of the first part that ends after an offset; the parts stand in order. */
function firstAfter(parts: readonly { to: number }[], offset: number): number {
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.to ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return low
}

function conflictFinding({ kind, about, sides }: DiligenceResult['conflicts'][number]): Finding {
  const [one, two] = sides
  return {
    code: `conflict_${kind}`,
    detail: `${about.join(' ')}: “${one.words}” and “${two.words}”`,
    citations: [...one.citations, ...two.citations].map(({ pointer, quote }) => ({
      pointer,
      quote,
    })),
  }
}

function emptyTexts({ evidence }: DiligenceInput): Gap[] {
  return evidence.flatMap(({ id, title, text }, index) => {
    if (wordsOf(text).length > 0) return []
    const citations = [{ pointer: `/evidence/${index}/title`, quote: title }]
    return [{ code: 'evidence_without_words', detail: `${id} has no words to search`, citations }]
  })
}
