import type { Span } from '../input/fields.ts'
import { type DateMention, datesIn, type Quantity, quantitiesIn } from '../text/mentions.ts'
import { type Part, sentencesOf } from '../text/words.ts'

/** One sentence of a contract with what it mentions; all offsets are those of the contract's text. */
export type Sentence = Part & { words: string; dates: DateMention[]; quantities: Quantity[] }
export type Contract = { text: string; sentences: Sentence[] }

export function readContract(text: string): Contract {
  const sentences = sentencesOf(text).map(({ from, to }): Sentence => {
    const words = text.slice(from, to)
    const moved = <T extends Part>(mention: T): T => ({
      ...mention,
      from: mention.from + from,
      to: mention.to + from,
    })
    return {
      from,
      to,
      words,
      dates: datesIn(words).map(moved),
      quantities: quantitiesIn(words).map(moved),
    }
  })
  return { text, sentences }
}

/** A part of the contract as a citation. */
export function spanOf({ text }: Contract, { from, to }: Part): Span {
  return { pointer: '/text', quote: text.slice(from, to), from, to }
}
