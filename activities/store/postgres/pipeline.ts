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
import { type SpanFacts, traced } from '../../tracing/spans.ts'
import type { Database } from '../schema/schema.ts'
import { retry } from './retry.ts'

/** Texts with lists of varying length are not kept beyond this. */
const KEPT_MAX = 500
const kept = new Map<string, SpanFacts>()

/** A statement by its verb and table, such as `update payouts`; neither its text nor its values leave the process. */
function statementSpan(text: string): SpanFacts {
  const known = kept.get(text)
  if (known !== undefined) return known
  const facts = factsOf(text)
  if (kept.size < KEPT_MAX) kept.set(text, facts)
  return facts
}

function factsOf(text: string): SpanFacts {
  const [, verb = 'statement'] = /^\s*([a-z]+)/i.exec(text) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?([a-z_]+)"?/i.exec(text) ?? []
  const summary = [verb.toLowerCase(), table].filter((word) => word !== undefined).join(' ')
  return {
    name: `sql ${summary}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
  }
}

/** Where a store function runs: on the pool, or inside a transaction of the caller. */
export type Tx = Kysely<Database>
type Queryable = pg.Pool | pg.ClientBase
/** A query builder, a text of Kysely's `sql`, or a prepared statement. */
export type Compilable<R = unknown> = { compile(tx: Tx): CompiledQuery<R> }

/** A value, or the SQL expression that reads it. */
export type Text = string | RawBuilder<string>

const queryables = new WeakMap<Kysely<Database>, Queryable>()

/** Kysely over a pool or over one of its clients. Each text is prepared once on each connection. */
export function kyselyOn(queryable: Queryable): Kysely<Database> {
  const db = new Kysely<Database>({ dialect: dialectOn(queryable) })
  queryables.set(db, queryable)
  return db
}

/** Sends a statement before it returns, so that the statements of one connection keep the order of the calls. */
export async function runInOrder<R>(tx: Kysely<Database>, query: Compilable<R>): Promise<R[]> {
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
    throw new Error('use transaction() of activities/store/postgres/db.ts')
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
      throw new Error('results are not streamed')
    },
  }
}

function submit(queryable: Queryable, query: CompiledQuery): Promise<pg.QueryResult> {
  return traced(statementSpan(query.sql), () => send(queryable, query))
}

function send(queryable: Queryable, { sql, parameters }: CompiledQuery): Promise<pg.QueryResult> {
  const name = nameOf(sql)
  const text = { text: sql, values: [...parameters] }
  const statement = name === undefined ? text : { ...text, name }
  if (queryable instanceof pg.Pool) return retry(() => queryable.query(statement))
  return queryable.query(statement)
}

/** The program has fewer texts. All others contain lists of varying length and are not worth preparing. */
const NAMED_MAX = 500
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= NAMED_MAX) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
