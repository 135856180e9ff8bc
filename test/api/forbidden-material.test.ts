import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'vitest'
import { z } from 'zod'
import { findForbiddenMaterial, screenFreeText } from '../../api/forbidden-material.ts'
import { DomainError } from '../../workflows/domain/errors.ts'
import { verifies } from '../verifies.ts'

const freeText = { 'x-free-text': true }
const text = z.string().max(4000).meta(freeText)
const schema = z.strictObject({
  memo: text,
  note: text.optional(),
  typed: z.string().optional(),
  lines: z.array(z.strictObject({ said: text })).optional(),
  labels: z.record(z.string(), text).optional(),
  context: z.record(z.string(), z.unknown()).meta(freeText).optional(),
  either: z
    .discriminatedUnion('mode', [
      z.strictObject({ mode: z.literal('a'), say: text }),
      z.strictObject({ mode: z.literal('b') }),
    ])
    .optional(),
})

const pointersOf = (value: unknown) => findForbiddenMaterial(schema, schema.parse(value)).map(({ pointer }) => pointer)
const isSecret = (memo: string) => pointersOf({ memo }).length === 1

const { privateKey } = generateKeyPairSync('ed25519')
const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
const jwk = privateKey.export({ format: 'jwk' })
// Test vectors of BIP-39.
const phrase12 = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const phrase24 =
  'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length'

verifies('road.forbidden-material', 'keys, phrases, tokens and passwords in free text are found', () => {
  const secrets = [
    pem,
    `here it is:\n${pem}\nthanks`,
    JSON.stringify(jwk),
    JSON.stringify(JSON.stringify(jwk)),
    phrase12,
    `my words are ${phrase24}, keep them`,
    phrase12.toUpperCase().split(' ').join('\n'),
    phrase12
      .split(' ')
      .map((word, at) => `${at + 1}. ${word}`)
      .join(', '),
    `sk_live_${'a'.repeat(24)}`,
    `rk_live_${'a'.repeat(24)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `ghp_${'a'.repeat(36)}`,
    `github_pat_${'a'.repeat(22)}`,
    `xoxb-${'1'.repeat(12)}-abc`,
    'postgres://user:secret@db.example/app',
    'https://:secret@host.example',
    `op_${'0'.repeat(16)}_${'a'.repeat(64)}`,
  ]
  expect(secrets.filter((secret) => !isSecret(secret))).toEqual([])
})

verifies('road.forbidden-material', 'bare hex, digests, public keys, wrong checksums and ordinary text pass', () => {
  const { d: _, ...publicJwk } = jwk
  const fine = [
    `0x${'ab'.repeat(32)}`,
    'f'.repeat(64),
    JSON.stringify(publicJwk),
    phrase12.replace('yellow', 'year'),
    phrase12.split(' ').slice(0, 11).join(' '),
    'https://host.example:8080/path?x=a:b@c and mail me: a@b.example',
    'Invoice 12, task-1, sk_live is a prefix, AKIA too',
    'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl',
  ]
  expect(fine.filter(isSecret)).toEqual([])
})

verifies('road.forbidden-material', 'every free-text field is screened, wherever it stands, and no typed field', () => {
  const value = {
    memo: 'fine',
    note: phrase12,
    typed: pem,
    lines: [{ said: 'fine' }, { said: pem }],
    labels: { 'a/b~c': pem },
    context: { deep: [{ key: jwk }, phrase12] },
    either: { mode: 'a', say: pem },
  }
  expect(pointersOf(value).sort()).toEqual([
    '/context/deep/0/key',
    '/context/deep/1',
    '/either/say',
    '/labels/a~1b~0c',
    '/lines/1/said',
    '/note',
  ])
})

verifies('road.forbidden-material', 'the refusal names pointers and never the value', () => {
  try {
    screenFreeText(schema, { memo: phrase12 })
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError)
    const { refusal, message, stack } = error as DomainError
    expect(refusal.code).toBe('forbidden_material')
    expect(refusal.errors).toEqual([{ pointer: '/memo', message: 'holds a recovery phrase' }])
    expect(`${JSON.stringify(refusal)}${message}${stack}`).not.toContain('legal winner')
  }
  expect(() => screenFreeText(schema, { memo: 'fine' })).not.toThrow()
})

verifies('road.forbidden-material', 'a text as large as a body may be is screened without running away', () => {
  const worst = [
    'legal winner thank year wave sausage worth useful '.repeat(1300),
    '://'.repeat(21_000),
    '"kty"'.repeat(13_000),
    '-----BEGIN '.repeat(6_000),
    'a'.repeat(65_000),
  ]
  for (const said of worst) {
    const began = performance.now()
    findForbiddenMaterial(z.strictObject({ said: text }), { said })
    // Backtracking would take minutes; this is no measurement.
    expect(performance.now() - began).toBeLessThan(15_000)
  }
})
