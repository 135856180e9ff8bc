import { groupedBy } from '../../core/grouped-by.ts'
import { denialsIn, without } from '../denial.ts'
import { type Part, sentencesOf, stemsOf } from '../words.ts'
import type { InspectedItem } from './item.ts'
import { isJson } from './statements.ts'

/** That a part of an item's text says something of what `key` is; of a sentence, `value` is whether it is so. */
export type Said = { one: InspectedItem; part: Part; key: string; value: string }

/** A sentence of fewer stems says too little to be compared. */
const STEMS_MIN = 3

/** Sentences of prose of which one denies what others say with the same words, by what they are about. */
export function deniedIn(items: readonly InspectedItem[]): Said[][] {
  const all = [...groupedBy(items.flatMap(sayingsOf), ({ key }) => key).values()]
  return all.filter((same) => new Set(same.map(({ value }) => value)).size > 1)
}

function sayingsOf(one: InspectedItem): Said[] {
  const { read } = one
  if (read === null || read.table !== undefined || isJson(read.text)) return []
  const facts = new Set(read.facts.map(({ from }) => from))
  return sentencesOf(read.text).flatMap((part): Said[] => {
    // A line of a name and its value is compared as a fact.
    if (facts.has(part.from)) return []
    const sentence = read.text.slice(part.from, part.to).replace(/\s/g, ' ')
    const denials = denialsIn(sentence)
    const stems = stemsOf(without(sentence, denials)).toSorted()
    const value = denials.length % 2 === 1 ? 'false' : 'true'
    return stems.length < STEMS_MIN ? [] : [{ one, part, key: stems.join(' '), value }]
  })
}
