import { isObject } from '../../core/plain-object.ts'
import { oneLine } from '../../core/plain-text.ts'
import { type Cell, cellOf, currencyIn, MINOR_ENDING, wordsOf } from './cells.ts'
import { grouped, majorOf } from './decimal-text.ts'
import type { ReportPlan } from './plan.ts'

/** A figure shows so many values of a list; it says how many more there are. */
const VALUES_MAX = 4
const FIGURE_MAX = 200

type Found = { value: unknown; name: string; currency: string | undefined }

/** The key figures of a result, each as a text: amounts in major units, lists by their length. */
export const figuresOf = (
  { figures }: ReportPlan,
  result: unknown,
): { label: string; text: string }[] =>
  figures
    .filter(({ at }) => hasMember(result, at))
    .map(({ label, at, unit, words }) => {
      const text = figureText(valuesAt(result, at), unit)
      return { label, text: words === true ? wordsOf(text) : text }
    })

/** Whether the result has the member that a pointer begins with; a tier may leave it out. */
const hasMember = (result: unknown, pointer: string): boolean =>
  isObject(result) && Object.hasOwn(result, pointer.split('/')[1] ?? '')

function figureText(found: readonly Found[], unit: string | undefined): string {
  const texts = found.slice(0, VALUES_MAX).map(({ value, name, currency }) => {
    if (Array.isArray(value)) return grouped(value.length)
    const text = amountText(name, cellOf(value), currency)
    return unit === undefined || text === 'none' ? text : `${text}${unit}`
  })
  if (texts.length === 0) return 'none'
  const more = found.length - texts.length
  return oneLine(texts.join(', '), FIGURE_MAX) + (more > 0 ? ` and ${grouped(more)} more` : '')
}

/** A single value for people; what is called `…_minor` is an amount of the currency, or of minor units where none is known. */
export function amountText(name: string, cell: Cell, currency: string | undefined): string {
  if (cell === null) return 'none'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  if (!name.endsWith(MINOR_ENDING)) return typeof cell === 'number' ? grouped(cell) : cell
  const major = majorOf(cell, currency)
  return major === undefined ? `${grouped(cell)} minor units` : `${grouped(major)} ${currency}`
}

/** The values at a pointer, each with the currency of the nearest object around it that names one. */
function valuesAt(result: unknown, pointer: string): Found[] {
  let found: Found[] = [{ value: result, name: '', currency: undefined }]
  for (const name of pointer.split('/').slice(1))
    found = found.flatMap((one) => (name === '*' ? eachOf(one) : memberOf(one, name)))
  return found
}

const eachOf = ({ value, name, currency }: Found): Found[] =>
  Array.isArray(value) ? value.map((item) => ({ value: item, name, currency })) : []

function memberOf({ value, currency }: Found, name: string): Found[] {
  if (!isObject(value) || !Object.hasOwn(value, name)) return []
  return [{ value: value[name], name, currency: currencyIn(value, currency) }]
}

/** The day or period that a result is of, where it names one. */
export function periodOf({ period }: ReportPlan, result: unknown): string | undefined {
  const value = period === undefined ? undefined : valuesAt(result, period)[0]?.value
  if (typeof value === 'string') return oneLine(value, FIGURE_MAX)
  if (!isObject(value)) return undefined
  const { from, to } = value
  const isPeriod = typeof from === 'string' && typeof to === 'string'
  return isPeriod ? oneLine(`${from} to ${to}`, FIGURE_MAX) : undefined
}
