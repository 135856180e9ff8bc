import type { Tx } from '../store/db.ts'
import { appendReceipt } from '../store/receipts.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TaskDeps } from './deps.ts'

export type About = { task: TaskRow; subject: string; kind: string; facts: Record<string, unknown> }

/** Signs and stores a receipt of a task in the transaction of its move; returns the JWS. */
export function writeTaskReceipt(
  { environment, issuer, signReceipt }: TaskDeps,
  tx: Tx,
  { task, ...about }: About,
  nowSeconds: number,
): Promise<string> {
  return appendReceipt(tx, signReceipt, { ...about, usage: task.usage, environment, issuer }, Math.floor(nowSeconds))
}

/** Who acts, as the ledger says it, and an operator by name too. */
export type Actor = { actor: string; actorName?: string | undefined }

/** Who acted, as a receipt says it. */
export const actorFacts = ({ actor, actorName }: Actor): { actor: string; operator_name?: string } => ({
  actor,
  ...(actorName === undefined ? {} : { operator_name: actorName }),
})
