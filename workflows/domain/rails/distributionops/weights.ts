import { z } from 'zod'

/** Weights are held in units of the 18th decimal place, to which balances of tokens go. */
const PLACES = 18
const form = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?(\s?%)?$/
/** A comma that parts the fraction of a percentage; three digits after it might be thousands. */
const decimalComma = /,(?=(?:\d{1,2}|\d{4,})\s?%$)/
/** A JSON number of more digits may not be the one that was written. */
const SURE_DIGITS = 15

/** A weight or a percentage: exact, with its number of decimal places. */
type Share = { units: bigint; places: number; isPercent: boolean }

/** Undefined for what is no decimal of at most 40 digits before and 18 after the point. */
function shareOf(value: number | string): Share | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0', percent] =
    form.exec(String(value).replace(decimalComma, '.')) ?? []
  if (whole === '') return undefined
  const places = Math.max(0, fraction.length - Number(exponent))
  const zeros = PLACES - fraction.length + Number(exponent)
  if (places > PLACES || zeros > 2 * PLACES) return undefined
  const units = BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(zeros)
  return { units, places, isPercent: percent !== undefined }
}

function isSure(value: number | string): boolean {
  if (typeof value === 'string' || Number.isSafeInteger(value)) return true
  const digits = String(value).replace(/e.*$/, '').replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length <= SURE_DIGITS && Math.abs(value) < Number.MAX_SAFE_INTEGER
}

/** `7.5`, `"33.333333333 %"` or a balance of a token as text. */
export const Weight = z
  .union([z.number(), z.string().max(100)])
  .refine((value) => shareOf(value) !== undefined, {
    error: 'is not a decimal of at most 40 digits before the point and 18 after it',
    abort: true,
  })
  .refine(isSure, 'has more digits than a JSON number keeps: send it as text')

type Written = number | string | undefined
type Claiming = { weight?: Written; share_percent?: Written }
/** What a recipient has a share by; undefined where its row says neither weight nor percentage. */
export function claimed({ weight, share_percent }: Claiming): Share | undefined {
  if (share_percent !== undefined) {
    const share = shareOf(share_percent)
    return share && { ...share, isPercent: true }
  }
  return weight === undefined ? undefined : shareOf(weight)
}

const HUNDRED = 100n * 10n ** BigInt(PLACES)

/**
 * Whether shares are percentages of one whole. Each may be rounded by half a unit of the last decimal place of them all, so that
 * the sum may be off by as much for each; percentages next to weights are never of one whole.
 */
export function wholeOf(shares: readonly Share[]): 'exact' | 'rounded' | 'off' | 'no_percentages' {
  const percents = shares.filter(({ isPercent }) => isPercent)
  if (percents.length === 0) return 'no_percentages'
  if (percents.length < shares.length) return 'off'
  const sum = percents.reduce((total, { units }) => total + units, 0n)
  if (sum === HUNDRED) return 'exact'
  const places = percents.reduce((most, one) => Math.max(most, one.places), 0)
  const off = sum < HUNDRED ? HUNDRED - sum : sum - HUNDRED
  const allowed = BigInt(percents.length) * 10n ** BigInt(PLACES - places)
  return 2n * off <= allowed && off <= HUNDRED / 100n ? 'rounded' : 'off'
}
