import { z } from 'zod'
import { groupedBy } from '../../core/grouped-by.ts'
import { Span } from '../input/fields.ts'
import { endOf } from '../values/calendar.ts'
import { inOrder } from '../work/work.ts'
import { datesIn, quantitiesIn } from './mentions.ts'
import { sentencesOf, stemsOf } from './words.ts'

export const EvidenceSpan = Span.extend({ evidence_id: z.string() })
export type EvidenceSpan = z.output<typeof EvidenceSpan>

/** What one side says: a decimal text in its unit or a day, and the words that said it. */
const Side = z.strictObject({
  value: z.string(),
  unit: z.string(),
  words: z.string(),
  citations: z.array(EvidenceSpan).min(1),
})
export const conflictKinds = ['date', 'money', 'percent', 'duration', 'count'] as const
export const Conflict = z.strictObject({
  kind: z.enum(conflictKinds),
  /** The stems that both statements share. */
  about: z.array(z.string()),
  sides: z.tuple([Side, Side]),
  /** The evidence with the latest date, where all of it is dated and one side is later than the other. */
  newer_evidence_id: z.string().nullable(),
  question_ids: z.array(z.string()),
})
export type Conflict = z.output<typeof Conflict>

type Kind = Conflict['kind']
export type Value = { kind: Kind; unit: string; value: string }
/** That a sentence gives one value of a kind for what its other words are about; said alike in several places, it is one statement. */
type Statement = {
  kind: Kind
  unit: string
  value: string
  words: string
  stems: string[]
  names: string
  citations: EvidenceSpan[]
}

/** Two sentences speak of the same thing where so many of four of their stems, the value apart, are common to both. */
const COMMON_OF_FOUR = 3
/** A sentence of fewer stems says too little to be compared. */
const STEMS_MIN = 2

/** The most comparisons. Without a bound, texts of many similar sentences would take unlimited time. */
const COMPARISONS_MAX = 5_000_000
const CONFLICTS_MAX = 1000
/** The most citations of repeated sentences. After it, each sentence is cited once. */
const CITED_CHARS_MAX = 16_000_000
/** The size of a citation without its quote. */
const CITATION_CHARS = 128

/**
 * Statements that give different dates or numbers for the same thing; `questionsAt` returns the questions that cite any of some spans,
 * `complete` whether all were compared, and `cited` whether each place of each is cited.
 */
export function conflictsIn(
  evidence: readonly { id: string; text: string; dated?: string | undefined }[],
  questionsAt: (spans: readonly EvidenceSpan[]) => string[],
): { conflicts: Conflict[]; complete: boolean; cited: boolean } {
  const dated = new Map(evidence.map(({ id, dated }) => [id, dated]))
  const said = evidence.flatMap(({ id, text }, index) =>
    statementsIn(id, text, `/evidence/${index}/text`),
  )
  const statements = [
    ...groupedBy(said, ({ kind, unit, value, stems }) =>
      JSON.stringify([kind, unit, value, stems]),
    ),
  ]
    .map(([key, same]) => ({ key, statement: together(same) }))
    .toSorted(inOrder(({ key }) => key))
    .map(({ statement }) => statement)
  const left = { comparisons: COMPARISONS_MAX, conflicts: CONFLICTS_MAX, chars: CITED_CHARS_MAX }
  const pairs = [...groupedBy(statements, comparableAs).values()].flatMap((group) =>
    opposedPairs(group, left),
  )
  // A statement may stand in many conflicts: what it comes to by itself is found out once.
  const sides = new Map<Statement, Side>()
  const sideOf = (statement: Statement): Side => {
    const known = sides.get(statement) ?? readSide(statement, dated, questionsAt)
    sides.set(statement, known)
    return known
  }
  let cited = true
  const conflicts = pairs.map(([one, two]): Conflict => {
    const [first, second] = [sideOf(one), sideOf(two)]
    const whole = first.chars + second.chars <= left.chars
    if (whole) left.chars -= first.chars + second.chars
    cited &&= whole
    const placesOf = ({ citations }: Statement) => (whole ? citations : citations.slice(0, 1))
    const shared = new Set(two.stems)
    return {
      kind: one.kind,
      about: one.stems.filter((stem) => shared.has(stem)),
      sides: [
        { value: one.value, unit: one.unit, words: one.words, citations: placesOf(one) },
        { value: two.value, unit: two.unit, words: two.words, citations: placesOf(two) },
      ],
      newer_evidence_id: newerOf(first, second),
      question_ids: [...new Set([...first.questions, ...second.questions])].toSorted(),
    }
  })
  return { conflicts, complete: left.comparisons > 0 && left.conflicts > 0, cited }
}

