import { groups } from './lexicon.ts'
import { isStopWord, type Language, stemOf } from './stems.ts'

/** A word or term of a text: the concepts that it may mean, and how much it says. */
export type Slot = { names: string[]; weight: number }

/** A word of no group weighs as much as a term. */
const WORD_WEIGHT = 1
const NUMBER_WEIGHT = 0.5
/** Words shorter than this are no part of a German compound. */
const PART_CHARS_MIN = 4
const COMPOUND_CHARS_MAX = 60

type Terms = {
  exact: Map<string, Slot>
  byStems: Map<string, Slot>
  /** How many words the longest term has that begins with a word, or with a stem. */
  longest: Map<string, number>
}

const terms: Record<Language, Terms> = { en: termsOf('en'), de: termsOf('de') }

function termsOf(language: Language): Terms {
  const exact: Terms['exact'] = new Map()
  const byStems: Terms['byStems'] = new Map()
  const longest: Terms['longest'] = new Map()
  for (const { name, weight, ...words } of groups)
    for (const term of words[language]) {
      const tokens = tokensOf(term)
      const stems = tokens.map((token) => stemOf(token, language))
      for (const first of [tokens[0] ?? '', stems[0] ?? ''])
        longest.set(first, Math.max(tokens.length, longest.get(first) ?? 0))
      enter(exact, tokens.join(' '), name, weight)
      enter(byStems, stems.join(' '), name, weight)
    }
  return { exact, byStems, longest }
}

/** A term of several groups means any of them, and weighs as the least of them. */
function enter(slots: Map<string, Slot>, key: string, name: string, weight: number) {
  const known = slots.get(key)
  slots.set(key, {
    names: [...new Set([...(known?.names ?? []), name])],
    weight: Math.min(weight, known?.weight ?? weight),
  })
}

/** Words and numbers in lower case; a hyphen parts words. */
function tokensOf(text: string): string[] {
  return [...text.toLowerCase().matchAll(/\p{L}+\p{N}*|\p{N}+(?:[.,]\p{N}+)*/gu)].map(
    ([token]) => token,
  )
}

/** The slots of a text: at each place the longest term, else the word; each only once. */
export function slotsOf(text: string, language: Language): Slot[] {
  return read(text, language).slots
}

/** The names of all concepts that a text may mean, those of the words inside of its terms too. */
export function namesOf(text: string, language: Language): Set<string> {
  const { slots, inner } = read(text, language)
  return new Set([...slots, ...inner].flatMap(({ names }) => names))
}

function read(text: string, language: Language): { slots: Slot[]; inner: Slot[] } {
  const tokens = tokensOf(text)
  const stems = tokens.map((token) => stemOf(token, language))
  const slots = new Map<string, Slot>()
  const inner: Slot[] = []
  for (let at = 0; at < tokens.length; ) {
    const [token = '', stem = ''] = [tokens[at], stems[at]]
    const { slot, size } = termAt(tokens, stems, at, language)
    const isStop = size === 1 && isStopWord(token, language)
    const own = slot === undefined ? wordSlots(token, stem, language) : [slot]
    for (const one of isStop ? [] : own) slots.set(one.names.join(), one)
    for (let within = at; size > 1 && within < at + size; within += 1) {
      const word = termOf(tokens[within] ?? '', stems[within] ?? '', language)
      if (word !== undefined && !isStopWord(tokens[within] ?? '', language)) inner.push(word)
    }
    at += size
  }
  return { slots: [...slots.values()], inner }
}

/** A term by its words as they are, else by their stems. */
const termOf = (words: string, stems: string, language: Language): Slot | undefined =>
  terms[language].exact.get(words) ?? terms[language].byStems.get(stems)

function termAt(
  tokens: string[],
  stems: string[],
  at: number,
  language: Language,
): { slot: Slot | undefined; size: number } {
  const { longest } = terms[language]
  const most = Math.max(longest.get(tokens[at] ?? '') ?? 0, longest.get(stems[at] ?? '') ?? 0)
  for (let size = Math.min(most, stems.length - at); size > 0; size -= 1) {
    const words = (all: string[]) => all.slice(at, at + size).join(' ')
    const slot = termOf(words(tokens), words(stems), language)
    if (slot !== undefined) return { slot, size }
  }
  return { slot: undefined, size: 1 }
}

/** A word that is no term, or the terms of a German compound, with or without letters that join them. */
function wordSlots(token: string, stem: string, language: Language): Slot[] {
  const word = [
    { names: [`“${stem}”`], weight: /^\p{N}/u.test(stem) ? NUMBER_WEIGHT : WORD_WEIGHT },
  ]
  if (language === 'en' || token.length > COMPOUND_CHARS_MAX) return word
  const part = (letters: string) => termOf(letters, stemOf(letters, 'de'), 'de')
  for (let cut = PART_CHARS_MIN; cut <= token.length - PART_CHARS_MIN; cut += 1) {
    const tail = part(token.slice(cut))
    const head = tail && part(token.slice(0, cut))
    if (tail !== undefined && head !== undefined) return [head, tail]
  }
  return word
}
