import { generateKeyPairSync } from 'node:crypto'
import { type Ring, ringAlgs, type SigningKeyEntry, type SigningKeysFile } from './key-ring.ts'

/** Fresh keys for every ring, the contents of SIGNING_KEYS_FILE; kids are dated, such as `receipt-2026-11-21-a`. */
export function generateSigningKeys(now: Date): SigningKeysFile {
  const keys = (ring: Ring) => [newKey(ring, now)]
  return { rings: { receipt: keys('receipt'), authority: keys('authority'), checkout: keys('checkout') } }
}

/** The same rings, each with a new active key; the old ones stay in the file, so that what they signed can be judged. */
export function rotateSigningKeys({ rings }: SigningKeysFile, now: Date): SigningKeysFile {
  const rotate = (ring: Ring) => [
    ...rings[ring].map((entry) => ({ ...entry, active: false })),
    newKey(ring, now, rings[ring]),
  ]
  return { rings: { receipt: rotate('receipt'), authority: rotate('authority'), checkout: rotate('checkout') } }
}

function newKey(ring: Ring, now: Date, others: readonly SigningKeyEntry[] = []): SigningKeyEntry {
  const alg = ringAlgs[ring]
  const { privateKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const private_jwk = privateKey.export({ format: 'jwk' }) as SigningKeyEntry['private_jwk']
  const dated = `${ring}-${now.toISOString().slice(0, 10)}`
  const today = others.filter(({ kid }) => kid.startsWith(dated)).length
  return { kid: `${dated}-${'abcdefghijklmnopqrstuvwxyz'.charAt(today) || today}`, alg, active: true, private_jwk }
}
