import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifyArtifact } from '#domain/verification/artifact.ts'
import { openPackageParts } from '#domain/verification/return-package.ts'
import { settle } from '#domain/verification/signed.ts'
import { type ArtifactKind, artifactKinds, type Verdict } from '#domain/verification/verdict.ts'
import { isZip, unzipPackage } from '../../activities/runs/unzip-package.ts'
import { verifies } from '../verifies.ts'
import { logSets } from './keys.ts'
import { makeVectors, type Vector, type VectorFile } from './make.ts'

const readDoc = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8')
const fileOf = (kind: string): string => join(import.meta.dirname, `${kind}.json`)
const made = makeVectors()
const kinds = Object.keys(made) as (keyof typeof made)[]
/** One vector a line. */
const textOf = ({ keys, vectors, ...head }: VectorFile): string => {
  const opening = JSON.stringify({ ...head, keys }).slice(0, -1)
  return `${opening},"vectors":[\n${vectors.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`
}

if (process.env['WRITE_VECTORS'] === '1')
  for (const kind of kinds) writeFileSync(fileOf(kind), textOf(made[kind]))

const files = kinds.map((kind) => JSON.parse(readFileSync(fileOf(kind), 'utf8')) as VectorFile)
const all = files.flatMap(({ keys, vectors }) =>
  vectors.map((vector) => ({ ...vector, keySet: keys[vector.keys]! })),
)
const name = ({ kind, name: of }: Vector) => `${kind}: ${of}`
/** What docs/verify.py covers. */
const isInPython = (kind: ArtifactKind) => kind !== 'return_package'
const inPython = all.filter(({ kind }) => isInPython(kind))

function verdictOf({ kind, artifact, keySet, at }: (typeof all)[number]): Verdict {
  const bytes = typeof artifact === 'string' ? Buffer.from(artifact, 'base64') : Buffer.of()
  const parts = kind === 'return_package' && isZip(bytes) ? unzipPackage(bytes) : undefined
  if (parts !== undefined) return settle(openPackageParts(parts, keySet))
  return verifyArtifact({ kind, artifact, keys: keySet, at })
}

verifies('verify.vectors', 'regenerating the vectors gives the same files', () => {
  for (const kind of kinds)
    expect(readFileSync(fileOf(kind), 'utf8') === textOf(made[kind]), kind).toBe(true)
})

verifies('verify.vectors', 'each kind that is verified has vectors and is documented', () => {
  const known = [...artifactKinds].sort()
  const stored = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'))
  expect(stored.sort()).toEqual(known.map((kind) => `${kind}.json`))
  for (const [at, kind] of kinds.entries())
    expect(new Set(files[at]?.vectors.map((vector) => vector.kind))).toEqual(new Set([kind]))
  const signed = readDoc('verify.md').split('## What is signed')[1]?.split('\n## ')[0]
  const rows = [...(signed?.matchAll(/^\| `(\w+)` \|/gm) ?? [])].map(([, kind]) => kind)
  expect(rows.sort()).toEqual(known)
})

verifies('verify.vectors', 'there are 200 vectors that both verifiers cover, all named', () => {
  expect(inPython.length).toBeGreaterThanOrEqual(200)
  expect(new Set(all.map(name)).size).toBe(all.length)
  for (const kind of kinds) {
    const verdicts = new Set(made[kind].vectors.map(({ expect: { verdict } }) => verdict))
    expect([...verdicts], kind).toEqual(expect.arrayContaining(['valid', 'invalid']))
  }
})

verifies('verify.vectors', 'our verifier agrees with every vector', () => {
  const found = all.map((vector) => {
    const { verdict, reasons } = verdictOf(vector)
    return { vector: name(vector), verdict, reason: reasons[0] ?? null }
  })
  expect(found).toEqual(all.map((vector) => ({ vector: name(vector), ...vector.expect })))
})

const python = spawnSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0
/** Without Python or its package the tests of docs/verify.py are skipped, and the run says so; with `CI` set they fail. */
const needsPython = python || process.env['CI'] !== undefined ? verifies : skipped
function skipped(..._test: Parameters<typeof verifies>): void {
  test.skip(_test[1])
}

type Judged = { name: string; kind: string; verdict: string; reason: string | null }
/** What docs/verify.py makes of each vector of these files. */
const runPython = (paths: readonly string[]): Judged[] =>
  JSON.parse(
    execFileSync('python3', [join(import.meta.dirname, 'run.py'), ...paths], { encoding: 'utf8' }),
  )

needsPython('verify.vectors', 'docs/verify.py agrees with every vector that it covers', () => {
  const found = runPython(kinds.filter(isInPython).map(fileOf))
  const judged = found.map(({ name: of, kind, ...rest }) => ({ vector: `${kind}: ${of}`, ...rest }))
  expect(judged).toEqual(inPython.map((vector) => ({ vector: name(vector), ...vector.expect })))
})

