import type { Quantity } from '../text/mentions.ts'
import { type Contract, type Sentence, spanOf } from './contract.ts'
import type { DatedMention, Length, Terms } from './schema.ts'

/** What a contract says of its times, each in the order of the text; more than one initial term or notice is for the reader. */
export type Stated = {
  effective: DatedMention | undefined
  ends: DatedMention[]
  initialTerms: Length[]
  renewal: Terms['renewal']
  notices: Length[]
  terminations: Terms['terminations']
}

const DAY_SECONDS = 86_400

const statesTerm =
  /\binitial\s+term\b|\bterm\s+of\s+(?:this|the)\b|\b(?:this|the)\s+\w+\s+(?:shall|will)\s+(?:continue|remain)\b|\bfor\s+an?\s+(?:\w+\s+)?(?:term|period)\b/i
// Times that run after the contract or in parallel to it.
const otherEffects =
  /surviv|confidential|(?:after|following|upon)\s+(?:the\s+|its\s+)?(?:terminat|expir)|\bcure\b|\bwarrant|\bnotice\b/i
const renews = /\b(?:renew\w*|extend(?:s|ed)?)\b/i
const refusesRenewal = /\bnot\s+(?:be\s+)?(?:automatically\s+)?(?:renew|extend)|\bno\s+automatic/i
const declines =
  /non-?renewal|not\s+(?:to\s+|be\s+)?(?:renew|extend)|(?:prior\s+to|before)\s+(?:the\s+)?(?:end|expir\w+|conclusion)/i
const givesNotice = /^[’'\s)]*(?:prior|before|in\s+advance|advance|written|notice)/i
const terminates = /\bterminat(?:e|es|ed|ion)\b/i

export function statedTimes(contract: Contract, dates: DatedMention[]): Stated {
  const { sentences, text } = contract
  const certain = dates.filter(({ other_reading }) => other_reading === null)
  const lengths = (sentence: Sentence, fits: (length: Quantity) => boolean) =>
    sentence.quantities
      .filter((one) => isLength(one) && fits(one))
      .map((one) => lengthOf(contract, one))
  const first = (
    fits: (sentence: Sentence) => boolean,
    suits: (length: Quantity, sentence: Sentence) => boolean,
  ) =>
    sentences
      .filter(fits)
      .flatMap((sentence) => lengths(sentence, (length) => suits(length, sentence)).slice(0, 1))
  const ofNotice = ({ to }: Quantity) => givesNotice.test(text.slice(to, to + 30))
  return {
    effective: certain.find(({ kind }) => kind === 'effective'),
    ends: certain.filter(
      ({ kind, citation }) =>
        kind === 'end' &&
        /\b(?:term|agreement|lease)\b/i.test(sentenceOf(sentences, citation)?.words ?? ''),
    ),
    initialTerms: first(
      ({ words }) =>
        statesTerm.test(untilRenewal(words)) && !otherEffects.test(untilRenewal(words)),
      ({ to, unit }, { from, words }) =>
        to <= from + untilRenewal(words).length && unit !== 'business days',
    ),
    renewal: renewalOf(contract, lengths),
    notices: first(
      ({ words }) => /\bnotice\b|\bnotif/i.test(words) && declines.test(words),
      ofNotice,
    ),
    terminations: sentences
      .filter(
        ({ words }) =>
          terminates.test(words) && /\bnotice\b|\bcure/i.test(words) && !declines.test(words),
      )
      .flatMap((sentence) =>
        lengths(sentence, () => true)
          .slice(0, 1)
          .map((notice) => ({
            kind: /breach|default|fails?\b|cause\b/i.test(sentence.words) ? 'cause' : 'convenience',
            notice,
          })),
      ),
  }
}

/** The words of a sentence before it speaks of renewal. */
function untilRenewal(words: string): string {
  return words.slice(0, renews.exec(words)?.index ?? words.length)
}

function renewalOf(
  contract: Contract,
  lengths: (sentence: Sentence, fits: (length: Quantity) => boolean) => Length[],
): Terms['renewal'] {
  const speaking = contract.sentences.filter(
    ({ words }) => renews.test(words) && /\bterm|agreement|lease|period/i.test(words),
  )
  const sentence =
    speaking.find(({ words }) => refusesRenewal.test(words) || /automatic/i.test(words)) ??
    speaking[0]
  if (sentence === undefined) return goesOn(contract)
  const automatic = !refusesRenewal.test(sentence.words) && /automatic/i.test(sentence.words)
  const every = speaking.flatMap((one) => {
    const after = one.from + untilRenewal(one.words).length
    return lengths(
      one,
      ({ from, to }) => from >= after && !givesNotice.test(contract.text.slice(to, to + 30)),
    )
  })[0]
  return {
    automatic,
    evergreen: false,
    every: every ?? null,
    citation: spanOf(contract, sentence),
  }
}

const untilTerminated =
  /\b(?:continues?|remains?)\b[^.;]{0,120}\b(?:until|unless)\b[^.;]{0,60}\bterminat|\bindefinite\s+(?:period|term)\b/i

/** A contract that continues after its term until a party ends it. */
function goesOn(contract: Contract): Terms['renewal'] {
  const sentence = contract.sentences.find(({ words }) => untilTerminated.test(words))
  if (sentence === undefined) return null
  return { automatic: true, evergreen: true, every: null, citation: spanOf(contract, sentence) }
}

function lengthOf(contract: Contract, quantity: Quantity): Length {
  const unit =
    quantity.unit === 'months' || quantity.unit === 'business days' ? quantity.unit : 'seconds'
  const citation = spanOf(contract, quantity)
  const days = Number(quantity.value) / DAY_SECONDS
  const words = citation.quote.replace(/\s+/g, ' ')
  const isDays = unit === 'seconds' && Number.isInteger(days)
  return { unit, value: quantity.value, words, days: isDays ? days : null, citation }
}

/** No time of a contract is longer than a century. */
const isLength = ({ kind, unit, value }: Quantity): boolean =>
  kind === 'duration' && Number(value) <= (unit === 'months' ? 1200 : 3_155_760_000)

/** The sentence that a part lies in; sentences stand in the order of the text and do not overlap. */
function sentenceOf(
  sentences: readonly Sentence[],
  part: { from: number; to: number },
): Sentence | undefined {
  let [low, high] = [0, sentences.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((sentences[middle]?.from ?? 0) <= part.from) low = middle
    else high = middle - 1
  }
  const found = sentences[low]
  return found !== undefined && part.from >= found.from && part.to <= found.to ? found : undefined
}
