import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { importedFile } from '../support/imported-file.ts'
import { verifies } from '../verifies.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const stages = ['identify', 'authenticate', 'admit', 'claim', 'run', 'settle'].map(
  (stage) => `api/calls/${stage}.ts`,
)
const [list, handler] = ['api/calls/execute.ts', 'api/calls/handle.ts'] as const
const filesOf = (folder: string) =>
  readdirSync(join(root, folder)).map((file) => join(folder, file))
const [calls, auth] = [filesOf('api/calls'), filesOf('api/auth')]
const texts = new Map(
  [...calls, ...auth].map((path) => [path, readFileSync(join(root, path), 'utf8')]),
)
const textOf = (path: string) => texts.get(path) ?? ''
const imports = new Map([...texts.keys()].map((path) => [path, importsOf(path)]))

verifies('structure.pipeline', 'the stages of a call are read in one list, in their order', () => {
  const begun = [
    'await identify(',
    'await authenticate(',
    'await admit(',
    'claim = claimCall',
    'await run(',
    'return settle(',
  ].map((text) => ({ text, at: textOf(list).indexOf(text) }))
  expect(begun.filter(({ at }) => at < 0)).toEqual([])
  expect(begun.toSorted((one, other) => one.at - other.at)).toEqual(begun)
})

verifies('structure.pipeline', 'no stage knows a later one or the list', () => {
  const wrong = stages.flatMap((stage, place) => {
    const later = [...stages.slice(place + 1), list]
    const reached = reachedFrom(stage)
    return later.filter((file) => reached.has(file)).map((file) => `${stage} reaches ${file}`)
  })
  expect(wrong).toEqual([])
})

verifies('structure.pipeline', 'what the stages share knows none of them', () => {
  const shared = [...texts.keys()].filter((path) => path !== list && !stages.includes(path))
  const wrong = shared.flatMap((path) =>
    [...reachedFrom(path)]
      .filter((file) => file === list || stages.includes(file))
      .map((file) => `${path} reaches ${file}`),
  )
  expect(wrong).toEqual([])
})

verifies('structure.pipeline', 'the ways of access are checked in two stages', () => {
  const methods = auth.filter((path) => /^export const by[A-Z]\w+: Method</m.test(textOf(path)))
  expect(methods.length).toBe(5)
  const table = 'api/auth/methods.ts'
  const users = [...texts.keys()].filter((path) => valuesOf(path).includes(table))
  expect(users.toSorted()).toEqual(['api/calls/authenticate.ts', 'api/calls/identify.ts'])
  expect(auth.flatMap((path) => [...(imports.get(path) ?? [])]).filter(isOf(calls))).toEqual([])
})

verifies('structure.pipeline', 'few files stand between a call and its handler', () => {
  const between = [...reachedFrom(list)].filter((path) => reachedFrom(path).has(handler))
  expect(between.length).toBeLessThanOrEqual(6)
  expect(calls.length).toBeLessThanOrEqual(18)
  expect(auth.length).toBeLessThanOrEqual(15)
})

const isOf = (files: readonly string[]) => (path: string) => files.includes(path)

/** The files of the pipeline and of authentication that a file imports, by itself or through others. */
function reachedFrom(start: string): Set<string> {
  const reached = new Set(imports.get(start))
  // A set hands out what is added to it while it is walked.
  for (const path of reached) for (const next of imports.get(path) ?? []) reached.add(next)
  return reached
}

function importsOf(path: string): Set<string> {
  const named = [...textOf(path).matchAll(/\bfrom '([^']+)'/g)]
  const files = named.map(([, from = '']) => importedFile(path, from) ?? '')
  return new Set(files.filter((file) => texts.has(file)))
}

/** The files of which a file uses more than types. */
function valuesOf(path: string): string[] {
  const named = [...textOf(path).matchAll(/^import (?!type )[^;]*?\bfrom '([^']+)'/gm)]
  return named.map(([, from = '']) => importedFile(path, from) ?? '')
}
