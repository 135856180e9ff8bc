import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { insertOnce, now, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'
import type { CommerceProofRow } from './proofs.ts'

export type ProofLoopRow = Selectable<Database['proof_loops']>

/** Stores that the package of a task is proven when it closes; a repeat changes nothing. */
export const insertProofLoop = (
  tx: Tx,
  loop: Pick<ProofLoopRow, 'task_id' | 'agent_id' | 'credential_id'>,
) => insertOnce(tx, 'proof_loops', loop)

const dueIn = (seconds: number) => sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`

/** Makes the proof of a task due; without effect for a task that was begun otherwise. */
export const setProofDue = (tx: Tx, taskId: string, seconds = 0) =>
  updateRows(tx, 'proof_loops', { task_id: taskId, proof_id: null }, { due_at: dueIn(seconds) })

/** Loops whose proof is due, the longest due first. */
export async function listDueLoops(tx: Tx, most: number): Promise<ProofLoopRow[]> {
  return tx
    .selectFrom('proof_loops')
    .selectAll()
    .where('proof_id', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(most)
    .execute()
}

/** Locks a loop; false where it is proven. */
export async function lockUnproven(tx: Tx, taskId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('proof_loops')
    .select('proof_id')
    .where('task_id', '=', taskId)
    .forUpdate()
    .executeTakeFirst()
  return row?.proof_id === null
}

export const proveLoop = (tx: Tx, taskId: string, proofId: string) =>
  updateRows(tx, 'proof_loops', { task_id: taskId }, { proof_id: proofId })

/** The first proof of a package by its agent. */
export async function findProofOf(
  tx: Tx,
  { packageSha256, agentId }: { packageSha256: string; agentId: string },
): Promise<Pick<CommerceProofRow, 'proof_id' | 'decision' | 'review_state'> | undefined> {
  return tx
    .selectFrom('commerce_proofs')
    .select(['proof_id', 'decision', 'review_state'])
    .where('package_sha256', '=', packageSha256)
    .where('agent_id', '=', agentId)
    .orderBy('evaluated_at')
    .limit(1)
    .executeTakeFirst()
}
