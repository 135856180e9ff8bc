/** What parts the whole of a number from its fraction: a point (`1,500.00`) or a comma (`1.500,00`). */
export const decimalSigns = ['point', 'comma'] as const
export type DecimalSign = (typeof decimalSigns)[number]

/**
 * A cell as a number: its plain decimal text. `sign` is there where only one decimal sign reads it so; a cell such as `1,500` has a
 * reading for each.
 */
export type NumberRead =
  | { text: string; sign?: DecimalSign }
  | { by: Readonly<Record<DecimalSign, string>> }

const marks = /[€$£¥₹]/gu
const spaces = /[\s'’]/u
const plain = /^[0-9]+$/

/** Reads a cell as a number in the forms of the trade; undefined where it is none. A whole number has no fraction but zeros. */
export function readNumber(cell: string, isWhole = false): NumberRead | undefined {
  const { negative, body } = signedBody(cell.replaceAll(marks, '').trim())
  const of = (digits: string) => `${negative ? '-' : ''}${digits.replace(/^\./, '0.')}`
  if (plain.test(body)) return { text: of(body) }
  if (/^[0-9]*\.?[0-9]+e[+-]?[0-9]{1,3}$/i.test(body)) return { text: of(body), sign: 'point' }
  const spaced = spaces.test(body)
  if (spaced && !/^[0-9]{1,3}([\s'’][0-9]{3})+([.,][0-9]*)?$/u.test(body)) return undefined
  const digits = body.replace(/[\s'’]/gu, '')
  if (plain.test(digits)) return { text: of(digits) }
  const point = withDecimal(digits, '.', spaced)
  const comma = withDecimal(digits, ',', spaced)
  if (point === undefined || comma === undefined) {
    const only = point ?? comma
    if (only === undefined) return undefined
    return { text: of(only), sign: point === undefined ? 'comma' : 'point' }
  }
  if (point === comma) return { text: of(point) }
  const wholes = [point, comma].filter((text) => /^[0-9]+(\.0*)?$/.test(text))
  if (isWhole && wholes.length === 1)
    return { text: of(wholes[0] as string), sign: wholes[0] === point ? 'point' : 'comma' }
  return { by: { point: of(point), comma: of(comma) } }
}

/** `(1.00)`, `1.00-`, `−1.00` and `-1.00` are below zero; a plus sign says nothing. */
function signedBody(cell: string): { negative: boolean; body: string } {
  const bracketed = /^\((.*)\)$/.exec(cell)?.[1]
  if (bracketed !== undefined) return { negative: true, body: bracketed.trim() }
  const [, before = '', body = '', after = ''] = /^([-+−–]?)\s*(.*?)\s*([-−]?)$/u.exec(cell) ?? []
  if (before !== '' && after !== '') return { negative: false, body: cell }
  return { negative: /[-−–]/u.test(before + after), body }
}

/** The digits as a plain decimal where this sign parts the fraction and the other one groups thousands; undefined where they do not. */
function withDecimal(digits: string, sign: '.' | ',', isGrouped: boolean): string | undefined {
  const [whole = '', fraction, ...more] = digits.split(sign)
  if (more.length > 0 || (fraction !== undefined && !/^[0-9]*$/.test(fraction))) return undefined
  const other = sign === '.' ? ',' : '.'
  const grouped = new RegExp(`^[1-9][0-9]{0,2}(?:\\${other}[0-9]{2,3})*\\${other}[0-9]{3}$`)
  const isGroups = whole.includes(other) && !isGrouped && grouped.test(whole)
  if (whole !== '' && !plain.test(whole) && !isGroups) return undefined
  if (whole === '' && (fraction ?? '') === '') return undefined
  const bare = whole.replaceAll(other, '')
  return (fraction ?? '') === '' ? bare : `${bare === '' ? '0' : bare}.${fraction}`
}
