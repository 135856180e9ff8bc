import { type Contract, type Sentence, spanOf } from './contract.ts'
import type { GoverningLaw, Uncertain } from './schema.ts'

const governs = /\b(?:govern\w*|constru\w+|interpret\w*)\b/i
// Where a party exists, what it complies with, and the rules on conflicts say nothing of the law of the contract.
const speaksOfOthers =
  /\b(?:organi[sz]ed|incorporated|exist\w*|formed|comply|complies|compliance)\b/i
const capital = String.raw`\p{Lu}[\p{L}.’'-]*`
const place = String.raw`${capital}(?:\s+(?:(?:of|and)\s+(?:the\s+)?)?${capital}){0,6}`
const lawsOf = new RegExp(
  String.raw`\b(?:[Ll]aws?|LAWS?)\s+(?:of|in|OF|IN)\s+(?:(?:the|THE)\s+)?(${place})`,
  'gu',
)
const adjective = new RegExp(
  String.raw`(?<![\p{L}.’'-])(?<!\p{L}\s)(${capital}(?:\s${capital})?)\s+law\b`,
  'gu',
)
const applies = /\b(?:govern\w*|appl(?:y|ies)|constru\w+)\b/i
/** Where a place in capitals ends in a sentence of capitals. */
const goesOn =
  /\s+(?:WITHOUT|EXCLUDING|REGARDLESS|IRRESPECTIVE|EXCEPT|AND THE|AS|GOVERNS?|SHALL|WILL|APPL(?:Y|IES)|ARE|IS)\b.*$/s
/** What is not the name of a place before “law”. */
const noPlace =
  /^(?:Applicable|Any|All|Such|The|This|Each|Common|Other|Conflicts?|By|No|Mandatory|Local)\b/

/** The laws that a contract says it is governed by, in the order of the text. */
export function governingLawOf(contract: Contract): GoverningLaw[] {
  return contract.sentences.flatMap((sentence) =>
    lawsIn(sentence).map((law) => ({ law, citation: spanOf(contract, sentence) })),
  )
}

function lawsIn({ words }: Sentence): string[] {
  const named = governs.test(words)
    ? [...words.matchAll(lawsOf)].filter(({ index }) => !isOfOthers(words.slice(0, index)))
    : []
  const adjectival = applies.test(words)
    ? [...words.matchAll(adjective)].filter(({ 1: name = '' }) => !noPlace.test(name))
    : []
  const laws = [...named, ...adjectival].map(({ 1: name = '' }) =>
    nameOf(
      name
        .replace(/\s+/g, ' ')
        .replace(goesOn, '')
        .replace(/[.’']+$/, ''),
    ),
  )
  return [...new Set(laws)]
}

/** Whether the words that lead to a law, after the last comma or semicolon, speak of something else than the contract. */
function isOfOthers(before: string): boolean {
  const clause = before.slice(Math.max(before.lastIndexOf(','), before.lastIndexOf(';')) + 1)
  return speaksOfOthers.test(clause) || /conflicts?(?:\s+of|\s*$)/i.test(clause.slice(-24))
}

/** `STATE OF TEXAS` as `State of Texas`. */
function nameOf(name: string): string {
  if (name !== name.toUpperCase() || name.length < 4) return name
  return name
    .toLowerCase()
    .replace(/\b\p{L}/gu, (letter) => letter.toUpperCase())
    .replace(/\b(?:Of|And|The)\b/g, (word) => word.toLowerCase())
}

/** Whether several laws are named, which only the facts of a case can choose from. */
export function lawsDiffer(laws: readonly GoverningLaw[]): Uncertain[] {
  const names = [...new Set(laws.map(({ law }) => law))]
  if (names.length < 2) return []
  return [
    {
      code: 'governing_laws_differ',
      detail: names.join(' and '),
      citations: laws.map(({ citation }) => citation),
    },
  ]
}
