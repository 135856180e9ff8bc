import { dayFrom } from '../values/calendar.ts'
import { decimal, figures, spelledNumber, spelling } from './numerals.ts'
import { type Part, wordsOf } from './words.ts'

/** A day that a text names; `other` is its second reading where day and month could be changed about (`03/04/2026`). */
export type DateMention = Part & { kind: 'date'; day: string; other: string | null }
/**
 * A quantity that a text names. `unit` is a currency, `percent`, `seconds` (up to weeks), `months` (up to years), `business days`, or the stem of
 * what is counted; `value` is a decimal text in it. `spelled` is what the words before the figures say, where there are both.
 */
export type Quantity = Part & {
  kind: 'money' | 'percent' | 'duration' | 'count'
  unit: string
  value: string
  spelled: string | null
}

const monthNames =
  'january february march april may june july august september october november december'.split(' ')
const month = `(?:${monthNames.map((name) => `${name}|${name.slice(0, 3)}\\b\\.?`).join('|')}|sept\\b\\.?)`
const ordinal = '(\\d{1,2})(?:st|nd|rd|th)?'

const germanMonthNames =
  'januar februar märz april mai juni juli august september oktober november dezember'.split(' ')

const datePatterns: { pattern: RegExp; read(groups: string[]): (string | undefined)[] }[] = [
  {
    pattern: /\b(\d{4})([-/])(\d{2})\2(\d{2})(?!\d)/g,
    read: ([y, , m, d]) => [dayFrom(Number(y), Number(m), Number(d))],
  },
  {
    pattern: new RegExp(`\\b(${month})\\s+${ordinal},?\\s+(\\d{4})\\b`, 'gi'),
    read: ([m = '', d, y]) => [dayFrom(Number(y), monthNumber(m), Number(d))],
  },
  {
    pattern: new RegExp(
      `\\b${ordinal}\\s+(?:(?:day\\s+)?of\\s+)?(${month}),?\\s+(\\d{4})\\b`,
      'gi',
    ),
    read: ([d, m = '', y]) => [dayFrom(Number(y), monthNumber(m), Number(d))],
  },
  {
    pattern: new RegExp(`\\b(\\d{1,2})\\.\\s+(${germanMonthNames.join('|')})\\s+(\\d{4})\\b`, 'gi'),
    read: ([d, m = '', y]) => [
      dayFrom(Number(y), germanMonthNames.indexOf(m.toLowerCase()) + 1, Number(d)),
    ],
  },
  {
    pattern: /(?<![\d/.-])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![\d/])/g,
    read: ([a, , b, y]) => [
      dayFrom(Number(y), Number(a), Number(b)),
      dayFrom(Number(y), Number(b), Number(a)),
    ],
  },
]

/** Every day named in a text, in the order of the text. */
export function datesIn(text: string): DateMention[] {
  const found = datePatterns.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: whole, index, ...groups }): DateMention[] => {
      const captured = Object.entries(groups).flatMap(([key, value]) =>
        /^\d+$/.test(key) ? [String(value)] : [],
      )
      const [day, other] = [...new Set(read(captured).filter((reading) => reading !== undefined))]
      if (day === undefined) return []
      return [{ kind: 'date', from: index, to: index + whole.length, day, other: other ?? null }]
    }),
  )
  return apart(found)
}

/** Every quantity named in a text that is not part of a date, in the order of the text. */
export function quantitiesIn(text: string): Quantity[] {
  const dates = datesIn(text)
  const found = [...moneyIn(text), ...percentsIn(text), ...durationsIn(text), ...countsIn(text)]
  return apart([...dates, ...found]).filter((mention) => mention.kind !== 'date')
}

