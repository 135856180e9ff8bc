const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'

const values = new Map<string, number>([
  ...ones.split(' ').map((word, index): [string, number] => [word, index]),
  ...tens.split(' ').map((word, index): [string, number] => [word, 20 + 10 * index]),
])
const scales = new Map([
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
])

const word = `(?:${[...values.keys(), 'hundred', ...scales.keys()].sort((a, b) => b.length - a.length).join('|')})`
/**
 * A number in figures, and one in English words, `one hundred and five`: sources of regular expressions. Thousands are parted by
 * commas, points, apostrophes or thin blanks: `1,250.5`, `1.250.000,50`, `1’250.50`, `12,50,000`. What is written otherwise is no number.
 */
const groups = (mark: string) => String.raw`\d{1,3}(?:${mark}\d{3}){1,6}`
export const figures = String.raw`(?:(?:${groups("['’]")}|${groups('[\u00a0\u2009\u202f]')})(?:[.,]\d+)?|(?:${groups(',')}|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{1,2}|\d+(?:\.\d+)?)(?![.,'’\u00a0\u2009\u202f]?\d)`
export const spelling = String.raw`\b${word}(?:(?:[\s-]+and)?[\s-]+${word}){0,12}\b`

/** `forty-five` → 45. */
export function spelledNumber(text: string): number {
  let total = 0
  let below = 0
  for (const part of text.toLowerCase().split(/[\s-]+/)) {
    const scale = scales.get(part)
    if (part === 'hundred') below = Math.max(1, below) * 100
    else if (scale === undefined) below += values.get(part) ?? 0
    else {
      total += Math.max(1, below) * scale
      below = 0
    }
  }
  return total + below
}

/** `1.250,5` and `1,250.5` → `1250.5`: of two marks the last one begins the fraction, and a mark of thousands stands before three digits. */
function withPoint(text: string): string {
  const [comma, point] = [text.lastIndexOf(','), text.lastIndexOf('.')]
  const isFraction = comma > point && (point !== -1 || !/,\d{3}$/.test(text))
  if (isFraction) return text.replaceAll('.', '').replace(',', '.')
  const whole = text.replaceAll(',', '')
  return whole.indexOf('.') === whole.lastIndexOf('.') ? whole : whole.replaceAll('.', '')
}

/** `1,250.50` with three zeros more → `1250500`: the shortest decimal text. */
export function decimal(text: string, zeros = 0): string {
  const [whole = '', fraction = ''] = withPoint(text.replace(/[^\d.,]/g, '')).split('.')
  const shifted = fraction.padEnd(zeros, '0')
  const digits = `${whole}${shifted.slice(0, zeros)}`.replace(/^0+(?=\d)/, '')
  const rest = shifted.slice(zeros).replace(/0+$/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}
