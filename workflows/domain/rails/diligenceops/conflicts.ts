import { groupedBy } from '../../grouped-by.ts'
import { endOf } from '../calendar.ts'
import { datesIn, quantitiesIn } from '../mentions.ts'
import { sentencesOf, stemsOf } from '../words.ts'
import { inOrder } from '../work.ts'
import type { Conflict, DiligenceInput, EvidenceSpan } from './schema.ts'

type Kind = Conflict['kind']
/** That a sentence gives one value of a kind for what its other words are about; said alike in several places, it is one statement. */
type Statement = { kind: Kind; unit: string; value: string; words: string; stems: string[]; citations: EvidenceSpan[] }

/** Two sentences speak of the same thing where so many of four of their stems, the value apart, are common to both. */
const COMMON_OF_FOUR = 3
/** A sentence of fewer stems says too little to be compared. */
const STEMS_MIN = 2

/** Texts of very many like sentences could be compared for ever: what comes after so much is not. */
const COMPARISONS_MAX = 5_000_000
const CONFLICTS_MAX = 1000

/**
 * Statements that give different dates or numbers for the same thing; `questionsAt` tells which questions cite a span, and
 * `complete` whether all were compared.
 */
export function conflictsIn(
  evidence: DiligenceInput['evidence'],
  questionsAt: (span: EvidenceSpan) => string[],
): { conflicts: Conflict[]; complete: boolean } {
  const dated = new Map(evidence.map(({ id, dated }) => [id, dated]))
  const said = evidence.flatMap(({ id, text }, index) => statementsIn(id, text, `/evidence/${index}/text`))
  const statements = [...groupedBy(said, ({ kind, unit, value, stems }) => JSON.stringify([kind, unit, value, stems]))]
    .map(([key, same]) => ({ key, statement: together(same) }))
    .toSorted(inOrder(({ key }) => key))
    .map(({ statement }) => statement)
  const left = { comparisons: COMPARISONS_MAX, conflicts: CONFLICTS_MAX }
  const pairs = [...groupedBy(statements, comparableAs).values()].flatMap((group) => opposedPairs(group, left))
  const conflicts = pairs.map(([one, two]): Conflict => {
    const cited = [...one.citations, ...two.citations]
    return {
      kind: one.kind,
      about: one.stems.filter((stem) => two.stems.includes(stem)),
      sides: [
        { value: one.value, unit: one.unit, words: one.words, citations: one.citations },
        { value: two.value, unit: two.unit, words: two.words, citations: two.citations },
      ],
      newer_evidence_id: newerOf(one, two, dated),
      question_ids: [...new Set(cited.flatMap(questionsAt))].toSorted(),
    }
  })
  return { conflicts, complete: left.comparisons > 0 && left.conflicts > 0 }
}

function statementsIn(evidenceId: string, text: string, pointer: string): Statement[] {
  return sentencesOf(text).flatMap(({ from, to }) => {
    const quote = text.slice(from, to)
    const dates = datesIn(quote).map(({ from, to, day, other }) => ({
      ...{ kind: 'date' as Kind, unit: 'day', from, to },
      // A day with two readings contradicts nothing for certain.
      value: other === null ? day : null,
    }))
    const mentions = [...dates, ...quantitiesIn(quote)]
    if (mentions.length === 0) return []
    const others = mentions.reduce((rest, { from, to }) => blanked(rest, from, to), quote)
    const stems = stemsOf(others).toSorted()
    if (stems.length < STEMS_MIN) return []
    const citations = [{ pointer, quote, from, to, evidence_id: evidenceId }]
    return [...groupedBy(mentions, comparableAs).values()].flatMap((alike) => {
      const [only] = alike
      // Of several values in one sentence nobody knows which is about what.
      if (alike.length > 1 || only === undefined || only.value === null) return []
      const words = quote.slice(only.from, only.to)
      return [{ kind: only.kind, unit: only.unit, value: only.value, words, stems, citations }]
    })
  })
}

