import { type Selectable, sql } from 'kysely'
import type { AgentInputsTable } from './agent-input-tables.ts'
import { type Tx, transaction } from './db.ts'

export type InputRow = Selectable<AgentInputsTable>
/** What names an input: whose it is, and the SHA-256 of its bytes in lowercase hex. */
export type InputName = { owner: string; sha256: string }
export type NewInput = InputName & Pick<InputRow, 'blob_id' | 'byte_length' | 'media_type'>

/** Begins an upload; what is appended to it becomes an input by `addInput`, or goes with `dropBlob`. */
export async function beginBlob(tx: Tx): Promise<string> {
  const { blob_id } = await tx
    .insertInto('agent_input_blobs')
    .defaultValues()
    .returning('blob_id')
    .executeTakeFirstOrThrow()
  return blob_id
}

export async function appendChunk(tx: Tx, blob_id: string, seq: number, bytes: Buffer): Promise<void> {
  await tx.insertInto('agent_input_chunks').values({ blob_id, seq, bytes }).execute()
}

export async function dropBlob(tx: Tx, blobId: string): Promise<void> {
  await tx.deleteFrom('agent_input_blobs').where('blob_id', '=', blobId).execute()
}

/** Makes a whole upload the input of that name; false, and nothing done, when the owner has it already. */
export async function addInput(tx: Tx, input: NewInput): Promise<boolean> {
  const added = await tx
    .insertInto('agent_inputs')
    .values(input)
    .onConflict((conflict) => conflict.columns(['owner', 'sha256']).doNothing())
    .returning('sha256')
    .executeTakeFirst()
  return added !== undefined
}

export async function findInput(tx: Tx, { owner, sha256 }: InputName): Promise<InputRow | undefined> {
  return tx
    .selectFrom('agent_inputs')
    .selectAll()
    .where('owner', '=', owner)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
}

/** The bytes of an upload in their order, one chunk of at most 1 MiB at a time. */
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

/** Keeps an input for a subject, such as a task, until that is released; false when the owner has no such input. */
export async function useInput(tx: Tx, { owner, sha256 }: InputName, subject: string): Promise<boolean> {
  // The lock keeps the sweep away until the use is there to be seen.
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
    .onConflict((conflict) => conflict.columns(['owner', 'sha256', 'subject']).doUpdateSet({ released_at: null }))
    .execute()
  return true
}

/** Lets go of every input that a subject uses; the time until they are removed begins. */
export async function releaseInputs(tx: Tx, subject: string): Promise<void> {
  await tx
    .updateTable('agent_input_uses')
    .set({ released_at: sql<Date>`clock_timestamp()` })
    .where('subject', '=', subject)
    .where('released_at', 'is', null)
    .execute()
}

/**
 * Removes inputs that nobody uses and that nobody uploaded or let go of for `keepMs`, and uploads that nothing came of for
 * `abandonedMs`, which is not longer; at most `most` of each. Answers how many uploads it removed.
 */
export async function removeUnused(
  db: Tx,
  { keepMs, abandonedMs, most }: { keepMs: number; abandonedMs: number; most: number },
): Promise<number> {
  const before = (ms: number) => sql`clock_timestamp() - ${ms} * interval '1 millisecond'`
  return transaction(db, async (tx) => {
    await sql`delete from agent_inputs where (owner, sha256) in (
      select owner, sha256 from agent_inputs i where stored_at < ${before(keepMs)} and not exists (
        select 1 from agent_input_uses u where u.owner = i.owner and u.sha256 = i.sha256
          and (released_at is null or released_at >= ${before(keepMs)}))
      limit ${most} for update skip locked)`.execute(tx)
    // The uploads of the inputs that have just gone are among these.
    const removed = await sql`delete from agent_input_blobs where blob_id in (
      select blob_id from agent_input_blobs b where began_at < ${before(abandonedMs)}
        and not exists (select 1 from agent_inputs i where i.blob_id = b.blob_id)
      limit ${2 * most} for update skip locked)`.execute(tx)
    return Number(removed.numAffectedRows ?? 0)
  })
}
