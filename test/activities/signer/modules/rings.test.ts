import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'vitest'
import type { HeldKeyEntry } from '../../../../activities/keys/key-ring.ts'
import type { Modules, PublicPoint } from '../../../../activities/signer/modules/module.ts'
import { keyPlaceOf } from '../../../../activities/signer/modules/rings.ts'
import { verifies } from '../../../verifies.ts'

const pairs = {
  EdDSA: () => generateKeyPairSync('ed25519'),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}

/** A key of a module that signs with another key than it names, if `lies`. */
function held(alg: keyof typeof pairs, lies: boolean) {
  const named = pairs[alg]()
  const signing = lies ? pairs[alg]() : named
  const publicJwk = named.publicKey.export({ format: 'jwk' }) as PublicPoint
  const key = {
    publicJwk,
    sign: async (bytes: Uint8Array) =>
      alg === 'EdDSA'
        ? sign(null, bytes, signing.privateKey)
        : sign('sha256', textOf(bytes), { key: signing.privateKey, dsaEncoding: 'ieee-p1363' }),
  }
  const modules = { open: async () => key } as unknown as Modules
  const entry: HeldKeyEntry = {
    kid: 'log-1',
    alg,
    state: 'active',
    public_jwk: publicJwk,
    pkcs11: { label: 'log-1' },
  }
  return { place: keyPlaceOf({ PKCS11_RINGS: [], AWS_KMS_RINGS: [] }, modules), entry }
}

const text = Buffer.from('what is signed')
/** The text of the digest that a module gets. */
function textOf(digest: Uint8Array): Buffer {
  expect(Buffer.from(digest)).toEqual(createHash('sha256').update(text).digest())
  return text
}

for (const alg of ['EdDSA', 'ES256'] as const)
  verifies('signer.module-faults', `a wrong ${alg} signature of a module is not used`, async () => {
    const sound = held(alg, false)
    expect(await sound.place.sign(sound.entry, text)).toHaveLength(64)
    const lying = held(alg, true)
    await expect(lying.place.sign(lying.entry, text)).rejects.toThrow('no signature of log-1')
  })
