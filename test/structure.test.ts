import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { verifies } from './verifies.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const rooms = ['workflows', 'activities', 'temporal', 'api', 'clients', 'worker', 'test']
type Source = { path: string; text: string; lines: number; imports: Import[] }
type Import = { from: string; typeOnly: boolean }

const sources: Source[] = rooms.flatMap((room) => {
  const files = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /\.(ts|mjs)$/.test(file) && !/(node_modules|dist)\//.test(file))
    .map((file) => readSource(join(room, file)))
})
const product = sources.filter(({ path }) => !path.startsWith('test/'))

verifies(
  'structure.rooms',
  'imports point left only: domain, workflows, activities, temporal, api, clients, worker, test',
  () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports.flatMap(({ from }) => {
        const target = from.startsWith('.') ? relative(root, join(root, dirname(path), from)) : undefined
        return target !== undefined && rank(target) > rank(path) ? [`${path} imports ${target}`] : []
      }),
    )
    expect(wrong).toEqual([])
  },
)

verifies('structure.rooms', 'each room uses only the packages that belong to it', () => {
  const pure = /^(zod|viem(\/.*)?|@noble\/.*|@scure\/base|canonicalize|minisearch|stemmer)$/
  const wrong = packageImports(({ path, from }) => {
    if (path.startsWith('workflows/domain/')) return pure.test(from)
    if (path.startsWith('workflows/')) return pure.test(from) || /^@temporalio\/(workflow|common)$/.test(from)
    if (path.startsWith('activities/'))
      return !/^(express|helmet|@temporalio\/(client|worker|workflow))(\/|$)/.test(from)
    if (path.startsWith('temporal/')) return !/^(express|helmet)$/.test(from)
    if (path.startsWith('api/')) return !/^@temporalio\//.test(from)
    if (path.startsWith('clients/')) return /^(node:.*|jose|viem|@x402\/.*)$/.test(from)
    return true
  })
  expect(wrong).toEqual([])
})

verifies('structure.rooms', 'SQL is only in activities/store', () => {
  const outside = product.filter(({ path }) => !path.startsWith('activities/store/'))
  const imported = outside.filter(({ imports }) =>
    imports.some(({ from, typeOnly }) => !typeOnly && /^(pg|kysely)(\/|$)/.test(from)),
  )
  const built = outside.filter(({ text }) =>
    /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bpool\.query\(/.test(text),
  )
  expect([...imported, ...built].map(({ path }) => path)).toEqual([])
})

verifies('structure.rooms', 'the environment is read only in activities/config.ts and by what starts processes', () => {
  const mayRead = /^(activities\/config\.ts|worker\/stack\.ts|worker\/stack\/.*|worker\/[^/]+\.mjs)$/
  expect(
    product
      .filter(({ path, text }) => /\bprocess\.env\b|\bimport\.meta\.env\b/.test(text) && !mayRead.test(path))
      .map(({ path }) => path),
  ).toEqual([])
})

verifies('structure.rooms', 'pure rules have no clock and no randomness', () => {
  const domain = product.filter(({ path }) => path.startsWith('workflows/domain/'))
  const impure = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.|\brandom(Bytes|UUID)\b|\bBuffer\b/
  expect(domain.filter(({ text }) => impure.test(withoutComments(text))).map(({ path }) => path)).toEqual([])
})

verifies('structure.rooms', 'modules of workflows keep nothing, because all runs of a worker share them', () => {
  const kept = product.filter(({ path, text }) => path.startsWith('workflows/') && /^(export )?(let|var) /m.test(text))
  expect(kept.map(({ path }) => path)).toEqual([])
  const loaded = reachableFrom('workflows/index.ts', ({ typeOnly }) => !typeOnly)
  const schemas = product.filter(({ path, imports }) => loaded.has(path) && imports.some(({ from }) => from === 'zod'))
  expect(schemas.map(({ path }) => path)).toEqual([])
})

verifies('structure.rooms', 'files keep to their sizes', () => {
  const tooLong = product
    .filter(({ path, lines }) => lines > mostLines(path))
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${mostLines(path)}`)
  expect(tooLong).toEqual([])
})

verifies('structure.rooms', 'files and folders have names that say what is in them', () => {
  const names = sources.flatMap(({ path }) => path.split('/'))
  const empty = /^(utils?|helpers?|common|managers?|services?|misc)(\.|$)/
  expect([...new Set(names.filter((name) => empty.test(name) || !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name)))]).toEqual(
    [],
  )
})

verifies('structure.rooms', 'modules export names, not defaults', () => {
  expect(product.filter(({ text }) => /^export default\b/m.test(text)).map(({ path }) => path)).toEqual([])
})

verifies('structure.rooms', 'every file of an operation family is reached from the registry', () => {
  const reached = reachableFrom('api/operations/index.ts')
  const families = product.filter(({ path }) => /^api\/operations\/[^/]+\//.test(path))
  expect(families.length).toBeGreaterThan(0)
  expect(families.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([])
})

function rank(path: string): number {
  if (path.startsWith('workflows/domain/')) return -1
  // Programs of the documents are tried by tests alone.
  if (path.startsWith('docs/')) return rooms.indexOf('test')
  const room = rooms.findIndex((name) => path === name || path.startsWith(`${name}/`))
  return room < 0 ? rooms.length : room
}

function reachableFrom(start: string, follow: (use: Import) => boolean = () => true): Set<string> {
  const reached = new Set([start])
  // A set hands out what is added to it while it is walked.
  for (const path of reached) {
    const source = product.find((candidate) => candidate.path === path)
    for (const use of source?.imports ?? [])
      if (use.from.startsWith('.') && follow(use)) reached.add(join(dirname(path), use.from))
  }
  return reached
}

function mostLines(path: string): number {
  if (['api/server.ts', 'worker/main.ts', 'worker/stack.ts', 'worker/cli.ts'].includes(path)) return 80
  if (/^api\/operations\/[^/]+\//.test(path)) return 120
  if (path.startsWith('activities/store/migrations/')) return Number.POSITIVE_INFINITY
  return /^workflows\/[^/]+\/workflow\.ts$/.test(path) ? 200 : 300
}

function packageImports(allowed: (use: { path: string; from: string }) => boolean): string[] {
  return product.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => !from.startsWith('.') && !allowed({ path, from }))
      .map(({ from }) => `${path} imports ${from}`),
  )
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const bare = withoutComments(text)
  const statements = [...bare.matchAll(/^(?:import|export)\s+(type\s+)?([^'"`;]*?)\bfrom\s+'([^']+)'/gm)].map(
    ([, type, names = '', from = '']) => ({
      from,
      typeOnly: type !== undefined || /^\{(\s*type\s+[^,}]+,?)+\s*\}\s*$/.test(names),
    }),
  )
  const others = [...bare.matchAll(/(?:^import\s+|\bimport\(\s*)'([^']+)'/gm)].map(([, from = '']) => ({
    from,
    typeOnly: false,
  }))
  return { path, text, lines: text.split('\n').length - 1, imports: [...statements, ...others] }
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}
