import { jsonText, printable } from '#domain/core/plain-text.ts'

// The command line prints by these alone: what callers wrote sends no control characters to a terminal.

export const print = (text: string): void => console.log(printable(text))
export const printJson = (value: unknown): void => console.log(jsonText(value))
export const printError = (text: string): void => console.error(printable(text))

/** Rows under the names of their columns, never cut. */
export function printTable(rows: readonly Record<string, unknown>[]): void {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [names, ...rows.map((row) => names.map((name) => cellOf(row[name])))]
  const widths = names.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)))
  for (const row of cells)
    print(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(cellOf).join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