/** What a statement brings into each of its conflicts; `latest` is null where a text of it has no date. */
type Side = {
  questions: string[]
  chars: number
  latest: { evidence_id: string; at: number } | null
}

function readSide(
  { citations }: Statement,
  dated: Map<string, string | undefined>,
  questionsAt: (spans: readonly EvidenceSpan[]) => string[],
): Side {
  let latest: Side['latest'] = null
  let undated = false
  for (const { evidence_id } of citations) {
    const moment = dated.get(evidence_id)
    if (moment === undefined) undated = true
    else if (latest === null || endOf(moment) > latest.at)
      latest = { evidence_id, at: endOf(moment) }
  }
  const chars = citations.reduce((sum, { quote }) => sum + quote.length + CITATION_CHARS, 0)
  return { questions: questionsAt(citations), chars, latest: undated ? null : latest }
}

function statementsIn(evidenceId: string, text: string, pointer: string): Statement[] {
  return sentencesOf(text).flatMap(({ from, to }) => {
    const quote = text.slice(from, to)
    const dates = datesIn(quote).map(({ from, to, day, other }) => ({
      kind: 'date' as Kind,
      unit: 'day',
      from,
      to,
      // A day with two readings contradicts nothing for certain.
      value: other === null ? day : null,
    }))
    const mentions = [...dates, ...quantitiesIn(quote)]
    if (mentions.length === 0) return []
    const stems = stemsOf(withoutMentions(quote, mentions)).toSorted()
    if (stems.length < STEMS_MIN) return []
    const names = namesIn(stems)
    const citations = [{ pointer, quote, from, to, evidence_id: evidenceId }]
    return [...groupedBy(mentions, comparableAs).values()].flatMap((alike) => {
      const [only] = alike
      // With several values in one sentence, the subject of each is unknown.
      if (alike.length > 1 || only === undefined || only.value === null) return []
      const words = quote.slice(only.from, only.to)
      return [
        { kind: only.kind, unit: only.unit, value: only.value, words, stems, names, citations },
      ]
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
    const known = new Set(stems)
    const heads = stems.slice(0, stems.length - Math.ceil((stems.length * COMMON_OF_FOUR) / 4) + 1)
    const earlier = new Set(heads.flatMap((stem) => met.get(stem) ?? []))
    for (const other of earlier) {
      left.comparisons--
      if (left.comparisons <= 0 || left.conflicts <= 0) return pairs
      const candidate = statements[other]
      if (
        candidate === undefined ||
        !differ(candidate, statement) ||
        !alike(candidate, statement, known)
      )
        continue
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
const comparableAs = ({ kind, unit }: { kind: Kind; unit: string }) =>
  kind === 'count' ? `count ${unit}` : kind

/** Whether two values of one kind cannot both be so. */
export function differ(one: Value, two: Value): boolean {
  if (one.kind !== 'duration' || one.unit === two.unit)
    return one.unit !== two.unit || one.value !== two.value
  const [a, b] = [daysOf(one), daysOf(two)]
  return a !== undefined && b !== undefined && (a.most < b.least || b.most < a.least)
}

/** A month has 28 to 31 days, a year 365 or 366; business days are comparable to no others. */
function daysOf({ unit, value }: Value): { least: number; most: number } | undefined {
  const count = Number(value)
  if (unit === 'seconds') return { least: count / 86_400, most: count / 86_400 }
  if (unit !== 'months') return undefined
  const [years, months] = [Math.floor(count / 12), count % 12]
  return { least: years * 365 + months * 28, most: years * 366 + months * 31 }
}

/** What names something by number, such as a release or a building: where these differ, so do the things. */
const namesIn = (stems: string[]) => stems.filter((stem) => /\d/.test(stem)).join()

/** `known` are the stems of the second. */
function alike(one: Statement, two: Statement, known: ReadonlySet<string>): boolean {
  if (one.names !== two.names) return false
  const common = one.stems.reduce((count, stem) => (known.has(stem) ? count + 1 : count), 0)
  const all = one.stems.length + two.stems.length - common
  return common * 4 >= all * COMMON_OF_FOUR
}

function newerOf({ latest: first }: Side, { latest: second }: Side): string | null {
  if (first === null || second === null || first.at === second.at) return null
  return first.at > second.at ? first.evidence_id : second.evidence_id
}

/** A text with spaces where its mentions stand, none of which overlaps another. */
function withoutMentions(text: string, mentions: readonly { from: number; to: number }[]): string {
  const parts: string[] = []
  let at = 0
  for (const { from, to } of mentions.toSorted((a, b) => a.from - b.from)) {
    parts.push(text.slice(at, from), ' '.repeat(to - from))
    at = to
  }
  return parts.join('') + text.slice(at)
}
