import { type Selectable, sql } from 'kysely'
import { type Tx, transaction } from '../postgres/db.ts'
import { findRow, insertRow, lockRow, now, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type InputRow = Selectable<Database['agent_inputs']>
/** Identifies an input: its owner, and the SHA-256 of its bytes in lowercase hex. */
export type InputName = { owner: string; sha256: string }
export type NewInput = InputName & Pick<InputRow, 'blob_id' | 'byte_length' | 'media_type'>

/** The limits of one owner: bytes kept and uploads at once; and the bytes of all owners of the same kind together. */
export type OwnerBounds = {
  readonly bytesMax: number
  readonly uploadsMax: number
  readonly sandbox: boolean
  readonly allBytesMax: number
}

/**
 * Starts an upload and reserves the bytes that it may use at most. `addInput` turns it into an input; `dropBlob`
 * removes it. Returns undefined while the owner has too many open uploads (an aborted one counts until the sweep
 * removes it), and `no_room` when all uploads of this kind use too many bytes.
 */
export async function beginBlob(
  db: Tx,
  owner: string,
  { uploadsMax, sandbox, allBytesMax }: OwnerBounds,
  reserved: number,
): Promise<{ blobId: string } | 'too_many_at_once' | 'no_room'> {
  return transaction(db, async (tx) => {
    await lockOwner(tx, owner)
    const { under_way } = await tx
      .selectFrom('agent_input_blobs as b')
      .select(({ fn }) => fn.countAll<string>().as('under_way'))
      .where('b.owner', '=', owner)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('agent_inputs as i')
              .select('i.blob_id')
              .whereRef('i.blob_id', '=', 'b.blob_id'),
          ),
        ),
      )
      .executeTakeFirstOrThrow()
    if (Number(under_way) >= uploadsMax) return 'too_many_at_once'
    if ((await countReserved(tx, sandbox)) + reserved > allBytesMax) return 'no_room'
    const blob = await tx
      .insertInto('agent_input_blobs')
      .values({ owner, reserved: String(reserved), sandbox })
      .returning('blob_id')
      .executeTakeFirstOrThrow()
    return { blobId: blob.blob_id }
  })
}

/**
 * Counts the bytes of all uploads of a kind, and the reserved bytes of those that are still open. Only one
 * transaction counts at a time.
 */
async function countReserved(tx: Tx, sandbox: boolean): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads, sandbox ${sandbox}`}, 0))`.execute(
    tx,
  )
  const { bytes } = await tx
    .selectFrom('agent_input_blobs')
    .select(({ fn }) => fn.sum<string | null>('reserved').as('bytes'))
    .where('sandbox', '=', sandbox)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** The total size in bytes of the owner's inputs, or of those of these digests. */