function together(same: Statement[]): Statement {
  const ordered = same.toSorted(
    inOrder(
      ({ citations: [at] }) => at?.evidence_id ?? '',
      ({ citations: [at] }) => at?.from ?? 0,
    ),
  )
  const [first] = ordered
  if (first === undefined) throw new RangeError('a group has no statement')
  return { ...first, citations: ordered.flatMap(({ citations }) => citations) }
}

/**
 * The pairs about the same thing with different values. Of two sets that share so much, each has one of the stems that are left
 * when the others could not make up the share, so only statements that meet in such a stem are compared.
 */
function opposedPairs(
  statements: Statement[],
  left: { comparisons: number; conflicts: number },
): [Statement, Statement][] {
  const met = new Map<string, number[]>()
  const pairs: [Statement, Statement][] = []
  for (const [at, statement] of statements.entries()) {
    const { stems } = statement
    const heads = stems.slice(0, stems.length - Math.ceil((stems.length * COMMON_OF_FOUR) / 4) + 1)
    const earlier = new Set(heads.flatMap((stem) => met.get(stem) ?? []))
    for (const other of earlier) {
      left.comparisons--
      if (left.comparisons <= 0 || left.conflicts <= 0) return pairs
      const candidate = statements[other]
      if (candidate === undefined || !differ(candidate, statement) || !alike(candidate.stems, stems)) continue
      pairs.push([candidate, statement])
      left.conflicts--
    }
    for (const stem of heads) {
      const places = met.get(stem)
      if (places === undefined) met.set(stem, [at])
      else places.push(at)
    }
  }
  return pairs
}

/** Values of one kind are compared, counts only of the same things. */
const comparableAs = ({ kind, unit }: { kind: Kind; unit: string }) => (kind === 'count' ? `count ${unit}` : kind)

function differ(one: Statement, two: Statement): boolean {
  if (one.kind !== 'duration' || one.unit === two.unit) return one.unit !== two.unit || one.value !== two.value
  const [a, b] = [daysOf(one), daysOf(two)]
  return a !== undefined && b !== undefined && (a.most < b.least || b.most < a.least)
}

/** A month has 28 to 31 days, a year 365 or 366; business days are comparable to no others. */
function daysOf({ unit, value }: Statement): { least: number; most: number } | undefined {
  const count = Number(value)
  if (unit === 'seconds') return { least: count / 86_400, most: count / 86_400 }
  if (unit !== 'months') return undefined
  const [years, months] = [Math.floor(count / 12), count % 12]
  return { least: years * 365 + months * 28, most: years * 366 + months * 31 }
}

/** What names something by number, such as a release or a building: where these differ, so do the things. */
const names = (stems: string[]) => stems.filter((stem) => /\d/.test(stem))

function alike(one: string[], two: string[]): boolean {
  const known = new Set(one)
  const common = two.filter((stem) => known.has(stem))
  const all = one.length + two.length - common.length
  return common.length * 4 >= all * COMMON_OF_FOUR && names(one).join() === names(two).join()
}

function newerOf(one: Statement, two: Statement, dated: Map<string, string | undefined>): string | null {
  const latest = [one, two].map(({ citations }) => {
    const times = citations.map(({ evidence_id }) => ({ evidence_id, moment: dated.get(evidence_id) }))
    if (times.some(({ moment }) => moment === undefined)) return undefined
    return times
      .map(({ evidence_id, moment = '' }) => ({ evidence_id, at: endOf(moment) }))
      .toSorted((a, b) => b.at - a.at)[0]
  })
  const [first, second] = latest
  if (first === undefined || second === undefined || first.at === second.at) return null
  return first.at > second.at ? first.evidence_id : second.evidence_id
}

const blanked = (text: string, from: number, to: number) =>
  `${text.slice(0, from)}${' '.repeat(to - from)}${text.slice(to)}`
