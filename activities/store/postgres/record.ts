import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { Tx } from './db.ts'
import {
  type Change,
  type Column,
  changeRow,
  findRow,
  insertNew,
  insertRow,
  type Key,
  lockRow,
  type NewRow,
  type Row,
  type Table,
  updateRows,
} from './rows.ts'

/** The rows of one table, each by its id. */
export type RecordRows<Of extends Table> = {
  find(tx: Tx, id: string): Promise<Row<Of> | undefined>
  /** Locked for the rest of the transaction. */
  lock(tx: Tx, id: string): Promise<Row<Of> | undefined>
  /** Throws 404. */
  require(tx: Tx, id: string): Promise<Row<Of>>
  /** Throws 404. */
  requireLocked(tx: Tx, id: string): Promise<Row<Of>>
  insert(tx: Tx, row: NewRow<Of>): Promise<void>
  /** Undefined where a row of the same key is stored already. */
  insertNew(tx: Tx, row: NewRow<Of>): Promise<Row<Of> | undefined>
  update(tx: Tx, id: string, change: Change<Of>): Promise<void>
  /** The row as it is after the change. */
  change(tx: Tx, id: string, change: Change<Of>): Promise<Row<Of>>
  unknown(): DomainError
}

/** The rows of a table by the column of their id; `name` says in a 404 what is not there. */
export function record<Of extends Table>(table: Of, id: Column<Of>, name: string): RecordRows<Of> {
  const by = (value: string) => ({ [id]: value }) as Key<Of>
  const unknown = () => refuse('not_found', { detail: `no such ${name}` })
  const known = (row: Row<Of> | undefined): Row<Of> => {
    if (row === undefined) throw unknown()
    return row
  }
  return {
    find: (tx, value) => findRow(tx, table, by(value)),
    lock: (tx, value) => lockRow(tx, table, by(value)),
    require: async (tx, value) => known(await findRow(tx, table, by(value))),
    requireLocked: async (tx, value) => known(await lockRow(tx, table, by(value))),
    insert: (tx, row) => insertRow(tx, table, row),
    insertNew: (tx, row) => insertNew(tx, table, row),
    update: (tx, value, change) => updateRows(tx, table, by(value), change),
    change: (tx, value, change) => changeRow(tx, table, by(value), change),
    unknown,
  }
}
