import { utf8ToBytes } from '@noble/hashes/utils.js'
import { limits } from './limits.ts'

/** Why bytes are not JSON that every reader takes for the same value. */
export type JsonFault = 'not_json' | 'too_deep' | 'name_twice'

/**
 * The value of JSON that every reader takes for the same one: UTF-8 without a byte order mark, not nested deeper than `depthMax`, and no
 * object names a member twice (RFC 7493, 2.1 and 2.3). Everything that strangers send is read by it, or by `strictJson`.
 */
export function readJson(
  bytes: Uint8Array,
  depthMax: number = limits.jsonDepthMax,
): { readonly text: string; readonly value: unknown } | { readonly fault: JsonFault } {
  if (!isNestedWithin(bytes, depthMax)) return { fault: 'too_deep' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    return hasUniqueNames(bytes, value) ? { text, value } : { fault: 'name_twice' }
  } catch {
    return { fault: 'not_json' }
  }
}

/** The value of `readJson`; throws TypeError for any other bytes. */
export function strictJson(bytes: Uint8Array): unknown {
  const read = readJson(bytes)
  if ('value' in read) return read.value
  throw new TypeError('not JSON that every reader takes for the same value')
}

const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
  utf8ToBytes('"\\:[]{}')

/** Whether JSON text nests its lists and objects at most `most` deep, found in one pass and without reading it as JSON. */
export const isNestedWithin = (json: Uint8Array, most: number): boolean =>
  countMembers(json, most) !== undefined

/**
 * Whether no object of a JSON text has two members of one name (RFC 7493, 2.3), which readers of JSON take for different values.
 * Outside of strings each member has one colon, and `value`, as `JSON.parse` gave it, has one member of each name.
 */
export const hasUniqueNames = (json: Uint8Array, value: unknown): boolean =>
  countMembers(json, Number.POSITIVE_INFINITY) === membersOf(value)

/** The colons outside of strings; undefined where the text nests deeper than `most`. */
function countMembers(json: Uint8Array, most: number): number | undefined {
  let depth = 0
  let members = 0
  let quoted = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (quoted) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (byte === COLON) members++
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++
      if (depth > most) return undefined
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
  }
  return members
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  const own = Array.isArray(value) ? 0 : parts.length
  return parts.reduce<number>((sum, part) => sum + membersOf(part), own)
}
