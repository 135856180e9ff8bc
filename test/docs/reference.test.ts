import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Requirement, requirements } from '../requirements/index.ts'
import { read, root } from './pictures.ts'
import { rowsOf } from './tables.ts'

const folder = 'docs/reference'
const all: [string, Requirement][] = Object.entries(requirements)
const sections = readdirSync(join(root, folder)).flatMap(sectionsOf)

test('every requirement cites a section of the reference, or says decision', () => {
  console.log(countByPage())
  const known = new Set(['decision', ...sections])
  expect(all.filter(([, { source }]) => !known.has(source))).toEqual([])
})

test('no page of the reference has the same heading twice', () => {
  expect(sections.filter((section, at) => sections.indexOf(section) !== at)).toEqual([])
})

test('the list of reference pages names every page', () => {
  const list = read(`${folder}/README.md`)
  const missing = readdirSync(join(root, folder)).filter(
    (file) => file !== 'README.md' && !list.includes(`](${file})`),
  )
  expect(missing).toEqual([])
})

test('the list of systems names tests that exist', () => {
  const rows = rowsOf(read(`${folder}/systems.md`))
  expect(rows).toHaveLength(53)
  for (const [system, tests = ''] of rows) {
    const named = [...tests.matchAll(/`(\S+\.test\.ts)`/g)].map(([, file = '']) => file)
    const known = named.filter((file) =>
      [file, `test/api/operations/${file}`].some((path) => existsSync(join(root, path))),
    )
    expect(known, system).toEqual(named)
    expect(named.length > 0 || /\.md\)/.test(tests), system).toBe(true)
  }
})

/** Each heading of a page as a requirement cites it: `payouts § Create`. */
function sectionsOf(file: string): string[] {
  const page = file.replace(/\.md$/, '')
  const headings = read(`${folder}/${file}`).matchAll(/^#{2,3} (.+)$/gm)
  return [...headings].map(([, heading]) => `${page} § ${heading}`)
}

function countByPage(): string {
  const counts = new Map<string, number>()
  for (const [, { source }] of all) {
    const page = source.split(' § ')[0] ?? source
    counts.set(page, (counts.get(page) ?? 0) + 1)
  }
  return [...counts].map(([page, count]) => `${page}: ${count} requirements`).join('\n')
}
