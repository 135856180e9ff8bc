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
    "(?:not|\\w*n[’']t|never|no longer) (?:yet |entirely |strictly )?(?:true|correct|accurate|right|the case|so|clear|certain|evident)(?: to (?:say|claim|state))? that",
    '(?:no|without|little|lack of|lacks) (?:[a-z]+ )?(?:evidence|proof|indication|sign|record|confirmation|assurance|documentation|reason to believe)(?: (?:that|of|for|to (?:show|suggest|confirm|support)(?: that)?))?',
    `(?:(?:could|can|would) )?(?:not|\\w*n[’']t|cannot|unable to|never|nor) (?:yet |be |been |have |\\w+ly )*(?:${saying}(?: us| yet)?,? (?:that|whether|if)|believe|think|say|claim|agree)`,
    '(?:den(?:y|ies|ied|ying)|disput(?:e|es|ed|ing)|refut(?:e|es|ed)|doubt(?:s|ed)?|disprov(?:e|es|ed)|reject(?:s|ed)?)(?: \\w+){0,3}? that',
    `(?:nothing|little to|nothing to) (?:suggests?|shows?|indicates?|confirms?|proves?|supports?)(?: that)?`,
    "(?:(?:could|can|would) )?(?:not|\\w*n[’']t|never|unable to) (?:produce|provide|present|locate|obtain|supply|offer|find) (?:\\w+ ){0,3}?(?:record|evidence|proof|document|report|log)s?(?: (?:showing|proving|confirming))?(?: that| of| for)?",
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
    "no longer|(?:has|have|had) yet to|not|never|cannot|hardly|scarcely|rarely|seldom|\\w+n[’']t",
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

/** Where the verbs of a sentence stand, and where clauses may begin. */
type Grammar = {
  text: string
  verbs: number[]
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
  const last = text.slice(0, from).replace(/[\s:=?]+$/, '').length
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
export const isDeniedAt = (denials: readonly Denial[], part: Part): boolean =>
  reaching(denials, part).length % 2 === 1

const reaching = (denials: readonly Denial[], part: Part): Denial[] =>
  denials.filter(({ from, to, reach }) => {
    if (to <= part.from || from >= part.to)
      return reach.some((one) => one.from <= part.from && part.from < one.to)
    return from < part.from
  })

/** A sentence with spaces where some of its parts stand. */
export const without = (sentence: string, parts: readonly Part[]): string =>
  parts.reduce(
    (rest, { from, to }) => rest.slice(0, from) + ' '.repeat(to - from) + rest.slice(to),
    sentence,
  )

/** The first words of a sentence that deny something; null where none do, or where others take it back. */
export function denialIn(sentence: string): string | null {
  const denials = denialsIn(sentence)
  const found = denials.find((one) => {
    const [reach] = one.reach
    if (reach === undefined || reach.from >= reach.to) return true
    const place = reach.to - 1
    return (
      denials.filter(({ reach: own }) => own.some(({ from, to }) => from <= place && place < to))
        .length %
        2 ===
      1
    )
  })
  return found === undefined ? null : sentence.slice(found.from, found.to)
}

/** Whether a sentence denies something. */
export const isDenied = (sentence: string): boolean => denialIn(sentence) !== null

const firstAfter = (places: readonly number[], from: number) => places.find((at) => at >= from)
const hasVerb = ({ verbs }: Grammar, from: number, to: number) =>
  (firstAfter(verbs, from) ?? to) < to

/** Where the clause of a place ends; where it has a verb of its own already, `and` may begin another one. */
function endOf(grammar: Grammar, from: number, isWhole: boolean): number {
  const { text, clauses, joints } = grammar
  const begin = clauses.findLast(({ to }) => to <= from)
  const isAside =
    begin !== undefined && /, (?:which|who|whose)$/.test(text.slice(begin.from - 2, begin.to))
  const comma = isAside ? text.indexOf(',', from) : -1
  const next = clauses.find((one) => one.from >= from)?.from ?? text.length
  const end = comma < 0 ? next : Math.min(comma, next)
  const joined = joints.find(
    ({ from: at }) =>
      at >= from &&
      (isWhole ||
        hasVerb(grammar, from, at) ||
        /\w \w+ed\b/.test(text.slice(from, Math.min(at, end)))),
  )
  return Math.min(end, joined?.from ?? end)
}

/** Where the clause of a place begins. */
function beginOf(grammar: Grammar, place: number): number {
  const begin = grammar.clauses.findLast(({ to }) => to <= place)?.to ?? 0
  const joined = grammar.joints.findLast(
    ({ from, to }) => from >= begin && to <= place && hasVerb(grammar, begin, from),
  )
  return joined?.to ?? begin
}
