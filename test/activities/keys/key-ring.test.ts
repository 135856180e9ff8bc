import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base64urlnopad } from '@scure/base'
import fc from 'fast-check'
import { compactVerify, importJWK, type JWK } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeBase64url, signCompact, verifyCompact } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings, loadKeyRings, type SigningKeysFile } from '../../../activities/keys/key-ring.ts'
import { verifies } from '../../verifies.ts'

const now = new Date('2026-11-21T10:00:00Z')
const directory = mkdtempSync(join(tmpdir(), 'keys-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const copy = (file: SigningKeysFile): SigningKeysFile => structuredClone(file)
const first = <T>(list: readonly T[]): T => list[0] as T

describe('key rings', () => {
  const file = generateSigningKeys(now)
  const rings = keyRings(file)

  verifies('keys.names', 'generated key ids are dated and differ on the same day', () => {
    const kids = Object.values(rings).map(({ active }) => active.kid)
    expect(kids.map((kid) => kid.replace(/-[0-9a-f]{8}$/, ''))).toEqual(
      ['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log'].map(
        (ring) => `${ring}-2026-11-21`,
      ),
    )
    const again = Object.values(keyRings(generateSigningKeys(now))).map(({ active }) => active.kid)
    expect(again.filter((kid) => kids.includes(kid))).toEqual([])
  })

  test('public keys carry their alg and no private member', () => {
    expect(rings.receipt.active.publicJwk).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
    })
    expect(rings.checkout.active.publicJwk).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' })
    expect(JSON.stringify(rings)).not.toContain('"d"')
  })

  test('a file is loaded back with the same keys', () => {
    const path = join(directory, 'keys.json')
    writeFileSync(path, JSON.stringify(file))
    expect(loadKeyRings(path).authority.publicKeys).toEqual(rings.authority.publicKeys)
  })

  test('a ring may hold retired keys and one active key', () => {
    const rotated = copy(file)
    const older = generateSigningKeys(new Date('2026-10-01T00:00:00Z')).rings.receipt[0]!
    rotated.rings.receipt.unshift({ ...older, state: 'retiring' })
    const ring = keyRings(rotated).receipt
    expect(ring.active.kid).toBe(rings.receipt.active.kid)
    expect(ring.publicKeys.map(({ kid }) => kid)).toEqual([older.kid, ring.active.kid])
    expect(ring.keys.map(({ kid }) => kid)).toEqual([ring.active.kid, older.kid])
  })

  test('no or two active keys, a wrong algorithm or a shared key are refused', () => {
    const none = copy(file)
    first(none.rings.receipt).state = 'retired'
    expect(() => keyRings(none)).toThrow('exactly one active key')
    const two = copy(file)
    two.rings.receipt.push(
      first(generateSigningKeys(new Date('2026-11-22T00:00:00Z')).rings.receipt),
    )
    expect(() => keyRings(two)).toThrow('exactly one active key')
    const confused = copy(file)
    confused.rings.checkout = [{ ...first(file.rings.authority), kid: 'other' }]
    expect(() => keyRings(confused)).toThrow('ring checkout signs with ES256')
    const shared = copy(file)
    shared.rings.receipt = [{ ...first(file.rings.authority), kid: 'other' }]
    expect(() => keyRings(shared)).toThrow('a key stands twice')
    const renamed = copy(file)
    first(renamed.rings.receipt).kid = first(file.rings.authority).kid
    expect(() => keyRings(renamed)).toThrow('a kid stands twice')
  })

  test('an unreadable file is refused without printing what stands in it', () => {
    const path = join(directory, 'broken.json')
    const secret = first(file.rings.receipt).private_jwk.d
    writeFileSync(path, `{"d":"${secret}" "x"}`)
    expect(() => loadKeyRings(path)).toThrow('cannot be read as JSON')
    writeFileSync(path, JSON.stringify({ rings: { receipt: [{ d: secret }] } }))
    expect(() => loadKeyRings(path)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret) }),
    )
  })
})

describe('compact signatures', async () => {
  const rings = keyRings(generateSigningKeys(now))
  const payload = { iss: 'https://svc.example', text: 'grün' }

  test.each(['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log'] as const)(
    'jose verifies what the %s ring signs',
    async (ring) => {
      const { active } = rings[ring]
      const jws = await signCompact(active, { typ: 'test+jwt', payload })
      const checked = await compactVerify(jws, await importJWK(active.publicJwk as JWK, active.alg))
      expect(checked.protectedHeader).toEqual({ alg: active.alg, kid: active.kid, typ: 'test+jwt' })
      expect(JSON.parse(new TextDecoder().decode(checked.payload))).toEqual(payload)
      expect(
        verifyCompact(jws, { typ: 'test+jwt', alg: active.alg, publicJwk: active.publicJwk }),
      ).toEqual(payload)
    },
  )

  const { active } = rings.receipt
  const expected = { typ: 'test+jwt', alg: active.alg, publicJwk: active.publicJwk }
  const jws = await signCompact(active, { typ: 'test+jwt', payload })
  const [header = '', body = '', signature = ''] = jws.split('.')
  const b64u = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each([
    ['another typ', await signCompact(active, { typ: 'other+jwt', payload }), 'not a test+jwt'],
    ['alg none', `${b64u({ alg: 'none', typ: 'test+jwt' })}.${body}.`, 'not signed with EdDSA'],
    [
      'another ring',
      await signCompact(rings.authority.active, { typ: 'test+jwt', payload }),
      'does not verify',
    ],
    [
      'an ES256 key',
      await signCompact(rings.checkout.active, { typ: 'test+jwt', payload }),
      'not signed with EdDSA',
    ],
    [
      'a critical header',
      `${b64u({ alg: 'EdDSA', typ: 'test+jwt', crit: ['b64'] })}.${body}.${signature}`,
      'not signed',
    ],
    ['another payload', `${header}.${b64u({ iss: 'x' })}.${signature}`, 'does not verify'],
    ['four parts', `${jws}.x`, 'three parts'],
    ['padded base64', `${header}.${body}.${signature}==`, 'not strict base64url'],
    ['a payload that is no object', `${header}.${b64u([1])}.${signature}`, 'not a JSON object'],
  ])('%s is refused', (_, forged, reason) => {
    expect(() => verifyCompact(forged, expected)).toThrow(reason)
  })

  test('base64url is read as strictly as it is by another implementation', () => {
    const read = (decode: (text: string) => Uint8Array) => (text: string) => {
      try {
        return Buffer.from(decode(text)).toString('hex')
      } catch {
        return 'refused'
      }
    }
    const letters = fc.constantFrom(...'AQgwz09-_+/= \n')
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: letters, maxLength: 9 }), fc.base64String()),
        (text) => {
          expect(read(decodeBase64url)(text)).toBe(read(base64urlnopad.decode)(text))
        },
      ),
    )
  })

  test('a key of another curve is refused for an algorithm', () => {
    const { publicJwk } = rings.checkout.active
    expect(() => verifyCompact(jws, { typ: 'test+jwt', alg: 'EdDSA', publicJwk })).toThrow(
      'not one for EdDSA',
    )
  })
})
