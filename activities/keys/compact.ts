import { createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'
import { isSoundKeyText } from '#domain/core/ed25519.ts'
import { strictJson } from '#domain/core/json-text.ts'
import type { SignProof } from '#domain/receipts/receipt.ts'

/** The algorithms our rings and trusted issuers use (RFC 7518, RFC 8037); a key has exactly one. */
export type Alg = 'EdDSA' | 'ES256'
/** A public key as a JWK; `kid` and `alg` inside it are for readers and decide nothing. */
export type PublicJwk = Record<string, unknown>
/** A private key for signing, with its id, its only algorithm and its public half. */
export type SigningKey = {
  readonly ring: string
  readonly kid: string
  readonly alg: Alg
  readonly publicJwk: PublicJwk
  /** Signs bytes, or those of a text; ES256 as the 64 bytes `r || s`. The signer refuses what it cannot verify. */
  readonly sign: (text: string | Uint8Array, proof?: SignProof) => Promise<Uint8Array>
}
/** Thrown by a log key for a checkpoint that is proven from another size than that of the last checkpoint. */
export class OtherHead extends Error {
  override readonly name = 'OtherHead'
  /** The number of leaves of the last checkpoint. */
  readonly size: number

  constructor(size: number) {
    super(`the last checkpoint has ${size} leaves`)
    this.size = size
  }
}
/** The parts of a compact JWS, none of them verified. */
export type CompactParts = {
  readonly header: Record<string, unknown>
  readonly payload: Record<string, unknown>
  readonly signingInput: string
  readonly signature: Uint8Array
}

/** Splits a compact JWS (RFC 7515 §3.1) into its parts; throws unless it has exactly three strict base64url parts, two of them JSON objects that name each member once. */
export function decodeCompact(jws: string): CompactParts {
  const parts = jws.split('.')
  const [header, payload, signature] = parts
  if (
    parts.length !== 3 ||
    header === undefined ||
    payload === undefined ||
    signature === undefined
  ) {
    throw new TypeError('not a compact JWS of three parts')
  }
  return {
    header: jsonObject(header),
    payload: jsonObject(payload),
    signingInput: `${header}.${payload}`,
    signature: decodeBase64url(signature),
  }
}

/** Signs a payload as a compact JWS with header `{alg, kid, typ}`. */
export async function signCompact(
  key: SigningKey,
  { typ, payload, proof }: { typ: string; payload: object; proof?: SignProof | undefined },
): Promise<string> {
  const input = `${base64urlJson({ alg: key.alg, kid: key.kid, typ })}.${base64urlJson(payload)}`
  return `${input}.${encodeBase64url(await key.sign(input, proof))}`
}

/** The payload of a compact JWS; throws unless `typ`, `alg` and signature are those expected and the header has no `crit`. */
export function verifyCompact(
  jws: string,
  { typ, alg, publicJwk }: { typ: string; alg: Alg; publicJwk: PublicJwk },
): Record<string, unknown> {
  const { header, payload, signingInput, signature } = decodeCompact(jws)
  if (header['typ'] !== typ) throw new TypeError(`not a ${typ}`)
  if (header['alg'] !== alg || 'crit' in header) throw new TypeError(`not signed with ${alg}`)
  if (!verifySignature({ alg, publicJwk }, signingInput, signature))
    throw new TypeError('the signature does not verify')
  return payload
}

export const encodeBase64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64url')

/** The bytes of unpadded base64url (RFC 4648 §5); throws unless it is the one text of those bytes. */
export function decodeBase64url(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores characters that are not base64url.
  if (bytes.toString('base64url') !== text) throw new TypeError('not strict base64url')
  return bytes
}

/** Whether the signature over the text is this key's; throws when the key does not fit its algorithm. */
export function verifySignature(
  { alg, publicJwk }: { alg: Alg; publicJwk: PublicJwk },
  text: string | Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = importPublicKey(publicJwk, alg)
  const verifier = alg === 'EdDSA' ? key : { key, dsaEncoding: 'ieee-p1363' as const }
  return verify(digestName(alg), bytesOf(text), verifier, signature)
}

/** The key of a public JWK; throws unless it is one for the algorithm. */
export function importPublicKey(publicJwk: PublicJwk, alg: Alg): KeyObject {
  if (alg === 'EdDSA') assertSound(publicJwk)
  const key =
    imported.get(publicJwk) ?? createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' })
  imported.set(publicJwk, key)
  assertFits(key, alg)
  return key
}

function assertSound({ x }: PublicJwk): void {
  if (typeof x === 'string' && isSoundKeyText(x)) return
  throw new TypeError('the key is not canonical, or of small order')
}

/** A key is parsed once; the rings and trust anchors keep their JWKs. */
const imported = new WeakMap<PublicJwk, KeyObject>()

/** Signs bytes, or those of a text, with a private key that fits the algorithm. */
export function signBytes(key: KeyObject, alg: Alg, text: string | Uint8Array): Uint8Array {
  return sign(
    digestName(alg),
    bytesOf(text),
    alg === 'EdDSA' ? key : { key, dsaEncoding: 'ieee-p1363' },
  )
}

/** Throws unless the key is of the algorithm's one curve: Ed25519 for EdDSA, P-256 for ES256. */
export function assertFits(key: KeyObject, alg: Alg): void {
  const curve =
    key.asymmetricKeyType === 'ec' ? key.asymmetricKeyDetails?.namedCurve : key.asymmetricKeyType
  if (curve !== (alg === 'EdDSA' ? 'ed25519' : 'prime256v1'))
    throw new TypeError(`the key is not one for ${alg}`)
}

/** The bytes themselves, or those of a text in UTF-8. */
export const bytesOf = (text: string | Uint8Array): Uint8Array =>
  typeof text === 'string' ? Buffer.from(text) : text
const digestName = (alg: Alg): 'sha256' | null => (alg === 'EdDSA' ? null : 'sha256')
const base64urlJson = (value: object): string => encodeBase64url(Buffer.from(JSON.stringify(value)))

function jsonObject(part: string): Record<string, unknown> {
  const value = strictJson(decodeBase64url(part))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('not a JSON object')
  return value as Record<string, unknown>
}
