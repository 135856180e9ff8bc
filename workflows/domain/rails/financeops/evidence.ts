import type { Item } from './items.ts'
import type { Match } from './match.ts'
import type { Parties } from './parties.ts'
import type { FinanceopsResult } from './schema.ts'

type MatchLine = FinanceopsResult['matches'][number]
type Supported = Pick<MatchLine, 'confidence' | 'evidence' | 'names'>
/** How the payers of a match are the party that owes: `unknown` where one of them has no name. */
type Relation = 'same' | 'alias' | 'unknown' | 'other'

const ofBasis: Record<MatchLine['basis'], number> = {
  reference: 90,
  amount: 86,
  combination: 76,
  only_candidate: 62,
  credit: 80,
}
const ofStatus: Record<MatchLine['status'], number> = {
  exact: 9,
  discounted: 7,
  within_tolerance: 4,
  partial: -8,
  over: -12,
}
const ofRelation: Record<Relation, number> = { same: 0, alias: -3, unknown: -5, other: -25 }
/** Without a reference, an amount alone says little, and one that several invoices have does not say which. */
const [AMOUNT_ALONE, RIVALS] = [-25, -12]

/** What speaks for a match. `rivals`: another open invoice of the party has the same amount. */
export function evidenceOf(
  match: Match,
  status: MatchLine['status'],
  rivals: boolean,
  parties: Parties,
): Supported {
  const names = namesOf(match, parties)
  const relation = relationOf(match, names)
  const even = status !== 'partial' && status !== 'over'
  const paysSum = match.invoices.length + match.payments.length > 2
  const evidence: MatchLine['evidence'] = []
  if (match.basis === 'reference') evidence.push('reference')
  if (relation === 'same') evidence.push('party')
  if (relation === 'alias') evidence.push('party_alias')
  if (even) evidence.push(paysSum ? 'sum' : 'amount')
  if (status === 'discounted') evidence.push('discount')
  if (match.payments.some(({ paidAs }) => paidAs !== null)) evidence.push('exchange_rate')
  const guessed = match.basis === 'amount' ? rivalry(relation, rivals) : 0
  const percent = ofBasis[match.basis] + ofStatus[status] + ofRelation[relation] + guessed
  return { confidence: Math.min(99, Math.max(5, percent)) / 100, evidence, names }
}

function rivalry(relation: Relation, rivals: boolean): number {
  return (relation === 'unknown' ? AMOUNT_ALONE : 0) + (rivals ? RIVALS : 0)
}

/** Each name of a payer that is not written as one of those that owe, with the closest of these. */
function namesOf({ invoices, payments }: Match, parties: Parties): MatchLine['names'] {
  const owing = [...new Set(invoices.map(nameOf))].filter((name) => name !== null)
  const paying = [...new Set(payments.map(nameOf))].filter((name) => name !== null)
  const byKey = new Map(owing.map((name) => [parties.keyOf(name), name]))
  const same = new Set(owing)
  return paying.flatMap((paid) => {
    const [first] = owing
    if (first === undefined || same.has(paid)) return []
    const invoiced = byKey.get(parties.keyOf(paid)) ?? first
    const by = parties.sameBy(invoiced, paid)
    return by === 'name' ? [] : [{ invoiced, paid, by }]
  })
}

function relationOf({ payments }: Match, names: MatchLine['names']): Relation {
  if (names.some(({ by }) => by === 'other')) return 'other'
  if (payments.some(({ counterparty }) => counterparty === null)) return 'unknown'
  return names.some(({ by }) => by === 'alias') ? 'alias' : 'same'
}

const nameOf = ({ counterparty }: Item) => counterparty
