import type { Tx } from '../store/db.ts'
import { findOperator } from '../store/operators.ts'
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

/** Who acted, as a receipt says it: operators by name too. */
export async function actorFacts(tx: Tx, actor: string): Promise<{ actor: string; operator_name?: string }> {
  const [, operatorId] = /^operator:([0-9a-f]{16})$/.exec(actor) ?? []
  const operator = operatorId === undefined ? undefined : await findOperator(tx, operatorId)
  return { actor, ...(operator === undefined ? {} : { operator_name: operator.name }) }
}
