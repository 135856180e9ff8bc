const DAY_MS = 86_400_000
/** The day before the first of each date system; the 1900 system also counts a 29 February 1900, which never was. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 31), 1904: Date.UTC(1904, 0, 1) }
const LAST_SERIAL = { 1900: 2_958_465, 1904: 2_957_003 }

const FORMAT_CHARS_MAX = 255

export type DateSystem = keyof typeof EPOCHS
export type NumberKind = 'number' | 'date' | 'instant' | 'time'

/** What a number format shows: a day, a day with its time, a time, or a number. */
export function kindOfFormat(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (id >= 18 && id <= 21) return 'time'
    if (id === 22) return 'instant'
    return (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
      ? 'date'
      : 'number'
  }
  const bare = code
    .slice(0, FORMAT_CHARS_MAX)
    .toLowerCase()
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .split(';', 1)[0] as string
  // Hours that continue beyond a day are a length of time.
  if (/\[(?:h+|m+|s+)\]/.test(bare)) return 'number'
  const shown = bare.replace(/\[[^\]]*\]|general|am\/pm|a\/p/g, '')
  const hasTime = /[hs]/.test(shown)
  if (/[dy]/.test(shown) || (/m/.test(shown) && !hasTime)) return hasTime ? 'instant' : 'date'
  return hasTime ? 'time' : 'number'
}

const numberOf = (stored: string): number =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(stored) ? Number(stored) : Number.NaN

/** A number as decimal text with the 15 digits that a spreadsheet shows; undefined for what is no number. */
export function decimalText(stored: string): string | undefined {
  const value = numberOf(stored)
  if (!Number.isFinite(value)) return undefined
  const [digits = '', exponent = '0'] = value.toExponential(14).split('e')
  const sign = digits.startsWith('-') ? '-' : ''
  const plain = digits.replace(/[-.]/g, '')
  const point = Number(exponent) + 1
  if (Math.abs(point) > 40) return undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + plain : plain.padEnd(point, '0')
  const at = Math.max(point, 1)
  const fraction = padded.slice(at).replace(/0+$/, '')
  const text = fraction === '' ? padded.slice(0, at) : `${padded.slice(0, at)}.${fraction}`
  return /^[0.]*$/.test(text) ? '0' : sign + text
}

/** A serial number as a UTC day, a UTC instant or a time of day, to the millisecond; undefined for none in the date system. */
export function dateText(
  stored: string,
  kind: Exclude<NumberKind, 'number'>,
  system: DateSystem,
): string | undefined {
  const serial = numberOf(stored)
  if (!(serial >= 0) || serial >= LAST_SERIAL[system] + 1) return undefined
  const ms = Math.round(serial * DAY_MS)
  if (kind === 'time' && ms < DAY_MS) return timeOf(ms)
  const day = Math.floor(ms / DAY_MS)
  if (system === 1900 && (day === 60 || day === 0)) return undefined
  const real = system === 1900 && day > 60 ? ms - DAY_MS : ms
  const text = new Date(EPOCHS[system] + real).toISOString()
  return kind === 'date' && ms % DAY_MS === 0 ? text.slice(0, 10) : text.replace('.000Z', 'Z')
}

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, -1).replace('.000', '')
