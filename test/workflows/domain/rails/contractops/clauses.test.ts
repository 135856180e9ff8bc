import { expect } from 'vitest'
import { contractops } from '#domain/rails/contractops/index.ts'
import type { Length, LiabilityCap } from '#domain/rails/contractops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { type Clauses, contractWith, frozen, tuning } from './clauses.ts'

const lengthText = ({ unit, value, days }: Length) =>
  unit === 'months' ? `${value} months` : `${days} days`

function capText({ party, rule, limbs }: LiabilityCap): string {
  const said = limbs.map(({ kind, value, currency, multiple, months }) =>
    kind === 'amount' ? `amount ${value} ${currency}` : `fees x${multiple} ${months ?? 0} months`,
  )
  return [party, ...(rule === null ? [] : [rule]), said.join(', ')].join(' ')
}

/** Each fact that a reader finds in clauses, as a text. */
const planted = ({ caps = [], laws = [], renewal, every, notice }: Clauses): string[] => [
  ...caps.map((cap) => `cap: ${cap}`),
  ...laws.map((law) => `law: ${law}`),
  ...(renewal === undefined ? [] : [`renewal: ${renewal}`]),
  ...(every === undefined ? [] : [`every: ${every}`]),
  ...(notice === undefined ? [] : [`notice: ${notice}`]),
]

function found(clauses: Clauses): string[] {
  const text = contractWith(clauses)
  const work = contractops.work({ text })
  expectCited({ text }, work)
  const { terms, liability_caps, governing_law } = work.result
  const { renewal, notice } = terms
  let kind = 'none'
  if (renewal?.evergreen === true) kind = 'evergreen'
  else if (renewal?.automatic === true) kind = 'automatic'
  return [
    ...liability_caps.map((cap) => `cap: ${capText(cap)}`),
    ...governing_law.map(({ law }) => `law: ${law}`),
    ...(renewal === null ? [] : [`renewal: ${kind}`]),
    ...(renewal?.every ? [`every: ${lengthText(renewal.every)}`] : []),
    ...(notice === null ? [] : [`notice: ${lengthText(notice.length)}`]),
  ]
}

function judge(all: readonly Clauses[]) {
  const [missed, wrong]: [string[], string[]] = [[], []]
  let right = 0
  for (const [index, clauses] of all.entries()) {
    const [truths, facts] = [planted(clauses), found(clauses)]
    right += facts.filter((fact) => truths.includes(fact)).length
    missed.push(...truths.filter((one) => !facts.includes(one)).map((one) => `${index} ${one}`))
    wrong.push(...facts.filter((one) => !truths.includes(one)).map((one) => `${index} ${one}`))
  }
  return {
    recall: right / (right + missed.length),
    precision: right / (right + wrong.length),
    missed,
    wrong,
  }
}

verifies('contractops.clauses', 'clauses that the rail was made with', () => {
  expect(judge(tuning)).toMatchObject({ missed: [], wrong: [] })
})

verifies('contractops.clauses', 'clauses that were set aside before: precision and recall', () => {
  const { precision, recall } = judge(frozen)
  expect(precision).toBeGreaterThanOrEqual(0.95)
  expect(recall).toBeGreaterThanOrEqual(0.9)
})

verifies(
  'contractops.clauses',
  'lines that break anywhere, as in texts of files, change nothing',
  () => {
    const wrapped = (clauses: Clauses): Clauses => {
      const text = clauses.text.replaceAll(/([^\n]{30,50}) (?=[^\d(])/g, '$1\n')
      expect(text).toMatch(/[^\n]\n[^\n]/)
      return { ...clauses, text }
    }
    for (const clauses of tuning) expect(found(wrapped(clauses))).toEqual(found(clauses))
  },
)

verifies(
  'contractops.clauses',
  'several laws, and several caps of one party, are uncertain',
  () => {
    const text = contractWith({
      text: "1. Provider's liability shall not exceed $10,000.\n\n2. Provider's liability shall not exceed $20,000.\n\n3. This Agreement is governed by the laws of Ireland.\n\n4. Delaware law governs this Agreement.",
    })
    const codes = contractops
      .work({ text })
      .result.uncertain.map(({ code, detail }) => [code, detail])
    expect(codes).toEqual([
      ['governing_laws_differ', 'Ireland and Delaware'],
      ['liability_caps_differ', '2 caps of Provider'],
    ])
  },
)

verifies('contractops.clauses', 'a cap against another one says so, and for what it is', () => {
  const [, cap] = contractops.work({ text: contractWith(tuning[3]!) }).result.liability_caps
  expect(cap).toMatchObject({
    notwithstanding: 'Section 12.1',
    scope: 'breach of Section 8 (Confidentiality)',
  })
})

verifies(
  'contractops.clauses',
  'the sample: the greater of two limbs for both, and one law',
  () => {
    const { liability_caps, governing_law } = contractops.work(contractops.sandboxInput).result
    expect(liability_caps.map(capText)).toEqual([
      'each party greater amount 50000 USD, fees x1 12 months',
    ])
    expect(governing_law.map(({ law }) => law)).toEqual(['State of New York'])
  },
)
