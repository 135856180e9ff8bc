import { movesOf, type StateTable } from '#domain/core/state-table.ts'

/** The check of a column with one of these values. */
export const oneOf = (column: string, values: readonly string[]): string =>
  `check (${column} in (${values.map((value) => `'${value}'`).join(',')}))`

/** The condition that an update moves a state as its table does not. */
export const movesOtherwise = (column: string, table: StateTable<string, string>): string => {
  const others = movesOf(table).map(
    ([from, to]) => `(old.${column}, new.${column}) <> ('${from}','${to}')`,
  )
  return [`old.${column} <> new.${column}`, ...others].join(' and ')
}

/** The check of a column with lower-case hexadecimal digits after `0x`. */
export const hex = (column: string, digits: number): string =>
  `check (${column} ~ '^0x[0-9a-f]{${digits}}$')`

/** A generated column with the kind of runtime record of every row in the table. */
export const recordKind = (kind: string): string =>
  `record_kind text not null default '${kind}' check (record_kind = '${kind}')`

/** The check of a column with a SHA-256 in lower-case hexadecimal digits. */
export const digest = (column: string): string => `check (${column} ~ '^[0-9a-f]{64}$')`

/** Raises `check_violation` with this message in a trigger where the condition holds. */
export const refusal = (condition: string, message: string): string =>
  `if ${condition} then raise exception '${message}' using errcode = 'check_violation'; end if;`

/** A primary key with this prefix before the digits of a SHA-256. */
export const id = (column: string, prefix: string): string =>
  `${column} text primary key check (${column} ~ '^${prefix}_[0-9a-f]{64}$')`
