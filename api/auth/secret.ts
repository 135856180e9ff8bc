import { timingSafeEqual } from 'node:crypto'
import { secretSha256 } from '../../activities/keys/derived-tokens.ts'

/** Whether the secret has this SHA-256, in constant time; a digest that is not there costs the same comparison and fails. */
export function hasDigest(secret: string, sha256: string | null | undefined): boolean {
  const expected = Buffer.from(sha256 ?? '0'.repeat(64), 'hex')
  return timingSafeEqual(Buffer.from(secretSha256(secret), 'hex'), expected) && sha256 != null
}
