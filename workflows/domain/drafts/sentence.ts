import type { DraftSentence, PlannedDraft } from '../rails/drafts/draft.ts'
import type { Span } from '../rails/input/fields.ts'
import { isDenied } from '../rails/text/denial.ts'
import { spelling } from '../rails/text/numerals.ts'
import { sentencesOf, stemsOf } from '../rails/text/words.ts'
import { suspicionIn } from '../resolver/inspection.ts'

/** A sentence as the model wrote it. */
export type WrittenSentence = {
  text: string
  citations: readonly { passage: string; quote: string }[]
}

/** Why a sentence is dropped. */
export const sentenceFaults = {
  malformed: 'it has not the form that was asked for',
  uncited: 'it has no citation',
  unknown_passage: 'it cites a passage that was not offered',
  quote_not_there: 'a quote is not in its passage',
  quote_too_short: 'a quote has fewer than three words',
  not_one_sentence: 'it is not one sentence',
  suspicious: 'it holds a link, markup, hidden characters or instructions',
  number_not_quoted: 'it has a number that no quote has',
  word_not_quoted: 'it has a word that neither a quote nor the question has',
  scope_not_quoted: 'it has a word of extent, such as all or only, that no quote has',
  not_from_quotes: 'less than two thirds of its words are in its quotes',
  denial_differs: 'it denies what its quotes say, or says what they deny',
} as const
export type SentenceFault = keyof typeof sentenceFaults

const QUOTE_WORDS_MIN = 3
const numbers = new RegExp(`\\p{N}+(?:[.,:/-]\\p{N}+)*|${spelling}`, 'giu')
const scopes =
  /\b(?:all|any|both|each|either|every|more|most|only|over|same|some|under|until|alle[nrsm]?|nur|jede[nrsm]?|einige|mehr|bis)\b/giu
const link = /https?:|www\.|mailto:/i

/** The sentence with its quotes in their places in the input, or why it is dropped. The same rules hold for every model. */
export function checkSentence(
  { text, citations }: WrittenSentence,
  planned: Pick<PlannedDraft, 'question' | 'passages'>,
): DraftSentence | { fault: SentenceFault } {
  const [part, ...others] = sentencesOf(text)
  if (part === undefined || others.length > 0 || /\p{Cs}|\n/u.test(text))
    return { fault: 'not_one_sentence' }
  if (link.test(text) || suspicionIn(text) !== undefined) return { fault: 'suspicious' }
  if (citations.length === 0) return { fault: 'uncited' }
  const spans: Span[] = []
  for (const cited of citations) {
    const span = placeOf(cited, planned.passages)
    if ('fault' in span) return span
    spans.push(span)
  }
  const fault = unfounded(text, planned.question, quotesOf(spans))
  return fault === undefined ? { text, citations: spans } : { fault }
}

const quotesOf = (spans: readonly Span[]): string[] => spans.map(({ quote }) => quote)

function placeOf(
  { passage: name, quote }: WrittenSentence['citations'][number],
  passages: PlannedDraft['passages'],
): Span | { fault: SentenceFault } {
  const passage = passages.find((one) => one.name === name)
  if (passage === undefined) return { fault: 'unknown_passage' }
  const at = quote === '' ? -1 : passage.text.indexOf(quote)
  if (at < 0) return { fault: 'quote_not_there' }
  const words = quote.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  if (words < QUOTE_WORDS_MIN && quote !== passage.text) return { fault: 'quote_too_short' }
  const from = passage.from + at
  return { pointer: passage.pointer, quote, from, to: from + quote.length }
}

/** What a sentence says beyond its quotes; undefined where nothing is found. */
function unfounded(
  text: string,
  question: string,
  quotes: readonly string[],
): SentenceFault | undefined {
  const quoted = quotes.join('\n')
  if (lacks(quoted, text, numbers)) return 'number_not_quoted'
  if (lacks(quoted, text, scopes)) return 'scope_not_quoted'
  const stems = stemsOf(text)
  const own = new Set(stemsOf(quoted))
  const asked = new Set(stemsOf(question))
  if (stems.some((stem) => !own.has(stem) && !asked.has(stem))) return 'word_not_quoted'
  const shared = stems.filter((stem) => own.has(stem)).length
  if (shared < 2 || shared * 3 < stems.length * 2) return 'not_from_quotes'
  return quotes.some((quote) => isDenied(quote) === isDenied(text)) ? undefined : 'denial_differs'
}

/** Whether a text has something of a pattern that the quotes have not. */
function lacks(quoted: string, text: string, pattern: RegExp): boolean {
  const there = new Set(found(quoted, pattern))
  return found(text, pattern).some((one) => !there.has(one))
}

const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([one]) => one.toLowerCase())
