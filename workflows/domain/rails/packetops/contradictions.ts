import { groupedBy } from '../../core/grouped-by.ts'
import { conflictsIn } from '../text/conflicts.ts'
import { denialsIn, without } from '../text/denial.ts'
import { isJson } from '../text/json.ts'
import { type Part, sentencesOf, stemsOf } from '../text/words.ts'
import { inOrder } from '../work/work.ts'
import { citedIn } from './faults.ts'
import type { InspectedItem } from './item.ts'
import type { Contradiction } from './schema.ts'

/** That a part of an item's text says something of what `key` is; of a sentence, `value` is whether it is so. */
type Said = { one: InspectedItem; part: Part; key: string; value: string }

/** A sentence of fewer stems says too little to be compared. */
const STEMS_MIN = 3

/** Sentences of prose of which one denies what others say with the same words, by what they are about. */
function deniedIn(items: readonly InspectedItem[]): Said[][] {
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

/** What items say that cannot all be so, and which items say it. */
export type Opposed = {
  contradiction: Contradiction
  items: InspectedItem[]
  kind: 'fact' | 'prose'
}

const truths: Record<string, string> = {
  never: 'false',
  true: 'true',
  yes: 'true',
  on: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
}
const measured = /_(?:seconds|minutes|hours|days|months|years|length|percent)$/
// What an event took is not what a rule says.
const observed =
  /(?:^|_)(?:elapsed|actual|measured|duration|age|took|observed|mean|median|average)(?:_|$)/
const scopes = ['system', 'scope', 'application', 'environment', 'service', 'tenant', 'site']

type NamedValue = Said & { scope: string[] }

/** What items say differently of one thing at one time. */
function opposedAmong(kind: Opposed['kind'], same: readonly Said[]): Opposed[] {
  const opposed = same.filter((a) =>
    same.some((b) => b.value !== a.value && b.one !== a.one && !apart(a.one, b.one)),
  )
  const [first] = opposed
  if (first === undefined) return []
  const sides = opposed.map(({ one, part, value }) => sideOf(one, part, value)).toSorted(byPlace)
  const items = [...new Set(opposed.map(({ one }) => one))]
  return [{ kind, items, contradiction: { about: first.key, sides } }]
}

/** Named values of one system, such as `mfa_enforced` or `backup_retention_days`, that items give differently; and sentences that do. */
export function contradictionsIn(items: readonly InspectedItem[]): Opposed[] {
  const said = items.flatMap((one) => factsOf(one))
  const groups = groupedBy(said, ({ key, scope }) => JSON.stringify([key, scope]))
  const facts = [...groups.values()].flatMap((same) => opposedAmong('fact', same))
  const denied = deniedIn(items).flatMap((same) => opposedAmong('prose', same))
  return [...facts, ...inProse(items), ...denied].toSorted(
    inOrder(
      ({ contradiction }) => contradiction.about,
      ({ contradiction }) =>
        JSON.stringify(contradiction.sides.map(({ name, value }) => [name, value])),
    ),
  )
}

function factsOf(one: InspectedItem): NamedValue[] {
  const scope = scopeOf(one)
  return (one.read?.facts ?? []).flatMap((fact) => {
    if (!fact.key.includes('_')) return []
    const truth = truths[fact.value.toLowerCase()]
    const isMeasure =
      measured.test(fact.key) && !observed.test(fact.key) && /^\d+(?:\.\d+)?$/.test(fact.value)
    const value = truth ?? (isMeasure ? String(Number(fact.value)) : undefined)
    return value === undefined ? [] : [{ one, part: fact, key: fact.key, value, scope }]
  })
}

const scopeOf = ({ read }: InspectedItem) =>
  scopes.map((key) => read?.facts.find((fact) => fact.key === key)?.value.toLowerCase() ?? '')

/** Whether two items are about different times: what was so then may be otherwise now. */
function apart({ item: one }: InspectedItem, { item: two }: InspectedItem): boolean {
  if (one.period === undefined || two.period === undefined) return false
  return one.period.to < two.period.from || two.period.to < one.period.from
}

const byPlace = inOrder<Contradiction['sides'][number]>(
  ({ section }) => section,
  ({ name }) => name,
  ({ value }) => value,
)

const sideOf = (one: InspectedItem, part: { from: number; to: number }, value: string) => ({
  name: one.item.name,
  section: one.item.section,
  value,
  citation: citedIn(one, part),
})

/** Sentences of different items that give different dates, amounts or durations for one thing. */
function inProse(items: readonly InspectedItem[]): Opposed[] {
  const prose = items.flatMap((one) =>
    one.read === null || one.read.table !== undefined ? [] : [{ one, text: one.read.text }],
  )
  const evidence = prose.map(({ text }, index) => ({ id: String(index), title: '', text }))
  return conflictsIn(evidence, () => []).conflicts.flatMap(({ about, sides }): Opposed[] => {
    const places = sides.map(({ words, citations }) =>
      citations.map(({ evidence_id, from, to }) => ({
        one: prose[Number(evidence_id)]?.one,
        from,
        to,
        words,
      })),
    )
    const [left = [], right = []] = places
    const items = [...left, ...right].flatMap(({ one }) => (one === undefined ? [] : [one]))
    const isWithin = new Set(items).size < 2
    const isApart = left.every((a) => right.every((b) => a.one && b.one && apart(a.one, b.one)))
    if (isWithin || isApart) return []
    const sayings = [...left, ...right].flatMap(({ one, from, to, words }) =>
      one === undefined ? [] : [sideOf(one, { from, to }, words)],
    )
    return [
      {
        kind: 'prose',
        items: [...new Set(items)],
        contradiction: { about: about.join(' '), sides: sayings.toSorted(byPlace) },
      },
    ]
  })
}
