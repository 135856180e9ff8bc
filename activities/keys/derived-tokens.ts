import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { limits } from '../../workflows/domain/limits.ts'
import type { TokenPrefix } from '../../workflows/domain/status-token.ts'

/** What is derived from the one key of the service, so that a repeat gets the same and nothing of it has to be stored. */
export type DerivedTokens = {
  /** `<prefix>_` and 43 base64url; the id of a call is the digest of caller, operation and idempotency key. */
  statusToken(prefix: TokenPrefix, callId: string): string
  /** `qk_` and 43 base64url: the capability of a quote that was asked for without a credential. */
  quoteToken(callId: string): string
  /** 64 hex; only who claims the credential is told. */
  credentialSecret(credentialId: string): string
  /** A handshake nonce that any process of the service recognises until it expires. */
  nonce(nowSeconds: number): string
  /** When a nonce of ours expires, in Unix seconds; undefined for one that we never gave out. */
  nonceExpiry(nonce: string): number | undefined
}

const nonceForm = /^(hs_([0-9]{10})_[0-9a-f]{32})_([0-9a-f]{64})$/

/** Derives by HMAC-SHA256, with a context of its own for each use. */
export function deriveTokens(key: Uint8Array): DerivedTokens {
  const derive = (context: string, text: string) => createHmac('sha256', key).update(`${context}\0${text}`).digest()
  const macOf = (body: string) => derive('handshake-nonce', body)
  return {
    statusToken: (prefix, callId) => `${prefix}_${derive('status-token', `${prefix}:${callId}`).toString('base64url')}`,
    quoteToken: (callId) => `qk_${derive('quote-token', callId).toString('base64url')}`,
    credentialSecret: (credentialId) => derive('agent-credential', credentialId).toString('hex'),
    nonce: (nowSeconds) => {
      const body = `hs_${nowSeconds + limits.handshakeNonceSeconds}_${randomBytes(16).toString('hex')}`
      return `${body}_${macOf(body).toString('hex')}`
    },
    nonceExpiry: (nonce) => {
      const [, body, expiry, mac] = nonceForm.exec(nonce) ?? []
      if (body === undefined || mac === undefined) return undefined
      return timingSafeEqual(macOf(body), Buffer.from(mac, 'hex')) ? Number(expiry) : undefined
    },
  }
}

/** SHA-256 of a secret's text, 64 hex: all that is stored of tokens and credentials. */
export const secretSha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** A task is named by the digest of its token. */
export const taskIdOf = (token: string): string => `task-${secretSha256(token)}`
