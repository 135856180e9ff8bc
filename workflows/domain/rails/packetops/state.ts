import { tableIn } from '../text/table.ts'
import { type Part, wordsOf } from '../text/words.ts'

/** How much a text says. */
export type TextState = 'empty' | 'placeholder' | 'unfinished' | 'thin' | 'written'

/** Decision: fewer words are no evidence of anything. */
const WORDS_MIN = 4

const nothing =
  /^(?:tb[adc]|to ?do|n\/?a|none|nil|pending|placeholder|x{2,}|draft|test|sample text|coming soon|wip|work in progress|not (?:yet )?available(?: yet)?|see above|to be (?:determined|defined|completed|confirmed|provided|added|written|done|agreed)|(?:content|text) (?:goes|to go) here|insert [\p{L} ]* here)$/iu
/** What a named value should not be; `Exceptions: none` says something. */
const undecided =
  /^(?:tb[adc]|to ?do|x{2,}|pending|draft|wip|to be (?:determined|defined|completed|confirmed|provided|added|written|done|agreed)|insert [\p{L} ]* here)$/iu
const namedValue = (line: string) => /^[^:=]{1,60}[:=](.*)$/.exec(line)?.[1]
const filler = /\blorem ipsum\b/i
const left =
  /\[(?:insert|company|your|name|date|add|tbd|todo)\b[^\]\n]{0,60}\]|<(?:insert|company|your|name|date)\b[^>\n]{0,60}>|\{\{[^}\n]{1,60}\}\}|\b(?:TBD|TBC|TODO|FIXME)\b|\bto be (?:determined|completed|confirmed)\b/i

/** Judges whether a text is filled in; `at` is the placeholder, where there is one. */
export function stateOf(text: string): { state: TextState; at: Part | null } {
  if (!/[\p{L}\p{N}]/u.test(text) || /^\s*[[{][\s[\]{}]*$/.test(text))
    return { state: 'empty', at: null }
  const place = placeholderIn(text)
  if (filler.test(text)) return { state: 'placeholder', at: place }
  const rest = substance(text)
  if (rest.placeholders > 0 && rest.words < WORDS_MIN) return { state: 'placeholder', at: place }
  if (tableIn(text)?.isTitled === false) return { state: 'written', at: null }
  if (place !== null) return { state: 'unfinished', at: place }
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)].length
  return { state: words < WORDS_MIN ? 'thin' : 'written', at: null }
}

function placeholderIn(text: string): Part | null {
  const found = filler.exec(text) ?? left.exec(text)
  if (found !== null) return { from: found.index, to: found.index + found[0].length }
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    if (isPlaceholder(line))
      return { from: index + line.search(/\S/), to: index + line.trimEnd().length }
  }
  return null
}

/** The words of a text that are neither titles, names of values nor placeholders, and how many placeholders it has. */
function substance(text: string): { words: number; placeholders: number } {
  let [words, placeholders] = [0, 0]
  for (const line of text.split('\n')) {
    if (isPlaceholder(line)) placeholders += 1
    else if (left.test(line) && wordsOf(line.replace(left, '')).length < WORDS_MIN)
      placeholders += 1
    else if (!isTitle(line)) words += wordsOf(namedValue(line) ?? line).length
  }
  return { words, placeholders }
}

/** A longer line is no placeholder. */
const LINE_CHARS_MAX = 200
const isPlaceholder = (line: string) =>
  line.length <= LINE_CHARS_MAX &&
  (nothing.test(bare(line)) || undecided.test(bare(namedValue(line) ?? '')))
const isTitle = (line: string) =>
  /^\s*#/.test(line) || (!/[.!?,;:=]/.test(line) && line.split(/\s+/).length <= 8)
const bare = (text: string) => text.replace(/^[\s"'[(<{.*_-]+|[\s"'\])>}.!*_-]+$/g, '')
