import { groupedBy } from '../../core/grouped-by.ts'
import type { Citation, Finding, GapRules, Rail, Work } from '../rail.ts'
import { conflictKinds, conflictsIn, type EvidenceSpan } from '../text/conflicts.ts'
import { wordsOf } from '../text/words.ts'
import { tiersOf } from '../work/tiers.ts'
import { finishedWork, firstOf, inOrder, judgedGaps, type NotedGap } from '../work/work.ts'
import { diligenceopsAudit } from './audit.ts'
import { differingIn } from './differing.ts'
import { diligenceopsDrafts } from './drafts.ts'
import { readQuestion, type Wanted } from './question.ts'
import { diligenceopsInput, unansweredDiligenceInput } from './sample.ts'
import { type Answer, DiligenceInput, DiligenceResult } from './schema.ts'
import { type Found, searchOver } from './search.ts'
import { languageOf } from './stems.ts'
import { verdictOf } from './verdict.ts'

export { diligenceopsInput } from './sample.ts'
export { DiligenceInput, type DiligenceResult } from './schema.ts'

const gapRules = {
  unanswered: { kind: 'advisory', pointer: '/evidence', filled_by: 'a text that answers it' },
  question_without_words: { kind: 'advisory', filled_by: 'the question in words' },
  question_not_searched: { kind: 'advisory', filled_by: 'fewer questions in one run' },
  evidence_without_words: { kind: 'advisory', filled_by: 'the words of the text' },
  conflicts_incomplete: {
    kind: 'advisory',
    pointer: '/evidence',
    filled_by: 'fewer texts that say the same',
  },
  conflict_places_left_out: {
    kind: 'advisory',
    pointer: '/evidence',
    filled_by: 'fewer texts that say the same',
  },
} as const satisfies GapRules

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
    asks: [
      'fill in the security questionnaire of a customer or prospect',
      'respond to a due diligence form of a buyer or vendor',
      'a customer sent many questions about our company',
      'what do our policies say about backups, encryption or access',
      'answer from our own documents and documentation',
      'do the documents in the data room contradict each other',
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
  tiers: tiersOf({
    entry: {
      depth: 'an answer to each question with its citations',
      leaves_out: ['conflicts'],
      leaves_out_codes: [
        ...conflictKinds.map(conflictCode),
        'conflicts_incomplete',
        'conflict_places_left_out',
      ],
    },
    whole: 'all of it, with the contradictions of the texts',
    rows: { entry: 200, standard: 1_000, pro: 2_000 },
  }),
  counted: ['questions'],
  input: DiligenceInput,
  result: DiligenceResult,
  sandboxInput: diligenceopsInput,
  gapRules,
  audit: diligenceopsAudit,
  inputWithGaps: unansweredDiligenceInput,
  parameters: ['min_score'],
  documents: { within: 'evidence', text: 'text', charsMax: 1_048_576, images: false },
  work,
  drafts: diligenceopsDrafts,
}

/** Decision: below this share of what the question says, a sentence answers something else. Set on one half of the published pairs. */
const MIN_SCORE = 0.7
const CITATIONS_MAX = 3
/** The most places that are searched. Without a bound, many questions about common words would take unlimited time. */
const PLACES_MAX = 3_000_000

type Question = DiligenceInput['questions'][number]
type Asked = {
  question: Question
  cited: Citation
  /** Concepts of the question that no text has. */
  unknown: string[]
  isEmpty: boolean
  searched: boolean
  wanted: Wanted
  /** What the question is about. */
  about: string[]
  /** The cited sentences that cover as much of it as the best, but for words that say little. */
  alike: EvidenceSpan[]
  answer: Answer
}

function work(input: DiligenceInput): Work<DiligenceResult> {
  const minScore = input.min_score ?? MIN_SCORE
  const asked = askAll(input, minScore)
  const answers = asked.map(({ answer }) => answer)
  const open = asked.filter(({ answer }) => answer.answer === null)
  const { conflicts, complete, cited } = conflictsIn(input.evidence, citingQuestions(answers))
  const all = differingIn(asked, input.evidence, conflicts)
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
    conflicts: all,
  }
  const gaps = [...open.map(openGap), ...emptyTexts(input)]
  if (!complete) gaps.push(incompleteGap)
  if (!cited) gaps.push(leftOutGap)
  return finishedWork(result, result.conflicts.map(conflictFinding), judgedGaps(gapRules, gaps))
}

