import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type SpanFacts, traced } from '../../tracing/spans.ts'
import type { Database } from '../schema/schema.ts'
import { BatchingSocket } from './batching-socket.ts'
import { type Compilable, kyselyOn, runInOrder, type Tx } from './pipeline.ts'
import { prepared } from './prepared.ts'
import { codeOf, retry } from './retry.ts'

export type { Tx } from './pipeline.ts'

/** At most `most` ids in order, after the id `after`. */
export type IdPage = { after: string; most: number }

/** How to reach Postgres. The timeouts limit how long a call waits for a dead server (API: `DATABASE_TIMEOUT_MS`). */
export type DatabaseSettings = {
  readonly url: string
  readonly applicationName: string
  readonly poolSize?: number
  readonly connectTimeoutMs?: number
  readonly queryTimeoutMs?: number
}

export type OpenDatabase = {
  readonly db: Kysely<Database>
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** A pool that connects on first use. `numeric` and `int8` are returned as strings, times as `Date`. */
export function createDatabase(settings: DatabaseSettings): OpenDatabase {
  const {
    url,
    applicationName,
    poolSize = 10,
    connectTimeoutMs = 5_000,
    queryTimeoutMs = 30_000,
  } = settings
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    // A live server stops the statement first and keeps its connection.
    statement_timeout: Math.ceil(queryTimeoutMs * 0.9),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // A new connection starts a server process and prepares every statement again.
    idleTimeoutMillis: 60_000,
    pipeline: true,
    stream: () => new BatchingSocket(),
  })
  // A connection that the server closes is replaced on the next use. Without a listener the error would end the
  // process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = kyselyOn(pool)
  pools.set(db, pool)
  return { db, pool, close: () => pool.end() }
}

const pools = new WeakMap<Tx, pg.Pool>()
const connections = new WeakMap<pg.PoolClient, Tx>()

/** The pool behind a database, for code that needs its own connection. */
export function poolOf(db: Tx): pg.Pool {
  const pool = pools.get(db)
  if (pool === undefined) throw new Error('this is not a database that createDatabase made')
  return pool
}

/**
 * Defers a write whose result decides nothing in the transaction: it travels with the commit, and its failure rolls
 * the transaction back. `rows` is filled after the commit.
 */
export type AtCommit = <R>(write: Compilable<R>) => { readonly rows: readonly R[] }

const TRANSACTION: SpanFacts = {
  name: 'sql transaction',
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql' },
}

type InTransaction<T> = (tx: Tx, atCommit: AtCommit) => Promise<T>

/**
 * Runs `fn` in one READ COMMITTED transaction. Repeats it after a serialization failure or deadlock, at most five
 * times in all. `begin` travels with the first statement, and the writes of `atCommit` travel with `commit`.
 */
export function transaction<T>(db: Tx, fn: InTransaction<T>): Promise<T> {
  return retry(() => traced(TRANSACTION, () => attemptOnce(poolOf(db), fn)))
}

async function attemptOnce<T>(pool: pg.Pool, fn: InTransaction<T>): Promise<T> {
  const client = await pool.connect()
  const tx = connections.get(client) ?? kyselyOn(client)
  connections.set(client, tx)
  const begun = client.query('begin isolation level read committed')
  begun.catch(() => undefined)
  let broken = false
  try {
    const writes: (() => Promise<void>)[] = []
    const atCommit: AtCommit = <R>(write: Compilable<R>) => {
      const answer = { rows: [] as R[] }
      writes.push(async () => {
        answer.rows = await runInOrder(tx, write)
      })
      return answer
    }
    const result = await fn(tx, atCommit)
    const written = writes.map((write) => write())
    const [committed] = await Promise.all([client.query('commit'), begun, ...written])
    if (committed.command !== 'COMMIT')
      throw new Error('a transaction continued after one of its statements failed')
    return result
  } catch (error) {
    // The server may still run an abandoned statement. Only an answered rollback makes the connection usable again.
    broken = codeOf(error) === '0A000'
    await client.query('rollback').catch(() => {
      broken = true
    })
    throw error
  } finally {
    client.release(broken)
  }
}

const selectClock = prepared(
  () => sql<{ seconds: number }>`select extract(epoch from clock_timestamp())::float8 as seconds`,
)

/** `clock_timestamp()` of Postgres in Unix seconds, with a fraction. All decisions use this clock. */
export async function clockSeconds(tx: Tx): Promise<number> {
  const [row] = await selectClock().run(tx)
  if (row === undefined) throw new Error('Postgres returned no time')
  return row.seconds
}

/** Whether `time` has passed by the clock of Postgres. */
export async function isOver(tx: Tx, time: Date): Promise<boolean> {
  return time.getTime() <= (await clockSeconds(tx)) * 1000
}

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
// SQLSTATE codes of a server that cannot work now: connection exceptions, exhausted resources such as the disk or the connections,
// shutdown and start-up, an operating system error, a standby that only reads, a timeout of a statement or a lock, and conflicts
// with other transactions in every attempt.
const serverCodes = /^(08...|53...|57P0[1-5]|58000|58030|25006|57014|55P03|40001|40P01)$/
// Errors that pg and its pool throw without a code.
const driverMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed|cached plan must not change)/

/** Whether Postgres could not be reached or did not answer in time, so that the result of the statement is unknown. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (socketCodes.has(code) || serverCodes.test(code) || driverMessages.test(error.message))
    return true
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true
  return isUnavailable(error.cause)
}

/** Whether a constraint or trigger refused the statement. A repeat would be refused again. */
export function isConstraintViolation(error: unknown): boolean {
  return codeOf(error).startsWith('23')
}

/** What a transaction would return; it is rolled back. */
export async function tryOut<T>(db: Tx, fn: InTransaction<T>): Promise<T> {
  const done = await transaction<never>(db, async (tx, defer) => {
    throw new RolledBack(await fn(tx, defer))
  }).catch((error: unknown) => {
    if (error instanceof RolledBack) return error as RolledBack<T>
    throw error
  })
  return done.result
}

class RolledBack<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('a trial is rolled back')
    this.result = result
  }
}
