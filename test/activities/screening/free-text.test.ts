import { generateKeyPairSync } from 'node:crypto'
import { validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import fc from 'fast-check'
import { expect } from 'vitest'
import { z } from 'zod'
import { DomainError } from '#domain/core/errors.ts'
import { findForbiddenMaterial, screenFreeText } from '../../../activities/screening/free-text.ts'
import { CHECKSUMS_MAX, holdsPhrase } from '../../../activities/screening/recovery-phrase.ts'
import { verifies } from '../../verifies.ts'

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

const pointersOf = (value: unknown) =>
  findForbiddenMaterial(schema, schema.parse(value)).map(({ pointer }) => pointer)
const isSecret = (memo: string) => pointersOf({ memo }).length === 1

const { privateKey } = generateKeyPairSync('ed25519')
const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
const jwk = privateKey.export({ format: 'jwk' })
// Test vectors of BIP-39.
const phrase12 = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const phrase24 =
  'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length'

verifies(
  'pipeline.forbidden-material',
  'keys, phrases, tokens and passwords in free text are found',
  () => {
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
  },
)

verifies(
  'pipeline.forbidden-material',
  'bare hex, digests, public keys, wrong checksums and ordinary text pass',
  () => {
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
  },
)

verifies(
  'pipeline.forbidden-material',
  'every free-text field is screened at any depth, and no typed field',
  () => {
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
  },
)

verifies('pipeline.forbidden-material', 'the refusal names pointers and never the value', () => {
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

const b64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const chain = z.strictObject({ mandates: z.string().meta({ 'x-encoded-text': true }) })
const encodedPointers = (mandates: string) =>
  findForbiddenMaterial(chain, { mandates }).map(({ pointer }) => pointer)

verifies(
  'pipeline.encoded-material',
  'claims and disclosures are screened, also of tokens inside of tokens',
  () => {
    const { d: _, ...publicJwk } = jwk
    const signature = b64('s'.repeat(64))
    const token = (header: unknown, claims: unknown, ...disclosures: unknown[]) =>
      [`${b64(header)}.${b64(claims)}.${signature}`, ...disclosures.map(b64), ''].join('~')
    const open = token({ alg: 'ES256' }, { cnf: { jwk: publicJwk } }, ['c2FsdA', 'a merchant'])
    expect(encodedPointers(open)).toEqual([])
    expect(encodedPointers(`${open}~${open}`)).toEqual([])
    const lines = phrase12.split(' ').join('\n')
    for (const secret of [pem, lines, JSON.stringify(jwk), 'password: hunter22'])
      for (const text of [
        secret,
        b64(secret),
        token({ kid: secret }, {}),
        token({}, { items: [{ title: secret }] }),
        `${open}~${token({}, {}, ['c2FsdA', { merchant: { name: secret } }])}`,
        token({}, { checkout: token({}, { note: secret }) }),
        token(
          {},
          { deep: JSON.parse(`${'['.repeat(900)}${JSON.stringify(secret)}${']'.repeat(900)}`) },
        ),
        Buffer.from(JSON.stringify({ note: secret })).toString('base64'),
      ])
        expect(encodedPointers(text), text).toEqual(['/mandates'])
    expect(encodedPointers(token({}, {}, ['c2FsdA', { key: jwk }]))).toEqual(['/mandates'])
    expect(encodedPointers(token({}, {}, ['c2FsdA', { password: 'hunter22' }]))).toEqual([
      '/mandates',
    ])
  },
)

verifies('pipeline.encoded-material', 'signatures and digests are never taken for secrets', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const random = (length: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })
  /** What a key would begin with, somewhere in random characters. */
  const keyLike = fc.constantFrom('-sk-', '-ag_Zq7Xw9Kp_', '-op_Zq7Xw9Kp_', '')
  /** With the whole prefix of a provider, which no digest has by chance, it is taken for that key. */
  const isKeyOfProvider = (text: string) => /sk-(ant|proj|svcacct|or)-/.test(text)
  const randomWith = (length: number) =>
    fc
      .tuple(keyLike, fc.nat(), random(length))
      .map(([key, at, rest]) => {
        const place = at % (length - key.length)
        return `${rest.slice(0, place)}${key}${rest.slice(place + key.length)}`
      })
      .filter((text) => !isKeyOfProvider(text))
  fc.assert(
    fc.property(randomWith(86), randomWith(43), (signed, digest) => {
      const token = (...parts: unknown[]) => [...parts.map(b64), signed].join('.')
      const inner = token({ alg: 'ES256' }, { _sd: [digest], sd_hash: digest })
      const disclosure = b64([digest.slice(0, 22), 'checkout_jwt', inner])
      const bound = token({ typ: 'kb+jwt' }, { sd_hash: digest })
      expect(encodedPointers(`${inner}~${disclosure}~${bound}`)).toEqual([])
    }),
    { numRuns: 2_000 },
  )
  const open = `${b64({ alg: 'ES256' })}.${b64({})}`
  for (const key of ['sk_live_Zq7Xw9Kp2Vn4bbbb', `sk-${'a1'.repeat(24)}`])
    for (const text of [`${open}.${key}`, `${open}.${'s'.repeat(86)}~${key}~`])
      expect(encodedPointers(text), text).toEqual(['/mandates'])
})

verifies('pipeline.encoded-material', 'text of any form is screened in bounded time', () => {
  const letters = fc.constantFrom('.', '~', '=', '-', 'W', 'y', 'J', '\n', b64('["a","b"]'))
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 200 }), (parts) => {
      encodedPointers(parts.join(''))
    }),
  )
  const deep = b64(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)
  let nested = 'x'.repeat(40)
  while (nested.length < 24_000) nested = b64(nested)
  const long = [
    b64('"'.repeat(18_000)),
    'WyJh.'.repeat(4_900),
    '-eyJ'.repeat(16_000),
    '.eyJ '.repeat(16_000),
  ]
  for (const text of [deep, nested, ...long]) {
    const start = performance.now()
    expect(encodedPointers(text)).toEqual([])
    expect(performance.now() - start).toBeLessThan(500)
  }
})

