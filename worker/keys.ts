import { existsSync } from 'node:fs'
import { readJsonFile } from '../activities/config.ts'
import { completeSigningKeys, generateSigningKeys, rotateSigningKeys } from '../activities/keys/generate.ts'
import { keyRings, signingKeysSchema } from '../activities/keys/key-ring.ts'
import { writeSecret } from './stack/secret-file.ts'

/** Makes the file of signing keys, or puts a new active key into each of its rings; answers the kids that sign from now on. */
export function renewSigningKeys(file: string, now: Date): string[] {
  const keys = existsSync(file)
    ? rotateSigningKeys(readJsonFile(file, signingKeysSchema), now)
    : generateSigningKeys(now)
  const rings = keyRings(keys)
  writeSecret(file, keys)
  return Object.values(rings).map(({ active }) => active.kid)
}

/** Makes the file of signing keys where there is none, and adds what an older one lacks; a key that is there stays. */
export function keepSigningKeys(file: string, now: Date): void {
  const known = existsSync(file) ? readJsonFile(file, signingKeysSchema) : undefined
  const complete = known === undefined ? generateSigningKeys(now) : completeSigningKeys(known, now)
  if (JSON.stringify(complete) !== JSON.stringify(known)) writeSecret(file, complete)
}
