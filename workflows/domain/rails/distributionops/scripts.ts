/** Latin letters for those of another script: a table by small letters. */
type Table = Readonly<Record<string, string>>

/** ICAO Doc 9303 part 3, section 6, table of Cyrillic letters, in the reading of most languages. The soft sign is not written. */
const icao: Table = {
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  д: 'd',
  е: 'e',
  ё: 'e',
  ж: 'zh',
  з: 'z',
  и: 'i',
  й: 'i',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ъ: 'ie',
  ы: 'y',
  ь: '',
  э: 'e',
  ю: 'iu',
  я: 'ia',
  і: 'i',
  ї: 'i',
  ѓ: 'g',
  ђ: 'd',
  є: 'ie',
  ѕ: 'dz',
  ј: 'j',
  љ: 'lj',
  њ: 'nj',
  ќ: 'k',
  ћ: 'c',
  ў: 'u',
  џ: 'dz',
  ґ: 'g',
  ѣ: 'ie',
  ѫ: 'u',
  ѵ: 'y',
}
/** The Latin alphabet of Serbian law, without its accents, as banks write it. */
const serbian: Table = { ж: 'z', х: 'h', ц: 'c', ч: 'c', ш: 's' }
/** What countries write in another way, by the first letters of an IBAN. */
const national: Readonly<Record<string, Table>> = {
  // The Transliteration Act of 2009, which passports and the business register follow.
  BG: { й: 'y', х: 'h', щ: 'sht', ъ: 'a', ь: 'y', ю: 'yu', я: 'ya' },
  BA: serbian,
  ME: serbian,
  RS: serbian,
  // Exceptions that the table of ICAO states for these languages.
  BY: { г: 'h', ё: 'io' },
  MK: { ѓ: 'gj', х: 'h', ц: 'c', џ: 'dj', ќ: 'kj' },
  UA: { г: 'h', и: 'y' },
}

/** ELOT 743 (ISO 843), transcription: single letters. */
const greek: Table = {
  α: 'a',
  β: 'v',
  γ: 'g',
  δ: 'd',
  ε: 'e',
  ζ: 'z',
  η: 'i',
  θ: 'th',
  ι: 'i',
  κ: 'k',
  λ: 'l',
  μ: 'm',
  ν: 'n',
  ξ: 'x',
  ο: 'o',
  π: 'p',
  ρ: 'r',
  σ: 's',
  ς: 's',
  τ: 't',
  υ: 'y',
  φ: 'f',
  χ: 'ch',
  ψ: 'ps',
  ω: 'o',
}
/** ELOT 743: pairs of letters. An accent on the first or two dots on the second mean that each is spoken by itself. */
const greekPairs = /ο[υύ]|[αεη][υύ]|γ[γξχ]|μπ/giu
const voiced = /^[αάβγδεέζηήιίϊΐλμνοόρυύϋΰωώ]/iu
const greekLetter = /\p{Script=Greek}/u

function ofPair(pair: string, at: number, text: string): string {
  const small = pair.toLowerCase()
  const after = text.slice(at + 2)
  if (small.startsWith('ο')) return cased('ou', pair, after)
  if (small.startsWith('γ')) return cased(`n${greek[small[1] as string]}`, pair, after)
  if (small === 'μπ') {
    const isInside = greekLetter.test(text[at - 1] ?? '') && greekLetter.test(after[0] ?? '')
    return cased(isInside ? 'mp' : 'b', pair, after)
  }
  return cased(`${greek[small[0] as string]}${voiced.test(after) ? 'v' : 'f'}`, pair, after)
}

/** In capitals where the letters are: one capital begins a word in small letters unless the next letter is a capital too. */
function cased(latin: string, letters: string, after: string): string {
  const isCapital = (letter: string | undefined) =>
    letter !== undefined && letter !== letter.toLowerCase()
  if (!isCapital(letters[0])) return latin
  const next = letters[1] ?? after[0]
  if (isCapital(next)) return latin.toUpperCase()
  return latin.charAt(0).toUpperCase() + latin.slice(1)
}

/** The last letter of a word in capitals follows the one before it. */
function lettersBy(table: Table, text: string): string {
  return [...text]
    .map((letter, at, all) => {
      const small = letter.toLowerCase()
      const latin = table[small] ?? table[small.normalize('NFD').charAt(0)]
      if (latin === undefined) return letter
      const next = all[at + 1] ?? ''
      return cased(latin, letter, /\p{L}/u.test(next) ? next : (all[at - 1] ?? ''))
    })
    .join('')
}

/** Greek of one accent, as it is written since 1982: breathings go, and every accent is the acute one. */
const ofOneAccent = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Greek}\p{M}*)\p{M}/gu, (mark) => {
      if (mark === '\u0308') return mark
      return '\u0300\u0301\u0342'.includes(mark) ? '\u0301' : ''
    })
    .normalize('NFC')

const otherScript = /[\p{Script=Greek}\p{Script=Cyrillic}]/u
const aOf = (letter: string): string => (letter === letter.toLowerCase() ? 'а' : 'А')

/** A text with its Greek and Cyrillic letters in Latin ones; `country`: of the account, whose language a name is read in. */
export function transliterated(text: string, country: string): string {
  if (!otherScript.test(text)) return text
  const paired = ofOneAccent(text).replace(greekPairs, ofPair)
  // The same act writes a last `ия` as in Maria.
  const ended = country === 'BG' ? paired.replace(/(?<=и)я(?!\p{L})/giu, aOf) : paired
  return lettersBy({ ...greek, ...icao, ...national[country] }, ended)
}
