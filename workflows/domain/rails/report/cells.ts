import { canonicalJson } from '../../core/canonical-json.ts'
import { isObject } from '../../core/plain-object.ts'
import { grouped, majorOf } from './decimal-text.ts'

/** What one cell of a table holds. */
export type Cell = string | number | boolean | null

const DEPTH_MAX = 3
const DAY_SECONDS = 24 * 3600
/** The ending of members that hold minor units of a currency. */
export const MINOR_ENDING = '_minor'

/** The currency that an object names, else that of the objects around it. */
export const currencyIn = (value: Record<string, unknown>, around?: string): string | undefined =>
  Object.hasOwn(value, 'currency') && typeof value['currency'] === 'string'
    ? value['currency']
    : around

/** A value as one cell: places of citations, lists as their items, and objects as their members, with amounts in major units. */
export function cellOf(value: unknown, currency?: string, depth = 0): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  const text = shortText(value)
  if (text !== undefined) return text
  if (depth >= DEPTH_MAX) return canonicalJson(value)
  if (Array.isArray(value))
    return value.map((item) => String(cellOf(item, currency, depth + 1) ?? 'none')).join('; ')
  return membersText(value as Record<string, unknown>, currency, depth)
}

function membersText(
  members: Record<string, unknown>,
  around: string | undefined,
  depth: number,
): string {
  const currency = currencyIn(members, around)
  const texts = Object.keys(members)
    .sort()
    .filter((name) => !name.startsWith('citation'))
    .map((name) => {
      const value = members[name]
      const major = name.endsWith(MINOR_ENDING) ? majorOf(value, currency) : undefined
      if (major !== undefined) return `${wordsOf(name)} ${grouped(major)} ${currency}`
      return `${wordsOf(name)} ${cellOf(value, currency, depth + 1) ?? 'none'}`
    })
  return texts.join(', ')
}

/** The name of a member as words, without the ending of minor units. */
export const wordsOf = (name: string): string =>
  (name.endsWith(MINOR_ENDING) ? name.slice(0, -MINOR_ENDING.length) : name).replaceAll('_', ' ')

/** The text of a citation or a length of time; undefined for other values. */
export function shortText(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { pointer, quote, from, to, unit, value: amount } = value
  if (typeof pointer === 'string') {
    const place = typeof from === 'number' && typeof to === 'number' ? `[${from}-${to}]` : ''
    return `${pointer}${place}${typeof quote === 'string' ? ` “${quote}”` : ''}`
  }
  if (typeof unit !== 'string' || typeof amount !== 'string') return undefined
  const seconds = Number(amount)
  const isDays = unit === 'seconds' && Number.isSafeInteger(seconds) && seconds % DAY_SECONDS === 0
  return isDays ? `${seconds / DAY_SECONDS} days` : `${amount} ${unit}`
}
