import { type Slot, slotsOf } from './concepts.ts'
import { frames } from './lexicon.ts'
import { type Language, languageOf } from './stems.ts'

/** What kind of answer a question wants. */
export type Wanted =
  | 'yes_no'
  | 'duration'
  | 'frequency'
  | 'time'
  | 'number'
  | 'name'
  | 'place'
  | 'text'
export type Asked = { language: Language; wanted: Wanted; slots: Slot[] }

const kinds: [Wanted, RegExp][] = [
  [
    'frequency',
    /^(?:how (?:often|frequently)|at what (?:interval|frequency)|wie (?:oft|häufig)|in welche[mn] (?:abstand|abständen|rhythmus))\b/i,
  ],
  [
    'duration',
    /^(?:(?:for|after|within) (?:how much|what|which) (?:\w+ )?time|(?:for |after |within )?how (?:long|quickly|fast|soon)|within (?:what|which|how many)|how much notice|(?:nach|seit) welcher zeit|wie (?:lange|schnell)|(?:in|innerhalb|binnen) welcher (?:frist|zeit)|what is the (?:deadline|retention period|notice period|rto|rpo|recovery time|recovery point)|welche (?:frist|zahlungsfrist|aufbewahrungsfrist)|welches zahlungsziel|what are the payment terms)/i,
  ],
  ['time', /^(?:(?:since |until |by )?when|in (?:which|what) year|(?:bis |seit |ab )?wann)\b/i],
  [
    'number',
    /^(?:how (?:many|much|high|large|big|dependent)|what (?:share|percentage|proportion|amount|number)|what is the (?:headcount|limit|minimum|arr|number)|wie (?:viele?|hoch|stark|groß)|welche[rn]? (?:anteil|anzahl|mindestlänge|betrag))\b/i,
  ],
  ['name', /^(?:who|whose)\b/i],
  [
    'place',
    /^(?:where|in (?:which|what) (?:countr|region|location|place)|wo\b|in welchen (?:ländern|regionen))/i,
  ],
  [
    'text',
    /^(?:\w+ (?:what|which|how|whom|welche[rsmn]?)|what|which|how|why|describe|explain|list|name|with which|by what|on what|was|welche[rsmn]?|wie|warum|wer|wem|wen|mit welche[rmn]?|nach welche[rmn]?|auf welche[rmn]?|nennen|beschreiben)\b/i,
  ],
]

/** Reads what a question asks for and about; `otherwise` is its language where its words do not show it. */
export function readQuestion(text: string, otherwise: Language): Asked {
  const language = languageOf(text, otherwise)
  const trimmed = text.trim()
  const wanted = kinds.find(([, pattern]) => pattern.test(trimmed))?.[0] ?? 'yes_no'
  const isOpen = wanted === 'yes_no' || wanted === 'text' || wanted === 'name'
  const slots = slotsOf(text, language).filter(
    ({ names, weight }) => weight > 0 && (isOpen || !names.some((name) => frames.has(name))),
  )
  return { language, wanted, slots }
}

const unit =
  '(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monat(?:en|e|s)?|quartale?n?|jahr(?:en|e|es)?)'
const numeral =
  '(?:\\d[\\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety|eine[nmrs]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|dreißig)'
const duration = new RegExp(
  `\\b${numeral}(?: \\(\\d+\\))?[\\s-]+(?:(?:business|working|calendar)[\\s-]+)?${unit}\\b|\\b(?:immediately|sofort|unverzüglich|indefinitely|unbegrenzt)\\b`,
  'iu',
)
const frequency =
  /\b(?:every|each|alle|jede[nrs]?|once|twice|\w+ times|einmal|zweimal|\w*mal)\b|\b(?:hourly|daily|nightly|weekly|monthly|quarterly|annual(?:ly)?|yearly|continuous(?:ly)?|stündlich|täglich|nächtlich|wöchentlich|monatlich|vierteljährlich|halbjährlich|jährlich|laufend)\b/iu
const date = /\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}[./]/
const numberSaid = new RegExp(`\\d|\\b(?!an?\\b|eine)${numeral}\\b`, 'iu')
const place =
  /\b(?:in|at|on|into|within|im|aus)\s+(?:(?:the|der|den|dem|two|three|zwei|drei|data centres|rechenzentren)\s+|\p{L}+\s+in\s+)*\p{Lu}|website|\b[\p{Lu}][\p{L}]+ (?:region|and)/u

/** Whether a sentence can hold an answer of the kind that is wanted. */
export function holds(sentence: string, wanted: Wanted): boolean {
  switch (wanted) {
    case 'duration':
      return duration.test(sentence)
    case 'frequency':
      return frequency.test(sentence) || duration.test(sentence)
    case 'time':
      return date.test(sentence) || duration.test(sentence)
    case 'number':
      return numberSaid.test(sentence)
    case 'name':
      return /(?<!^)(?<![.!?]\s)\p{Lu}/u.test(sentence)
    case 'place':
      return place.test(sentence)
    default:
      return true
  }
}
