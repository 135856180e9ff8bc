/** ISO 4217 currencies whose minor unit is not a hundredth. */
const minorDigits: Readonly<Record<string, number>> = {
  ...digitsOf(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digitsOf(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digitsOf(4, 'CLF UYW'),
}
/** ISO 4217 codes that have no minor unit at all. */
const withoutMinorUnit = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '))

function digitsOf(digits: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]))
}

/** The decimals of a currency; undefined where it is none or has no minor unit. */
export function decimalsOf(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || withoutMinorUnit.has(currency)) return undefined
  return minorDigits[currency] ?? 2
}

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
