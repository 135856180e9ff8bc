import { z } from 'zod'

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
