import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../schema/schema.ts'
import { BatchingSocket } from './batching-socket.ts'
import { type Compilable, kyselyOn, runInOrder, type Tx } from './pipeline.ts'
import { prepared } from './prepared.ts'
import { codeOf, retry } from './retry.ts'

export type { Tx } from './pipeline.ts'

/** At most `most` ids, in their order, behind the id `after`. */
export type IdPage = { after: string; most: number }

/** How to reach Postgres; the timeouts bound how long a call hangs on a dead server (API: at most 1,200 ms each). */
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

/** A pool that connects when it is first used; `numeric` and `int8` come back as strings, times as `Date`. */
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
    // A living server gives up first and keeps its connection.
    statement_timeout: Math.ceil(queryTimeoutMs * 0.9),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // A new connection starts a server process and prepares each statement again.
    idleTimeoutMillis: 60_000,
    pipeline: true,
    stream: () => new BatchingSocket(),
  })
  // A connection that the server ends, idle or in use, is replaced on the next use; without a listener it would end the process.
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
 * Defers a write whose result decides nothing in the transaction: it travels with the commit, and its failure undoes the
 * transaction. `rows` is filled once the transaction is committed.
 */
export type AtCommit = <R>(write: Compilable<R>) => { readonly rows: readonly R[] }

type InTransaction<T> = (tx: Tx, atCommit: AtCommit) => Promise<T>

/**
 * Runs `fn` in one READ COMMITTED transaction, and repeats it, at most five times in all, after a serialization failure or deadlock.
 * `begin` travels with the first statement, and the writes of `atCommit` travel with `commit`.
 */
export function transaction<T>(db: Tx, fn: InTransaction<T>): Promise<T> {
  return retry(() => attemptOnce(poolOf(db), fn))
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
    // The server may still run an abandoned statement; only an answered rollback makes the connection usable again.
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

/** Postgres' `clock_timestamp()` in Unix seconds with a fraction: the clock of every decision. */
export async function clockSeconds(tx: Tx): Promise<number> {
  const [row] = await selectClock().run(tx)
  if (row === undefined) throw new Error('Postgres returned no time')
  return row.seconds
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
// SQLSTATE: connection exceptions, too many connections, shutdown and start-up, a statement that ran out of time, and what
// others were in the way of each time.
const serverCodes = /^(08...|53300|57P0[1-3]|57014|40001|40P01)$/
// What pg and its pool throw without a code.
const driverMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed|cached plan must not change)/

/** Whether Postgres could not be reached or did not answer in time, so that the outcome of the statement is unknown. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (socketCodes.has(code) || serverCodes.test(code) || driverMessages.test(error.message))
    return true
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true
  return isUnavailable(error.cause)
}

/** Whether a guard of the schema refused the statement, which it would do again. */
export function isConstraintViolation(error: unknown): boolean {
  return codeOf(error).startsWith('23')
}
