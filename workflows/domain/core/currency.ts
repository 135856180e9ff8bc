/** ISO 4217 currencies whose minor unit is not a hundredth. */
const minorDigits: ReadonlyMap<string, number> = new Map([
  ...digitsOf(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digitsOf(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digitsOf(4, 'CLF UYW'),
])
/** ISO 4217 codes that have no minor unit at all. */
const withoutMinorUnit = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '))

function digitsOf(digits: number, currencies: string): [string, number][] {
  return currencies.split(' ').map((currency) => [currency, digits])
}

/** The decimals of a currency; undefined where it is none or has no minor unit. */
export function decimalsOf(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || withoutMinorUnit.has(currency)) return undefined
  return minorDigits.get(currency) ?? 2
}
