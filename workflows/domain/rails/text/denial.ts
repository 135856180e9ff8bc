import { harmless, type Kind, kinds, maybe, words } from './denial-words.ts'
import type { Part } from './words.ts'

/** Words that deny something, with the parts of their sentence that they reach. */
type Denial = Part & { reach: Part[] }

const denying = new RegExp(
  `${kinds.map((kind) => `(?<${kind}>(?<![\\p{L}\\p{N}’'])(?:${words[kind].join('|')})(?![\\p{L}\\p{N}]))`).join('|')}`,
  'giu',
)

const verb =
  "(?:is|are|was|were|has|have|had|do|does|did|will|would|can|could|must|shall|should|(?<!(?:in|of|on|since|until|by|from|to|and) )may(?! \\d)|might|\\w+n[’']t)"
const aVerb = new RegExp(`\\b${verb}\\b`, 'giu')
/** `never has been`, `not have been`: the verb of what is denied. */
const OWN_CHARS_MAX = 80
const ownVerb = new RegExp(`^(?:\\s+(?:${verb}|be|been|being|yet|also|ever|\\w+ly))+\\b`, 'iu')
const ofSentence = /;|\b(?:but|however|although|though|whereas|while)\b/gi
const ofClause =
  /[;:—–]|\b(?:but|although|though|while|whereas|however|because|since|unless|until|if|when|which|who|whose|where|aber|sondern|obwohl|weil|wenn)\b|(?<!\b(?:not|has|have|had) )\byet\b(?! to)|, (?=(?:and |or )?(?:it|they|we|this|that|its|their|our)\b)/gi
/** `and` begins a clause where what follows has a verb and its subject. */
const joint = new RegExp(
  `(?:,|\\b(?:and|or|und|oder))(?= (?:(?!${verb}\\b)[^\\s,;]+ ){1,6}${verb}\\b)`,
  'giu',
)

/** A participle after another word, from the end of that word. */
const participle = /\w(?= (\w+ed)\b)/g

/** Where the verbs of a sentence stand, and where clauses may begin; each list in its order, for searches by halves. */
type Grammar = {
  text: string
  verbs: number[]
  participles: Part[]
  commas: number[]
  sentences: number[]
  clauses: Part[]
  joints: Part[]
}

function readGrammar(text: string): Grammar {
  const parts = (pattern: RegExp): Part[] =>
    [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({
      from: index,
      to: index + length,
    }))
  const starts = (pattern: RegExp) => parts(pattern).map(({ from }) => from)
  return {
    text,
    verbs: starts(aVerb),
    participles: [...text.matchAll(participle)].map(({ 1: { length } = '', index }) => ({
      from: index,
      to: index + 2 + length,
    })),
    commas: starts(/,/g),
    sentences: starts(ofSentence),
    clauses: parts(ofClause),
    joints: parts(joint),
  }
}

/** The words of a sentence that deny something, in their order. */
export function denialsIn(sentence: string): Denial[] {
  if (!maybe.test(sentence)) return []
  const text = sentence.replace(harmless, (found) => ' '.repeat(found.length))
  const matches = [...text.matchAll(denying)]
  if (matches.length === 0) return []
  const grammar = readGrammar(text)
  const found = matches.map(({ 0: words, index, groups = {} }) => {
    const kind = kinds.find((one) => groups[one] !== undefined) ?? 'both'
    const part = { from: index, to: index + words.length }
    return { ...part, reach: reachOf(kind, grammar, part), kind }
  })
  // “Not false that”: what denies the beginning denies all that follows.
  for (const [at, one] of found.entries()) {
    const next = found[at + 1]
    const { kind } = one
    const [own] = one.reach
    if (kind === 'adverb' && next?.kind === 'before' && own && next.from < own.to)
      own.to = next.reach[0]?.to ?? own.to
    // “Has not expired”, “no invoice is overdue”: what denies a state takes it back.
    const isTaken = (kind === 'adverb' || kind === 'quantifier') && next?.kind === 'state'
    if (isTaken && own && next.from < own.to) one.reach = [...next.reach, next]
  }
  return found
}

function reachOf(kind: Kind, grammar: Grammar, { from, to }: Part): Part[] {
  const { text, verbs, sentences } = grammar
  if (kind === 'before') return [{ from: to, to: firstAfter(sentences, to) ?? text.length }]
  let last = from
  while (last > 0 && /[\s:=?]/.test(text.charAt(last - 1))) last -= 1
  const behind = { from: beginOf(grammar, last), to: last }
  if (kind === 'after' || kind === 'state') return [behind]
  const isAdverb = kind === 'adverb'
  const isObject = hasVerb(grammar, behind.from, from)
  const end = endOf(grammar, to, isAdverb || isObject)
  const own = isAdverb
    ? to + (ownVerb.exec(text.slice(to, to + OWN_CHARS_MAX))?.[0].length ?? 0)
    : end
  const ahead = { from: to, to: Math.min(end, firstAfter(verbs, own) ?? end) }
  return kind === 'both' ? [ahead, behind] : [ahead]
}

/** Whether a part of a sentence is denied by words outside of it: by one, or by three; two take each other back. */
export function deniedBy(denials: readonly Denial[]): (part: Part) => boolean {
  const isReached = reachedBy(denials)
  return (part) => {
    let isDenied = isReached(part.from)
    // Words inside of the part, or across its beginning: those reach it that begin before it.
    for (let at = firstWhere(denials, ({ to }) => to > part.from); at < denials.length; at += 1) {
      const one = denials[at]
      if (one === undefined || one.from >= part.to) break
      const isCounted = one.reach.some(({ from, to }) => from <= part.from && part.from < to)
      if (isCounted !== one.from < part.from) isDenied = !isDenied
    }
    return isDenied
  }
}

/** Whether an odd number of denials reaches a place. */
function reachedBy(denials: readonly Denial[]): (place: number) => boolean {
  const turns = denials
    .flatMap(({ reach }) => reach.filter(({ from, to }) => from < to))
    .flatMap(({ from, to }) => [from, to])
    .toSorted((one, other) => one - other)
  return (place) => firstWhere(turns, (turn) => turn > place) % 2 === 1
}

/** A sentence with spaces where some of its parts stand. */
export function without(sentence: string, parts: readonly Part[]): string {
  const units = sentence.split('')
  for (const { from, to } of parts) units.fill(' ', from, to)
  return units.join('')
}

/** The first words of a sentence that deny something; null where none do, or where others take it back. */
export function denialIn(sentence: string): string | null {
  const denials = denialsIn(sentence)
  const isReached = reachedBy(denials)
  const found = denials.find(({ reach: [reach] }) => {
    if (reach === undefined || reach.from >= reach.to) return true
    return isReached(reach.to - 1)
  })
  return found === undefined ? null : sentence.slice(found.from, found.to)
}

/** Whether a sentence denies something. */
export const isDenied = (sentence: string): boolean => denialIn(sentence) !== null

/** The index of the first of a list for which something holds, as it does for all after it; else its length. */
function firstWhere<T>(list: readonly T[], holds: (one: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}
const firstAfter = (places: readonly number[], from: number) =>
  places[firstWhere(places, (at) => at >= from)]
const firstFrom = (parts: readonly Part[], place: number) =>
  parts[firstWhere(parts, ({ from }) => from >= place)]
const lastUntil = (parts: readonly Part[], place: number) =>
  parts[firstWhere(parts, ({ to }) => to > place) - 1]
const hasVerb = ({ verbs }: Grammar, from: number, to: number) =>
  (firstAfter(verbs, from) ?? to) < to

/** Where the clause of a place ends; where it has a verb of its own already, `and` may begin another one. */
function endOf(grammar: Grammar, from: number, isWhole: boolean): number {
  const { text, verbs, participles, commas, clauses, joints } = grammar
  const begin = lastUntil(clauses, from)
  const isAside =
    begin !== undefined && /, (?:which|who|whose)$/.test(text.slice(begin.from - 2, begin.to))
  const next = firstFrom(clauses, from)?.from ?? text.length
  const end = Math.min(next, isAside ? (firstAfter(commas, from) ?? next) : next)
  const done = firstFrom(participles, from)?.to ?? text.length
  const own = Math.min(
    (firstAfter(verbs, from) ?? text.length) + 1,
    done <= end ? done : text.length,
  )
  return Math.min(end, firstFrom(joints, isWhole ? from : own)?.from ?? end)
}

/** Where the clause of a place begins. */
function beginOf(grammar: Grammar, place: number): number {
  const begin = lastUntil(grammar.clauses, place)?.to ?? 0
  const joined = lastUntil(grammar.joints, place)
  const isJoined =
    joined !== undefined && joined.from >= begin && hasVerb(grammar, begin, joined.from)
  return isJoined ? joined.to : begin
}
