import { sql } from 'kysely'
import { afterEach, beforeEach, expect } from 'vitest'
import { openCheckpoint, parseCheckpointText } from '#domain/log/checkpoint.ts'
import { leafHash, merkleRoot, verifyConsistency, verifyInclusion } from '#domain/log/merkle.ts'
import { createProver } from '../../../activities/log/proofs.ts'
import { type LogDeps, noteKeyOf, sequence } from '../../../activities/log/sequencer.ts'
import { findCheckpoint } from '../../../activities/store/log/checkpoints.ts'
import { findLeaf, listEntries } from '../../../activities/store/log/leaves.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { entryOf, openLog, storeReceipts } from '../../support/log.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
let log: LogDeps
beforeEach(async () => {
  database = await startDatabase()
  log = await openLog(database.db)
})
afterEach(() => database.stop())

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const headOf = async () => {
  const row = await findCheckpoint(database.db)
  const opened = openCheckpoint(row!.note, noteKeyOf(log.origin, log.keys.log.active.publicJwk))
  if (!opened.ok) throw new Error(opened.fault)
  return opened.checkpoint
}
const waiting = async () => {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::integer as count from log_outbox`.execute(database.db)
  return rows[0]!.count
}

/** Every receipt is a leaf exactly once, the leaves have no gap, and the checkpoint is theirs. */
async function expectWhole(count: number): Promise<void> {
  const entries = await listEntries(database.db, 0, count + 1)
  expect(entries.map(hex).sort()).toEqual(
    Array.from({ length: count }, (_, n) => hex(entryOf(n))).sort(),
  )
  const { size, root } = await headOf()
  expect(size).toBe(count)
  expect(hex(root)).toBe(hex(merkleRoot(entries.map((entry) => leafHash(entry)))))
  expect(await waiting()).toBe(0)
}

verifies(
  'log.outbox',
  'a receipt enters the outbox with its own transaction, or not at all',
  async () => {
    await transaction(database.db, async (tx) => {
      await storeReceipts(tx, 0, 1)
      throw new Error('no')
    }).catch(() => undefined)
    expect(await waiting()).toBe(0)
    await storeReceipts(database.db, 0, 3)
    expect(await waiting()).toBe(3)
    expect(await sequence(log)).toBe(3)
    await expectWhole(3)
    expect(await findLeaf(database.db, entryOf(2))).toBe(2)
  },
)

verifies('log.sequence', 'an entry that was queued again is the one leaf it was', async () => {
  await storeReceipts(database.db, 0, 2)
  await sequence(log)
  // A receipt that is stored during a batch cannot see the leaves of the batch.
  await sql`insert into log_outbox (entry) select entry from log_leaves`.execute(database.db)
  await sequence(log)
  await expectWhole(2)
  await sql`insert into log_outbox (entry) select entry from log_leaves`.execute(database.db)
  await storeReceipts(database.db, 2, 5)
  await sequence(log, 2)
  await expectWhole(5)
})

verifies('log.sequence', 'an empty log has a signed checkpoint of no leaves', async () => {
  expect(await sequence(log)).toBe(0)
  expect(await headOf()).toMatchObject({ size: 0, root: merkleRoot([]) })
})

verifies(
  'log.sequence',
  'batches of any size across the borders of tiles are one log',
  async () => {
    const steps = [1, 1, 68, 185, 1, 1, 256, 255, 300]
    const heads = []
    let count = 0
    for (const step of steps) {
      await storeReceipts(database.db, count, count + step)
      count += step
      await sequence(log, 100)
      heads.push(await headOf())
    }
    await expectWhole(count)
    const last = heads.at(-1)!
    const prover = createProver(database.db)
    for (const before of heads)
      expect(
        verifyConsistency(before, last, await prover.consistency(before.size, last.size)),
      ).toBe(true)
    for (const head of heads)
      for (const index of new Set([0, 255, 256, head.size - 1].filter((at) => at < head.size))) {
        const path = await prover.inclusion(index, head.size)
        const leaf = leafHash(entryOf(index))
        expect(verifyInclusion({ index, size: head.size, leaf, path }, head.root)).toBe(true)
      }
  },
)

verifies('log.sequence', 'concurrent sequencers and issuers lose and repeat nothing', async () => {
  const issuing = Array.from({ length: 20 }, (_, at) =>
    storeReceipts(database.db, at * 40, at * 40 + 40),
  )
  const sequencing = Array.from({ length: 8 }, async () => {
    for (let round = 0; round < 10; round++) await sequence(log, 64)
  })
  await Promise.all([...issuing, ...sequencing])
  await sequence(log)
  await expectWhole(800)
})

verifies(
  'log.sequence',
  'a connection that dies at any step loses and repeats nothing',
  async () => {
    let count = 0
    const steps = [
      'insert on log_leaves',
      'insert on log_tiles',
      'delete on log_outbox',
      'insert on log_checkpoints',
    ]
    await sql`create function die() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(database.db)
    for (const step of steps) {
      await storeReceipts(database.db, count, count + 300)
      count += 300
      await sql
        .raw(`create trigger dies after ${step} for each statement execute function die()`)
        .execute(database.db)
      await expect(sequence(log)).rejects.toThrow()
      expect(await waiting()).toBe(300)
      await sql.raw(`drop trigger dies on ${step.split(' ').at(-1)}`).execute(database.db)
      await sequence(log)
      await expectWhole(count)
    }
  },
)

