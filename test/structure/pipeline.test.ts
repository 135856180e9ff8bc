import { expect } from 'vitest'
import { sourcesIn } from '../support/sources.ts'
import { verifies } from '../verifies.ts'

const stages = ['identify', 'authenticate', 'admit', 'claim', 'run', 'settle'].map(
  (stage) => `api/calls/${stage}.ts`,
)
const [list, handler] = ['api/calls/execute.ts', 'api/calls/handle.ts'] as const
const sources = new Map(sourcesIn(['api/calls', 'api/auth']).map((one) => [one.path, one]))
const filesOf = (folder: string) => [...sources.keys()].filter((path) => path.startsWith(folder))
const [calls, auth] = [filesOf('api/calls/'), filesOf('api/auth/')]
const textOf = (path: string) => sources.get(path)?.text ?? ''
const importsOf = (path: string) => sources.get(path)?.imports ?? []

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
  const shared = [...sources.keys()].filter((path) => path !== list && !stages.includes(path))
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
  const users = [...sources.keys()].filter((path) =>
    importsOf(path).some(({ target, typeOnly }) => target === table && !typeOnly),
  )
  expect(users.toSorted()).toEqual(['api/calls/authenticate.ts', 'api/calls/identify.ts'])
  expect(auth.flatMap(targetsOf).filter(isOf(calls))).toEqual([])
})

verifies('structure.pipeline', 'few files stand between a call and its handler', () => {
  const between = [...reachedFrom(list)].filter((path) => reachedFrom(path).has(handler))
  expect(between.length).toBeLessThanOrEqual(6)
  expect(calls.length).toBeLessThanOrEqual(18)
  expect(auth.length).toBeLessThanOrEqual(15)
})

const isOf = (files: readonly string[]) => (path: string) => files.includes(path)

/** The files of the pipeline and of authentication that a file imports. */
function targetsOf(path: string): string[] {
  return importsOf(path).flatMap(({ target = '' }) => (sources.has(target) ? [target] : []))
}

/** The same, by itself or through others. */
function reachedFrom(start: string): Set<string> {
  const reached = new Set(targetsOf(start))
  // A set hands out what is added to it while it is walked.
  for (const path of reached) for (const next of targetsOf(path)) reached.add(next)
  return reached
}
