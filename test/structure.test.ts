import { expect } from 'vitest'
import { type Import, layers, onCycles, sourcesIn } from './support/sources.ts'
import { verifies } from './verifies.ts'

const rooms = [...layers, 'test']
const sources = sourcesIn(rooms)
const product = sources.filter(({ path }) => !path.startsWith('test/'))
const productFiles = new Map(product.map((source) => [source.path, source]))

verifies('structure.layers', 'imports point only to the same or a lower folder', () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) =>
      target !== undefined && rank(target) > rank(path) ? [`${path} imports ${target}`] : [],
    ),
  )
  expect(wrong).toEqual([])
})

verifies('structure.layers', 'no two folders of a layer import each other', () => {
  const parents = [
    'activities',
    'activities/store',
    'api',
    'api/http',
    'api/operations',
    'api/services',
    'temporal',
    'worker',
    'workflows',
    'workflows/domain',
    'workflows/domain/rails',
  ]
  const mutual = parents.flatMap((layer) => {
    const arrows = folderArrows(`${layer}/`)
    return [...arrows].filter((arrow) => arrows.has(arrow.split(' -> ').reverse().join(' -> ')))
  })
  expect(mutual).toEqual([])
})

verifies('structure.layers', 'no file imports itself through other files, types included', () => {
  expect(filesOnCycles()).toEqual([])
})

verifies('structure.kernel', 'to read one operation loads few files', () => {
  const loadedBy = (path: string) => [...reachableFrom(path, ({ typeOnly }) => !typeOnly)]
  expect(loadedBy('api/operation.ts')).toEqual(['api/operation.ts'])
  expect(loadedBy('api/operations/listings.ts').length).toBeLessThan(60)
  const families = product.filter(
    ({ path }) => path.startsWith('api/operations/') && !path.endsWith('/index.ts'),
  )
  const heavy = families.flatMap(({ path }) => {
    const loaded = loadedBy(path)
    const beyond = loaded.find((one) =>
      /^(activities|temporal|api\/(services|examples))\//.test(one),
    )
    return loaded.length < 100 && beyond === undefined
      ? []
      : [`${path}: ${loaded.length}, ${beyond}`]
  })
  expect(heavy).toEqual([])
})

verifies('structure.layers', 'each layer uses only its own packages', () => {
  const pure = /^(zod|viem(\/.*)?|@noble\/.*|@scure\/base|canonicalize|minisearch|stemmer)$/
  const wrong = packageImports(({ path, from }) => {
    if (path.startsWith('workflows/domain/')) return pure.test(from)
    if (path.startsWith('workflows/'))
      return pure.test(from) || /^@temporalio\/(workflow|common)$/.test(from)
    if (path.startsWith('activities/'))
      return !/^(express|helmet|@temporalio\/(client|worker|workflow))(\/|$)/.test(from)
    if (path.startsWith('temporal/')) return !/^(express|helmet)$/.test(from)
    if (path.startsWith('api/')) return !/^@temporalio\//.test(from)
    if (path.startsWith('clients/')) return /^(node:.*|jose|viem|@x402\/.*)$/.test(from)
    return true
  })
  expect(wrong).toEqual([])
})

