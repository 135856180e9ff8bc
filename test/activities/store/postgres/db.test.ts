import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import {
  clockSeconds,
  createDatabase,
  isUnavailable,
  type OpenDatabase,
  transaction,
} from '../../../../activities/store/postgres/db.ts'
import {
  ensureDatabase,
  latestMigration,
  migrateToLatest,
  migrations,
} from '../../../../activities/store/postgres/migrate.ts'
import { findFree } from '../../../../worker/stack/ports.ts'
import { lockWaits, startPostgres } from '../../../support/postgres.ts'
import { within } from '../../../support/slowness.ts'
import { verifies } from '../../../verifies.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
let open: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgres()
  open = createDatabase({ url: postgres.url, applicationName: 'test' })
})
afterAll(async () => {
  await open?.close()
  await postgres?.stop()
})

/** The same server with another database. */
function urlOf(database: string): string {
  const url = new URL(postgres.url)
  url.pathname = `/${database}`
  return url.href
}

async function tablesOf(url: string): Promise<string[]> {
  const other = createDatabase({ url, applicationName: 'test' })
  const { rows } = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    other.db,
  )
  await other.close()
  return rows.map(({ name }) => name)
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

verifies(
  'store.migrations',
  'four runs at once make the database once and apply each migration once',
  async () => {
    const url = urlOf('made_by_four')
    const run = async () => {
      await ensureDatabase(url)
      const other = createDatabase({ url, applicationName: 'test', poolSize: 1 })
      return migrateToLatest(other.db).finally(other.close)
    }
    const applied = await Promise.all([run(), run(), run(), run()])
    expect(applied.flat()).toEqual(Object.keys(migrations))
    expect(await run()).toEqual([])
    expect(await tablesOf(url)).toEqual(
      expect.arrayContaining([
        'payouts',
        'transfers',
        'calls',
        'payments',
        'receipts',
        'replay_ledger',
        'operators',
      ]),
    )
  },
)

verifies(
  'store.migrations',
  'migrating creates a missing database, reports it, and repeats safely',
  async () => {
    vi.stubEnv('DATABASE_URL', urlOf('made by program'))
    const notified = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    await import('../../../../worker/migrate.ts')
    vi.resetModules()
    await import('../../../../worker/migrate.ts')
    const lines = notified.mock.calls.map(([line]) => line)
    notified.mockRestore()
    vi.unstubAllEnvs()
    expect(lines).toEqual([
      ...Object.keys(migrations).map((name) => `applied ${name}`),
      `nothing to apply: the database is at ${latestMigration}`,
    ])
  },
)

verifies('store.transaction-retry', 'of two transactions that deadlock both commit', async () => {
  await sql`create table pairs (id int primary key, hits int not null)`.execute(open.db)
  await sql`insert into pairs values (1, 0), (2, 0)`.execute(open.db)
  let [attempts, holding, committed] = [0, 0, 0]
  const cross = async (first: number, second: number) => {
    await transaction(open.db, async (tx) => {
      attempts++
      // Otherwise a repeat may take its row again before the other transaction wakes, and they deadlock once more.
      if (attempts > 2) await expect.poll(() => committed, { interval: 5 }).toBe(1)
      await sql`update pairs set hits = hits + 1 where id = ${first}`.execute(tx)
      holding++
      while (holding < 2) await sleep(5)
      await sql`update pairs set hits = hits + 1 where id = ${second}`.execute(tx)
    })
    committed++
  }
  await Promise.all([cross(1, 2), cross(2, 1)])
  expect(attempts).toBe(3)
  const { rows } = await sql<{ hits: number }>`select hits from pairs order by id`.execute(open.db)
  expect(rows).toEqual([{ hits: 2 }, { hits: 2 }])
})

