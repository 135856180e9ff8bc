import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { requirements } from '../requirements.ts'
import { verifies } from '../verifies.ts'
import { read, root } from './pictures.ts'

const [promised = '', measured = ''] = read('docs/guarantees.md').split('\n## Last measured\n')
const promises = rowsOf(promised).map(([promise = '', proofs = '', figures = '']) => ({
  promise,
  proofs: proofs.split(/; (?=[“`])/),
  figures: figures === '–' ? [] : figures.split(', '),
}))

verifies(
  'docs.guarantees',
  'each proof of a promise is a test of that name, or of that id, in the file beside it',
  () => {
    expect(promises.length).toBeGreaterThan(20)
    const proofs = promises.flatMap(({ promise, proofs }) => proofs.map((proof) => `${promise} ${proof}`))
    expect(proofs.filter((proof) => !isProof(proof))).toEqual([])
  },
)

verifies(
  'docs.guarantees',
  'each figure beside a promise is in the table, and made by a file or figure that is there',
  () => {
    const rows = rowsOf(measured)
    const known = rows.map(([figure = '']) => figure.split(':')[0])
    expect(known).toEqual(expect.arrayContaining(promises.flatMap(({ figures }) => figures)))
    const bench = read('test/bench/main.ts')
    for (const [figure = '', , , command = ''] of rows) {
      expect(command, figure).toMatch(/^(`.*\b(npm run \S+|vitest run \S+).*`|the same)$/)
      for (const [, file = ''] of command.matchAll(/vitest run ([^\s`]+)/g))
        expect(existsSync(join(root, file))).toBe(true)
      for (const [, section, member] of figure.matchAll(/`(\w+)\.(\w+)`/g))
        expect(bench).toMatch(new RegExp(`figures\\['${section}'\\] = \\{[^}]*\\b${member}\\b`))
    }
  },
)

/** The beginning of a title is enough: titles may end in more detail than a reader of the page needs. */
function isProof(proof: string): boolean {
  const [, title, id = '', file = ''] = proof.match(/(?:“([^“”]+)”|`([\w.-]+)`) in `(test\/[\w/.-]+\.test\.ts)`$/) ?? []
  if (!existsSync(join(root, file)) || file === '') return false
  const text = read(file)
  return title === undefined ? id in requirements && text.includes(`'${id}'`) : text.includes(`'${title}`)
}

/** The cells of the rows of all tables in a text, without the heads. */
function rowsOf(text: string): string[][] {
  const rows = text.matchAll(/^\| (?!Promise \||Figure \|)(.+) \|$/gm)
  return [...rows].map(([, row = '']) => row.split(' | '))
}
