import { existsSync } from 'node:fs'
import { readJsonFile } from '../../activities/config/config.ts'
import { writeSecret } from '../../activities/config/secret-file.ts'
import {
  generateSigningKeys,
  generateTokenKeys,
  rotateTokenKeys,
} from '../../activities/keys/generate.ts'
import { keyRings, type SigningKeysFile } from '../../activities/keys/key-ring.ts'
import { tokenKeysSchema } from '../../activities/keys/token-keys.ts'

/** Makes the file of signing keys; throws where there is one, because what its keys signed needs them. */
export function createSigningKeys(file: string, now: Date): string[] {
  assertAbsent(file, 'rotate')
  return write(file, generateSigningKeys(now))
}

/** Makes the file of token keys; throws where there is one, because tokens in use are derived from its keys. */
export function createTokenKeys(file: string): void {
  assertAbsent(file, 'rotate-tokens')
  writeSecret(file, generateTokenKeys())
}

/** Adds a token key that is in use from an hour later; the older ones stay. */
export function renewTokenKeys(file: string, now: Date): void {
  writeSecret(file, rotateTokenKeys(readJsonFile(file, tokenKeysSchema), now))
}

/** Makes the files of signing keys and token keys where there is none. */
export function keepKeys(files: { signingKeys: string; tokenKeys: string }, now: Date): void {
  if (!existsSync(files.signingKeys)) createSigningKeys(files.signingKeys, now)
  if (!existsSync(files.tokenKeys)) createTokenKeys(files.tokenKeys)
}

function assertAbsent(file: string, verb: string): void {
  if (existsSync(file))
    throw new Error(`${file} is there already; agent-rails keys ${verb} adds keys to it`)
}

function write(file: string, keys: SigningKeysFile): string[] {
  const rings = keyRings(keys)
  writeSecret(file, keys)
  return Object.values(rings).map(({ active }) => active.kid)
}
