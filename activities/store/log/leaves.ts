import { sql } from 'kysely'
import type { FullTile } from '#domain/log/frontier.ts'
import { leafHash } from '#domain/log/merkle.ts'
import { TILE_WIDTH } from '#domain/log/tiles.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import { insertRow } from '../postgres/rows.ts'

/** A receipt as its row holds it. */
export type StoredReceipt = { receipt_id: string; subject: string; kind: string; jws: string }

type Place = { level: number; index: number }

/** An entry that waits, whether it is a leaf already, and its receipt; null where it was queued without one. */
export type Queued = {
  entry: Buffer
  is_leaf: boolean
  receipt: StoredReceipt | null
}

const selectQueued = prepared(
  (_, most: number) =>
    sql<Queued>`select o.entry, exists (select 1 from log_leaves l where l.entry = o.entry) as is_leaf,
      case when r.receipt_id is not null then json_build_object('receipt_id', r.receipt_id, 'subject', r.subject, 'kind', r.kind, 'jws', r.jws) end as receipt
      from log_outbox o left join receipts r on r.receipt_id = o.receipt_id order by o.position limit ${most}`,
)

/** The oldest entries that wait for a checkpoint that has them; a leaf that a checkpoint has already was queued again. */
export async function listQueued(tx: Tx, most: number): Promise<Queued[]> {
  return selectQueued(most).run(tx)
}

const deleteQueued = prepared(
  (_, entries: Buffer[]) => sql`delete from log_outbox where entry = any(${entries}::bytea[])`,
)

export async function removeQueued(tx: Tx, entries: Buffer[]): Promise<void> {
  await deleteQueued(entries).run(tx)
}

const insertEntries = prepared(
  (_, from: string, entries: Buffer[]) =>
    sql`insert into log_leaves (idx, entry)
      select ${from}::bigint + place - 1, entry from unnest(${entries}::bytea[]) with ordinality as given (entry, place)`,
)

/** Appends entries as the leaves from `from` onwards. */
export async function insertLeaves(tx: Tx, from: number, entries: Buffer[]): Promise<void> {
  await insertEntries(String(from), entries).run(tx)
}

/** Stores tiles that became full, lower levels first. */
export async function insertTiles(tx: Tx, tiles: readonly FullTile[]): Promise<void> {
  for (const { level, index, hashes, root } of tiles)
    await insertRow(tx, 'log_tiles', {
      level,
      idx: String(index),
      hashes: Buffer.concat(hashes),
      root: Buffer.from(root),
    })
}

const selectEntries = prepared((tx, low: string, high: string) =>
  tx
    .selectFrom('log_leaves')
    .select('entry')
    .where('idx', '>=', low)
    .where('idx', '<', high)
    .orderBy('idx'),
)

/** The entries of the leaves from `low` up to, without, `high`. */
export async function listEntries(tx: Tx, low: number, high: number): Promise<Buffer[]> {
  const rows = await selectEntries(String(low), String(high)).run(tx)
  return rows.map(({ entry }) => entry)
}

const selectRoots = prepared((tx, level: number, low: string, high: string) =>
  tx
    .selectFrom('log_tiles')
    .select('root')
    .where('level', '=', level)
    .where('idx', '>=', low)
    .where('idx', '<', high)
    .orderBy('idx'),
)

/** The first hashes of a tile, also where it is not full. */
export async function listHashes(
  tx: Tx,
  { level, index }: Place,
  width: number,
): Promise<Uint8Array[]> {
  const low = index * TILE_WIDTH
  if (level === 0) return (await listEntries(tx, low, low + width)).map((entry) => leafHash(entry))
  const rows = await selectRoots(level - 1, String(low), String(low + width)).run(tx)
  return rows.map(({ root }) => root)
}

const selectTiles = prepared(
  (_, levels: number[], indices: string[]) =>
    sql<{ level: number; idx: string; hashes: Buffer }>`select t.level, t.idx, t.hashes
      from unnest(${levels}::integer[], ${indices}::bigint[]) as wanted (level, idx)
      join log_tiles t on t.level = wanted.level and t.idx = wanted.idx`,
)

/** The full tiles of these places, those that are stored. */
export async function listFullTiles(
  tx: Tx,
  places: readonly Place[],
): Promise<(Place & { hashes: Uint8Array })[]> {
  const rows = await selectTiles(
    places.map(({ level }) => level),
    places.map(({ index }) => String(index)),
  ).run(tx)
  return rows.map(({ level, idx, hashes }) => ({
    level,
    index: Number(idx),
    hashes,
  }))
}

/** The index of an entry, or since when it waits for one, and the size of the latest tree. */
export type LogPlace = { index: number | null; queuedAt: Date | null; size: number }

/** The size of the latest tree; a leaf behind it has no place before a checkpoint has it. */
const headSize = sql`select coalesce(max(size), 0) as size from log_checkpoints`

const selectPlace = prepared(
  (_, entry: Buffer) =>
    sql<{ idx: string | null; queued_at: Date | null; size: string }>`select
      (select idx from log_leaves where entry = ${entry} and idx < head.size) as idx,
      (select queued_at from log_outbox where entry = ${entry}) as queued_at,
      head.size from (${headSize}) as head`,
)

/** Where an entry stands, at one time: it is queued or a leaf, and never seen as neither in between. */
export async function findPlace(tx: Tx, entry: Buffer): Promise<LogPlace> {
  const [row] = await selectPlace(entry).run(tx)
  const { idx = null, queued_at = null, size = '0' } = row ?? {}
  return { index: idx === null ? null : Number(idx), queuedAt: queued_at, size: Number(size) }
}

const selectLeaf = prepared(
  (_, entry: Buffer) =>
    sql<{ idx: string }>`select idx from log_leaves, (${headSize}) as head
      where entry = ${entry} and idx < head.size`,
)

/** The index of the leaf with this entry, once a checkpoint has it. */
export async function findLeaf(tx: Tx, entry: Buffer): Promise<number | undefined> {
  const [row] = await selectLeaf(entry).run(tx)
  return row && Number(row.idx)
}
