import { denialsIn, deniedBy } from '../rails/text/denial.ts'
import { isJson } from '../rails/text/json.ts'
import { tableIn } from '../rails/text/table.ts'
import { type Part, sentencesOf } from '../rails/text/words.ts'
import type { ClaimState } from './claim-states.ts'
import { forbiddenClaims } from './missions.ts'

/** A named part of a package; `text` is there when its bytes were given and hashed. */
export type PackageItem = {
  readonly name: string
  readonly sha256: string
  readonly bytes: number | null
  readonly text: string | null
}
export type Claim = { readonly claim: string; readonly artifact: string }

export type JudgedClaim = Claim & { readonly state: ClaimState; readonly forbidden: string | null }

/** Judges each claim by the item that it names. */
export function judgeClaims(
  claims: readonly Claim[],
  items: readonly PackageItem[],
): JudgedClaim[] {
  const texts = new Map(items.map(({ name, text }) => [name, text]))
  const read = new Map<string, ReadText>()
  const readOf = (name: string, text: string): ReadText => {
    const known = read.get(name) ?? { words: joined(text), sentences: statementsOf(text) }
    read.set(name, known)
    return known
  }
  const states = new Map<string, ClaimState>()
  /** Equal claims about one item are looked for once. */
  const stateOf = ({ claim, artifact }: Claim, text: string): ClaimState => {
    const words = joined(claim)
    const key = JSON.stringify([artifact, words])
    const state = states.get(key) ?? stateIn(readOf(artifact, text), words)
    states.set(key, state)
    return state
  }
  return claims.map((one) => {
    const text = texts.get(one.artifact)
    const forbidden = forbiddenClaims.find(({ pattern }) => pattern.test(one.claim))?.code ?? null
    if (text === undefined) return { ...one, state: 'unknown_item', forbidden }
    if (text === null) return { ...one, state: 'not_given', forbidden }
    return { ...one, state: stateOf(one, text), forbidden }
  })
}

type ReadText = { words: string; sentences: Sentence[] }
/** `words` as `joined` gives them, with the place of each in the sentence by where it begins in them. */
type Sentence = {
  words: string
  places: Map<number, number>
  ends: Map<number, number>
  isDeniedAt: (part: Part) => boolean
  takesBack: boolean
}

/** Words and numbers in lower case, each between spaces; a number with its fraction is one of them. */
const joined = (text: string): string => ` ${wordsOf(text).join(' ')} `
const word = /[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu
const wordsOf = (text: string): string[] => text.toLowerCase().match(word) ?? []

/** The sentences of prose, the lines of a table, or the texts of JSON, each with single spaces. */
function statementsOf(text: string): Sentence[] {
  const prose = (all: string) => sentencesOf(all).map(({ from, to }) => all.slice(from, to))
  const parts = partsOf(text).flatMap((part) => (isTable(part) ? part.split('\n') : prose(part)))
  return parts.map((part) => readSentence(part.replace(/\s+/g, ' ')))
}

/** Everything that does not depend on a claim is read once. */
function readSentence(sentence: string): Sentence {
  const places = new Map<number, number>()
  const ends = new Map<number, number>()
  const words: string[] = []
  let length = 1
  for (const { 0: found, index } of sentence.matchAll(word))
    for (const one of wordsOf(found)) {
      places.set(length, index)
      words.push(one)
      length += one.length
      ends.set(length, index + found.length)
      length += 1
    }
  return {
    words: ` ${words.join(' ')} `,
    places,
    ends,
    isDeniedAt: deniedBy(denialsIn(sentence)),
    takesBack: takenBack.test(sentence),
  }
}

const partsOf = (text: string): string[] =>
  isJson(text)
    ? [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(({ 1: string = '' }) => string)
    : [text]
const isTable = (text: string): boolean => tableIn(text)?.isTitled === false

/** A claim is contradicted where any sentence with its words denies them, or the next one takes them back. */
function stateIn({ words, sentences }: ReadText, claim: string): ClaimState {
  if (claim.trim() === '' || !words.includes(claim)) return 'not_stated'
  const isContradicted = sentences.some((sentence, at) => {
    const parts = placesOf(claim, sentence)
    const isTakenBack = parts.length > 0 && sentences[at + 1]?.takesBack === true
    return isTakenBack || parts.some(sentence.isDeniedAt)
  })
  return isContradicted ? 'contradicted' : 'bound'
}

const takenBack =
  /^(?:no|nein)[.,!]|^(?:this|that|it|which) (?:is|was) (?:simply )?(?:not (?:true|correct|so|the case)|false|untrue|wrong|incorrect|no longer (?:true|so|the case))\b/i

/** Where the words of a claim stand in a sentence. */
function placesOf(claim: string, { words, places, ends }: Sentence): Part[] {
  const found: Part[] = []
  for (let at = words.indexOf(claim); at >= 0; at = words.indexOf(claim, at + 1)) {
    const [from, to] = [places.get(at + 1), ends.get(at + claim.length - 1)]
    if (from !== undefined && to !== undefined) found.push({ from, to })
  }
  return found
}
