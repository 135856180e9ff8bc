/** The check of a column of lower-case hexadecimal digits after `0x`. */
export const hex = (column: string, digits: number): string =>
  `check (${column} ~ '^0x[0-9a-f]{${digits}}$')`

/** The column that names the kind of runtime record that each row of the table is. */
export const recordKind = (kind: string): string =>
  `record_kind text not null default '${kind}' check (record_kind = '${kind}')`