/** Texts of a stranger for docs/verify.py, each with the kind that it is verified as. */
function hostileTexts(): [kind: string, content: Uint8Array][] {
  const good = files.flatMap(({ vectors }) =>
    vectors.filter(({ kind, name: of }) => isInPython(kind) && of === 'good'),
  )
  // What is not signed may be changed.
  const signed = (name: string, value: unknown) =>
    name === 'verify_instructions' ? undefined : value
  const textOfGood = ({ artifact }: Vector) =>
    typeof artifact === 'string' ? artifact : JSON.stringify(artifact, signed)
  const spliced = fc.constantFrom(...good).chain((vector) => {
    const text = textOfGood(vector)
    return fc
      .tuple(fc.nat(text.length - 1), fc.nat(20), fc.string({ unit: 'binary', maxLength: 8 }))
      .map(([at, cut, insert]) => text.slice(0, at) + insert + text.slice(at + cut + 1))
      .map((changed): [string, Uint8Array] => [vector.kind, Buffer.from(changed)])
  })
  const part = fc.oneof(
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.base64String(),
  )
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(text)),
    fc.array(part, { minLength: 3, maxLength: 3 }).map((parts) => Buffer.from(parts.join('.'))),
  )
  const noise = fc.tuple(fc.constantFrom(...good.map(({ kind }) => kind as string)), content)
  const generated = fc.sample(fc.oneof(spliced, noise), { numRuns: 170, seed: 19 })
  return [...generated, ...good.flatMap((vector) => madeHostile(vector.kind, textOfGood(vector)))]
}

/** Texts that are made to exhaust a reader of this kind. */
function madeHostile(kind: string, good: string): [string, Uint8Array][] {
  const token = (text: string) => `${Buffer.from(text).toString('base64url')}.e30.AA`
  const object = kind.startsWith('receipt_bundle') ? JSON.parse(good) : { key_id: 'k', schema: '' }
  const texts = [
    '['.repeat(100_000),
    token('['.repeat(20_000)),
    token(`{"a":${'9'.repeat(10_000)}}`),
    `{"a":${'9'.repeat(10_000)}}`,
    `{"a":1e999,"b":NaN}`,
    JSON.stringify({ ...object, receipt: '\ud800', key_id: '\ud800' }),
    JSON.stringify({ ...object, checkpoint: `a\n1\n${'A'.repeat(43)}=\n\n${'— '.repeat(3_000)}` }),
    JSON.stringify({ ...object, checkpoint: `${'\n\n'.repeat(20_000)}` }),
    JSON.stringify({ ...object, checkpoint: 'a\n1\nA\n\n— é é\n' }),
    JSON.stringify({ ...object, path: ['ß'.repeat(64)], leaf_index: -1, tree_size: 2 ** 60 }),
  ]
  return texts.map((text) => [kind, Buffer.from(text)])
}

needsPython('verify.agreement', 'both verifiers judge each hostile text alike', () => {
  const keys = logSets.with_log
  const vectors = hostileTexts().map(([kind, content], at) => ({
    name: `${at}`,
    kind: kind as ArtifactKind,
    artifact: Buffer.from(content).toString('utf8'),
    keys: 'with_log',
  }))
  const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-alike-'))
  const file = join(scratch, 'vectors.json')
  writeFileSync(file, JSON.stringify({ keys: { with_log: keys }, vectors }))
  const found = runPython([file])
  rmSync(scratch, { recursive: true, force: true })
  const ours = vectors.map(({ name: of, kind, artifact }) => {
    const { verdict, reasons } = verifyArtifact({ kind, artifact, keys })
    return { name: of, kind, verdict, reason: reasons[0] ?? null }
  })
  expect(found).toEqual(ours)
})

needsPython('verify.hostile', 'docs/verify.py ends each hostile text with a verdict', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-hostile-'))
  const save = (file: string, content: string | Uint8Array) => {
    writeFileSync(join(scratch, file), content)
    return join(scratch, file)
  }
  const given = hostileTexts().map(([kind, content], at) => [kind, save(`${at}`, content)])
  expect(given.length).toBeGreaterThanOrEqual(200)
  const list = save('list.json', JSON.stringify(given))
  const keys = save('keys.json', JSON.stringify(logSets.with_log))
  const program = join(import.meta.dirname, 'hostile.py')
  const out = execFileSync('python3', [program, list, keys], { encoding: 'utf8' })
  rmSync(scratch, { recursive: true, force: true })
  const ran: { code: number; crash: string | null; seconds: number }[] = JSON.parse(out)
  expect(ran.filter(({ crash }) => crash !== null)).toEqual([])
  expect(ran.filter(({ code }) => code !== 1 && code !== 3)).toEqual([])
  expect(ran.filter(({ seconds }) => seconds > 0.05)).toEqual([])
})

verifies('verify.vectors', 'documents call docs/verify.py one file and count the vectors', () => {
  const count = all.length.toLocaleString('en')
  expect(readDoc('guarantees.md')).toContain(`| vectors of artifacts | ${count}, good and bad |`)
  for (const file of ['verify.md', 'guarantees.md', '../README.md'])
    expect(readDoc(file), file).toContain('one file of Python')
})

verifies('verify.vectors', 'docs/verify.py is one file that needs one package', () => {
  const imports = [...readDoc('verify.py').matchAll(/^ *(?:import|from) +(\w+)(.*)$/gm)]
  expect(imports.filter(([, , more]) => more?.startsWith(','))).toEqual([])
  const standard =
    '__future__ base64 contextlib datetime decimal hashlib json pathlib re sys time typing'
  const modules = new Set(imports.map(([, module]) => String(module)))
  expect([...modules].filter((module) => !standard.split(' ').includes(module))).toEqual([
    'cryptography',
  ])
})

verifies('verify.vectors', 'docs/verify.py has no line of more than 100 columns', () => {
  const lines = readDoc('verify.py').split('\n')
  expect(lines.filter((line) => [...line].length > 100)).toEqual([])
})
