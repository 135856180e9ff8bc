import { createHash, type KeyObject, sign } from 'node:crypto'

export type BaselineReceipt = { jws: string; digest: string }

const header = Buffer.from(
  JSON.stringify({ alg: 'EdDSA', typ: 'receipt+jwt', kid: 'bench' }),
).toString('base64url')

/** A compact JWS of the size of the rail's receipts, signed with Ed25519. */
export function signReceipt(key: KeyObject, payoutId: string): BaselineReceipt {
  const claims = { sub: payoutId, iat: Date.now(), facts: payoutId.repeat(9) }
  const input = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const jws = `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
  return { jws, digest: createHash('sha256').update(jws).digest('hex') }
}
