import { createHash } from 'node:crypto'
import type { SignerConfig } from '../../config/signer-config.ts'
import { verifySignature } from '../../keys/compact.ts'
import { followFile } from '../../keys/follow-file.ts'
import { newKey, newKid } from '../../keys/generate.ts'
import {
  type HeldKeyEntry,
  type KeyRings,
  keyRings,
  type Ring,
  readKeysFile,
  rereadableRings,
  ringAlgs,
  type SigningKeysFile,
} from '../../keys/key-ring.ts'
import type { ModuleReference } from '../../keys/module-reference.ts'
import type { KeyPlace } from '../key-file.ts'
import type { Curve, ModuleKey, ModuleName, Modules } from './module.ts'

const curveOf = { EdDSA: 'Ed25519', ES256: 'P-256' } as const satisfies Record<string, Curve>

/** Makes the keys of the configured rings in their module, and those of all others in the file; signs with keys that are in a module, and verifies that. */
export function keyPlaceOf(
  config: Pick<SignerConfig, 'PKCS11_RINGS' | 'AWS_KMS_RINGS'>,
  modules: Modules,
): KeyPlace & Required<Pick<KeyPlace, 'sign'>> {
  const placeOf = (ring: Ring): ModuleName | undefined => {
    if (config.PKCS11_RINGS.includes(ring)) return 'pkcs11'
    return config.AWS_KMS_RINGS.includes(ring) ? 'kms' : undefined
  }
  return {
    make: async ({ ring, rotationId }, now) => {
      const place = placeOf(ring)
      if (place === undefined) return newKey(ring, now)
      const alg = ringAlgs[ring]
      const reference = await modules.make(place, `${ring}-${rotationId}`, curveOf[alg])
      const { publicJwk } = await modules.open(reference, curveOf[alg])
      const kid = newKid(ring, now, publicJwk.x)
      return { kid, alg, state: 'published', public_jwk: publicJwk, ...reference }
    },
    sign: async (entry, bytes) => {
      const key = await openHeld(modules, entry)
      const signed = entry.alg === 'ES256' ? createHash('sha256').update(bytes).digest() : bytes
      const signature = await key.sign(signed)
      if (!verifySignature({ alg: entry.alg, publicJwk: entry.public_jwk }, bytes, signature))
        throw new Error(`signing keys: the module answered with no signature of ${entry.kid}`)
      return signature
    },
  }
}

const referenceOf = (entry: HeldKeyEntry): ModuleReference =>
  'pkcs11' in entry ? { pkcs11: entry.pkcs11 } : { kms: entry.kms }

/** The key that an entry names; throws where the module has another public half for it. */
async function openHeld(modules: Modules, entry: HeldKeyEntry): Promise<ModuleKey> {
  const key = await modules.open(referenceOf(entry), curveOf[entry.alg])
  const [held, named] = [key.publicJwk, entry.public_jwk]
  if (held.crv === named.crv && held.x === named.x && held.y === named.y) return key
  throw new Error(`signing keys: the module has another key than the public_jwk of ${entry.kid}`)
}

/**
 * The rings of a file whose keys may be in modules, like `loadKeyRings`. No key is published that its module does not have, but for
 * retired ones, which may be deleted there.
 */
export async function openHeldRings(
  path: string,
  place: Required<Pick<KeyPlace, 'sign'>>,
  modules: Modules,
): Promise<KeyRings> {
  const current = followFile(path, () => {
    const file = readKeysFile(path)
    return { file, rings: keyRings(file, place.sign) }
  })
  let taken: ReturnType<typeof current> | undefined
  const read = async (): Promise<KeyRings> => {
    const changed = current()
    if (changed !== taken) await assertHeld(changed.file, modules)
    taken = changed
    return changed.rings
  }
  return rereadableRings(await read(), read)
}

async function assertHeld({ rings }: SigningKeysFile, modules: Modules): Promise<void> {
  for (const entry of Object.values(rings).flat())
    if (!('private_jwk' in entry) && entry.state !== 'retired') await openHeld(modules, entry)
}