const currencies: [RegExp, string][] = [
  [/^(?:US\$|U\.S\. ?dollars?|US ?dollars?|USD|\$|dollars?)$/i, 'USD'],
  [/^(?:€|EUR|euros?)$/i, 'EUR'],
  [/^(?:£|GBP|pounds?)$/i, 'GBP'],
  [/^₹$/, 'INR'],
  [/^AU?\$$/, 'AUD'],
  [/^CA?\$$/, 'CAD'],
  [/^HK\$$/, 'HKD'],
  [/^NZ\$$/, 'NZD'],
  [/^S\$$/, 'SGD'],
]
const codes = 'USD|EUR|GBP|CHF|JPY|AUD|CAD|HKD|NZD|SGD|INR|SEK|NOK|DKK|PLN|CZK|CNY|ZAR'
const zeros: Record<string, number> = { thousand: 3, k: 3, million: 6, m: 6, billion: 9, bn: 9 }
const large = '(?:\\s?(thousand|million|billion|bn|[km])\\b)?'
const sign = `((?<![A-Za-z])(?:US|AU?|CA?|HK|NZ|S)?\\$|[€£₹]|\\b(?:${codes}))`
const coin = `(?:(U\\.S\\. ?dollars?|US ?dollars?|dollars?|euros?|pounds?|${codes})\\b|([€£])(?!\\s?\\d))`
/** Next to a currency, thousands may be parted by blanks. */
const sum = `(?:\\d{1,3}(?: \\d{3}){1,6}(?:[.,]\\d{1,2})?(?![.,'’ ]?\\d)|${figures})`
/** `1.250`: a fraction in one country and thousands in another, and for money and time no number for certain. */
const unclear = /^\d{1,3}\.\d{3}$/
const signed = new RegExp(
  `(?:(${spelling})\\s+(?:${coin})\\s*\\(\\s*)?${sign}\\s?(${sum})${large}`,
  'gi',
)
const named = new RegExp(`(?<![\\w.,'’$€£₹])(${sum})${large}\\s?${coin}`, 'gi')

const written = new RegExp(`(${spelling})\\s+${coin}`, 'gi')

function moneyIn(text: string): Quantity[] {
  const before = [...text.matchAll(signed)].map((match) => {
    const [, spelled, , , symbol = '', amount = '', scale] = match
    return { match, spelled, symbol, amount, scale }
  })
  const after = [...text.matchAll(named)].map((match) => {
    const [, amount = '', scale, word, mark = ''] = match
    const symbol = word ?? mark
    return { match, spelled: undefined, symbol, amount, scale }
  })
  const words = [...text.matchAll(written)].map((match) => {
    const [, spelled = '', word, mark = ''] = match
    const symbol = word ?? mark
    return {
      match,
      spelled: undefined,
      symbol,
      amount: String(spelledNumber(spelled)),
      scale: undefined,
    }
  })
  const all = [...before, ...after, ...words].filter(
    ({ amount, scale }) => scale !== undefined || !unclear.test(amount),
  )
  return all.map(({ match, spelled, symbol, amount, scale }) => ({
    kind: 'money',
    unit: currencies.find(([pattern]) => pattern.test(symbol))?.[1] ?? symbol.toUpperCase(),
    value: decimal(amount, zeros[scale?.toLowerCase() ?? ''] ?? 0),
    spelled: spelled === undefined ? null : String(spelledNumber(spelled)),
    from: match.index,
    to: endOf(text, match, spelled !== undefined),
  }))
}

/** The end of a match; the bracket that closes figures after words belongs to it. */
function endOf(text: string, match: RegExpExecArray, isSpelled: boolean): number {
  const end = match.index + match[0].length
  return isSpelled && text[end] === ')' ? end + 1 : end
}

// Figures, words, or words with the figures after them in brackets.
const amount = `(?:(?:(${spelling})\\s*\\(\\s*(${figures})\\s*\\)|(?<![\\w.,'’$€£₹])(${figures})|(${spelling})))`
const percent = new RegExp(`${amount}\\s?(?:%|per\\s?cent\\b|Prozent\\b)`, 'gi')
const spans = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 }
const longer = { month: 1, quarter: 3, year: 12 }
const english: Record<string, string> = {
  sekunde: 'second',
  minute: 'minute',
  stunde: 'hour',
  tag: 'day',
  woche: 'week',
  monat: 'month',
  jahr: 'year',
}
const duration = new RegExp(
  `${amount}[\\s-]+(?:(business|working)[\\s-]+|calendar[\\s-]+|full[\\s-]+|consecutive[\\s-]+)?(?:(second|minute|hour|day|week|month|quarter|year)s?|(Sekunde|Minute|Stunde|Tag|Woche|Monat|Jahr)(?:e?n|e|s)?)\\b`,
  'gi',
)

