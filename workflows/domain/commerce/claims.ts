import { denialsIn, isDeniedAt } from '../rails/denial.ts'
import { tableIn } from '../rails/packetops/table.ts'
import { sentencesOf } from '../rails/words.ts'
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
  return claims.map((one) => {
    const text = texts.get(one.artifact)
    const forbidden = forbiddenClaims.find(({ pattern }) => pattern.test(one.claim))?.code ?? null
    if (text === undefined) return { ...one, state: 'unknown_item', forbidden }
    if (text === null) return { ...one, state: 'not_given', forbidden }
    return { ...one, state: stateIn(readOf(one.artifact, text), joined(one.claim)), forbidden }
  })
}

type ReadText = { words: string; sentences: string[] }

/** Words and numbers in lower case, each between spaces; a number with its fraction is one of them. */
const joined = (text: string): string => ` ${wordsOf(text).join(' ')} `
const word = /[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu
const wordsOf = (text: string): string[] => text.toLowerCase().match(word) ?? []

/** The sentences of prose, the lines of a table, or the texts of JSON, each with single spaces. */
function statementsOf(text: string): string[] {
  const prose = (all: string) => sentencesOf(all).map(({ from, to }) => all.slice(from, to))
  const parts = partsOf(text).flatMap((part) => (isTable(part) ? part.split('\n') : prose(part)))
  return parts.map((part) => part.replace(/\s+/g, ' '))
}

const partsOf = (text: string): string[] =>
  /^\s*[[{]/.test(text)
    ? [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(({ 1: string = '' }) => string)
    : [text]
const isTable = (text: string): boolean => tableIn(text)?.isTitled === false

/** A claim is contradicted where any sentence with its words denies them, or the next one takes them back. */
function stateIn({ words, sentences }: ReadText, claim: string): ClaimState {
  if (claim.trim() === '' || !words.includes(claim)) return 'not_stated'
  const isContradicted = sentences.some((sentence, at) =>
    placesOf(claim, sentence).some(
      (part) => isDeniedAt(denialsIn(sentence), part) || takenBack.test(sentences[at + 1] ?? ''),
    ),
  )
  return isContradicted ? 'contradicted' : 'bound'
}

const takenBack =
  /^(?:no|nein)[.,!]|^(?:this|that|it|which) (?:is|was) (?:simply )?(?:not (?:true|correct|so|the case)|false|untrue|wrong|incorrect|no longer (?:true|so|the case))\b/i

/** Where the words of a claim stand in a sentence. */
function placesOf(claim: string, sentence: string): { from: number; to: number }[] {
  if (!joined(sentence).includes(claim)) return []
  const found = [...sentence.matchAll(word)].map(({ 0: { length }, index }) => ({
    from: index,
    to: index + length,
  }))
  const size = claim.trim().split(' ').length
  return found.flatMap(({ from }, at) => {
    const last = found[at + size - 1]
    const isHere = last !== undefined && joined(sentence.slice(from, last.to)) === claim
    return isHere ? [{ from, to: last.to }] : []
  })
}
