import { jsonOf } from '../../core/strict-json.ts'

/** JSON, or a line of JSON for each record. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  // A byte order mark is no part of JSON (RFC 8259, section 8.1).
  const whole = text.replace(/^\ufeff/, '')
  return (
    parses(whole) || whole.split('\n').every((line) => line.trim() === '' || parses(line.trim()))
  )
}

const parses = (text: string): boolean => jsonOf(text) !== undefined
