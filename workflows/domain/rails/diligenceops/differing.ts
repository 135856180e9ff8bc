import { type Conflict, differ, type EvidenceSpan, type Value } from '../text/conflicts.ts'
import { datesIn, quantitiesIn } from '../text/mentions.ts'
import { endOf } from '../values/calendar.ts'
import { inOrder } from '../work/work.ts'
import type { Wanted } from './question.ts'
import type { Answer, DiligenceInput } from './schema.ts'

type Said = Value & { words: string; span: EvidenceSpan }

/** The conflicts that are known, and those of places that answer one question with different dates, numbers or durations. */
export function differingIn(
  answers: readonly { answer: Answer; wanted: Wanted; about: string[]; alike: EvidenceSpan[] }[],
  evidence: DiligenceInput['evidence'],
  known: readonly Conflict[],
): Conflict[] {
  const dated = new Map(evidence.map(({ id, dated }) => [id, dated]))
  const found = [...known]
  // The sides of conflicts that stand at a place: an even number and the next one are the sides of one conflict.
  const sidesAt = new Map<string, Set<number>>()
  const enter = (span: EvidenceSpan, side: number) => {
    const key = keyOf(span)
    sidesAt.set(key, (sidesAt.get(key) ?? new Set()).add(side))
  }
  for (const [index, { sides }] of known.entries())
    for (const [side, { citations }] of sides.entries())
      for (const span of citations) enter(span, 2 * index + side)
  for (const { answer, wanted, about, alike } of answers)
    for (const [one, two] of pairsOf(valuesIn(alike, wanted))) {
      const others = sidesAt.get(keyOf(two.span))
      const side = [...(sidesAt.get(keyOf(one.span)) ?? [])].find((at) => others?.has(at ^ 1))
      const same = side === undefined ? undefined : found[side >> 1]
      if (same !== undefined) {
        const questions = new Set([...same.question_ids, answer.question_id])
        found[(side ?? 0) >> 1] = { ...same, question_ids: [...questions].toSorted() }
        continue
      }
      enter(one.span, 2 * found.length)
      enter(two.span, 2 * found.length + 1)
      found.push({
        kind: one.kind,
        about,
        sides: [sideOf(one), sideOf(two)],
        newer_evidence_id: newerOf(one.span, two.span, dated),
        question_ids: [answer.question_id],
      })
    }
  return found
}

const sideOf = ({ unit, value, words, span }: Said) => ({ value, unit, words, citations: [span] })

/** The value of each sentence that has one only of the kind that is wanted. */
function valuesIn(spans: readonly EvidenceSpan[], wanted: Wanted): Said[] {
  return spans.flatMap((span) => {
    const mentions = mentionsIn(span.quote, wanted)
    const [only] = mentions
    if (mentions.length !== 1 || only === undefined) return []
    const { from, to, ...value } = only
    return [{ ...value, words: span.quote.slice(from, to), span }]
  })
}

type Mention = Value & { from: number; to: number }

function mentionsIn(quote: string, wanted: Wanted): Mention[] {
  const quantities = quantitiesIn(quote).map(
    ({ kind, unit, value, from, to }): Mention => ({ kind, unit, value, from, to }),
  )
  const durations = quantities.filter(({ kind }) => kind === 'duration')
  const dates = datesIn(quote).flatMap(({ day, other, from, to }): Mention[] =>
    other === null ? [{ kind: 'date', unit: 'day', value: day, from, to }] : [],
  )
  if (wanted === 'duration' || wanted === 'frequency') return durations
  if (wanted === 'time') return dates.length > 0 ? dates : durations
  return wanted === 'number' ? quantities.filter(({ kind }) => kind !== 'duration') : []
}

/** The pairs that cannot both be so; counts are of what the question asks for, whatever they call it. */
function pairsOf(said: readonly Said[]): [Said, Said][] {
  const ordered = said.toSorted(
    inOrder(
      ({ span }) => span.evidence_id,
      ({ span }) => span.from,
    ),
  )
  return ordered.flatMap((one, at) =>
    ordered.slice(at + 1).flatMap((two): [Said, Said][] => {
      const isCount = one.kind === 'count' && two.kind === 'count'
      const opposed = isCount ? one.value !== two.value : one.kind === two.kind && differ(one, two)
      return opposed ? [[one, two]] : []
    }),
  )
}

const keyOf = ({ evidence_id, from }: EvidenceSpan) => JSON.stringify([evidence_id, from])

function newerOf(
  one: EvidenceSpan,
  two: EvidenceSpan,
  dated: ReadonlyMap<string, string | undefined>,
): string | null {
  const [first, second] = [dated.get(one.evidence_id), dated.get(two.evidence_id)]
  if (first === undefined || second === undefined || endOf(first) === endOf(second)) return null
  return endOf(first) > endOf(second) ? one.evidence_id : two.evidence_id
}
