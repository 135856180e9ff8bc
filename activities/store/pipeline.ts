import type { Writable } from 'node:stream'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
} from 'kysely'
import pg from 'pg'
import { again } from './again.ts'
import type { Database } from './schema.ts'

type Queryable = pg.Pool | pg.ClientBase
/** A query builder, or a text of Kysely's `sql`. */
export type Statement<R = unknown> = { compile(tx: Kysely<Database>): CompiledQuery<R> }

/** A value, or where it is read. */
export type Text = string | RawBuilder<string>

const queryables = new WeakMap<Kysely<Database>, Queryable>()

/** Kysely over a pool or over one client of it; every text is prepared once on each connection. */
export function kyselyOn(queryable: Queryable): Kysely<Database> {
  const db = new Kysely<Database>({ dialect: dialectOn(queryable) })
  queryables.set(db, queryable)
  return db
}

/**
 * Sends a statement before it returns, so that statements of one connection run in the order of the calls and, when nothing
 * is awaited in between, travel together. Kysely's `execute` sends later and promises no order.
 */
export async function send<R>(tx: Kysely<Database>, query: Statement<R>): Promise<R[]> {
  const queryable = queryables.get(tx)
  if (queryable === undefined) throw new Error('this is not a database that createDatabase made')
  const { rows } = await submit(queryable, query.compile(tx))
  return rows as R[]
}

const dialectOn = (queryable: Queryable): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createDriver: () => driverOn(queryable),
})

function driverOn(queryable: Queryable): Driver {
  const connection = connectionOn(queryable)
  const refuse = async () => {
    throw new Error('transactions are begun by transaction() in activities/store/db.ts')
  }
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => undefined,
  }
}

function connectionOn(queryable: Queryable): DatabaseConnection {
  return {
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      const { rows, rowCount } = await submit(queryable, query)
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery: () => {
      throw new Error('nothing here is read as a stream')
    },
  }
}

const corked = new WeakSet<Writable>()

/** Holds what this connection sends back until the present turn of the event loop ends, so that it leaves in one write. */
export function gather(client: pg.ClientBase): void {
  // The driver corks each statement by itself, and a system call costs more than the statement.
  const { connection } = client as unknown as { connection: { stream: Writable } }
  const { stream } = connection
  if (corked.has(stream)) return
  corked.add(stream)
  stream.cork()
  process.nextTick(() => {
    corked.delete(stream)
    stream.uncork()
  })
}

function submit(queryable: Queryable, { sql, parameters }: CompiledQuery): Promise<pg.QueryResult> {
  const name = nameOf(sql)
  const text = { text: sql, values: [...parameters] }
  const statement = name === undefined ? text : { ...text, name }
  if (queryable instanceof pg.Pool) return again(() => queryable.query(statement))
  gather(queryable)
  return queryable.query(statement)
}

/** More texts than the program has are made of lists of varying length: those are not worth a place on the server. */
const NAMED_MAX = 500
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= NAMED_MAX) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
