import { ed25519 } from '@noble/curves/ed25519.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { isSoundKeyText } from '../core/ed25519.ts'
import { bytesIn, objectIn } from '../core/strict-json.ts'
import { timesFor } from '../receipts/dated-back.ts'
import type { KeySet, PublishedKey } from '../receipts/key-set.ts'
import { isActivatedBy, type KeyTimes } from '../receipts/key-standing.ts'
import { type Reason, reasons } from './reasons.ts'

/** A key whose public half is an Ed25519 key that may be used. */
type SoundKey = PublishedKey & { x: string }

/** How the key stood when it signed. Revoked: a thief may have chosen the time, so nothing is proven by it. */
export type Standing = 'active' | 'revoked'
export type Signed =
  | { ok: true; payload: Record<string, unknown>; key: PublishedKey; standing: Standing }
  | {
      ok: false
      reason: Reason
      fault: string
      key?: PublishedKey
      payload?: Record<string, unknown>
    }

/** What a signature has to be: by a key of this purpose, under this `typ`, over claims that hold. */
type Expected = {
  readonly typ: string
  readonly ring: string
  readonly holds?: (claims: Record<string, unknown>) => boolean
}

/** Verifies a compact JWS of this `typ` by the receipt keys of a set: Ed25519 (RFC 8037) and nothing else. */
export const verifySigned = (jws: string, typ: string, keys: KeySet): Signed =>
  settle(openSigned(jws, { typ, ring: 'receipt' }, keys))

/** Everything about a compact JWS but the check of its signature itself. */
export function openSigned(jws: string, expected: Expected, keys: KeySet): Opened<Signed> {
  const read = readJws(jws)
  if (read === undefined) return { done: refused('malformed') }
  const { alg, kid, typ, crit } = read.header
  if (alg !== 'EdDSA' || crit !== undefined) return { done: refused('wrong_algorithm') }
  if (typ !== expected.typ) return { done: refused('wrong_type', `it is no ${expected.typ}`) }
  const key = findKey(keys, expected.ring, kid)
  if (typeof key === 'string') return { done: refused(key) }
  const { text, signature, claims } = read
  return {
    check: { publicKey: key.x, text, signature },
    conclude: (valid) => {
      if (!valid) return { ...refused('signature_invalid'), key }
      const iat = claims['iat']
      if (!isTime(iat) || expected.holds?.(claims) === false)
        return { ...refused('claims_invalid'), key, payload: claims }
      const standing = standingOf(key, iat, timesFor(timesOf(key), expected.typ, claims))
      if (standing.reason !== undefined)
        return { ...refused(standing.reason, standing.fault), key, payload: claims }
      return { ok: true, payload: claims, key, standing: standing.standing }
    },
  }
}

const refused = (reason: Reason, fault: string = reasons[reason]) =>
  ({ ok: false, reason, fault }) as const

/** A Unix time in whole seconds. */
export const isTime = (value: unknown): value is number => Number.isSafeInteger(value)

/** The header of a compact JWS, where it is one. */
export const headerOf = (jws: string): Record<string, unknown> | undefined => readJws(jws)?.header

function readJws(jws: string) {
  const [head, body, last, ...more] = jws.split('.')
  if (head === undefined || body === undefined || last === undefined || more.length > 0)
    return undefined
  const [header, claims, signature] = [objectIn(head), objectIn(body), bytesIn(last)]
  if (header === undefined || claims === undefined || signature === undefined) return undefined
  return { header, claims, signature, text: `${head}.${body}` }
}

/** The keys of each purpose of a set by their kid, so that the time of a check does not grow with its set. */
const indexed = new WeakMap<PublishedKey[], Map<string, PublishedKey>>()

/** The key of this purpose and kid, or why none of the set may have signed; of keys with one kid the first counts. */
export function findKey(
  { keys }: KeySet,
  ring: string,
  kid: unknown,
): SoundKey | 'unknown_key' | 'key_unsound' {
  const known = indexed.get(keys) ?? indexOf(keys)
  const key = typeof kid === 'string' ? known.get(nameOf(ring, kid)) : undefined
  if (key === undefined) return 'unknown_key'
  return isSound(key) ? key : 'key_unsound'
}

/** The keys of a set that serve this purpose and are sound. */
export const findKeys = ({ keys }: KeySet, ring: string): SoundKey[] =>
  keys.filter((key) => key.use_for === ring).filter(isSound)

function isSound(key: PublishedKey): key is SoundKey {
  const { kty, crv, x } = key
  return kty === 'OKP' && crv === 'Ed25519' && x !== undefined && isSoundKeyText(x)
}

const nameOf = (ring: string, kid: string): string => JSON.stringify([ring, kid])

function indexOf(keys: PublishedKey[]): Map<string, PublishedKey> {
  const index = new Map(keys.toReversed().map((key) => [nameOf(key.use_for, key.kid), key]))
  indexed.set(keys, index)
  return index
}

/** When a published key became active and when it ended, in Unix seconds with a fraction. */
export const timesOf = ({ activated_at, retired_at, revoked_at }: PublishedKey): KeyTimes => ({
  ...(activated_at === undefined ? {} : { activatedAt: seconds(activated_at) }),
  retiredAt: seconds(retired_at),
  revokedAt: seconds(revoked_at),
})

const seconds = (time: string | null): number | null =>
  time === null ? null : Date.parse(time) / 1000

/**
 * How a key stood at the time that an artifact gives itself. From its revocation on it signs nothing; before that a thief may have
 * dated the artifact back, so that only a record of another proves it.
 */
export function standingOf(
  key: PublishedKey,
  issuedAt: number,
  times: KeyTimes = timesOf(key),
): { standing: Standing; reason?: undefined } | { reason: Reason; fault: string } {
  const { retiredAt, revokedAt } = times
  if (!isActivatedBy(times, issuedAt))
    return { reason: 'key_not_active', fault: `${key.kid} was not active yet at its date` }
  if (retiredAt !== null && issuedAt > retiredAt)
    return { reason: 'key_retired', fault: `${key.kid} was retired before its date` }
  if (revokedAt === null) return { standing: 'active' }
  if (issuedAt < revokedAt) return { standing: 'revoked' }
  return { reason: 'key_revoked', fault: `${key.kid} was revoked before its date` }
}

/** One Ed25519 signature that is to be checked: by this public key (base64url), over the UTF-8 bytes of this text. */
export type SignatureCheck = {
  readonly publicKey: string
  readonly text: string
  readonly signature: Uint8Array
}

/** A result, or the signature that has to be checked first: by `settle` here, or by WebCrypto in a browser. */
export type Opened<T> =
  | { readonly done: T }
  | { readonly check: SignatureCheck; readonly conclude: (valid: boolean) => T }

/** What comes next, once an opened result is there. */
export function after<T, U>(opened: Opened<T>, next: (result: T) => U): Opened<U> {
  if ('done' in opened) return { done: next(opened.done) }
  const { check, conclude } = opened
  return { check, conclude: (valid) => next(conclude(valid)) }
}

/** The result, with the signature checked by this process. */
export const settle = <T>(opened: Opened<T>): T =>
  'done' in opened ? opened.done : opened.conclude(isSignedBy(opened.check))

function isSignedBy({ publicKey, text, signature }: SignatureCheck): boolean {
  try {
    const key = base64urlnopad.decode(publicKey)
    return ed25519.verify(signature, utf8ToBytes(text), key, { zip215: false })
  } catch {
    return false
  }
}
