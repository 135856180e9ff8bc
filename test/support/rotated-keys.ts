import { writeSecret } from '../../activities/config/secret-file.ts'
import { newKey } from '../../activities/keys/generate.ts'
import {
  ofEachRing,
  readKeysFile,
  type SigningKeyEntry,
  type SigningKeysFile,
} from '../../activities/keys/key-ring.ts'

/** The same rings, each with a new active key; those before may still sign. */
export function rotateSigningKeys({ rings }: SigningKeysFile, now: Date): SigningKeysFile {
  const asOld = (entry: SigningKeyEntry) => ({ ...entry, state: 'retiring' as const })
  return {
    rings: ofEachRing((ring) => [
      ...rings[ring].map(asOld),
      { ...newKey(ring, now), state: 'active' as const },
    ]),
  }
}

/** Puts a new active key into each ring of a file, as an operator does who exchanges it by hand. */
export function rotateKeysFile(path: string): void {
  writeSecret(path, rotateSigningKeys(readKeysFile(path), new Date()))
}
