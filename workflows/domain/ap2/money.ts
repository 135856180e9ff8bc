import { decimalsOf } from '../core/money.ts'

/**
 * A JSON number of major units as exact minor units. The decimal text of the number counts and never its binary value, so 0.29 usd
 * is 29. Undefined where the number is negative or has a part of a minor unit, or where the currency has no minor unit.
 */
export function minorUnits(major: number, currency: string): bigint | undefined {
  const decimals = decimalsOf(currency)
  // The text of a larger number is not exact, or has an exponent.
  if (decimals === undefined || !(major >= 0) || major > Number.MAX_SAFE_INTEGER) return undefined
  const match = /^(\d+)(?:\.(\d+))?$/.exec(String(major))
  if (match === null) return undefined
  const [, whole = '', fraction = ''] = match
  if (fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
