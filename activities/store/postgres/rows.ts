import {
  type InsertObject,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type UpdateObject,
} from 'kysely'
import type { Database } from '../schema/schema.ts'
import type { Tx } from './db.ts'

export type Table = keyof Database
export type Row<Of extends Table> = Selectable<Database[Of]>
/** A row as it is stored; what is missing has a default. */
export type NewRow<Of extends Table> = InsertObject<Database, Of>
export type Column<Of extends Table> = keyof Row<Of> & string
/** Columns with what they hold in the rows that are meant: a value, one of several, or null. */
export type Key<Of extends Table> = {
  readonly [Each in Column<Of>]?: Row<Of>[Each] | readonly Row<Of>[Each][]
}
/** Columns with what they become. */
export type Change<Of extends Table> = UpdateObject<Database, Of>
/** Columns to order by, the first before the others. */
type Order<Of extends Table> = readonly (Column<Of> | `${Column<Of>} desc`)[]

/** The time of Postgres, as a value of a statement. */
export const now: RawBuilder<Date> = sql<Date>`clock_timestamp()`

/** The row of a table that these values name. */
export const findRow = <Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
): Promise<Row<Of> | undefined> =>
  first(tx, sql`select * from ${sql.table(table)} where ${holds(key)}`)

/** The same row, locked for the rest of the transaction. */
export const lockRow = <Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
): Promise<Row<Of> | undefined> =>
  first(tx, sql`select * from ${sql.table(table)} where ${holds(key)} for update`)

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

/** One column of the row that these values name. */
export async function findValue<Of extends Table, Name extends Column<Of>>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
  column: Name,
): Promise<Row<Of>[Name] | undefined> {
  const query = sql<Row<Of>>`select ${sql.ref(column)} from ${sql.table(table)} where ${holds(key)}`
  return (await first(tx, query))?.[column]
}

/** The rows that hold these values, in this order; only the first `most` of them. */
export async function listRows<Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
  order: Order<Of>,
  most?: number,
): Promise<Row<Of>[]> {
  const limit = most === undefined ? sql`` : sql`limit ${most}`
  const by = sql.raw(order.join(', '))
  const query = sql<Row<Of>>`
    select * from ${sql.table(table)} where ${holds(key)} order by ${by} ${limit}`
  return (await query.execute(tx)).rows
}

/** The first row, in this order, of those that hold these values. */
export async function findFirst<Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
  order: Order<Of>,
): Promise<Row<Of> | undefined> {
  const [row] = await listRows(tx, table, key, order, 1)
  return row
}

/** Public reads count up to here, so that they cost the same however many rows there are. */
export const COUNTED_MAX = 1_000

/** Public lists and their searches look at so many rows, the newest. */
export const SEARCHED_MAX = 10_000

/** How many rows a query chooses, counted up to `COUNTED_MAX`. */
export async function countUpTo<DB, TB extends keyof DB, Chosen>(
  tx: Tx,
  query: SelectQueryBuilder<DB, TB, Chosen>,
): Promise<number> {
  const first = query.clearSelect().select(sql`1`.as('one')).limit(COUNTED_MAX)
  const counted = sql<{ count: number }>`select count(*)::int as count from (${first}) counted`
  return (await counted.execute(tx)).rows[0]?.count ?? 0
}

/** What a list reads: its columns, what they come from and the order. */
type Listed = {
  columns: RawBuilder<unknown>
  from: RawBuilder<unknown>
  order: RawBuilder<unknown>
}
export type Page = { readonly offset: number; readonly limit: number }

/** A page of rows. */
export async function readRows<Read>(
  tx: Tx,
  { columns, from, order }: Listed,
  { offset, limit }: Page,
): Promise<Read[]> {
  const page = sql<Read>`select ${columns} ${from} order by ${order} offset ${offset} limit ${limit}`
  return (await page.execute(tx)).rows
}

/** A page of rows, and the number of all; at most `most` are counted. */
export async function readPage<Read>(
  tx: Tx,
  listed: Listed,
  { most, ...page }: Page & { readonly most?: number },
): Promise<{ rows: Read[]; total: number }> {
  const rows = await readRows<Read>(tx, listed, page)
  return { rows, total: await countRows(tx, listed.from, most) }
}

/** How many rows this reads; at most `most` are counted. */
export async function countRows(
  tx: Tx,
  from: RawBuilder<unknown>,
  most: number | null = null,
): Promise<number> {
  const counted = sql<{ total: number }>`
    select count(*)::int as total from (select 1 ${from} limit ${most}) counted`
  return (await counted.execute(tx)).rows[0]?.total ?? 0
}

/** The condition that a column holds a value; what is undefined leaves every row. */
export const isGiven = (column: string, value: unknown): RawBuilder<boolean> =>
  value === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${value}`

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

const holds = (key: Readonly<Record<string, unknown>>) =>
  sql<boolean>`${sql.join(
    Object.entries(key).map(([column, value]) => {
      if (Array.isArray(value)) return sql`${sql.ref(column)} in (${sql.join(value)})`
      return value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`
    }),
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

/** Changes the rows that hold these values. */
export async function updateRows<Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
  change: Change<Of>,
): Promise<void> {
  await sql`update ${sql.table(table)} set ${become(change)} where ${holds(key)}`.execute(tx)
}

/** Changes the one row that these values name, and returns it as it is then. */
export async function changeRow<Of extends Table>(
  tx: Tx,
  table: Of,
  key: Key<Of>,
  change: Change<Of>,
): Promise<Row<Of>> {
  const query = sql<Row<Of>>`
    update ${sql.table(table)} set ${become(change)} where ${holds(key)} returning *`
  const row = await first(tx, query)
  if (row === undefined) throw new Error(`${Object.values(key).join(' ')} is missing in ${table}`)
  return row
}

/** Stores a row and returns it; undefined where one of the same key is stored already. */
export async function insertNew<Of extends Table>(
  tx: Tx,
  table: Of,
  row: NewRow<Of>,
): Promise<Row<Of> | undefined> {
  const given = givenOf(row)
  const columns = sql.join(given.map(([column]) => sql.ref(column)))
  const values = sql.join(given.map(([, value]) => value))
  const query = sql<Row<Of>>`insert into ${sql.table(table)} (${columns}) values (${values})
    on conflict do nothing returning *`
  return first(tx, query)
}

const givenOf = (row: unknown): [string, unknown][] =>
  Object.entries(Object(row)).filter(([, value]) => value !== undefined)

const become = (change: unknown) =>
  sql.join(givenOf(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))

/** A finalized block that proves an end; its time is in Unix seconds. */
export type FinalizedBlock = {
  readonly number: bigint
  readonly hash: string
  readonly timestamp: bigint
}

/** The pattern of LIKE for what contains a text, whose own wildcards stand for themselves. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
