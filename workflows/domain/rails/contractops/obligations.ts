import type { Span } from '../input/fields.ts'
import { datesIn, quantitiesIn } from '../text/mentions.ts'
import { type Contract, type Sentence, spanOf } from './contract.ts'
import type { Obligation, Party, Uncertain } from './schema.ts'

const everybody = ['each party', 'either party', 'neither party', 'both parties', 'the parties']
const modal =
  /\b(?:shall|must|will|(?:agrees?|undertakes?|covenants?|(?:is|are)\s+(?:required|obligated|obliged))(?:\s+not)?\s+to)\b(?:\s+not\b)?|\bmay\s+not\b|(?<=\bneither\s+party\s+)may\b/gi
// What is done to a thing without saying by whom.
const passive =
  /^\s*be\s+(?:\w+ly\s+)?(?:paid|delivered|provided|returned|submitted|maintained|performed|given|sent|completed|reported|insured|destroyed)\b/i
const vague =
  /\b(?:promptly|as soon as (?:reasonably )?practicable|(?:with)?in a (?:reasonable|timely) (?:time|period|manner)|within a reasonable (?:time|period)|in due course)\b/i

/** What each party must do and must not do, in the words of the contract; and duties whose bearer or time it leaves open. */
export function obligationsOf(
  contract: Contract,
  parties: Party[],
): { obligations: Obligation[]; uncertain: Uncertain[]; complete: boolean } {
  const names = parties.flatMap(({ name, role }) =>
    role === null || role === name ? [name] : [role, name],
  )
  const subject = new RegExp(
    `(?:\\b(?<led>by|of|to|from|with|for|on|against|upon|between)\\s+(?:the\\s+)?)?\\b(?<who>${[...names, ...everybody].map(escaped).join('|')})\\b(?!['’]s)`,
    'gi',
  )
  const found = contract.sentences.flatMap((sentence) => dutiesOf(contract, sentence, subject))
  const duties = asFarAsCited(found)
  const known = new Map(names.map((name) => [name.toLowerCase(), roleOf(name, parties)]))
  const obligations = duties.flatMap((duty): Obligation[] => {
    if (duty.who === undefined) return []
    const { who, ...rest } = duty
    return [{ party: known.get(who.toLowerCase()) ?? who.toLowerCase(), ...rest }]
  })
  const open = duties.filter(({ who }) => who === undefined)
  return {
    obligations,
    complete: duties.length === found.length,
    uncertain: [
      ...open.map(({ citation }) => ({
        code: 'obligor_unclear' as const,
        detail: 'it does not say who',
        citations: [citation],
      })),
      ...obligations
        .filter(({ act }) => vague.test(act))
        .map(({ act, citation }) => ({
          code: 'vague_time' as const,
          detail: `“${vague.exec(act)?.[0]}” names no time`,
          citations: [citation],
        })),
    ],
  }
}

/** Each duty cites its whole sentence, so sentences with hundreds of duties list only as many as fit in these characters. */
const CITED_CHARS_MAX = 8_000_000

function asFarAsCited(duties: Duty[]): Duty[] {
  let chars = 0
  const end = duties.findIndex(({ citation }) => {
    chars += citation.quote.length
    return chars > CITED_CHARS_MAX
  })
  return end < 0 ? duties : duties.slice(0, end)
}

type Subject = { who: string; index: number }
type Duty = { who: undefined; citation: Span } | (Omit<Obligation, 'party'> & { who: string })

/** Every duty of a sentence; its act ends where the subject of the next duty begins. */
function dutiesOf(contract: Contract, sentence: Sentence, subject: RegExp): Duty[] {
  const { words } = sentence
  const modals = [...words.matchAll(modal)]
  const subjects: (Subject | undefined)[] = []
  for (const [at, { index }] of modals.entries()) {
    const previous = modals[at - 1]
    const from = previous === undefined ? 0 : previous.index + previous[0].length
    // “Provider shall deliver and shall support”: the second verb has the subject of the first.
    const joined = /[\s,;](?:and|but)\s+$/.test(words.slice(from, index))
      ? subjects[at - 1]
      : undefined
    subjects.push(
      subjectBefore(words, from, index, subject) ?? (joined && { who: joined.who, index }),
    )
  }
  return modals.flatMap((found, at): Duty[] => {
    const by = subjects[at]
    const begin = found.index + found[0].length
    const citation = spanOf(contract, sentence)
    if (by === undefined)
      return passive.test(words.slice(begin, begin + 60)) ? [{ who: undefined, citation }] : []
    const next = subjects.slice(at + 1).find((other) => other !== undefined)
    const act = withoutEnding(words.slice(begin, next?.index).replace(/\s+/g, ' ')).trim()
    if (act === '') return []
    const neither = by.who.toLowerCase() === 'neither party'
    const mention = [
      ...datesIn(act),
      ...quantitiesIn(act).filter(({ kind }) => kind === 'duration'),
    ][0]
    return [
      {
        who: neither ? 'each party' : by.who,
        kind: neither || /\bnot\b/i.test(found[0]) ? 'must_not' : 'must',
        act,
        due: mention === undefined ? null : act.slice(mention.from, mention.to),
        citation,
      },
    ]
  })
}

/** A text without the marks, “and” and “but” that it ends with. */
function withoutEnding(text: string): string {
  let end = text.length
  for (;;) {
    if (/[\s,;:.]/.test(text.charAt(end - 1))) end -= 1
    else if (/^(?:and|but)$/.test(text.slice(end - 3, end)) && endsWord(text, end)) end -= 3
    else return text.slice(0, end)
  }
}

const endsWord = (text: string, end: number) =>
  !/\w/.test(text.charAt(end - 4)) && !/\w/.test(text.charAt(end))

/** The last party before a verb, unless words stand between that make something else its subject. */
function subjectBefore(
  words: string,
  from: number,
  to: number,
  subject: RegExp,
): Subject | undefined {
  const found = [...words.slice(from, to).matchAll(subject)].at(-1)
  const who = found?.groups?.['who']
  if (found === undefined || who === undefined || found.groups?.['led'] !== undefined)
    return undefined
  const gap = words.slice(from + found.index + found[0].length, to)
  const direct =
    /^\s*(?:\([^)]*\)\s*)?(?:,[^,]*,\s*)?(?:\w+ly\s+|each\s+|also\s+|further\s+|hereby\s+|and\s+its\s+\w+\s+)*$/.test(
      gap,
    )
  return direct ? { who, index: from + found.index } : undefined
}

function roleOf(name: string, parties: Party[]): string {
  const party = parties.find((one) => one.name === name || one.role === name)
  return party?.role ?? name
}

const escaped = (text: string) =>
  text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+')
