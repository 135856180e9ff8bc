import { canonicalJson } from '../../core/canonical-json.ts'
import type { Table } from './tables.ts'

/** A table as JSON Lines: an object for each row, by column. */
export const jsonLinesOf = ({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string =>
  rows
    .map((row) => {
      const cells = columns.map((column, at) => [column, row[at] ?? null] as const)
      return `${canonicalJson(Object.fromEntries(cells))}\n`
    })
    .join('')
