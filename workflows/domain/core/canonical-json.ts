import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import canonicalize from 'canonicalize'

/** RFC 8785 text of a JSON value; throws on lone surrogates and on what JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('the value has no JSON form')
  if (escapedSurrogate.test(text)) throw new TypeError('the value holds a lone surrogate')
  return text
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** SHA-256 of the canonical JSON, lowercase hex: the one function behind every digest of a JSON value. */
export function digestOf(value: unknown): string {
  return sha256Hex(canonicalJson(value))
}

// JSON.stringify escapes a surrogate only when it stands alone; RFC 8785 §3.2.2.2 wants an error instead.
const escapedSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/
