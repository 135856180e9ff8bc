import type { Insertable, Selectable } from 'kysely'
import { emptyInbox, type Inbox } from '#domain/trust/inbox.ts'
import type { Tx } from '../postgres/db.ts'
import { preparedInsert } from '../postgres/prepared.ts'
import { findRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ProofRow = Selectable<Database['proofs']>

export async function readInbox(tx: Tx, wallet: string): Promise<Inbox> {
  const row = await tx
    .selectFrom('proof_inboxes')
    .select(['records', 'bytes', 'head'])
    .where('wallet', '=', wallet)
    .executeTakeFirst()
  return row ?? emptyInbox
}

/** Replaces the inbox that was read. Returns false when another transaction changed it meanwhile. */
export async function replaceInbox(
  tx: Tx,
  wallet: string,
  { read, next }: { read: Inbox; next: Inbox },
): Promise<boolean> {
  const { records, bytes, head } = next
  if (head === null) throw new TypeError('an inbox with a proof has a head')
  if (read.head === null) {
    const made = await tx
      .insertInto('proof_inboxes')
      .values({ wallet, records, bytes, head })
      .onConflict((conflict) => conflict.doNothing())
      .returning('wallet')
      .executeTakeFirst()
    return made !== undefined
  }
  const changed = await tx
    .updateTable('proof_inboxes')
    .set({ records, bytes, head })
    .where('wallet', '=', wallet)
    .where('head', '=', read.head)
    .returning('wallet')
    .executeTakeFirst()
  return changed !== undefined
}

const insertRow = preparedInsert('proofs')
export const insertProof = async (tx: Tx, row: Insertable<Database['proofs']>): Promise<void> => {
  await insertRow(row).run(tx)
}

export const findProof = (tx: Tx, wallet: string, proofId: string) =>
  findRow(tx, 'proofs', { proof_id: proofId, wallet })

/** A page of the proofs of a wallet without their contents, newest first. */
export async function listProofs(
  tx: Tx,
  wallet: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<Pick<ProofRow, 'proof_id' | 'kind' | 'label' | 'bytes' | 'stored_at'>[]> {
  return tx
    .selectFrom('proofs')
    .select(['proof_id', 'kind', 'label', 'bytes', 'stored_at'])
    .where('wallet', '=', wallet)
    .orderBy('seq', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}
