import type { Insertable, Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { preparedInsert } from '../postgres/prepared.ts'
import { findRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type PassportRow = Selectable<Database['receipt_passports']>

const insertRow = preparedInsert('receipt_passports')
export const insertPassport = async (
  tx: Tx,
  row: Insertable<Database['receipt_passports']>,
): Promise<void> => {
  await insertRow(row).run(tx)
}

export const findPassport = (tx: Tx, by: { passport_id: string } | { jws: string }) =>
  findRow(tx, 'receipt_passports', by)
