import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { hasUniqueNames, readJson } from './json-text.ts'
import { isObject } from './plain-object.ts'

/** The object in base64url (RFC 4648 §5, unpadded) of strict JSON; undefined for anything else. */
export function objectIn(part: string): Record<string, unknown> | undefined {
  const bytes = bytesIn(part)
  const read = bytes && readJson(bytes)
  return read !== undefined && 'value' in read && isObject(read.value) ? read.value : undefined
}

/** The bytes of unpadded base64url in its one form; undefined for anything else. */
export function bytesIn(part: string): Uint8Array | undefined {
  try {
    return base64urlnopad.decode(part)
  } catch {
    return undefined
  }
}

/** Strict UTF-8; a byte order mark stays, as it is part of what was signed. Undefined for other bytes. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The JSON value of a text; undefined where it is none. */
export function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a JSON text, which is read as `value`, names no member twice: readers take different ones of them (RFC 7493, 2.3). */
export function readsOneWay(text: string, value: unknown): boolean {
  try {
    return hasUniqueNames(utf8ToBytes(text), value)
  } catch {
    return false
  }
}

/** The object of a JSON text; undefined for anything else. */
export function objectOf(text: string | undefined): Record<string, unknown> | undefined {
  const value = jsonOf(text)
  return isObject(value) ? value : undefined
}

/** Whether canonical JSON of the value is the same in every language: its numbers are integers below 2^53. */
export function hasSafeNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(hasSafeNumbers)
}
