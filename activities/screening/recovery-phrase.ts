import { hash } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english'

/** How many checksums may still be worked out; one budget serves all texts of a body. `rows`: the texts are rows of a table. */
export type PhraseBudget = { checksums: number; readonly rows?: boolean }

/**
 * Decision: prose has next to no runs of twelve words of the list, and of a thousand runs at random all but a few hold a phrase.
 * What has more is refused as one.
 */
export const CHECKSUMS_MAX = 1_000

const wordIndex = new Map(wordlist.map((word, index) => [word, index]))
const phraseLengths = [12, 15, 18, 21, 24]
const WORDS_MAX = 24
const WORD_CHARS_MAX = 8
/** Of the last twelve words of a phrase in rows, so many differ: a column of a few values is none. */
const ROW_WORDS_DIFFER_MIN = 8

/** An English BIP-39 phrase with a right checksum anywhere in the text, however its words are separated or numbered. */
export function holdsPhrase(text: string, budget: PhraseBudget): boolean {
  let run: number[] = []
  for (const word of words(text)) {
    const index = wordIndex.get(word)
    if (index === undefined) run = []
    else {
      run.push(index)
      if (endsInPhrase(run, budget)) return true
      if (run.length >= 4 * WORDS_MAX) run = run.slice(-WORDS_MAX)
    }
  }
  return false
}

function endsInPhrase(run: readonly number[], budget: PhraseBudget): boolean {
  const [shortest = 0] = phraseLengths
  if (run.length < shortest) return false
  if (budget.rows === true && new Set(run.slice(-shortest)).size < ROW_WORDS_DIFFER_MIN)
    return false
  for (const length of phraseLengths) {
    if (run.length < length) return false
    if (budget.checksums === 0) return true
    budget.checksums--
    if (checksumFits(run, run.length - length, length)) return true
  }
  return false
}

/** Each longest run of the letters a to z; one that is longer than any word of the list comes out as an empty word. */
function* words(text: string): Generator<string> {
  const plain = text.normalize('NFKD').toLowerCase()
  let from = -1
  for (let at = 0; at <= plain.length; at++) {
    const code = plain.charCodeAt(at)
    if (code >= 97 && code <= 122) {
      if (from < 0) from = at
    } else if (from >= 0) {
      yield at - from > WORD_CHARS_MAX ? '' : plain.slice(from, at)
      from = -1
    }
  }
}

/** BIP-39: 11 bits for each word, of which one in 33 belongs to the SHA-256 of the others. */
function checksumFits(indices: readonly number[], from: number, length: number): boolean {
  const entropy = Buffer.alloc((length / 3) * 4)
  let bits = 0
  let held = 0
  let filled = 0
  for (let at = from; at < from + length; at++) {
    bits = ((bits << 11) | (indices[at] ?? 0)) & 0x7ffff
    held += 11
    while (held >= 8 && filled < entropy.length) {
      held -= 8
      entropy[filled++] = (bits >> held) & 0xff
    }
  }
  const checksum = length / 3
  const digest = hash('sha256', entropy, 'buffer')[0] ?? 0
  return digest >> (8 - checksum) === (bits & ((1 << checksum) - 1))
}
