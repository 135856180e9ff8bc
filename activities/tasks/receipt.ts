import type { Tx } from '../store/postgres/db.ts'
import { issueReceipt } from '../store/receipts/receipts.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from './deps.ts'

/** The contents of a task receipt; `nowSeconds` is its date, by default the current time of the database. */
export type TaskReceipt = {
  task: TaskRow
  subject: string
  kind: string
  facts: Record<string, unknown>
  nowSeconds?: number
}

/** Signs and stores a receipt of a task in the caller's transaction; returns the JWS. */
export async function writeTaskReceipt(
  deps: TaskDeps,
  tx: Tx,
  { task, ...receipt }: TaskReceipt,
): Promise<string> {
  return issueReceipt(deps, tx, { ...receipt, usage: task.usage })
}

/** The actor of an event, as the ledger names it; only operators have a name. */
export type Actor = { actor: string; actorName?: string | undefined }

/** The actor, as a receipt names it. */
export function actorFacts({ actor, actorName }: Actor): { actor: string; operator_name?: string } {
  return actorName === undefined ? { actor } : { actor, operator_name: actorName }
}
