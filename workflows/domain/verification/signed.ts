import { ed25519 } from '@noble/curves/ed25519.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { z } from 'zod'
import { type KeyTimes, standingAt } from '../receipts/key-standing.ts'

/** A key set as `/.well-known/jwks.json` serves it; members that say nothing about a signature are let be. */
export const KeySet = z.strictObject({
  keys: z.array(
    z.looseObject({
      kid: z.string(),
      kty: z.string(),
      crv: z.string().optional(),
      x: z.string().optional(),
      use_for: z.string(),
      retired_at: z.iso.datetime().nullable(),
      revoked_at: z.iso.datetime().nullable(),
    }),
  ),
})
export type KeySet = z.output<typeof KeySet>

/** How the key stood when it signed. Revoked: a thief may have chosen the time, so nothing is proven by it. */
export type Standing = 'active' | 'revoked'
export type Signed =
  | { ok: true; payload: Record<string, unknown>; kid: string; standing: Standing }
  | { ok: false; fault: string }

/** The receipt keys of each set by their kid, so that the time of a signature does not grow with its set. */
const receiptKeys = new WeakMap<KeySet['keys'], Map<unknown, KeySet['keys'][number]>>()

function receiptKeysOf(keys: KeySet['keys']): Map<unknown, KeySet['keys'][number]> {
  const known = receiptKeys.get(keys)
  if (known !== undefined) return known
  // Of keys with one kid the first counts.
  const found = new Map(
    keys
      .filter(({ use_for }) => use_for === 'receipt')
      .toReversed()
      .map((key) => [key.kid, key]),
  )
  receiptKeys.set(keys, found)
  return found
}

/** Verifies a compact JWS of this `typ` by the receipt keys of a set: Ed25519 (RFC 8037) and nothing else. */
export function verifySigned(jws: string, typ: string, { keys }: KeySet): Signed {
  try {
    const [header = '', payload = '', signature = '', ...more] = jws.split('.')
    if (more.length > 0) return { ok: false, fault: 'it is no compact JWS' }
    const { alg, kid, typ: isTyp, crit } = jsonOf(header)
    if (alg !== 'EdDSA' || isTyp !== typ || crit !== undefined)
      return { ok: false, fault: `it is no ${typ} by EdDSA` }
    const key = receiptKeysOf(keys).get(kid)
    if (key?.kty !== 'OKP' || key.crv !== 'Ed25519' || key.x === undefined)
      return { ok: false, fault: `the key set has no receipt key ${String(kid)}` }
    const text = utf8ToBytes(`${header}.${payload}`)
    const valid = ed25519.verify(
      base64urlnopad.decode(signature),
      text,
      base64urlnopad.decode(key.x),
      {
        zip215: false,
      },
    )
    if (!valid) return { ok: false, fault: `its signature is not that of ${key.kid}` }
    const claims = jsonOf(payload)
    const standing = standingAt(timesOf(key), Number(claims['iat'] ?? Number.POSITIVE_INFINITY))
    if (standing === 'retired')
      return { ok: false, fault: `${key.kid} was retired before its date` }
    return { ok: true, payload: claims, kid: key.kid, standing }
  } catch {
    return { ok: false, fault: 'it cannot be read' }
  }
}

const timesOf = ({ retired_at, revoked_at }: KeySet['keys'][number]): KeyTimes => ({
  retiredAt: retired_at === null ? null : Date.parse(retired_at) / 1000,
  revokedAt: revoked_at === null ? null : Date.parse(revoked_at) / 1000,
})

function jsonOf(part: string): Record<string, unknown> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(base64urlnopad.decode(part))
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
}
