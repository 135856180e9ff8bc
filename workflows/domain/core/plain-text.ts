// Text that callers wrote, as it may stand in a terminal, a page or Markdown. Everything that shows such text uses these functions.

/** C0 and C1 controls but tab and line feed, line separators, and bidi embeddings, overrides and isolates, which reorder text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
const EACH_CONTROL = new RegExp(CONTROLS, 'g')

/** The pattern of text without control characters other than tab and line feed, and without bidi overrides. */
export const plainTextPattern = new RegExp(`^${CONTROLS.source.replace('[', '[^')}*$`)

/** The text with `�` for each control character: safe in a terminal, a log line and a page. */
export const printable = (text: string): string => text.replaceAll(EACH_CONTROL, '\ufffd')

/** The text with a capital at its begin. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A copy of a part of a text. The part itself shares the characters of the text, and keeps the whole of it in memory. */
export const detached = (part: string): string => `\n${part}`.slice(1)

/** The text on one line of at most `max` characters. */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const characters = [...printable(text).replaceAll(/\s+/g, ' ').trim()]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('')
}

/** The begin of the text: at most `max` UTF-16 units, and no half of a character. */
export const beginOf = (text: string, max: number): string =>
  text.slice(0, max).replace(/[\ud800-\udbff]$/, '')

/**
 * The text as inline code of Markdown, in which nothing is a link, an image or emphasis: the fence is longer than any run of
 * backticks inside. A vertical bar would end the cell of a table, so a broken bar stands for it.
 */
export function markdownCode(text: string, max?: number): string {
  const line = oneLine(text, max).replaceAll('|', '¦') || '–'
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1)
  const space = runs.length > 0 ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

/** Lines as a code block of Markdown, to be copied as they are. */
export function markdownBlock(lines: readonly string[]): string {
  const text = lines.map((line) => oneLine(line)).join('\n')
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** A value as indented JSON for a terminal: control characters are escaped, so that it says the same. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(EACH_CONTROL, (control) => {
    const code = control.charCodeAt(0).toString(16)
    return `\\u${code.padStart(4, '0')}`
  })
