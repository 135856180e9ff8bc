import type { PlannedDraft } from '../drafts/draft.ts'
import { nearestPassages } from '../drafts/passages.ts'
import type { Work } from '../rail.ts'
import { stemsOf } from '../text/words.ts'
import type { DiligenceInput, DiligenceResult } from './schema.ts'

/** The most questions of one run that a model is asked about. */
const DRAFTS_MAX = 12

/** Open questions that have words, required ones first, each with the passages that may answer it. */
export function diligenceopsDrafts(
  { questions, evidence }: DiligenceInput,
  { result }: Pick<Work<DiligenceResult>, 'result'>,
): PlannedDraft[] {
  const unanswered = new Set(
    result.answers.flatMap(({ answer, question_id }) => (answer === null ? [question_id] : [])),
  )
  const open = questions
    .map((question, index) => ({ ...question, pointer: `/questions/${index}/text` }))
    .filter(({ id, text }) => unanswered.has(id) && stemsOf(text).length > 0)
  const isRequired = ({ required }: (typeof open)[number]) => required === true
  const asked = [...open.filter(isRequired), ...open.filter((one) => !isRequired(one))].slice(
    0,
    DRAFTS_MAX,
  )
  const texts = evidence.map(({ text }, index) => ({ pointer: `/evidence/${index}/text`, text }))
  const passages = nearestPassages(
    asked.map(({ text }) => text),
    texts,
  )
  return asked.flatMap(({ id, pointer, text }, at) => {
    const offered = passages[at] ?? []
    return offered.length === 0 ? [] : [{ about: id, pointer, question: text, passages: offered }]
  })
}
