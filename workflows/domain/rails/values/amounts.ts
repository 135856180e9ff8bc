import { z } from 'zod'

/**
 * How the rails hold amounts. Whole minor units (cents) are JSON integers; prices, rates and quantities are decimals of at most
 * six places. Both are computed exactly, as `bigint`. A result that is finer than a minor unit is shown exactly, as a decimal
 * text; where a whole number is asked for, the exact value is rounded once, at the end, half away from zero.
 */
export const MINOR_MAX = 1_000_000_000_000
const MICRO = 1_000_000n
const decimal = /^-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/

export const Minor = z.int().min(-MINOR_MAX).max(MINOR_MAX)
export const DecimalText = z.string().regex(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/)

/** `7.5` or `"7.5"`: a number that is written with at most nine digits before and six after the point. */
export const Decimal = z
  .union([z.number().min(-999_999_999).max(999_999_999), z.string().regex(decimal)])
  .refine((value) => decimal.test(String(value)), 'has more than six decimal places')

/** `7.5` → `7500000n`, millionths. */
export function toMicro(value: number | string): bigint {
  const text = String(value)
  if (!decimal.test(text)) throw new RangeError(`${text} is not a decimal of at most six places`)
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** `7500000n` with six places → `7.5`, the shortest decimal text. */
export function decimalText(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - places)
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The quotient as a whole number, half away from zero; the divisor is positive. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor
  return (2n * dividend + half) / (2n * divisor)
}

/** A whole number for JSON; throws a RangeError on one that JSON readers would not keep exact. */
export function toInteger(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError(`${value} is too large for a JSON integer`)
  return number
}

/** Decimal millionths for a whole number of units. */
export function microOf(units: number): bigint {
  return BigInt(units) * MICRO
}

const written = /^(-?)([0-9]{1,15})(?:\.([0-9]{1,30}))?(?:[eE]([+-]?[0-9]{1,2}))?$/

/** `2.5e-06` with twelve places → `2500000n`; null for what is not a decimal or has more places. */
export function scaled(value: number | string, places: number): bigint | null {
  const parts = written.exec(String(value))
  if (parts === null) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const zeros = places + Number(exponent) - fraction.length
  const digits = BigInt(`${sign}${whole}${fraction}`)
  if (zeros >= 0) return digits * 10n ** BigInt(zeros)
  const divisor = 10n ** BigInt(-zeros)
  return digits % divisor === 0n ? digits / divisor : null
}

/** A number, or its text, of at most so many decimal places; an exponent is read too. */
export function decimalOf(places: number, { min }: { min?: 0 } = {}) {
  return z
    .union([z.number(), z.string().max(48)])
    .refine((value) => scaled(value, places) !== null, {
      error: `is not a decimal of at most ${places} places`,
    })
    .refine((value) => min === undefined || Number(value) >= min, { error: 'is below zero' })
}