verifies('log.append-only', 'no row of the log is changed or removed', async () => {
  await storeReceipts(database.db, 0, 257)
  await sequence(log)
  await sql`insert into log_cosignatures (size, witness, line) values (257, 'w', 'line')`.execute(
    database.db,
  )
  const acts = [
    `update log_leaves set idx = 999 where idx = 0`,
    `delete from log_leaves where idx = 256`,
    `truncate log_leaves`,
    `update log_tiles set root = root`,
    `delete from log_tiles`,
    `truncate log_tiles`,
    `update log_checkpoints set note = ''`,
    `delete from log_checkpoints`,
    `delete from log_cosignatures`,
    `update log_cosignatures set line = 'other'`,
  ]
  for (const act of acts)
    await expect(sql.raw(act).execute(database.db), act).rejects.toThrow(
      /only grows|truncate a table/,
    )
})

verifies('log.append-only', 'the store refuses what is not the log of the receipts', async () => {
  await storeReceipts(database.db, 0, 10)
  await sequence(log)
  await storeReceipts(database.db, 10, 11)
  const checkpoint = (size: number) =>
    `insert into log_checkpoints (size, root, origin, note, kid, cose_signature)
      values (${size}, sha256(''), 'o', 'n', 'k', sha512(''))`
  const acts: [string, RegExp][] = [
    [`insert into log_leaves (idx, entry) values (10, sha256('forged'))`, /queued receipt/],
    [`insert into log_leaves (idx, entry) select 9, entry from log_outbox`, /log_leaves_pkey/],
    [`delete from log_outbox`, /as a leaf/],
    [`update log_outbox set entry = sha256('other')`, /only grows/],
    [checkpoint(11), /every leaf/],
    [checkpoint(9), /every leaf/],
    [checkpoint(10), /log_checkpoints_pkey/],
    [
      `insert into log_tiles select 0, 0, string_agg(sha256(n::text::bytea), ''), sha256('') from generate_series(1, 256) n`,
      /hashes below/,
    ],
  ]
  for (const [act, refusal] of acts)
    await expect(sql.raw(act).execute(database.db), act).rejects.toThrow(refusal)
})

verifies(
  'log.one-root',
  'a batch that dies once its root is signed is signed as it was',
  async () => {
    const { active } = log.keys.log
    const signed: { size: number; root: string }[] = []
    const sign = async (text: string | Uint8Array) => {
      const checkpoint = parseCheckpointText(Buffer.from(text).toString())
      if (checkpoint !== undefined)
        signed.push({ size: checkpoint.size, root: hex(checkpoint.root) })
      else if (signed.length === 1) throw new Error('dies')
      return active.sign(text)
    }
    const recording = { ...active, sign }
    const keys = { log: { ...log.keys.log, active: recording, keys: [recording] } }
    await storeReceipts(database.db, 0, 250)
    await expect(sequence({ ...log, keys }, 100)).rejects.toThrow('dies')
    expect(await findLeaf(database.db, entryOf(0))).toBeUndefined()
    expect(await waiting()).toBe(250)
    // A transaction that began before them commits only now.
    await sql`insert into log_outbox (position, entry) overriding system value
      values (-1, ${entryOf(250)})`.execute(database.db)
    await sequence({ ...log, keys }, 100)
    expect(signed.map(({ size }) => size)).toEqual([100, 100, 200, 251])
    expect(signed[1]).toEqual(signed[0])
    await expectWhole(251)
  },
)

verifies('log.append-only', 'nothing is signed on top of leaves that were changed', async () => {
  await storeReceipts(database.db, 0, 300)
  await sequence(log)
  await sql.raw(`alter table log_leaves disable trigger all`).execute(database.db)
  await sql`update log_leaves set entry = sha256('forged') where idx = 299`.execute(database.db)
  await sql.raw(`alter table log_leaves enable trigger all`).execute(database.db)
  await storeReceipts(database.db, 300, 301)
  await expect(sequence(log)).rejects.toThrow('not those of the checkpoint of 300')
  expect((await headOf()).size).toBe(300)
})
