import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyArtifact } from '#domain/verification/artifact.ts'
import { openPackageParts } from '#domain/verification/return-package.ts'
import { settle } from '#domain/verification/signature.ts'
import type { ArtifactKind, Verdict } from '#domain/verification/verdict.ts'
import { isZip, unzipPackage } from '../../activities/run/unzip-package.ts'
import { verifies } from '../verifies.ts'
import { makeVectors, type Vector, type VectorFile } from './make.ts'

const fileOf = (kind: string): string => join(import.meta.dirname, `${kind}.json`)
const made = makeVectors()
const kinds = Object.keys(made) as ArtifactKind[]
const textOf = (file: VectorFile): string => `${JSON.stringify(file, null, 1)}\n`

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

// The run says that it is skipped where Python or its package is missing.
test.skipIf(!python)('docs/verify.py agrees with every vector that it covers', () => {
  const paths = kinds.filter(isInPython).map(fileOf)
  const out = execFileSync('python3', [join(import.meta.dirname, 'run.py'), ...paths], {
    encoding: 'utf8',
  })
  const found: { name: string; kind: string; verdict: string; reason: string | null }[] =
    JSON.parse(out)
  expect(
    found.map(({ name: of, kind, verdict, reason }) => ({
      vector: `${kind}: ${of}`,
      verdict,
      reason,
    })),
  ).toEqual(inPython.map((vector) => ({ vector: name(vector), ...vector.expect })))
})

verifies('verify.vectors', 'docs/verify.py has at most 150 lines and one package', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/verify.py'), 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  const imports = [...text.matchAll(/^(?:import|from) (\w+)/gm)].map(([, module]) => module)
  const standard = ['base64', 'datetime', 'hashlib', 'json', 're', 'sys', 'time']
  expect([...new Set(imports)].filter((module) => !standard.includes(String(module)))).toEqual([
    'cryptography',
  ])
})