verifies(
  'store.transaction-retry',
  'a single statement that Postgres cancels in a deadlock is repeated',
  async () => {
    await sql`create table crossed (id int primary key, hits int not null)`.execute(open.db)
    await sql`insert into crossed values (1, 0), (2, 0)`.execute(open.db)
    // Postgres checks each wait for a deadlock once, after this time. The transaction waits longer, so the statement is cancelled.
    const url = new URL(postgres.url)
    url.searchParams.set('options', '-c deadlock_timeout=3s')
    const patient = createDatabase({ url: url.href, applicationName: 'test', poolSize: 1 })
    let begun = false
    const other = transaction(open.db, async (tx) => {
      await sql`set local deadlock_timeout = '1min'`.execute(tx)
      await sql`update crossed set hits = hits + 1 where id = 2`.execute(tx)
      begun = true
      await expect.poll(() => lockWaits(open.db), { interval: 20 }).toBe(1)
      await sql`update crossed set hits = hits + 1 where id = 1`.execute(tx)
    })
    await expect.poll(() => begun, { interval: 10 }).toBe(true)
    await sql`update crossed set hits = hits + 10 where id in (1, 2)`.execute(patient.db)
    await other
    await patient.close()
    const { rows } = await sql<{ hits: number }>`select hits from crossed order by id`.execute(
      open.db,
    )
    expect(rows).toEqual([{ hits: 11 }, { hits: 11 }])
  },
)

verifies(
  'store.transaction-retry',
  'a serialization failure is tried five times, another failure once',
  async () => {
    let attempts = 0
    const raise = (state: string) =>
      transaction(open.db, async (tx) => {
        attempts++
        await sql`update pairs set hits = 100`.execute(tx)
        await sql
          .raw(`do $$ begin raise exception 'on purpose' using errcode = '${state}'; end $$`)
          .execute(tx)
      })
    expect(await rejection(raise('40001'))).toMatchObject({ code: '40001' })
    expect(attempts).toBe(5)
    expect(await rejection(raise('23505'))).toMatchObject({ code: '23505' })
    expect(attempts).toBe(6)
    const { rows } = await sql<{ hits: number }>`select hits from pairs`.execute(open.db)
    expect(rows.map(({ hits }) => hits)).toEqual([2, 2])
  },
)

verifies(
  'store.transaction-retry',
  'numeric and int8 come back as exact strings, times as dates',
  async () => {
    const { rows } =
      await sql`select 123456789012345678901234567890::numeric(78,0) as amount, 9007199254740993::int8 as block, now() as at`.execute(
        open.db,
      )
    expect(rows).toEqual([
      { amount: '123456789012345678901234567890', block: '9007199254740993', at: expect.any(Date) },
    ])
  },
)

verifies(
  'store.transaction-retry',
  'the clock is that of Postgres and advances inside a transaction',
  async () => {
    await transaction(open.db, async (tx) => {
      const first = await clockSeconds(tx)
      await sql`select pg_sleep(0.05)`.execute(tx)
      expect((await clockSeconds(tx)) - first).toBeGreaterThan(0.04)
      expect(Math.abs(first - Date.now() / 1000)).toBeLessThan(5)
    })
  },
)

verifies(
  'pipeline.dependency-down',
  'a refused, ended, slow or full database is unavailable, each in time',
  async () => {
    const [port = 0] = await findFree(1)
    const limits = {
      applicationName: 'test',
      poolSize: 1,
      connectTimeoutMs: 300,
      queryTimeoutMs: 300,
    }
    const dead = createDatabase({ ...limits, url: `postgres://postgres:x@127.0.0.1:${port}/x` })
    const alive = createDatabase({ ...limits, url: postgres.url })
    const began = performance.now()
    const failures = [
      await rejection(clockSeconds(dead.db)),
      await rejection(sql`select pg_terminate_backend(pg_backend_pid())`.execute(alive.db)),
      await rejection(sql`select pg_sleep(5)`.execute(alive.db)),
      await rejection(transaction(alive.db, () => clockSeconds(alive.db))),
    ]
    expect(failures.map(isUnavailable)).toEqual([true, true, true, true])
    // Less than one of them takes without its limit.
    expect(performance.now() - began).toBeLessThan(within(4_500))
    expect(await clockSeconds(alive.db)).toBeGreaterThan(0)
    await Promise.all([dead.close(), alive.close()])
  },
)

verifies(
  'pipeline.dependency-down',
  'a statement that ends after its deadline leaves no open transaction',
  async () => {
    await sql`create table late (id int primary key)`.execute(open.db)
    const line = await stoppableLine(Number(new URL(postgres.url).port))
    const url = new URL(postgres.url)
    url.port = String(line.port)
    const far = createDatabase({
      url: url.href,
      applicationName: 'test',
      poolSize: 1,
      connectTimeoutMs: 1000,
      queryTimeoutMs: 300,
    })
    await clockSeconds(far.db)
    line.stop()
    expect(
      isUnavailable(
        await rejection(
          transaction(far.db, async (tx) => sql`insert into late values (1)`.execute(tx)),
        ),
      ),
    ).toBe(true)
    line.go()
    await sleep(100)
    await sql`insert into late values (2)`.execute(far.db)
    const { rows } = await sql`select id from late`.execute(open.db)
    expect(rows).toEqual([{ id: 2 }])
    await far.close()
    line.close()
  },
)

