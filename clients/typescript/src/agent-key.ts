import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'

/** An agent's signing key as an Ed25519 JWK; `d` is its private half, which never leaves the agent. */
export type AgentKey = {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly d: string
}

export function createAgentKey(): AgentKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { kty: 'OKP', crv: 'Ed25519', x, d }
}

/** Signs a text for the service: Ed25519 over its UTF-8 bytes, as base64url. */
export function signText(key: AgentKey, text: string): string {
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' })
  return sign(null, Buffer.from(text), privateKey).toString('base64url')
}
