import { generateKeyPairSync } from 'node:crypto'
import { type Ring, ringAlgs, type SigningKeyEntry, type SigningKeysFile } from './key-ring.ts'

/** Fresh keys for every ring, the contents of SIGNING_KEYS_FILE; kids are dated, such as `receipt-2026-11-21-a`. */
export function generateSigningKeys(now: Date): SigningKeysFile {
  const keys = (ring: Ring) => [newKey(ring, now)]
  return { rings: { receipt: keys('receipt'), authority: keys('authority'), checkout: keys('checkout') } }
}

function newKey(ring: Ring, now: Date): SigningKeyEntry {
  const alg = ringAlgs[ring]
  const { privateKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const private_jwk = privateKey.export({ format: 'jwk' }) as SigningKeyEntry['private_jwk']
  return { kid: `${ring}-${now.toISOString().slice(0, 10)}-a`, alg, active: true, private_jwk }
}
