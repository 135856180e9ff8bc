import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { citedIds } from './cited-ids.ts'
import { type Requirement, requirements } from './requirements/index.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The ids that a whole run has to prove; `run.mjs` compares them with those of the tests that passed. */
    required?: readonly string[]
  }
}

const all: [string, Requirement][] = Object.entries(requirements)
const cited = new Set(testFiles().flatMap((path) => [...citedIds(readFileSync(path, 'utf8'))]))

test('every cited requirement is known', () => {
  expect([...cited].filter((id) => !(id in requirements))).toEqual([])
})

test('every requirement has a test, or a reason why not yet', ({ task }) => {
  task.meta.required = all.flatMap(([id, { deferred }]) => (deferred === undefined ? [id] : []))
  print()
  const uncited = all
    .filter(([id, { deferred }]) => !cited.has(id) && deferred === undefined)
    .map(([id]) => id)
  expect(uncited).toEqual([])
})

test('no requirement is both tested and deferred', () => {
  expect(
    all.filter(([id, { deferred }]) => cited.has(id) && deferred !== undefined).map(([id]) => id),
  ).toEqual([])
})

function testFiles(): string[] {
  const root = fileURLToPath(new URL('.', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return files.filter((path) => path.endsWith('.test.ts')).map((path) => `${root}${path}`)
}

function print(): void {
  const documentOf = (source: string) => source.split(' § ')[0]
  const documents = [...new Set(all.map(([, { source }]) => documentOf(source)))]
  const lines = documents.map((document) => {
    const entries = all.filter(([, { source }]) => documentOf(source) === document)
    const tested = entries.filter(([id]) => cited.has(id)).length
    const deferred = entries.filter(([, requirement]) => requirement.deferred !== undefined)
    const reasons = deferred
      .map(([id, requirement]) => `\n  deferred ${id}: ${requirement.deferred}`)
      .join('')
    return `${document}: ${entries.length} requirements, ${tested} tested, ${deferred.length} deferred${reasons}`
  })
  console.log(lines.join('\n'))
}
