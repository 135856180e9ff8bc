import { ibanOf } from './accounts.ts'
import { transliterated } from './scripts.ts'

/** Letters that Unicode does not decompose, as the Latin letters that stand for them. */
const letters = new Map(
  Object.entries({
    ß: 'ss',
    ẞ: 'SS',
    æ: 'ae',
    Æ: 'AE',
    œ: 'oe',
    Œ: 'OE',
    ø: 'o',
    Ø: 'O',
    đ: 'd',
    Đ: 'D',
    ð: 'd',
    Ð: 'D',
    ł: 'l',
    Ł: 'L',
    þ: 'th',
    Þ: 'TH',
    ħ: 'h',
    Ħ: 'H',
    ı: 'i',
    ŋ: 'n',
    Ŋ: 'N',
  }),
)
const signs = new Map(
  Object.entries({
    '&': '+',
    '@': '(at)',
    _: '-',
    '–': '-',
    '—': '-',
    '’': "'",
    '‘': "'",
    '€': 'EUR',
  }),
)

const allowed = /^[A-Za-z0-9/\-?:().,'+ ]$/

/**
 * A text in the Latin character set of SEPA (EPC217-08): Greek and Cyrillic letters are transliterated, accents are dropped, some
 * letters and signs are spelled out, and a full stop stands for any other sign. Undefined where a letter or a digit has no
 * counterpart in the set, or nothing is left. Cyrillic letters are read in the language of the country of the account.
 */
export function latinText(text: string, charsMax: number, iban = ''): string | undefined {
  const latin = transliterated(text, ibanOf(iban).slice(0, 2))
  const plain = latin.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  let written = ''
  for (const character of plain) {
    const spelled = allowed.test(character)
      ? character
      : (letters.get(character) ?? signs.get(character))
    if (spelled === undefined && /[\p{L}\p{N}]/u.test(character)) return undefined
    written += spelled ?? (/\s/u.test(character) ? ' ' : '.')
  }
  const line = written.replaceAll(/ +/g, ' ').trim().slice(0, charsMax).trimEnd()
  return /[A-Za-z0-9]/.test(line) ? line : undefined
}
