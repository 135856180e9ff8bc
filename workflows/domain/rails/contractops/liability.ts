import { spelledNumber, spelling } from '../text/numerals.ts'
import { type Contract, type Sentence, spanOf } from './contract.ts'
import type { LiabilityCap, Limb, Party, Uncertain } from './schema.ts'

const speaks = /\b(?:liabilit(?:y|ies)|liable)\b/i
const limits =
  /\b(?:exceed|limited\s+to|capped\s+at|(?:cap|maximum)\s+of|liable\s+for\s+more\s+than|in\s+excess\s+of|(?:greater|more|lesser|less)\s+of)\b|\bmaximum\s+(?:aggregate\s+|total\s+)?liability\b[^.;]{0,80}\b(?:is|be)\b/i
const insured = /\binsur\w+|\bcoverage\b|\bpolic(?:y|ies)\b/i
const paidFees =
  /\b(?:fees|amounts?|charges|sums|consideration)\s+(?:actually\s+|that\s+(?:were|are)\s+)?(?:paid|payable|due|received|invoiced)\b/gi
const times = new RegExp(
  String.raw`(${spelling}|(?<!\d)\d+(?:\.\d+)?)(?:\s*\(\s*\d+\s*x?\s*\))?\s*(?:times\b|x\b)`,
  'gi',
)
const twice = /\b(twice|double|triple)\b/gi
const factors: Readonly<Record<string, string>> = { twice: '2', double: '2', triple: '3' }
const mutual = /\b(?:each|either|neither|any|no)\s+part(?:y|ies)\b|\bparties['’]?\b/i
/** For words that single spaces separate: with runs of them it would take the square of their length. */
const scoped =
  /\bliability\s+(?:of\s+[\w\s]{1,40}?\s+)?(?:for|under|in\s+respect\s+of|arising\s+(?:from|out\s+of))\s+([^,;.]{3,120}?)\s+(?:shall|will|is|are|must|may|exceed)\b/i
/** What is for the whole contract limits no scope. */
const wholeContract = /^(?:or\s+)?(?:this|the)\s+(?:agreement|contract|lease)\b/i

/** Each sentence that caps a liability, with its limbs; exclusions, insurance and unlimited liability are none. */
export function liabilityCapsOf(contract: Contract, parties: readonly Party[]): LiabilityCap[] {
  return contract.sentences.flatMap((sentence) => {
    const { words } = sentence
    const limit = limits.exec(words)
    if (limit === null || !speaks.test(words) || insured.test(words)) return []
    const liable = words.search(speaks)
    // What is limited has to be the liability: its words come before the limit, or are part of it.
    if (liable > limit.index + limit[0].length) return []
    const limbs = limbsOf(contract, sentence, limit.index)
    if (limbs.length === 0) return []
    const party = partyOf(words.slice(0, limit.index + limit[0].length), parties)
    const scope = scoped.exec(words.replace(/\s+/g, ' '))?.[1] ?? null
    return [
      {
        party,
        mutual: party === EACH,
        rule: limbs.length > 1 ? ruleOf(words) : null,
        limbs,
        scope: scope === null || wholeContract.test(scope) ? null : scope,
        notwithstanding:
          /\bnotwithstanding\s+((?:Section|Clause|Article)\s+[\d.]*\d)/i.exec(words)?.[1] ?? null,
        citation: spanOf(contract, sentence),
      },
    ]
  })
}

const EACH = 'each party'

function ruleOf(words: string): LiabilityCap['rule'] {
  const [, rule] = /\b(greater|higher|larger|lesser|lower)\s+of\b/i.exec(words) ?? []
  if (rule === undefined) return null
  return /greater|higher|larger/i.test(rule) ? 'greater' : 'lesser'
}

function limbsOf(contract: Contract, sentence: Sentence, limitAt: number): Limb[] {
  const { from, words, quantities } = sentence
  const sums = quantities
    .filter((one) => one.kind === 'money' && one.from >= from + limitAt)
    .map((money) => ({
      at: money.from,
      limb: {
        kind: 'amount' as const,
        value: money.value,
        currency: money.unit,
        multiple: null,
        months: null,
        citation: spanOf(contract, money),
      },
    }))
  const fees = [...words.matchAll(paidFees)]
    .filter(({ index }) => index >= limitAt)
    .slice(0, 1)
    .map(({ 0: phrase, index }) => {
      const at = from + index
      const months = quantities.find(
        (one) => one.kind === 'duration' && one.unit === 'months' && one.from > at,
      )
      return {
        at,
        limb: {
          kind: 'fees' as const,
          value: null,
          currency: null,
          multiple: multipleOf(sentence, words.slice(limitAt, index), from + limitAt),
          months: months?.value ?? null,
          citation: spanOf(contract, { from: at, to: months?.to ?? at + phrase.length }),
        },
      }
    })
  return [...sums, ...fees].toSorted((a, b) => a.at - b.at).map(({ limb }) => limb)
}

/** How many times the fees count, by the words just before them. */
function multipleOf({ quantities }: Sentence, before: string, start: number): string {
  const percent = quantities.find(
    ({ kind, from }) => kind === 'percent' && from >= start && from < start + before.length,
  )
  if (percent !== undefined) return String(Number(percent.value) / 100)
  const spoken = [...before.matchAll(twice)].at(-1)?.[1]?.toLowerCase()
  if (spoken !== undefined) return factors[spoken] ?? '1'
  const number = [...before.matchAll(times)].at(-1)?.[1]
  if (number === undefined) return '1'
  return /^\d/.test(number) ? number : String(spelledNumber(number))
}

/** Who is liable: the party named nearest to the word, of which the sentence may speak first or last. */
function partyOf(words: string, parties: readonly Party[]): string | null {
  const at = words.search(speaks)
  const named = parties.flatMap(({ name, role }) => [
    { party: role ?? name, name },
    ...(role === null ? [] : [{ party: role, name: role }]),
  ])
  const lower = words.toLowerCase()
  const places = named.flatMap(({ party, name }) => {
    const before = lower.slice(0, at).lastIndexOf(name.toLowerCase())
    const after = /^liabilit(?:y|ies)\s+of\s+(?:the\s+)?/i.exec(words.slice(at))?.[0].length
    const isAfter = after !== undefined && lower.startsWith(name.toLowerCase(), at + after)
    if (isAfter) return [{ party, distance: 0 }]
    return before < 0 ? [] : [{ party, distance: at - before }]
  })
  const both = [...words.matchAll(new RegExp(mutual, 'gi'))].map(({ index }) => ({
    party: EACH,
    distance: index > at ? 0 : at - index,
  }))
  const [nearest] = [...places, ...both].toSorted((a, b) => a.distance - b.distance)
  return nearest?.party ?? null
}

/** Whether caps of one party for everything differ. */
export function capsDiffer(caps: readonly LiabilityCap[]): Uncertain[] {
  const general = caps.filter(
    ({ scope, notwithstanding }) => scope === null && notwithstanding === null,
  )
  return [...new Set(general.map(({ party }) => party))].flatMap((party): Uncertain[] => {
    const own = general.filter((cap) => cap.party === party)
    const said = new Set(
      own.map(({ rule, limbs }) =>
        JSON.stringify([
          rule,
          ...limbs.map(({ kind, value, currency, multiple, months }) => [
            kind,
            value,
            currency,
            multiple,
            months,
          ]),
        ]),
      ),
    )
    if (said.size < 2) return []
    const detail = `${said.size} caps of ${party ?? 'a party that is not named'}`
    return [
      { code: 'liability_caps_differ', detail, citations: own.map(({ citation }) => citation) },
    ]
  })
}