const hex64 = 'ab12'.repeat(16)

verifies(
  'admission.screening-kinds',
  'tokens, labelled secrets and SSNs are found in texts and member names',
  () => {
    const secrets = [
      `Authorization: Bearer ${'a1'.repeat(12)}`,
      'password: hunter22',
      'my Passphrase = correct-horse',
      '{"password":"hunter22"}',
      'pwd=hunter22',
      'SSN 123-45-6789.',
      `private key: ${hex64}`,
      `Private_Key of my wallet is 0x${hex64}`,
      `seed=${hex64.toUpperCase()}`,
      `npm_${'a'.repeat(36)}`,
    ]
    expect(secrets.filter((secret) => !isSecret(secret))).toEqual([])
    const context = {
      password: 'hunter22',
      list: [{ private_key: hex64 }, { seed: [hex64] }],
      [`sk_live_${'a'.repeat(24)}`]: 1,
      sha256: hex64,
      transaction_hash: `0x${hex64}`,
    }
    expect(pointersOf({ memo: 'fine', context }).sort()).toEqual([
      '/context',
      '/context/list/0/private_key',
      '/context/list/1/seed/0',
      '/context/password',
    ])
  },
)

verifies(
  'admission.screening-kinds',
  'unlabelled hex, digests and words about secrets pass',
  () => {
    const fine = [
      hex64,
      `0x${hex64}`,
      `sha256 ${hex64}, tx 0x${hex64}`,
      `the key of the invoice, see digest sha256:${hex64}`,
      'the password is sent by post; password: ****',
      'bearer of the bond',
      'phone 123-456-7890, ref 123-45-67890, 000-12-3456',
      '{"type":"object","kty":"OKP","x":"abc"}',
    ]
    expect(fine.filter(isSecret)).toEqual([])
  },
)

/** Every window of every run of words, looked at one by one; where there are too many, the text reads as phrases. */
function holdsPhraseSimply(said: string): boolean {
  const runs = said
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((one) => (wordlist.includes(one) ? one : '.'))
    .join(' ')
    .split('.')
    .map((run) => run.split(' ').filter((one) => one !== ''))
  const windows = runs.flatMap((run) =>
    [12, 15, 18, 21, 24].flatMap((length) =>
      run.length < length
        ? []
        : run.slice(length - 1).map((_, from) => run.slice(from, from + length)),
    ),
  )
  return (
    windows.length > CHECKSUMS_MAX ||
    windows.some((window) => validateMnemonic(window.join(' '), wordlist))
  )
}

const word = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...wordlist) },
  { weight: 1, arbitrary: fc.constant('the') },
)
const phrase = fc.constantFrom(phrase12, phrase24)
const prose = fc
  .array(fc.oneof({ weight: 40, arbitrary: word }, { weight: 1, arbitrary: phrase }), {
    maxLength: 60,
  })
  .chain((words) => fc.constantFrom(' ', ', ', '\n3. ', '\u00a0').map((gap) => words.join(gap)))

verifies(
  'admission.screening-bounded',
  'a text has the verdict that a simple reference gives',
  () => {
    fc.assert(
      fc.property(prose, (said) => {
        expect(holdsPhrase(said, { checksums: CHECKSUMS_MAX })).toBe(holdsPhraseSimply(said))
      }),
      { numRuns: 300, seed: 16 },
    )
  },
)

verifies('pipeline.encoded-material', 'content_base64 is screened as what it encodes', () => {
  const item = (content: string | Buffer) => ({
    memo: 'fine',
    context: { items: [{ content_base64: Buffer.from(content as string).toString('base64') }] },
  })
  for (const secret of [pem, phrase12, 'password: hunter22', JSON.stringify(jwk)]) {
    const text = `It says ${secret}.`
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
    for (const one of [text, utf16, Buffer.from(`Für alle: ${text}`, 'latin1')])
      expect(pointersOf(item(one))).toEqual(['/context/items/0/content_base64'])
  }
  expect(pointersOf(item('Backups are tested. Access is reviewed.'))).toEqual([])
})