verifies(
  'store.transaction-retry',
  'a write sent with the commit undoes the transaction if it fails',
  async () => {
    await sql`create table sent (id int primary key)`.execute(open.db)
    const failed = await rejection(
      transaction(open.db, async (_, atCommit) => {
        atCommit(sql`insert into sent values (1)`)
        atCommit(sql`insert into sent values (1)`)
        atCommit(sql`insert into sent values (2)`)
      }),
    )
    expect(String(failed)).toMatch(/duplicate key/)
    expect((await sql`select 1 from sent`.execute(open.db)).rows).toEqual([])
  },
)

verifies(
  'store.transaction-retry',
  'open connections keep reading a table that a migration widened',
  async () => {
    await sql`create table widened (id int primary key)`.execute(open.db)
    const one = createDatabase({ url: postgres.url, applicationName: 'test', poolSize: 1 })
    const read = () => transaction(one.db, (tx) => sql`select * from widened`.execute(tx))
    await read()
    await sql`alter table widened add column name text default 'x'`.execute(open.db)
    expect((await read()).rows).toEqual([])
    await one.close()
  },
)

verifies('pipeline.dependency-down', 'a refusal by the database is not an outage', async () => {
  expect(isUnavailable(await rejection(sql`select 1 / 0`.execute(open.db)))).toBe(false)
  expect(
    isUnavailable(await rejection(sql`insert into pairs values (1, 0)`.execute(open.db))),
  ).toBe(false)
  expect(isUnavailable(new TypeError('a bug'))).toBe(false)
  expect(isUnavailable(undefined)).toBe(false)
})

verifies(
  'pipeline.dependency-down',
  'a server that stops, starts or is full is an outage, also as a cause',
  () => {
    for (const code of [
      '57P01',
      '57P02',
      '57P03',
      '08006',
      '53300',
      '40P01',
      'ECONNREFUSED',
      'ECONNRESET',
    ]) {
      const error = Object.assign(new Error('x'), { code })
      expect(isUnavailable(error), code).toBe(true)
      expect(isUnavailable(new Error('wrapped', { cause: error }))).toBe(true)
      expect(isUnavailable(new AggregateError([error]))).toBe(true)
    }
  },
)

/** A TCP line to a local port that can be held up without being cut, as a frozen server holds it. */
async function stoppableLine(
  target: number,
): Promise<{ port: number; stop(): void; go(): void; close(): void }> {
  const sockets: Socket[] = []
  const server: Server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    stop: () => sockets.forEach((socket) => void socket.pause()),
    go: () => sockets.forEach((socket) => void socket.resume()),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

verifies(
  'store.outages',
  'what a server cannot do now is an outage, and a fault is none',
  async () => {
    const { url } = postgres
    const guest = new URL(url)
    guest.username = guest.password = 'guest'
    await sql`create role guest login password 'guest' connection limit 0`.execute(open.db)
    const failing = async (address: string, statement: string) => {
      const other = createDatabase({ url: address, applicationName: 'test', poolSize: 1 })
      const error = await rejection(sql.raw(statement).execute(other.db))
      await other.close()
      return { code: (error as { code?: string }).code, outage: isUnavailable(error) }
    }
    const raised = (code: string) => `do $$ begin raise exception using errcode = '${code}'; end $$`
    expect(await failing(guest.href, 'select 1')).toEqual({ code: '53300', outage: true })
    const readOnly = `perform set_config('transaction_read_only', 'on', true)`
    const create = `do $$ begin ${readOnly}; create table never (id int); end $$`
    expect(await failing(url, create)).toEqual({
      code: '25006',
      outage: true,
    })
    // A full disk and exhausted memory cannot be made here, so the server raises their codes.
    for (const code of ['53100', '53200', '57P01', '57P03', '58030', '08006', '55P03', '40001'])
      expect(await failing(url, raised(code)), code).toEqual({ code, outage: true })
    for (const code of ['23505', '22P02', '42501', 'P0001'])
      expect(await failing(url, raised(code)), code).toEqual({ code, outage: false })
  },
)
