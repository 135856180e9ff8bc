import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { TokenPrefix } from '#domain/agents/status-token.ts'
import { limits } from '#domain/core/limits.ts'

/** What is derived from the token keys of the service, so that a repeat gets the same and nothing of it has to be stored. */
export type DerivedTokens = {
  /** `<prefix>_` and 43 base64url; the id of a call is the digest of caller, operation and idempotency key. A rotation changes none that is known. */
  statusToken(prefix: TokenPrefix, callId: string): Promise<string>
  /** `qk_` and 43 base64url: the capability of a quote that was asked for without a credential. */
  quoteToken(callId: string): Promise<string>
  /** 64 hex; shown only to the client that claims the credential. */
  credentialSecret(credentialId: string): Promise<string>
  /** The codes of an operator's session, 64 hex each: by the key in use first, then by every key. */
  sessionMacs(text: string): readonly [string, ...string[]]
  /** Whether a credential's secret was derived from a key of ours; the database alone makes no credential. */
  isCredentialSecret(credentialId: string, secret: string): boolean
  /** The secrets of MPP challenges, 43 base64url each: the one in use first, then all that a challenge may have been made with. */
  challengeSecrets(): readonly [string, ...string[]]
  /** A handshake nonce that any process of the service recognises until it expires. */
  nonce(nowSeconds: number): string
  /** When a nonce of ours expires, in Unix seconds; undefined for one that we never gave out. */
  nonceExpiry(nonce: string): number | undefined
}

const nonceForm = /^(hs_([0-9]{10})_[0-9a-f]{32})_([0-9a-f]{64})$/

/** A key that tokens are derived from, and since when, in Unix seconds. */
export type TokenKey = { readonly key: Uint8Array; readonly since: number }
/** Which of these digests of secrets the store knows; asked only while there is more than one key. */
export type FindKnown = (
  kind: TokenPrefix | 'quote' | 'credential',
  sha256s: readonly string[],
) => Promise<string | undefined>

/**
 * Derives by HMAC-SHA256, with a context of its own for each use, from the newest key whose time has come; what is known by
 * another key stays as it is. `readKeys` answers the keys of that moment.
 */
export function deriveTokens(
  readKeys: () => readonly TokenKey[],
  findKnown: FindKnown,
): DerivedTokens {
  const newestFirst = () => [...readKeys()].sort((one, other) => other.since - one.since)
  const mac = (key: Uint8Array, context: string, text: string) =>
    createHmac('sha256', key).update(`${context}\0${text}`).digest()
  const current = (): Uint8Array => {
    const now = Date.now() / 1000
    const keys = newestFirst()
    const found = keys.find(({ since }) => since <= now) ?? keys.at(-1)
    if (found === undefined) throw new Error('there is no token key')
    return found.key
  }
  const derived = async (
    kind: Parameters<FindKnown>[0],
    of: (key: Uint8Array) => string,
  ): Promise<string> => {
    const keys = newestFirst()
    if (keys.length === 1) return of(current())
    const secrets = keys.map(({ key }) => of(key))
    const known = await findKnown(kind, secrets.map(secretSha256))
    return secrets.find((secret) => secretSha256(secret) === known) ?? of(current())
  }
  const macsOf = (body: string) => newestFirst().map(({ key }) => mac(key, 'handshake-nonce', body))
  const statusTokenBy = (key: Uint8Array, prefix: TokenPrefix, callId: string) =>
    `${prefix}_${mac(key, 'status-token', `${prefix}:${callId}`).toString('base64url')}`
  return {
    statusToken: (prefix, callId) => derived(prefix, (key) => statusTokenBy(key, prefix, callId)),
    quoteToken: (callId) =>
      derived('quote', (key) => `qk_${mac(key, 'quote-token', callId).toString('base64url')}`),
    credentialSecret: (credentialId) =>
      derived('credential', (key) => mac(key, 'agent-credential', credentialId).toString('hex')),
    isCredentialSecret: (credentialId, secret) => {
      const given = Buffer.from(secret, 'hex')
      return newestFirst()
        .map(({ key }) => mac(key, 'agent-credential', credentialId))
        .some((one) => one.length === given.length && timingSafeEqual(one, given))
    },
    sessionMacs: (text) => {
      const macBy = (key: Uint8Array) => mac(key, 'operator-session', text).toString('hex')
      return [macBy(current()), ...newestFirst().map(({ key }) => macBy(key))]
    },
    challengeSecrets: () => {
      const secretBy = (key: Uint8Array) => mac(key, 'mpp-challenge', '').toString('base64url')
      return [secretBy(current()), ...newestFirst().map(({ key }) => secretBy(key))]
    },
    nonce: (nowSeconds) => {
      const body = `hs_${nowSeconds + limits.handshakeNonceSeconds}_${randomBytes(16).toString('hex')}`
      return `${body}_${mac(current(), 'handshake-nonce', body).toString('hex')}`
    },
    nonceExpiry: (nonce) => {
      const [, body, expiry, given] = nonceForm.exec(nonce) ?? []
      if (body === undefined || given === undefined) return undefined
      const bytes = Buffer.from(given, 'hex')
      return macsOf(body).some((one) => timingSafeEqual(one, bytes)) ? Number(expiry) : undefined
    },
  }
}

/** SHA-256 of a secret's text, 64 hex: all that is stored of tokens and credentials. */
export const secretSha256 = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex')

/** Whether the secret has this SHA-256, in constant time; a digest that is not there costs the same comparison and fails. */
export function hasDigest(secret: string, sha256: string | null | undefined): boolean {
  const expected = Buffer.from(sha256 ?? '0'.repeat(64), 'hex')
  return timingSafeEqual(Buffer.from(secretSha256(secret), 'hex'), expected) && sha256 != null
}

/** A task is named by the digest of its token. */
export const taskIdOf = (token: string): string => `task-${secretSha256(token)}`