verifies('structure.layers', 'SQL is only in activities/store', () => {
  const outside = product.filter(({ path }) => !path.startsWith('activities/store/'))
  const imported = outside.filter(({ imports }) =>
    imports.some(({ from, typeOnly }) => !typeOnly && /^(pg|kysely)(\/|$)/.test(from)),
  )
  const built = outside.filter(({ text }) =>
    /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bpool\.query\(/.test(text),
  )
  expect([...imported, ...built].map(({ path }) => path)).toEqual([])
})

verifies(
  'structure.layers',
  'the environment is read only by the config and by process starters',
  () => {
    const mayRead =
      /^(activities\/config\/(config|cage-config|signer-config|stack-settings)\.ts|worker\/stack\.ts|worker\/stack\/.*|worker\/[^/]+\.mjs)$/
    expect(
      product
        .filter(
          ({ path, text }) =>
            /\bprocess\.env\b|\bimport\.meta\.env\b/.test(text) && !mayRead.test(path),
        )
        .map(({ path }) => path),
    ).toEqual([])
  },
)

verifies('structure.layers', 'pure rules have no clock and no randomness', () => {
  const domain = product.filter(({ path }) => path.startsWith('workflows/domain/'))
  const impure =
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.|\brandom(Bytes|UUID)\b|\bBuffer\b/
  expect(domain.filter(({ bare }) => impure.test(bare)).map(({ path }) => path)).toEqual([])
})

verifies(
  'structure.layers',
  'modules of workflows keep no state, because all runs share them',
  () => {
    const kept = product.filter(
      ({ path, text }) => path.startsWith('workflows/') && /^(export )?(let|var) /m.test(text),
    )
    expect(kept.map(({ path }) => path)).toEqual([])
    const loaded = reachableFrom('workflows/index.ts', ({ typeOnly }) => !typeOnly)
    const schemas = product.filter(
      ({ path, imports }) => loaded.has(path) && imports.some(({ from }) => from === 'zod'),
    )
    expect(schemas.map(({ path }) => path)).toEqual([])
  },
)

verifies('structure.layers', 'files keep to their sizes', () => {
  const tooLong = product
    .filter(({ path, lines }) => lines > mostLines(path))
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${mostLines(path)}`)
  expect(tooLong).toEqual([])
})

verifies('structure.layers', 'files and folders have names that say what is in them', () => {
  const names = sources.flatMap(({ path }) => path.split('/'))
  const empty = /^(utils?|helpers?|common|managers?|misc)(\.|$)/
  expect([
    ...new Set(
      names.filter((name) => empty.test(name) || !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name)),
    ),
  ]).toEqual([])
})

verifies('structure.layers', 'modules export names, not defaults', () => {
  expect(
    product.filter(({ text }) => /^export default\b/m.test(text)).map(({ path }) => path),
  ).toEqual([])
})

verifies('structure.layers', 'every file of the operations is reached from the registry', () => {
  const reached = reachableFrom('api/operations/index.ts')
  const families = product.filter(({ path }) => /^api\/operations\//.test(path))
  expect(families.length).toBeGreaterThan(0)
  expect(families.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([])
})

/** Folders whose test names are still longer; a folder leaves this list when it is done. */
const longNames = /^test\/(activities|docs|temporal|workflows)\//

verifies('structure.layers', 'a test name has at most 70 characters', () => {
  const call = /\b(?:verifies\(\s*(?:\[[^\]]*\]|'[^']*'|\w+),|test\()\s*(['`])((?:(?!\1).)+)\1/gs
  const tests = sources.filter(({ path }) => path.endsWith('.test.ts') && !longNames.test(path))
  const tooLong = tests.flatMap(({ path, text }) =>
    [...text.matchAll(call)]
      .map(([, , name = '']) => name)
      .filter((name) => name.length > 70)
      .map((name) => `${path}: ${name}`),
  )
  expect(tooLong).toEqual([])
})

function rank(path: string): number {
  if (path.startsWith('workflows/domain/')) return -1
  // Programs of the documents are tried by tests alone.
  if (path.startsWith('docs/')) return rooms.indexOf('test')
  const room = rooms.findIndex((name) => path === name || path.startsWith(`${name}/`))
  return room < 0 ? rooms.length : room
}

/** `from -> to` of the folders, or single files, directly in a layer whose files import each other. */
function folderArrows(layer: string): Set<string> {
  const folderOf = (path: string) => path.slice(layer.length).split('/')[0]
  const arrows = product
    .filter(({ path }) => path.startsWith(layer))
    .flatMap(({ path, imports }) =>
      imports
        .map(({ target }) => target)
        .filter((target) => target?.startsWith(layer) && folderOf(target) !== folderOf(path))
        .map((target = '') => `${folderOf(path)} -> ${folderOf(target)}`),
    )
  return new Set(arrows)
}

/** The files that are on a cycle of imports, and those that lead to one. */
const filesOnCycles = (): string[] =>
  onCycles(
    new Map(
      product.map(({ path, imports }) => [
        path,
        new Set(imports.map(({ target }) => target).filter(isProduct)),
      ]),
    ),
  )

function isProduct(target: string | undefined): target is string {
  return target !== undefined && productFiles.has(target)
}

function reachableFrom(start: string, follow: (use: Import) => boolean = () => true): Set<string> {
  const reached = new Set([start])
  // A set hands out what is added to it while it is walked.
  for (const path of reached) {
    const source = productFiles.get(path)
    for (const use of source?.imports ?? [])
      if (use.target !== undefined && follow(use)) reached.add(use.target)
  }
  return reached
}

function mostLines(path: string): number {
  if (['api/server.ts', 'worker/main.ts', 'worker/stack.ts', 'worker/cli.ts'].includes(path))
    return 80
  if (path === 'activities/store/schema/schema.ts') return Number.POSITIVE_INFINITY
  return /^workflows\/[^/]+\/workflow\.ts$/.test(path) ? 240 : 400
}

function packageImports(allowed: (use: { path: string; from: string }) => boolean): string[] {
  return product.flatMap(({ path, imports }) =>
    imports
      .filter(({ from, target }) => target === undefined && !allowed({ path, from }))
      .map(({ from }) => `${path} imports ${from}`),
  )
}
