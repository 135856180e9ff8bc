import { expect } from 'vitest'
import { verifies } from '../verifies.ts'
import { read } from './pictures.ts'

type Vector = { name: string; ours: string[]; reference: string; difference?: string }

const [, differences = ''] = read('docs/reference/ap2.md').split('\n## Differences')
const rows = [...differences.matchAll(/^\| (?!Vector)(.+) \|$/gm)].map(([, row = '']) => row)

verifies('ap2.constraints', 'each row of the differences to the SDK has its vector', () => {
  const file = JSON.parse(read('test/vectors/ap2/constraints.json'))
  const differing = [...file.payments, ...file.checkouts].filter(
    ({ difference }: Vector) => difference !== undefined,
  )
  expect(differing.length).toBeGreaterThan(15)
  const wanted = differing.map(({ name, ours: [broken], reference, difference }: Vector) => {
    const verdict = broken === undefined ? 'accepted' : `refused: \`${broken}\``
    return [name, verdict, reference, difference].join(' | ')
  })
  expect(rows.filter((row) => !row.startsWith('chain: '))).toEqual(wanted)
})

verifies('ap2.chain', 'each row about a chain is a case of the judge', () => {
  const judge = read('test/e2e/checks/ap2.judge.ts')
  const chains = rows.filter((row) => row.startsWith('chain: '))
  expect(chains).toHaveLength(judge.match(/^ +sdk: true,$/gm)?.length ?? 0)
  for (const row of chains) {
    const [name = ''] = row.replace('chain: ', '').split(' | ')
    expect(judge).toContain(`name: '${name}'`)
  }
})
