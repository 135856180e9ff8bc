import type { EvidenceSpan } from '../text/conflicts.ts'
import { isDenied } from '../text/denial.ts'
import { type Part, sentencesOf } from '../text/words.ts'
import { namesOf } from './concepts.ts'
import { WEAK_WEIGHT } from './lexicon/group.ts'
import { type Asked, holds } from './question.ts'
import type { DiligenceInput } from './schema.ts'
import { languageOf } from './stems.ts'

/** A sentence of the evidence: the concepts that it names, and those that it takes over from what stands before it. */
type Sentence = EvidenceSpan & {
  names: ReadonlySet<string>
  near: ReadonlySet<string>
  isTitle: boolean
}
/** A sentence that speaks of a question: `score` is the share of the question's weight that it covers, at most 1, to 4 digits. */
export type Found = { span: EvidenceSpan; score: number; size: number; at: number }
export type Search = {
  /** How many places of the index a question has to look at. */
  reach(asked: Asked): number
  find(asked: Asked): Found[]
  /** Concepts of a question that a sentence does not name. */
  lacks(asked: Asked, found: Found): { name: string; isWeak: boolean }[]
  /** Concepts of the question that no text names. */
  unknown(asked: Asked): string[]
}

/** What a heading says counts half for the sentences under it. */
const HEADING_SHARE = 0.5
/** A sentence that denies something seldom gives the value that a question wants. */
const DENIAL_SHARE = 0.75
/** The name of the company, which stands in the titles of its documents, says little. */
const TITLE_WEIGHT = 0.1

/** Indexes the sentences of the evidence by the concepts that they name. */
export function searchOver(evidence: DiligenceInput['evidence']): Search {
  const sentences = evidence.flatMap((one, index) => sentencesIn(one, index))
  // Many questions meet one sentence: whether it denies something is found out once.
  const denials = new Map<number, boolean>()
  const denies = (at: number, quote: string): boolean => {
    const known = denials.get(at) ?? isDenied(quote)
    denials.set(at, known)
    return known
  }
  const titled = new Set(evidence.flatMap(({ title }) => [...namesOf(title, languageOf(title))]))
  const index = new Map<string, number[]>()
  for (const [at, { names, near }] of sentences.entries())
    for (const name of new Set([...names, ...near])) {
      const places = index.get(name)
      if (places === undefined) index.set(name, [at])
      else places.push(at)
    }
  const weightOf = ({ names, weight }: Asked['slots'][number]) =>
    names.some((name) => name.startsWith('“') && titled.has(name)) ? TITLE_WEIGHT : weight
  const placesOf = ([only = '', ...others]: readonly string[]): Iterable<number> =>
    others.length === 0
      ? (index.get(only) ?? [])
      : new Set([only, ...others].flatMap((name) => index.get(name) ?? []))
  return {
    reach: ({ slots }) =>
      slots.reduce(
        (sum, { names }) =>
          sum + names.reduce((all, name) => all + (index.get(name)?.length ?? 0), 0),
        0,
      ),
    unknown: ({ slots }) =>
      slots
        .filter(
          (slot) => weightOf(slot) > WEAK_WEIGHT && slot.names.every((name) => !index.has(name)),
        )
        .map(({ names }) => names.join(' or '))
        .toSorted(),
    lacks({ slots }, { at }) {
      const { names, near } = sentences[at] ?? { names: new Set(), near: new Set() }
      return slots
        .filter((slot) => !slot.names.some((name) => names.has(name) || near.has(name)))
        .map((slot) => ({ name: slot.names.join(' or '), isWeak: weightOf(slot) <= WEAK_WEIGHT }))
    },
    find(asked) {
      const whole = asked.slots.reduce((sum, slot) => sum + weightOf(slot), 0)
      const covered = new Map<number, number>()
      for (const slot of asked.slots)
        for (const at of placesOf(slot.names)) {
          const own = slot.names.some((name) => sentences[at]?.names.has(name))
          const share = own ? 1 : HEADING_SHARE
          covered.set(at, (covered.get(at) ?? 0) + weightOf(slot) * share)
        }
      return [...covered].flatMap(([at, weight]): Found[] => {
        const sentence = sentences[at]
        if (sentence === undefined || sentence.isTitle || !holds(sentence.quote, asked.wanted))
          return []
        const { names, near: _, isTitle: __, ...span } = sentence
        const isDenial = asked.wanted !== 'yes_no' && denies(at, sentence.quote)
        const share = Math.min(1, weight / whole) * (isDenial ? DENIAL_SHARE : 1)
        const score = Math.round(share * 10_000) / 10_000
        return [{ span, score, size: names.size, at }]
      })
    },
  }
}

const continuing = /^(?:it|they|this|these|those|such|es|sie|er|dies|diese[rs]?)\b/i

function sentencesIn({ id, text }: DiligenceInput['evidence'][number], index: number): Sentence[] {
  const language = languageOf(text)
  let heading: ReadonlySet<string> = new Set()
  let before: (Part & { names: ReadonlySet<string> }) | undefined
  return sentencesOf(text).flatMap(({ from, to }) => {
    const quote = text.slice(from, to)
    const own = namesOf(quote, language)
    const isTitle = !/[.!?;:,]$/.test(quote) && quote.split(/\s+/).length <= 8 && text[to] === '\n'
    const follows =
      before !== undefined && continuing.test(quote) && !/\n\s*\n/.test(text.slice(before.to, from))
    const names = follows && before !== undefined ? new Set([...own, ...before.names]) : own
    const span = { evidence_id: id, pointer: `/evidence/${index}/text`, quote, from, to }
    const sentence = { ...span, names, near: heading, isTitle }
    if (isTitle) heading = own
    before = { from, to, names: own }
    return names.size === 0 ? [] : [sentence]
  })
}
