import type { Part } from './words.ts'

/** Words that deny something, with the parts of their sentence that they reach. */
type Denial = Part & { reach: Part[] }

/** `not only`, `no later than` and `without exception` deny nothing. */
const harmless =
  /\b(?:not (?:only|just|merely|solely|limited to|(?:later|more|less|fewer|earlier|longer)\b)|nicht (?:nur|bloß|allein|später|länger)|no (?:doubts?|question|matter|exceptions?\b(?=[.!]?$)|(?:later|more|less|fewer|earlier|sooner|greater|longer) than|longer(?=[.!]?$))|without (?:an? |any |undue )?(?:exceptions?|delay|fail|doubt|interruption|reservation)|whether or not|if not|(?:wrong|false|incorrect|absurd) to (?:deny|dispute|doubt)|nothing (?:else|further|more)|no\.? \d+)/giu
const saying =
  '(?:confirm|verify|verified|conclude|establish|prove|proven|demonstrate|claim|say|said|state|assert|show|shown|believe|think|agree|accept|find|suggest|support|determine)(?:ed|d)?'
/** Words that deny, by the part of their sentence that they reach. */
const kinds = ['before', 'after', 'both', 'quantifier', 'adverb'] as const
type Kind = (typeof kinds)[number]
const words: Record<Kind, string[]> = {
  /** What is said after these, to the end of the sentence. */
  before: [
    '(?:false|untrue|incorrect|wrong|mistaken|a myth)(?: to (?:say|claim|state|assert|believe|assume))? that',
    '(?:false|untrue|unfounded|mistaken|wrong) (?:claim|statement|assertion|assumption|belief|impression) that',
    "(?:not|[a-z]*n[’']t|never|no longer) (?:yet |entirely |strictly )?(?:true|correct|accurate|right|the case|so|clear|certain|evident)(?: to (?:say|claim|state))? that",
    '(?:no|without|little|lack of|lacks) (?:[a-z]+ )?(?:evidence|proof|indication|sign|record|confirmation|assurance|documentation|reason to believe)(?: (?:that|of|for|to (?:show|suggest|confirm|support)(?: that)?))?',
    `(?:(?:could|can|would) )?(?:not|[a-z]*n[’']t|cannot|unable to|never|nor) (?:yet |be |been |have |\\w+ly )*(?:${saying}(?: us| yet)?,? (?:that|whether|if)|believe|think|say|claim|agree)`,
    '(?:den(?:y|ies|ied|ying)|disput(?:e|es|ed|ing)|refut(?:e|es|ed)|doubt(?:s|ed)?|disprov(?:e|es|ed)|reject(?:s|ed)?)(?: \\w+){0,3}? that',
    `(?:nothing|little to|nothing to) (?:suggests?|shows?|indicates?|confirms?|proves?|supports?)(?: that)?`,
    "(?:(?:could|can|would) )?(?:not|[a-z]*n[’']t|never|unable to) (?:produce|provide|present|locate|obtain|supply|offer|find) (?:\\w+ ){0,3}?(?:record|evidence|proof|document|report|log)s?(?: (?:showing|proving|confirming))?(?: that| of| for)?",
    'far from (?:it )?being (?:true|the case|certain) that|disagrees? that|disagreed that',
    '(?:misconception|myth|mistake|lie|doubtful|unlikely|questionable|unclear|uncertain|unproven|unknown)(?: to \\w+)? (?:that|whether|if)',
    'contrary to (?:\\w+ ){1,3}that',
    '(?:falsch|unwahr|unrichtig|nicht (?:wahr|richtig|der fall)|nicht zu),? dass',
    '(?:bestreitet|bestreiten|bestritt|bestritten|leugnet|verneint)(?: \\p{L}+){0,2},? dass',
    '(?:kein(?:e|en)?|ohne) (?:nachweis|beleg|hinweis)\\p{L}*(?: dafür)?,? dass',
  ],
  /** What stands before these in their clause. */
  after: [
    '(?:is|was|are|were|be|proved|turned out)(?: \\w+ly| to be)? (?:an? )?(?:false|untrue|incorrect|wrong|inaccurate|disputed|denied|unfounded)(?! (?:\\w+ ){0,3}that)',
    "(?:is|was|are|were)(?:n[’']t| not| no longer)(?: \\w+ly)? (?:true|correct|accurate|the case|so)(?! (?:\\w+ ){0,3}that)",
    `(?:is|was|are|were|could|can|has|have)(?:n[’']t| not)(?: be| been)?(?: \\w+ly)? ${saying}(?= by|[.,;]|$)`,
    '(?:but|only|though|although) not|aber nicht|(?<=[:=?] ?)(?:no|never)|(?<=[:=?–—-] ?)(?:false|untrue|wrong|not true)',
    'not at all|prohibited|forbidden|verboten|untersagt|falsch',
  ],
  /** All of their clause; German puts them before and after what they deny. */
  both: [
    '(?:for|by|in|on|at) (?:no one|no|none|neither|nobody|nothing)|to (?:no one|none|nobody)|nowhere',
    'nicht|nie|niemals',
  ],
  /** What follows them in their clause: who or what there is none of. */
  quantifier: [
    'not (?:all|every|each|any|one|a single)|hardly any|no one|none|neither|nobody|nothing|niemand|nor(?= (?:is|are|was|were|has|have|had|do|does|did|can))',
    'no(?! longer)|kein(?:e|en|em|er|es)?|weder|ohne',
  ],
  /** What follows them in their clause, to the next verb at the most. */
  adverb: [
    "no longer|(?:has|have|had) yet to|not|never|cannot|hardly|scarcely|rarely|seldom|[a-z]+n[’']t",
    '(?:fail(?:s|ed|ing|ure|ures)?|refus(?:e|es|ed)|neglect(?:s|ed)?|omit(?:s|ted)?|unable|ceased?|omission) to',
    'without|lack(?:s|ed|ing)?(?: of)?|(?:in )?the absence of|instead of|rather than',
  ],
}
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

/** A beginning of each of those words: most sentences have none, and need not be read further. */
const maybe =
  /n[’']t\b|\b(?:no|n[ie]|un|in(?:c|s|a)|far|fals|wrong|little|fail|refus|neglect|omi|hardly|scarcely|rare|rather|seldom|ceas|cannot|without|lack|absence|yet|m[iy]|lie|doubt|den|dis|question|refut|reject|contrary|prohibit|forbid|verb|vern|best|leug|kein|weder|ohne)/i

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
  for (const [at, { kind, reach }] of found.entries()) {
    const next = found[at + 1]
    const [own] = reach
    if (kind === 'adverb' && next?.kind === 'before' && own && next.from < own.to)
      own.to = next.reach[0]?.to ?? own.to
  }
  return found
}

function reachOf(kind: Kind, grammar: Grammar, { from, to }: Part): Part[] {
  const { text, verbs, sentences } = grammar
  if (kind === 'before') return [{ from: to, to: firstAfter(sentences, to) ?? text.length }]
  let last = from
  while (last > 0 && /[\s:=?]/.test(text.charAt(last - 1))) last -= 1
  const behind = { from: beginOf(grammar, last), to: last }
  if (kind === 'after') return [behind]
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
