import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { judgeClaims } from '#domain/commerce/claims.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'

type Half = 'tuning' | 'frozen'
const linesOf = (half: Half): string[][] =>
  readFileSync(join(import.meta.dirname, `negations-${half}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' | '))

const packet = (...contents: string[]) => ({
  title: 't',
  required_sections: ['s'],
  as_of: '2026-06-30',
  items: contents.map((content, at) => ({ name: `item ${at}`, section: 's', content })),
})
const isFailing = (text: string) => packetops.work(packet(text)).result.weaknesses.length > 0
function isContradicted(claim: string, text: string): boolean {
  const item = { name: 'a', sha256: '', bytes: null, text }
  return judgeClaims([{ claim, artifact: 'a' }], [item])[0]?.state === 'contradicted'
}

/** How many of what was planted is found, and how much of what is found was planted. */
function figuresOf(lines: string[][], planted: string, isFound: (...words: string[]) => boolean) {
  const found = lines.filter(([, ...words]) => isFound(...words))
  const right = found.filter(([kind]) => kind === planted).length
  const all = lines.filter(([kind]) => kind === planted).length
  return { precision: right / found.length, recall: right / all }
}
const judge = (half: Half) => {
  const of = (kinds: string[]) => linesOf(half).filter(([kind = '']) => kinds.includes(kind))
  return {
    failing: figuresOf(of(['fails', 'fine']), 'fails', (text = '') => isFailing(text)),
    denied: figuresOf(of(['denied', 'held']), 'denied', (claim = '', text = '') =>
      isContradicted(claim, text),
    ),
  }
}

verifies('packetops.negation', 'denials that the rules were made with', () => {
  const { failing, denied } = judge('tuning')
  for (const share of [...Object.values(failing), ...Object.values(denied)])
    expect(share).toBeGreaterThanOrEqual(0.97)
})

verifies('packetops.negation', 'denials that were written after: precision and recall', () => {
  const { failing, denied } = judge('frozen')
  // 20 of 30 found, and one of 20 others; of claims 12 of 16, and two of 14 others.
  expect(failing.recall).toBeCloseTo(20 / 30)
  expect(failing.precision).toBeCloseTo(20 / 21)
  expect(denied.recall).toBeCloseTo(12 / 16)
  expect(denied.precision).toBeCloseTo(12 / 14)
})

verifies('packetops.negation', 'lines that break anywhere change nothing', () => {
  for (const [kind, text = ''] of linesOf('tuning'))
    if (kind === 'fails' || kind === 'fine')
      expect(isFailing(text.replaceAll(' ', '\r\n')), text).toBe(isFailing(text))
})

verifies('packetops.negation', 'items of which one denies the other contradict each other', () => {
  const input = packet(
    '[1] Customer data is stored in Ireland only.',
    '[1] It is not true that customer data is stored in Ireland only.',
    'Keys are kept in a vault.',
  )
  const work = packetops.work(input)
  expectCited(input, work)
  const [contradiction, ...more] = work.result.contradictions
  expect(more).toEqual([])
  expect(contradiction?.sides.map(({ name, value }) => [name, value])).toEqual([
    ['item 0', 'true'],
    ['item 1', 'false'],
  ])
  expect(work.result.section_coverage[0]?.reasons).toContain('statements_differ')
})
