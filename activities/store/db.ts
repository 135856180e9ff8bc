import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Database } from './schema.ts'

/** Where a store function runs: on the pool, or inside a transaction of the caller. */
export type Tx = Kysely<Database> | Transaction<Database>

/** How to reach Postgres; the timeouts bound how long a call hangs on a dead server (API: at most 1,200 ms each). */
export type DatabaseSettings = {
  readonly url: string
  readonly applicationName: string
  readonly poolSize?: number
  readonly connectTimeoutMs?: number
  readonly queryTimeoutMs?: number
}

export type OpenDatabase = { readonly db: Kysely<Database>; readonly pool: pg.Pool; close(): Promise<void> }

/** A pool that connects when it is first used; `numeric` and `int8` come back as strings, times as `Date`. */
export function createDatabase(settings: DatabaseSettings): OpenDatabase {
  const { url, applicationName, poolSize = 10, connectTimeoutMs = 5_000, queryTimeoutMs = 30_000 } = settings
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
  })
  // A connection that the server ends, idle or in use, is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    if (client instanceof pg.Client) endAfterTimeout(client)
  })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}

/**
 * Ends a connection whose statement was given up. The server may still carry that statement out: were it a late `begin`,
 * whatever used the connection next would sit in a transaction that nobody commits.
 */
function endAfterTimeout(client: pg.Client): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const watched = (...args: unknown[]): unknown => {
    const sent = query(...args)
    if (sent instanceof Promise) {
      sent.catch((error: unknown) => {
        if (error instanceof Error && error.message === 'Query read timeout') client.end().catch(() => undefined)
      })
    }
    return sent
  }
  client.query = watched as typeof client.query
}

const ATTEMPTS_MAX = 5
const retriedCodes = new Set(['40001', '40P01'])

/** Runs `fn` in one READ COMMITTED transaction; the whole of it again, at most five times, after a serialization failure or deadlock. */
export async function transaction<T>(db: Kysely<Database>, fn: (tx: Transaction<Database>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('read committed').execute(fn)
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !retriedCodes.has(codeOf(error))) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** Postgres' `clock_timestamp()` in Unix seconds with a fraction: the clock that every decision uses (payout.md, Clocks). */
export async function clockSeconds(tx: Tx): Promise<number> {
  const { rows } = await sql<{
    seconds: number
  }>`select extract(epoch from clock_timestamp())::float8 as seconds`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('Postgres told no time')
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
// SQLSTATE: connection exceptions, too many connections, shutdown and start-up, and a statement that ran out of time.
const serverCodes = /^(08...|53300|57P0[1-3]|57014)$/
// What pg and its pool throw without a code.
const driverMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed)/

/** Whether Postgres could not be reached or did not answer in time, so that the outcome of the statement is unknown. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (socketCodes.has(code) || serverCodes.test(code) || driverMessages.test(error.message)) return true
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true
  return isUnavailable(error.cause)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
