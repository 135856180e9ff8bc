import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Frontier, type FullTile, grow, rootOfFrontier } from '#domain/log/frontier.ts'
import { createProver } from '../../../activities/log/proofs.ts'
import { type LogDeps, sequence } from '../../../activities/log/sequencer.ts'
import { findCheckpoint } from '../../../activities/store/log/checkpoints.ts'
import { findLeaf } from '../../../activities/store/log/leaves.ts'
import { createDatabase, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { migrateToLatest } from '../../../activities/store/postgres/migrate.ts'
import { findFree } from '../../../worker/stack/ports.ts'
import { postgresPart, postgresUrl } from '../../../worker/stack/postgres.ts'
import { openLog } from '../../support/log.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { median, percentile, round } from './figures.ts'

type Figures = {
  leaves: number
  /** Receipts that were committed and got their place and a signed checkpoint, without the time that they took to commit. */
  sequenced_per_second: number
  /** The same rows written in the same batches, without a tree, a signature and guards. */
  baseline_per_second: number
  ratio_to_baseline: number
  proof_p50_ms: number
  proof_p99_ms: number
  /** Processor time of this process for a proof, without that of Postgres. */
  proof_cpu_ms: number
  /** The same number of rows read by their primary keys in one statement. */
  read_p99_ms: number
  proof_ratio: number
}

const PROOFS = 1_000
const WARM = 3_000
const ROUNDS = 5
const CHUNK = 65_536

/** Sequencing and proofs of a log that has so many leaves already, on a PostgreSQL of its own that writes to disk. */
export async function measureLog(leaves: number, queued: number): Promise<Figures> {
  const directory = await scratchDirectory()
  const [port = 0] = await findFree(1)
  const logFile = join(directory, 'postgres.log')
  const settings = { directory: join(directory, 'postgres'), port, password: 'postgres', logFile }
  const part = postgresPart(settings)
  await part.start()
  await part.waitReady()
  const { db, close } = createDatabase({
    url: postgresUrl(settings),
    applicationName: 'bench',
    poolSize: 4,
    queryTimeoutMs: 1_800_000,
  })
  try {
    await migrateToLatest(db)
    const log = await openLog(db)
    await seed(log, leaves)
    const rounds: { sequenced: number; baseline: number }[] = []
    for (let at = 0; at < ROUNDS; at += 1)
      rounds.push({
        baseline: await baselineRate(log, queued),
        sequenced: await sequencedRate(log, queued, at),
      })
    const sequenced = median(rounds.map((one) => one.sequenced))
    return {
      leaves,
      sequenced_per_second: Math.round(sequenced),
      baseline_per_second: Math.round(median(rounds.map((one) => one.baseline))),
      ratio_to_baseline: round(median(rounds.map((one) => one.sequenced / one.baseline))),
      ...(await proofTimes(log, leaves)),
    }
  } finally {
    await close()
    await part.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Fills the log with leaves as the sequencer would have left it; triggers are off, and Postgres makes the entries. */
async function seed(log: LogDeps, leaves: number): Promise<void> {
  const full = leaves - (leaves % 256)
  await transaction(log.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`alter table log_leaves drop constraint log_leaves_entry_key`.execute(tx)
    await sql`insert into log_leaves (idx, entry)
      select n, sha256(convert_to('leaf ' || n, 'UTF8')) from generate_series(0, ${full - 1}::bigint) as n`.execute(
      tx,
    )
    await sql`alter table log_leaves add constraint log_leaves_entry_key unique (entry)`.execute(tx)
    let frontier: Frontier = []
    for (let from = 0; from < full; from += CHUNK) {
      const count = Math.min(CHUNK, full - from)
      const entries = Array.from({ length: count }, (_, at) => entryOf(`leaf ${from + at}`))
      const grown = grow(frontier, from, entries)
      frontier = grown.frontier
      await insertTiles(tx, grown.tiles)
    }
    await insertCheckpoint(tx, { origin: log.origin, size: full, root: rootOfFrontier(frontier) })
  })
  await sql`vacuum analyze log_leaves, log_tiles`.execute(log.db)
}

const entryOf = (text: string): Buffer => createHash('sha256').update(text).digest()

async function insertTiles(tx: Tx, tiles: readonly FullTile[]): Promise<void> {
  const levels = tiles.map(({ level }) => level)
  const indexes = tiles.map(({ index }) => String(index))
  const hashes = tiles.map((tile) => Buffer.concat(tile.hashes))
  const roots = tiles.map(({ root }) => Buffer.from(root))
  await sql`insert into log_tiles (level, idx, hashes, root)
    select * from unnest(${levels}::integer[], ${indexes}::bigint[], ${hashes}::bytea[], ${roots}::bytea[])`.execute(
    tx,
  )
}

/** A checkpoint that nothing reads but its size and root; columns that the table does not have are left out. */
async function insertCheckpoint(
  tx: Tx,
  { origin, size, root }: { origin: string; size: number; root: Uint8Array },
) {
  const row = {
    size,
    root: `\\x${Buffer.from(root).toString('hex')}`,
    origin,
    note: 'seeded',
    kid: 'seeded',
    cose_signature: `\\x${'00'.repeat(64)}`,
    signed_at: new Date(),
  }
  await sql`insert into log_checkpoints
    select * from jsonb_populate_record(null::log_checkpoints, ${JSON.stringify(row)}::jsonb)`.execute(
    tx,
  )
}

/** Commits receipts, whose trigger queues them. */
async function queue({ db }: LogDeps, count: number, name: string): Promise<void> {
  await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
    select 'rc_' || encode(sha256(convert_to(${name} || n, 'UTF8')), 'hex'), ${name} || n, 0, 'kind', ${name} || n, 'kid', ''
    from generate_series(1, ${count}::integer) as n`.execute(db)
}

async function sequencedRate(log: LogDeps, count: number, at: number): Promise<number> {
  await queue(log, count, `receipt ${at} `)
  const begun = performance.now()
  const done = await sequence(log)
  const seconds = (performance.now() - begun) / 1000
  if (done !== count) throw new Error(`${done} of ${count} receipts were sequenced`)
  return count / seconds
}

async function baselineRate({ db }: LogDeps, count: number): Promise<number> {
  const batch = 4_096
  await sql`create table bench_queue as select n as position, sha256(convert_to('bench ' || n, 'UTF8')) as entry
    from generate_series(1, ${count}::integer) as n`.execute(db)
  await sql`alter table bench_queue add primary key (position)`.execute(db)
  await sql`create table bench_leaves (idx bigint primary key, entry bytea not null unique)`.execute(
    db,
  )
  const begun = performance.now()
  for (let from = 0; from < count; from += batch)
    await transaction(db, async (tx) => {
      await sql`insert into bench_leaves select position, entry from bench_queue order by position limit ${batch}`.execute(
        tx,
      )
      await sql`delete from bench_queue where position <= ${from + batch}`.execute(tx)
    })
  const seconds = (performance.now() - begun) / 1000
  await sql`drop table bench_queue, bench_leaves`.execute(db)
  return count / seconds
}

/** Finds a random entry and its audit path in the whole tree, one after the other. */
async function proofTimes({ db }: LogDeps, leaves: number) {
  const { size = 0 } = (await findCheckpoint(db)) ?? {}
  const prover = createProver(db)
  const random = () => Math.floor(Math.random() * (leaves - (leaves % 256)))
  const prove = async () => {
    const index = await findLeaf(db, entryOf(`leaf ${random()}`))
    if (index === undefined) throw new Error('a leaf is missing')
    await prover.inclusion(index, size)
  }
  const read = () =>
    sql`select hashes from log_tiles where level = 0 and idx = any(${[random(), random(), random(), random()].map((n) => String(Math.floor(n / 256)))}::bigint[])`.execute(
      db,
    )
  const proofs = await timesOf(prove)
  const reads = await timesOf(read)
  const [p99, readP99] = [percentile(proofs.times, 0.99), percentile(reads.times, 0.99)]
  return {
    proof_p50_ms: round(percentile(proofs.times, 0.5)),
    proof_p99_ms: round(p99),
    proof_cpu_ms: round(proofs.cpuMs),
    read_p99_ms: round(readP99),
    proof_ratio: round(p99 / readP99),
  }
}

async function timesOf(act: () => Promise<unknown>): Promise<{ times: number[]; cpuMs: number }> {
  for (let at = 0; at < WARM; at += 1) await act()
  const times: number[] = []
  const before = process.cpuUsage()
  for (let at = 0; at < PROOFS; at += 1) {
    const begun = performance.now()
    await act()
    times.push(performance.now() - begun)
  }
  const { user, system } = process.cpuUsage(before)
  return { times, cpuMs: (user + system) / 1_000 / PROOFS }
}

export function printLog(figures: Figures): Figures {
  console.log('\nTransparency log: receipts that get their place, and proofs')
  console.table(figures)
  return figures
}
