import { ASSET_DECIMALS } from './limits.ts'

const amountPattern = /^(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/

/** `12.5` → `12500000n` by string arithmetic; throws on a text that the schema would not let through. */
export function parseUsdc(amount: string): bigint {
  if (!amountPattern.test(amount))
    throw new RangeError('not a decimal amount of at most 9 integer and 6 fraction digits')
  const [integer = '0', fraction = ''] = amount.split('.')
  return BigInt(integer + fraction.padEnd(ASSET_DECIMALS, '0'))
}

/** `12500000n` → `12.5`, the shortest decimal text. */
export function formatUsdc(atomic: bigint): string {
  const digits = atomic.toString().padStart(ASSET_DECIMALS + 1, '0')
  const fraction = digits.slice(-ASSET_DECIMALS).replace(/0+$/, '')
  const integer = digits.slice(0, -ASSET_DECIMALS)
  return fraction === '' ? integer : `${integer}.${fraction}`
}

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
