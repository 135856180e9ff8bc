import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import fc from 'fast-check'
import { expect } from 'vitest'
import { isSoundKeyText, isSoundPublicKey } from '#domain/core/ed25519.ts'
import { verifySigned } from '#domain/verification/signed.ts'
import { verifySignature } from '../../../../activities/keys/compact.ts'
import { PublicKey } from '../../../../api/shapes/agents.ts'
import { verifies } from '../../../verifies.ts'

const P = 2n ** 255n - 19n
const encoded = (y: bigint, sign: number) =>
  Uint8Array.from(
    { length: 32 },
    (_, at) => Number((y >> BigInt(8 * at)) & 0xffn) | (at === 31 ? sign << 7 : 0),
  )
const weak = [
  ...ED25519_TORSION_SUBGROUP.map((hex) => hexToBytes(hex)),
  ...Array.from({ length: 19 }, (_, above) => [
    encoded(P + BigInt(above), 0),
    encoded(P + BigInt(above), 1),
  ]).flat(),
]

verifies('keys.sound', 'points of small order and non-canonical encodings are refused', () => {
  expect(weak).toHaveLength(46)
  for (const bytes of weak) {
    expect(isSoundPublicKey(bytes)).toBe(false)
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64urlnopad.encode(bytes) }
    expect(PublicKey.safeParse(jwk).success).toBe(false)
    expect(() =>
      verifySignature({ alg: 'EdDSA', publicJwk: jwk }, 'any text', new Uint8Array(64)),
    ).toThrow('small order')
    const key = { ...jwk, kid: 'weak', use_for: 'receipt', retired_at: null, revoked_at: null }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    // R is the neutral element and s is 0: by a key that is neutral too, the signature of any text.
    const signature = base64urlnopad.encode(
      Uint8Array.from({ length: 64 }, (_, at) => (at === 0 ? 1 : 0)),
    )
    const jws = `${part({ alg: 'EdDSA', kid: 'weak', typ: 'receipt+jwt' })}.${part({ iat: 1 })}.${signature}`
    expect(verifySigned(jws, 'receipt+jwt', { keys: [key] })).toMatchObject({ ok: false })
  }
})

verifies('keys.sound', 'every key that is generated is sound', () => {
  const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(fc.property(secret, (bytes) => isSoundPublicKey(ed25519.getPublicKey(bytes))))
})

verifies('keys.sound', 'only 32 bytes in base64url without padding are a key', () => {
  const key = ed25519.getPublicKey(new Uint8Array(32).fill(7))
  expect(isSoundPublicKey(key)).toBe(true)
  expect(isSoundPublicKey(key.slice(1))).toBe(false)
  expect(isSoundPublicKey(Uint8Array.from([...key.slice(0, 31), 0, 0]))).toBe(false)
  const text = base64urlnopad.encode(key)
  expect(isSoundKeyText(text)).toBe(true)
  for (const wrong of [`${text}=`, text.slice(1), `${text}A`, '!'.repeat(43), ''])
    expect(isSoundKeyText(wrong), wrong).toBe(false)
})