/** Searches the evidence for each question, in the order of the questions' ids. */
function askAll({ evidence, questions }: DiligenceInput, minScore: number): Asked[] {
  const search = searchOver(evidence)
  const language = languageOf(evidence.map(({ text }) => text).join('\n'))
  let places = 0
  return questions
    .map((question, index) => ({ question, index }))
    .toSorted(inOrder(({ question }) => question.id))
    .map(({ question, index }) => {
      const asked = readQuestion(question.text, language)
      places += search.reach(asked)
      const searched = places <= PLACES_MAX
      const best = searched ? bestOf(search.find(asked)) : []
      const cited = best.filter(({ score }) => score >= minScore && score > 0)
      const unknown = search.unknown(asked)
      const lacks = (one: Found | undefined) => (one === undefined ? [] : search.lacks(asked, one))
      const essentials = (one: Found | undefined) =>
        lacks(one)
          .flatMap(({ name, isWeak }) => (isWeak ? [] : [name]))
          .join()
      const missing = lacks(best[0]).map(({ name }) => name)
      return {
        question,
        cited: { pointer: `/questions/${index}/text`, quote: question.text },
        unknown,
        isEmpty: asked.slots.length === 0,
        searched,
        wanted: asked.wanted,
        about: asked.slots.flatMap(({ names }) => names).toSorted(),
        alike: cited
          .filter((one) => essentials(one) === essentials(cited[0]))
          .map(({ span }) => span),
        answer: answerOf({ question, wanted: asked.wanted, best, cited, unknown, missing }),
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

/** An open question is needed where the questionnaire requires it. */
function openGap({ question, answer, isEmpty, searched, cited }: Asked): NotedGap {
  const required = question.required === true ? 'required ' : ''
  return {
    code: gapCode(isEmpty, searched),
    kind: question.required === true ? 'needed' : 'advisory',
    detail: `${required}question ${question.id}: ${answer.reason}`,
    citations: [cited],
  }
}

function gapCode(isEmpty: boolean, searched: boolean): string {
  if (isEmpty) return 'question_without_words'
  return searched ? 'unanswered' : 'question_not_searched'
}

const incompleteGap: NotedGap = {
  code: 'conflicts_incomplete',
  detail: 'too many sentences are alike to compare all',
  citations: [],
}
const leftOutGap: NotedGap = {
  code: 'conflict_places_left_out',
  detail: 'sentences that stand in many places are cited once',
  citations: [],
}

const bestOf = (found: readonly Found[]): Found[] =>
  firstOf(
    found,
    CITATIONS_MAX,
    inOrder(
      ({ score }) => -score,
      ({ size }) => size,
      ({ span }) => span.evidence_id,
      ({ span }) => span.from,
    ),
  )

type Ranked = {
  question: Question
  wanted: Wanted
  best: readonly Found[]
  /** Those of the best that reach the score. */
  cited: readonly Found[]
  unknown: readonly string[]
  /** What the best of all does not name. */
  missing: readonly string[]
}

function answerOf({ question, wanted, best, cited, unknown, missing }: Ranked): Answer {
  const citations = cited.map(({ span, score }) => ({ ...span, score }))
  const [first] = best
  const base = { question_id: question.id, score: first?.score ?? 0, citations }
  const answer = citations[0]?.quote
  if (answer === undefined)
    return {
      ...base,
      answer: null,
      verdict: 'unanswered',
      reason: refusal(wanted, missing, unknown),
    }
  const { verdict, cue } = verdictOf(question.text, answer, wanted)
  const without = missing.length === 0 ? '' : `, without ${missing.join(', ')}`
  const by = cue === null ? '' : ` by “${cue}”`
  return {
    ...base,
    answer,
    verdict,
    reason: `${verdict}${by}: the sentence covers ${Math.round(base.score * 100)} % of the question${without}`,
  }
}

function refusal(wanted: Wanted, missing: readonly string[], unknown: readonly string[]): string {
  if (unknown.length > 0) return `no text speaks of ${unknown.join(', ')}`
  if (missing.length === 0) return `no sentence about it holds a ${wanted.replace('_', ' or ')}`
  return `the best sentence lacks ${missing.join(', ')}`
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

function conflictCode(kind: (typeof conflictKinds)[number]): string {
  return `conflict_${kind}`
}

function conflictFinding({ kind, about, sides }: DiligenceResult['conflicts'][number]): Finding {
  const [one, two] = sides
  return {
    code: conflictCode(kind),
    detail: `${about.join(' ')}: “${one.words}” and “${two.words}”`,
    citations: [...one.citations, ...two.citations].map(({ pointer, quote }) => ({
      pointer,
      quote,
    })),
  }
}

function emptyTexts({ evidence }: DiligenceInput): NotedGap[] {
  return evidence.flatMap(({ id, title, text }, index) => {
    if (wordsOf(text).length > 0) return []
    const citations = [{ pointer: `/evidence/${index}/title`, quote: title }]
    return [{ code: 'evidence_without_words', detail: `${id} has no words to search`, citations }]
  })
}
