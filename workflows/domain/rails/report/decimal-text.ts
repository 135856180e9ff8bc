import { ASSET_DECIMALS } from '../../core/limits.ts'
import { decimalsOf } from '../../core/money.ts'

const written = /^(-?)(\d+)(?:\.(\d+))?$/

/** Whether a cell is a number, or its decimal text without an exponent. */
export const isDecimal = (value: unknown): value is number | string =>
  (typeof value === 'number' || typeof value === 'string') && written.test(String(value))

/** The decimals of a currency of a result: those of USDC, too. */
export const decimalsShown = (currency: string): number | undefined =>
  currency === 'USDC' ? ASSET_DECIMALS : decimalsOf(currency)

/** Minor units as major units, with parts of a minor unit: `1234.5` of USD → `12.345`. Undefined for other values or currencies. */
export function majorOf(minor: unknown, currency: string | undefined): string | undefined {
  const decimals = currency === undefined ? undefined : decimalsShown(currency)
  const match = isDecimal(minor) ? written.exec(String(minor)) : null
  if (decimals === undefined || match === null) return undefined
  const [, sign = '', whole = '', part = ''] = match
  const digits = whole.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point) + part
  return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

/** A decimal with commas between thousands; any other text as it is. */
export function grouped(value: number | string): string {
  const text = String(value)
  const match = written.exec(text)
  if (match === null) return text
  const [, sign = '', whole = '', fraction] = match
  const thousands = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${sign}${thousands}${fraction === undefined ? '' : `.${fraction}`}`
}
