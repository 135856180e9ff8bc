import { z } from 'zod'

/** A name or a reference of one line, without control characters and without halves of characters. */
export function oneLine(charsMax: number): z.ZodString {
  return z.string().regex(new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${charsMax}}$`, 'u'))
}

export const Id = oneLine(128)
export const Currency = z.string().regex(/^[A-Z]{3,5}$/)

/** The rows of one id in the order they came, the first of them apart; `differ` where they do not all say the same. */
export type Entry<Row> = {
  row: Row
  index: number
  rows: { row: Row; index: number }[]
  differ: boolean
}

export function enter<Row extends { id: string }>(
  entries: Map<string, Entry<Row>>,
  row: Row,
  index: number,
): void {
  const entry = entries.get(row.id)
  if (entry === undefined)
    entries.set(row.id, { row, index, rows: [{ row, index }], differ: false })
  else {
    entry.rows.push({ row, index })
    entry.differ ||= !sameFields(entry.row, row)
  }
}

function sameFields<Row extends object>(a: Row, b: Row): boolean {
  const present = (row: Row) => Object.entries(row).filter(([, value]) => value !== undefined)
  return (
    present(a).length === present(b).length &&
    present(a).every(([name, value]) => b[name as keyof Row] === value)
  )
}

/** Names that are given more than once apart: the second `a` is `a (2)`. */
export function namesApart(): (name: string) => string {
  const seen = new Map<string, number>()
  return (name) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }
}
