import { jsonText, printable } from '#domain/core/plain-text.ts'

// The command line prints by these alone: what callers wrote sends no control characters to a terminal.

export const print = (text: string): void => console.log(printable(text))
export const printJson = (value: unknown): void => console.log(jsonText(value))
export const printError = (text: string): void => console.error(printable(text))

/** `--json`, which every command has. */
export type Output = { json?: true }

/** Prints the answer of a command: as JSON with `--json`, else as the text that is made of it, names with values by default. */
export function show<T>({ json }: Output, answer: T, text: (answer: T) => string = recordText) {
  if (json === true) printJson(answer)
  else print(text(answer))
}

/** Rows under the names of their columns, never cut; or what is said where there are none. */
export function tableText(rows: readonly Record<string, unknown>[], none: string): string {
  if (rows.length === 0) return none
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [names, ...rows.map((row) => names.map((name) => cellOf(row[name])))]
  const widths = names.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)))
  const lineOf = (row: readonly string[]) =>
    row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return cells.map((row) => lineOf(row).trimEnd()).join('\n')
}

/** One name a line, with the names of objects joined by dots; a value of several lines is indented. */
export function recordText(record: unknown): string {
  const lines = linesOf('', record)
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  return lines
    .map(([name, value]) => {
      const text = value.replaceAll('\n', `\n${' '.repeat(width + 2)}`)
      return `${name.padEnd(width)}  ${text}`
    })
    .join('\n')
}

/** What a receipt proves to a program; a person reads the members next to it, and its id. */
const forPrograms = ['jws', 'payload']

function linesOf(path: string, value: unknown): [string, string][] {
  const nested = nestedOf(value)
  if (nested.length === 0) return [[path, cellOf(value)]]
  return nested.flatMap(([name, inner]) => linesOf(path === '' ? name : `${path}.${name}`, inner))
}

/** The members of an object, and the items of a list that has objects. */
function nestedOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  const items = Object.entries(value).filter(([name]) => !forPrograms.includes(name))
  const isPlainList = Array.isArray(value) && items.every(([, item]) => typeof item !== 'object')
  return isPlainList ? [] : items
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(cellOf).join(' ') || '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
