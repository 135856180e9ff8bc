import type { Insertable, Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { preparedInsert } from '../postgres/prepared.ts'
import type { Database } from '../schema/schema.ts'

export type PassportRow = Selectable<Database['receipt_passports']>

const insertRow = preparedInsert('receipt_passports')
export const insertPassport = async (
  tx: Tx,
  row: Insertable<Database['receipt_passports']>,
): Promise<void> => {
  await insertRow(row).run(tx)
}

export async function findPassport(
  tx: Tx,
  by: { passport_id: string } | { jws: string },
): Promise<PassportRow | undefined> {
  const query = tx.selectFrom('receipt_passports').selectAll()
  return 'jws' in by
    ? query.where('jws', '=', by.jws).executeTakeFirst()
    : query.where('passport_id', '=', by.passport_id).executeTakeFirst()
}
