import { type Contract, type Sentence, spanOf } from './contract.ts'
import type { Amount, DatedMention } from './schema.ts'

const kinds: [DatedMention['kind'], RegExp][] = [
  [
    'effective',
    /effective|commenc\w+|entered\s+into|dated|made\s+(?:as\s+of|on)|start(?:s|ing)|begin(?:s|ning)/gi,
  ],
  ['end', /until|through|expir\w+|end(?:s|ing)\b|terminates\b/gi],
  ['signature', /\bdate:|signed|executed/gi],
]

/** Every day of the contract, with what the words before it say that it is. */
export function datesOf(contract: Contract): DatedMention[] {
  return contract.sentences.flatMap((sentence) =>
    sentence.dates.map((date) => ({
      day: date.day,
      other_reading: date.other,
      kind: kindOf(contract, sentence, date),
      citation: spanOf(contract, date),
    })),
  )
}

function kindOf(
  { text }: Contract,
  sentence: Sentence,
  { from, to }: { from: number; to: number },
): DatedMention['kind'] {
  if (/^\s*\((?:the\s+)?[“"'](?:Effective|Commencement|Start)\s+Date/.test(text.slice(to, to + 60)))
    return 'effective'
  const before = text.slice(sentence.from, from)
  const nearest = kinds
    .flatMap(([kind, pattern]) =>
      [...before.matchAll(pattern)].map(({ index }) => ({ kind, index })),
    )
    .toSorted((a, b) => b.index - a.index)[0]
  return nearest?.kind ?? 'other'
}

const periods = {
  hour: /hour/,
  day: /da(?:y|ily)/,
  week: /week/,
  month: /month/,
  quarter: /quarter/,
  year: /year|annu/,
} as const
const rate =
  /^\s*(?:\/|per|each|every|an?|in|of)?\s*(?:calendar\s+)?(hour(?:ly)?|da(?:y|ily)|weekly?|monthly?|quarter(?:ly)?|year(?:ly)?|annum|annually)\b/i

/** Every amount of money, with the period that directly follows it or its adjective (“monthly rent of $900”). */
export function amountsOf(contract: Contract): Amount[] {
  return contract.sentences.flatMap((sentence) =>
    sentence.quantities
      .filter(({ kind }) => kind === 'money')
      .map((money) => {
        const after = rate.exec(
          contract.text.slice(money.to, Math.min(sentence.to, money.to + 40)).replace(/^\)/, ''),
        )?.[1]
        const before =
          /\b(hourly|daily|weekly|monthly|quarterly|yearly|annual)\s+(?:\w+\s+){0,3}(?:of|is|equals)\s*$/i.exec(
            contract.text.slice(sentence.from, money.from),
          )?.[1]
        const period = (after ?? before)?.toLowerCase()
        const per = Object.entries(periods).find(
          ([, pattern]) => period !== undefined && pattern.test(period),
        )?.[0]
        return {
          value: money.value,
          currency: money.unit,
          per: (per as keyof typeof periods | undefined) ?? null,
          citation: spanOf(contract, money),
        }
      }),
  )
}
