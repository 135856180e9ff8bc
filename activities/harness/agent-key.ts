import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { TokenKey } from '../keys/derived-tokens.ts'

/** An agent of a test as its key makes it: what it publishes, and how it signs a text (64 bytes as base64url). */
export type AgentKey = {
  readonly publicJwk: { kty: 'OKP'; crv: 'Ed25519'; x: string }
  sign(text: string): string
}
type Named = { testRunId: string; agent: string; createdAt: Date }

/** The start of an Ed25519 private key in PKCS #8, before its 32 bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The key of an agent of a test, derived from the token key that was in use when the test began: a repeated step has the same key, and
 * none is stored.
 */
export function agentKeyOf(tokenKeys: readonly TokenKey[], { testRunId, agent, createdAt }: Named) {
  const began = createdAt.getTime() / 1000
  const newestFirst = [...tokenKeys].sort((one, other) => other.since - one.since)
  const used = newestFirst.find(({ since }) => since <= began) ?? newestFirst.at(-1)
  if (used === undefined) throw new Error('there is no token key')
  const seed = createHmac('sha256', used.key)
    .update(`harness-agent\0${testRunId}:${agent}`)
    .digest()
  return keyOf(
    createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }),
  )
}

function keyOf(privateKey: KeyObject): AgentKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    publicJwk: { kty: 'OKP', crv: 'Ed25519', x },
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}