export async function countBytes(
  tx: Tx,
  owner: string,
  digests?: readonly string[],
): Promise<number> {
  const { bytes } = await tx
    .selectFrom('agent_inputs')
    .select(({ fn }) => fn.sum<string | null>('byte_length').as('bytes'))
    .where('owner', '=', owner)
    .$if(digests !== undefined, (query) => query.where('sha256', 'in', digests ?? []))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** Stops other transactions from starting or finishing an upload of this owner. */
export async function lockOwner(tx: Tx, owner: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`inputs of ${owner}`}, 0))`.execute(tx)
}

export async function appendChunk(
  tx: Tx,
  blob_id: string,
  seq: number,
  bytes: Buffer,
): Promise<void> {
  await insertRow(tx, 'agent_input_chunks', { blob_id, seq, bytes })
}

export async function dropBlob(tx: Tx, blobId: string): Promise<void> {
  await tx.deleteFrom('agent_input_blobs').where('blob_id', '=', blobId).execute()
}

/**
 * Turns a complete upload into the input of that name. Does nothing if the owner already has it, has no room for it, or uses the
 * same bytes as those of another type, in whose place it comes.
 */
export async function addInput(
  db: Tx,
  input: NewInput,
  { bytesMax }: OwnerBounds,
): Promise<'added' | 'there' | 'no_room' | 'in_use'> {
  return transaction(db, async (tx) => {
    await lockOwner(tx, input.owner)
    const known = await findInput(tx, input)
    if (known?.media_type === input.media_type) return 'there'
    if (known !== undefined && (await removeInput(tx, known)) === 'in_use') return 'in_use'
    if ((await countBytes(tx, input.owner)) + input.byte_length > bytesMax) return 'no_room'
    await tx.insertInto('agent_inputs').values(input).execute()
    await tx
      .updateTable('agent_input_blobs')
      .set({ reserved: String(input.byte_length) })
      .where('blob_id', '=', input.blob_id)
      .execute()
    return 'added'
  })
}

/** Deletes an input with its bytes and its readings, unless a subject uses it; `gone`: the owner has none of that name. */
export function deleteInput(db: Tx, name: InputName): Promise<'deleted' | 'gone' | 'in_use'> {
  return transaction(db, async (tx) => {
    await lockOwner(tx, name.owner)
    return removeInput(tx, name)
  })
}

async function removeInput(
  tx: Tx,
  { owner, sha256 }: InputName,
): Promise<'deleted' | 'gone' | 'in_use'> {
  // The lock stops a task from using the input before it is gone.
  const held = await lockRow(tx, 'agent_inputs', { owner, sha256 })
  if (held === undefined) return 'gone'
  if (await isInputUsed(tx, { owner, sha256 })) return 'in_use'
  await tx
    .deleteFrom('agent_inputs')
    .where('owner', '=', owner)
    .where('sha256', '=', sha256)
    .execute()
  await dropBlob(tx, held.blob_id)
  return 'deleted'
}

/** Whether a subject, such as a task that is open, uses an input. */
export async function isInputUsed(tx: Tx, { owner, sha256 }: InputName): Promise<boolean> {
  const used = { owner, sha256, released_at: null }
  return (await findRow(tx, 'agent_input_uses', used)) !== undefined
}

export const findInput = (tx: Tx, { owner, sha256 }: InputName) =>
  findRow(tx, 'agent_inputs', { owner, sha256 })

/** Yields the bytes of an upload in order, in chunks of at most 1 MiB. */
export async function* readChunks(tx: Tx, blobId: string): AsyncGenerator<Buffer> {
  for (let seq = 0; ; seq++) {
    const chunk = await tx
      .selectFrom('agent_input_chunks')
      .select('bytes')
      .where('blob_id', '=', blobId)
      .where('seq', '=', seq)
      .executeTakeFirst()
    if (chunk === undefined) return
    yield chunk.bytes
  }
}

/** At most so many bytes of an upload from an offset; fewer at its end. */
export async function readInputBytes(
  tx: Tx,
  blobId: string,
  { offset, most }: { offset: number; most: number },
): Promise<Buffer> {
  const { rows } = await sql<{ bytes: Buffer }>`
    with chunks as (
      select seq, octet_length(bytes) as length,
        sum(octet_length(bytes)) over (order by seq) - octet_length(bytes) as start
      from agent_input_chunks where blob_id = ${blobId})
    select substring(k.bytes from greatest(${offset}::bigint - c.start, 0)::integer + 1
      for (${offset + most}::bigint - greatest(c.start, ${offset}::bigint))::integer) as bytes
    from chunks c join agent_input_chunks k on k.blob_id = ${blobId} and k.seq = c.seq
    where c.start < ${offset + most}::bigint and c.start + c.length > ${offset}::bigint
    order by c.seq`.execute(tx)
  return Buffer.concat(rows.map(({ bytes }) => bytes))
}

/** Marks an input as used by a subject, such as a task. Returns false if the owner has no such input. */
export async function useInput(
  tx: Tx,
  { owner, sha256 }: InputName,
  subject: string,
): Promise<boolean> {
  // The lock stops the sweep from deleting the input before this use is visible.
  const held = await tx
    .selectFrom('agent_inputs')
    .select('sha256')
    .where('owner', '=', owner)
    .where('sha256', '=', sha256)
    .forKeyShare()
    .executeTakeFirst()
  if (held === undefined) return false
  await tx
    .insertInto('agent_input_uses')
    .values({ owner, sha256, subject })
    .onConflict((conflict) =>
      conflict.columns(['owner', 'sha256', 'subject']).doUpdateSet({ released_at: null }),
    )
    .execute()
  return true
}

/** How long an unused input is kept: one of an agent, and one of the sandbox. */
export type KeepTimes = { readonly keepMs: number; readonly sandboxKeepMs: number }

/**
 * The earliest time at which an input may be removed. Undefined while a subject uses it; otherwise counted from its
 * upload or its last release.
 */
export async function keptUntil(
  tx: Tx,
  { owner, sha256 }: InputName,
  keep: KeepTimes,
): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date | null }>`
    select case when bool_or(u.owner is not null and u.released_at is null) then null
      else greatest(max(i.stored_at), max(u.released_at))
        + max(case when b.sandbox then ${keep.sandboxKeepMs}::float8 else ${keep.keepMs}::float8 end) * interval '1 millisecond' end as until
    from agent_inputs i join agent_input_blobs b using (blob_id)
      left join agent_input_uses u on u.owner = i.owner and u.sha256 = i.sha256
    where i.owner = ${owner} and i.sha256 = ${sha256}`.execute(tx)
  return rows[0]?.until ?? undefined
}

/** Releases every input that a subject uses. The time until their removal starts now. */
export const releaseInputs = (tx: Tx, subject: string) =>
  updateRows(tx, 'agent_input_uses', { subject, released_at: null }, { released_at: now })

/**
 * Removes unused inputs whose time is over, and uploads abandoned for `abandonedMs`, which is not longer; at most
 * `most` of each. Returns the number of removed uploads.
 */
export async function removeUnused(
  db: Tx,
  { keepMs, sandboxKeepMs, abandonedMs, most }: KeepTimes & { abandonedMs: number; most: number },
): Promise<number> {
  const before = (ms: number) => sql`clock_timestamp() - ${ms} * interval '1 millisecond'`
  const unusedSince = sql`case when b.sandbox then ${before(sandboxKeepMs)} else ${before(keepMs)} end`
  return transaction(db, async (tx) => {
    await sql`delete from agent_inputs where (owner, sha256) in (
      select i.owner, i.sha256 from agent_inputs i join agent_input_blobs b using (blob_id)
      where i.stored_at < ${unusedSince} and not exists (
        select 1 from agent_input_uses u where u.owner = i.owner and u.sha256 = i.sha256
          and (u.released_at is null or u.released_at >= ${unusedSince}))
      limit ${most} for update of i skip locked)`.execute(tx)
    // This also finds the uploads of the inputs that were just removed.
    const removed = await sql`delete from agent_input_blobs where blob_id in (
      select blob_id from agent_input_blobs b where began_at < ${before(abandonedMs)}
        and not exists (select 1 from agent_inputs i where i.blob_id = b.blob_id)
      limit ${2 * most} for update skip locked)`.execute(tx)
    return Number(removed.numAffectedRows ?? 0)
  })
}
