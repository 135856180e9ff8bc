import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { readMaterial } from '../../../worker/audit/material.ts'
import { createLogKey, proofText } from '../../support/memory-log.ts'
import { neverOver50ms } from '../../support/never-over.ts'
import { verifies } from '../../verifies.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'agent-rails-material-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const endings = ['checkpoint', 'jws', 'json', 'tlog-proof', 'vkey']
const keep = (content: string | Uint8Array) => {
  for (const ending of endings) writeFileSync(join(directory, `kept.${ending}`), content)
}
const proof = proofText(3, [new Uint8Array(32)], createLogKey().checkpoint([Uint8Array.of(1)]))
const bundle = { receipt: 'a.b.c', tlog_proof: proof }

verifies('log.foreign-input', 'no kept file makes the auditor throw or take 50 ms', () => {
  const deep = fc
    .integer({ min: 1, max: 20_000 })
    .map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`)
  const like = fc
    .dictionary(fc.constantFrom('jws', 'receipt', 'tlog_proof', '__proto__', 'a'), fc.jsonValue())
    .map((more) => JSON.stringify({ ...bundle, ...more }))
  const cut = fc
    .tuple(fc.nat(proof.length), fc.nat(30), fc.string({ unit: 'binary', maxLength: 30 }))
    .map(([at, length, insert]) => proof.slice(0, at) + insert + proof.slice(at + length))
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.json(),
    deep,
    like,
    cut,
    cut.map((text) => JSON.stringify({ receipt: 'a.b.c', tlog_proof: text })),
  )
  neverOver50ms(
    content,
    (given) => {
      keep(given)
      const { receipts, ignored } = readMaterial(directory)
      for (const { jws } of receipts) expect(typeof jws).toBe('string')
      for (const { file } of ignored) expect(file).toMatch(/^kept\./)
    },
    300,
  )
})

verifies('log.foreign-input', 'a directory or dead link with the name of a file is ignored', () => {
  keep(JSON.stringify(bundle))
  mkdirSync(join(directory, 'named.jws'))
  writeFileSync(join(directory, 'named.jws', 'inner.jws'), 'a.b.c')
  symlinkSync(join(directory, 'nowhere'), join(directory, 'link.json'))
  const { receipts, ignored } = readMaterial(directory)
  expect(ignored.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['link.json', 'named.jws']),
  )
  expect(receipts.map(({ file }) => file)).toContain(join('named.jws', 'inner.jws'))
})
