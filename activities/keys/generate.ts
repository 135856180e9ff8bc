import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type OwnKeyEntry, ofEachRing, type Ring, ringAlgs } from './key-ring.ts'
import type { TokenKeysFile } from './token-keys.ts'

/** Fresh keys for every ring, the contents of SIGNING_KEYS_FILE; kids are dated, such as `receipt-2026-11-21-5f0c2a9e`. */
export const generateSigningKeys = (now: Date): { rings: Record<Ring, OwnKeyEntry[]> } => ({
  rings: ofEachRing((ring) => [{ ...newKey(ring, now), state: 'active' }]),
})

const TOKEN_KEY_DELAY_S = 3600
const newTokenKey = (since: number) => ({ key: randomBytes(32).toString('base64url'), since })

/** A fresh key for tokens, the contents of TOKEN_KEYS_FILE. */
export const generateTokenKeys = (): TokenKeysFile => [newTokenKey(0)]

/**
 * The same keys and one that new tokens are derived from in an hour, when every process has the file: two that derive from
 * different keys would give a call two tokens.
 */
export const rotateTokenKeys = (keys: TokenKeysFile, now: Date): TokenKeysFile => [
  ...keys,
  newTokenKey(Math.floor(now.getTime() / 1000) + TOKEN_KEY_DELAY_S),
]

/** A fresh key that may not sign yet. */
export function newKey(ring: Ring, now: Date): OwnKeyEntry {
  const alg = ringAlgs[ring]
  const { privateKey } =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const private_jwk = privateKey.export({ format: 'jwk' }) as OwnKeyEntry['private_jwk']
  return { kid: newKid(ring, now, private_jwk.x), alg, state: 'published', private_jwk }
}

/** Two keys of one day have two names, also where a file is made again: a name never stands for another key. */
export function newKid(ring: Ring, now: Date, x: string): string {
  const digest = createHash('sha256').update(x).digest('hex')
  return `${ring}-${now.toISOString().slice(0, 10)}-${digest.slice(0, 8)}`
}
