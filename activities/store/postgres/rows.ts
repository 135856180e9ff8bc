import {
  type InsertObject,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Database } from '../schema/schema.ts'
import type { Tx } from './db.ts'

type Table = keyof Database
type Row<Of extends Table> = Selectable<Database[Of]>
/** A row as it is stored; what is missing has a default. */
export type NewRow<Of extends Table> = InsertObject<Database, Of>
/** Columns with the values that name one row. */
type Key<Of extends Table> = Partial<Record<keyof Row<Of> & string, string>>

/** The row of a table that these values name. */
export const findRow = <Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
): Promise<Row<Of> | undefined> => first(tx, sql`select * from ${sql.table(table)} ${where(key)}`)

/** The same row, locked for the rest of the transaction. */
export const lockRow = <Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
): Promise<Row<Of> | undefined> =>
  first(tx, sql`select * from ${sql.table(table)} ${where(key)} for update`)

/** The same row, which is there. */
export async function requireRow<Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
): Promise<Row<Of>> {
  const row = await findRow(tx, table, key)
  if (row === undefined) throw new Error(`${Object.values(key).join(' ')} is missing in ${table}`)
  return row
}

/** Public reads count up to here, so that they cost the same however many rows there are. */
export const COUNTED_MAX = 1_000

/** How many rows a query chooses, counted up to `COUNTED_MAX`. */
export async function countUpTo<DB, TB extends keyof DB, Chosen>(
  tx: Tx,
  query: SelectQueryBuilder<DB, TB, Chosen>,
): Promise<number> {
  const first = query.clearSelect().select(sql`1`.as('one')).limit(COUNTED_MAX)
  const counted = sql<{ count: number }>`select count(*)::int as count from (${first}) counted`
  return (await counted.execute(tx)).rows[0]?.count ?? 0
}

/** The number of these rows, up to `COUNTED_MAX`, as a value of a query. */
export const upTo = (rows: string): RawBuilder<number> =>
  sql.raw(`(select count(*)::int from (${rows} limit ${COUNTED_MAX}) counted)`)

/** How many rows there are for each of these values, each counted up to `COUNTED_MAX`; `rows` are those of one `value`. */
export async function countEach(
  tx: Tx,
  values: readonly string[],
  rows: RawBuilder<unknown>,
): Promise<Record<string, number>> {
  const counted = sql<{ value: string; count: number }>`
    select value, (select count(*)::int from (${rows} limit ${COUNTED_MAX}) counted) as count
    from unnest(${[...values]}::text[]) value`
  const all = (await counted.execute(tx)).rows.map(({ value, count }) => [value, count] as const)
  return Object.fromEntries(all.filter(([, count]) => count > 0))
}

/** How many rows a query chooses. */
export async function countOf<DB, TB extends keyof DB, Chosen>(
  query: SelectQueryBuilder<DB, TB, Chosen>,
): Promise<number> {
  const { count } = await query
    .clearSelect()
    .select(sql`count(*)::int`.as('count'))
    .$castTo<{ count: number }>()
    .executeTakeFirstOrThrow()
  return count
}

const where = (key: Readonly<Record<string, string | undefined>>) =>
  sql`where ${sql.join(
    Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql` and `,
  )}`

async function first<Read>(tx: Tx, query: RawBuilder<Read>): Promise<Read | undefined> {
  const { rows } = await query.execute(tx)
  return rows[0]
}

/** Stores a row. */
export async function insertRow<Of extends Table>(
  tx: Tx,
  table: Of,
  row: NewRow<Of>,
): Promise<void> {
  await tx.insertInto(table).values(row).execute()
}

/** Stores a row once: with one of the same key nothing changes. */
export async function insertOnce<Of extends Table>(
  tx: Tx,
  table: Of,
  row: NewRow<Of>,
): Promise<void> {
  await tx
    .insertInto(table)
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
