import { existsSync } from 'node:fs'
import { readJsonFile } from '../../activities/config/config.ts'
import { generateSigningKeys, rotateSigningKeys } from '../../activities/keys/generate.ts'
import {
  keyRings,
  olderSigningKeysSchema,
  type SigningKeysFile,
} from '../../activities/keys/key-ring.ts'
import { writeSecret } from './secret-file.ts'

/** Makes the file of signing keys; throws where there is one, because what its keys signed needs them. */
export function createSigningKeys(file: string, now: Date): string[] {
  if (existsSync(file))
    throw new Error(`${file} is there already; agent-rails keys rotate adds keys to it`)
  return write(file, generateSigningKeys(now))
}

/** Puts a new active key into each ring of the file, also one that it lacks; the older ones stay in it. Answers the kids that sign from now on. */
export function renewSigningKeys(file: string, now: Date): string[] {
  return write(file, rotateSigningKeys(readJsonFile(file, olderSigningKeysSchema), now))
}

/** Makes the file of signing keys where there is none. */
export function keepSigningKeys(file: string, now: Date): void {
  if (!existsSync(file)) createSigningKeys(file, now)
}

function write(file: string, keys: SigningKeysFile): string[] {
  const rings = keyRings(keys)
  writeSecret(file, keys)
  return Object.values(rings).map(({ active }) => active.kid)
}