function percentsIn(text: string): Quantity[] {
  return [...text.matchAll(percent)].map((match) => ({
    kind: 'percent',
    unit: 'percent',
    ...readAmount(match),
  }))
}

function durationsIn(text: string): Quantity[] {
  return [...text.matchAll(duration)].flatMap((match): Quantity[] => {
    if (unclear.test(match[2] ?? match[3] ?? '')) return []
    const read = readAmount(match)
    const unit = match[6]?.toLowerCase() ?? english[match[7]?.toLowerCase() ?? ''] ?? ''
    if (match[5] !== undefined)
      return unit === 'day' ? [{ kind: 'duration', unit: 'business days', ...read }] : []
    const months = longer[unit as keyof typeof longer]
    const size = months ?? spans[unit as keyof typeof spans]
    const scaled = (value: string) => String(Math.round(Number(value) * size))
    const spelled = read.spelled === null ? null : scaled(read.spelled)
    const base = months === undefined ? 'seconds' : 'months'
    return [{ ...read, kind: 'duration', unit: base, value: scaled(read.value), spelled }]
  })
}

function readAmount(match: RegExpExecArray): Pick<Quantity, 'value' | 'spelled' | 'from' | 'to'> {
  const [whole, spelled, bracketed, plain, words] = match
  const figure = bracketed ?? plain
  return {
    value: figure === undefined ? String(spelledNumber(words ?? '')) : decimal(figure),
    spelled: spelled === undefined ? null : String(spelledNumber(spelled)),
    from: match.index,
    to: match.index + whole.length,
  }
}

// A number that names something counts nothing: Section 4, ISO 27001, version 2, the year 2026.
const naming =
  /(?:section|sections|article|clause|exhibit|schedule|annex|appendix|page|version|release|type|level|tier|phase|iso|soc|tls|aes|sha|rsa|no\.?|#|step|paragraph)[\s-]*$/i
const timeNoun = /^(?:second|minute|hour|day|week|month|quarter|year|business|working|calendar)/
const counted = new RegExp(`(?<![\\w.,'’$€£₹/-])(${figures})\\s+([a-z]{3,})`, 'g')

function countsIn(text: string): Quantity[] {
  return [...text.matchAll(counted)].flatMap(
    ({ 0: whole, 1: figure = '', 2: noun = '', index }): Quantity[] => {
      const year = /^(?:19|20)\d\d$/.test(figure)
      const [thing] = wordsOf(noun)
      const isTime = unclear.test(figure) && timeNoun.test(noun)
      if (
        year ||
        isTime ||
        thing === undefined ||
        naming.test(text.slice(Math.max(0, index - 12), index))
      )
        return []
      const span = { from: index, to: index + whole.length }
      return [
        {
          kind: 'count',
          unit: thing.stem,
          value: decimal(unclear.test(figure) ? figure.replace('.', '') : figure),
          spelled: null,
          ...span,
        },
      ]
    },
  )
}

function monthNumber(name: string): number {
  return monthNames.findIndex((full) => full.startsWith(name.toLowerCase().slice(0, 3))) + 1
}

/** The mentions that overlap none of the ones given before them, in the order of the text. */
function apart<T extends Part>(mentions: readonly T[]): T[] {
  const taken = new Uint8Array(mentions.reduce((most, { to }) => Math.max(most, to), 0))
  const kept = mentions.filter(({ from, to }) => {
    if (taken.subarray(from, to).includes(1)) return false
    taken.fill(1, from, to)
    return true
  })
  return kept.toSorted((a, b) => a.from - b.from)
}
