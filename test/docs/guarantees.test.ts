import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { requirements } from '../requirements/index.ts'
import { verifies } from '../verifies.ts'
import { read, root } from './pictures.ts'
import { rowsOf } from './tables.ts'

const [promised = '', measured = ''] = read('docs/guarantees.md').split('\n## Last measured\n')
const [kept = ''] = promised.split('\n## Not promised\n')
const promises = kept
  .split('\n### ')
  .slice(1)
  .map((section) => ({
    promise: section.split('\n')[0],
    proofs: listed(section, 'Proved by').map((id) => id.replaceAll('`', '')),
    figures: listed(section, 'Measured'),
  }))

verifies('docs.guarantees', 'each proof of a promise is a requirement', () => {
  expect(promises.length).toBeGreaterThan(20)
  const unknown = promises.flatMap(({ promise, proofs }) =>
    proofs.filter((id) => !(id in requirements)).map((id) => `${promise} ${id}`),
  )
  expect(unknown).toEqual([])
  expect(promises.filter(({ proofs }) => proofs.length === 0)).toEqual([])
})

verifies('docs.guarantees', 'each figure of a promise is in the table and has its command', () => {
  const rows = rowsOf(measured)
  const known = rows.map(([figure = '']) => figure.split(':')[0])
  expect(known).toEqual(expect.arrayContaining(promises.flatMap(({ figures }) => figures)))
  const bench = read('test/e2e/bench/main.ts')
  for (const [figure = '', , , command = ''] of rows) {
    expect(command, figure).toMatch(/^(`.*\b(npm run \S+|vitest run \S+).*`|the same)$/)
    for (const [, file = ''] of command.matchAll(/vitest run ([^\s`]+)/g))
      expect(existsSync(join(root, file))).toBe(true)
    for (const [, section, member] of figure.matchAll(/`(\w+)\.(\w+)`/g))
      expect(bench).toMatch(new RegExp(`figures\\['${section}'\\] = \\{[^}]*\\b${member}\\b`))
  }
})

/** The items of a line such as `- Measured: chaos, drain`. */
function listed(section: string, label: string): string[] {
  const line = section.match(new RegExp(`^- ${label}: (.+)$`, 'm'))?.[1]
  return line === undefined ? [] : line.split(', ')
}
