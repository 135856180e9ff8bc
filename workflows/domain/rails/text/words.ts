import { stemmer } from 'stemmer'

/** A word of a text: its stem, and where it stands in UTF-16 units, `to` exclusive. */
export type Word = { stem: string; from: number; to: number }
/** A part of a text by offsets in UTF-16 units, `to` exclusive. */
export type Part = { from: number; to: number }

const stopWords = new Set(
  (
    'a about all also am an and any are as at be been being both but by can could did do does doing each either else for from ' +
    'had has have having he her here his how i if in into is it its itself just may me might more most must my no nor not of on ' +
    'or other our out over own per please shall she should so some such than that the their them then there these they this ' +
    'those to under until up upon us very via was we were what when where whether which while who whom whose why will with ' +
    'within would you your yours yes describe provide explain list state'
  ).split(' '),
)

/** The words that carry meaning, as Porter stems of English in lower case; numbers and names with dots stay whole. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+(?:[.’'][\p{L}\p{N}]+)*/gu)].flatMap(
    ({ 0: found, index }) => {
      const word = found.toLowerCase().replace(/[’']s$/, '')
      return stopWords.has(word)
        ? []
        : [{ stem: stemmer(word), from: index, to: index + found.length }]
    },
  )
}

/** The distinct stems of a text, in the order in which they come. */
export function stemsOf(text: string): string[] {
  return [...new Set(wordsOf(text).map(({ stem }) => stem))]
}

// A full stop ends no sentence after these or a single capital, nor after the number that a sentence begins with.
const shortened =
  /(?:^|[\s(“"])(?:[A-Z]|Inc|Ltd|Co|Corp|No|Nos|Sec|Art|Mr|Ms|Mrs|Dr|St|vs|cf|approx|e\.g|i\.e|U\.S|U\.K|p|pp)\.$/
const onlyNumber = /^\s*\(?(?:\d+(?:\.\d+)*|[a-z]|[ivx]+)\)?\.$/i

// Nor after a day before its month in German: 8. Mai 2026.
const dayBefore = /(?:^|[\s(])\d{1,2}\.$/
const germanMonth =
  /^\s+(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b/

/** The longest sentence; a longer one is cut at a space. This bounds the time for one sentence. */
const SENTENCE_CHARS_MAX = 4000

/** The sentences of a text; a blank line ends one as well, and so does a line that is an item of a list or begins another. */
export function sentencesOf(text: string): Part[] {
  const ends =
    /[.!?][”"’)\]]*(?=\s+[\p{Lu}\p{N}“"(‘[])|\n(?=[ \t\r]*(?:\n|[-*•]\s|\([a-z]{1,4}\)\s|\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+\p{Lu}|#))|$/gu
  const parts: Part[] = []
  let begin = 0
  for (const { 0: end, index } of text.matchAll(ends)) {
    const stop = index + end.length
    const last = text.slice(Math.max(begin, index - 12), index + 1)
    if (
      end.startsWith('.') &&
      (shortened.test(last) ||
        onlyNumber.test(text.slice(begin, index + 1)) ||
        (dayBefore.test(last) && germanMonth.test(text.slice(stop, stop + 12))))
    )
      continue
    for (const piece of pieces(text, begin, stop)) {
      const part = trimmed(text, piece.from, piece.to)
      if (part !== undefined) parts.push(part)
    }
    begin = stop
  }
  return parts
}

function pieces(text: string, from: number, to: number): Part[] {
  const cut: Part[] = []
  let begin = from
  while (to - begin > SENTENCE_CHARS_MAX) {
    const space = begin + text.slice(begin, begin + SENTENCE_CHARS_MAX + 1).lastIndexOf(' ')
    const end = space > begin ? space : begin + SENTENCE_CHARS_MAX
    cut.push({ from: begin, to: end })
    begin = end
  }
  return [...cut, { from: begin, to }]
}

function trimmed(text: string, from: number, to: number): Part | undefined {
  const part = text.slice(from, to)
  const length = part.trim().length
  const begin = from + part.length - part.trimStart().length
  return length === 0 ? undefined : { from: begin, to: begin + length }
}
