import { sentencesOf } from '../text/words.ts'
import { inOrder } from '../work/work.ts'
import type { Passage } from './draft.ts'

/** A text of an input and its place. */
export type SourceText = { pointer: string; text: string }

const PASSAGES_MAX = 12
const PASSAGE_CHARS_MAX = 600

/**
 * The sentences nearest to each question by the groups of three characters that they share, in the order of the texts. This
 * finds forms of words that no lexicon knows; time is linear in the texts.
 */
export function nearestPassages(
  questions: readonly string[],
  texts: readonly SourceText[],
): Passage[][] {
  const asking = new Map<string, number[]>()
  for (const [at, question] of questions.entries())
    for (const group of new Set(groupsOf(question))) {
      const known = asking.get(group)
      if (known === undefined) asking.set(group, [at])
      else known.push(at)
    }
  const nearest = questions.map((): Scored[] => [])
  let index = 0
  for (const { pointer, text } of texts)
    for (const part of sentencesOf(text)) {
      const sentence = text.slice(part.from, lastOf(text, part))
      const place = { pointer, from: part.from, to: part.from + sentence.length, text: sentence }
      const shared = questions.map(() => 0)
      for (const group of new Set(groupsOf(sentence)))
        for (const at of asking.get(group) ?? []) shared[at] = (shared[at] ?? 0) + 1
      for (const [at, count] of shared.entries())
        insert(nearest[at] ?? [], { place, index, score: (count * count) / (sentence.length + 40) })
      index += 1
    }
  return nearest.map((found) =>
    found
      .toSorted(inOrder(({ index }) => index))
      .map(({ place }, at) => ({ name: `p${at + 1}`, ...place })),
  )
}

type Scored = { place: Omit<Passage, 'name'>; index: number; score: number }

/** Keeps the best, the best first; of equal ones the earlier. */
function insert(best: Scored[], one: Scored): void {
  const last = best[PASSAGES_MAX - 1]
  if (last !== undefined && last.score >= one.score) return
  const found = best.findIndex(({ score }) => score < one.score)
  best.splice(found === -1 ? best.length : found, 0, one)
  best.length = Math.min(best.length, PASSAGES_MAX)
}

/** Where a passage ends: a long sentence is cut, and never within a character. */
function lastOf(text: string, { from, to }: { from: number; to: number }): number {
  if (to - from <= PASSAGE_CHARS_MAX) return to
  const end = from + PASSAGE_CHARS_MAX
  const isHalf = /[\ud800-\udbff]/.test(text[end - 1] ?? '')
  return isHalf ? end - 1 : end
}

function groupsOf(text: string): string[] {
  const plain = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `
  return Array.from({ length: Math.max(0, plain.length - 2) }, (_, at) => plain.slice(at, at + 3))
}
