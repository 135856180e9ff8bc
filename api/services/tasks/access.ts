import { refuse } from '#domain/core/errors.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { type ContractRow, findContract } from '../../../activities/store/tasks/contracts.ts'
import { findTask, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { Actor } from '../../../activities/tasks/receipt.ts'

/** Who may read a task: its agent, the holder of its own token, or an operator (no field). `workOrderId`: of a run, whose order it is. */
export type TaskCaller = { agentId?: string; taskId?: string; workOrderId?: string }
/** A caller who also changes the task; the ledger names `actor`. */
export type TaskActor = TaskCaller & Actor

/** Whether a caller may read a task. */
export function owns({ agentId, taskId }: TaskCaller, task: TaskRow): boolean {
  if (taskId !== undefined) return taskId === task.task_id
  return agentId === undefined || agentId === task.agent_id
}

/** Throws 403 `not_owner` for the task of another agent. */
function assertOwner(caller: TaskCaller, task: TaskRow): void {
  if (owns(caller, task)) return
  throw refuse('not_owner', { detail: 'the task belongs to another agent' })
}

/** The contract and its task, whose row is locked; 404 for an unknown contract, 403 `not_owner`. */
export async function ownContract(
  tx: Tx,
  caller: TaskCaller,
  contractId: string,
): Promise<{ contract: ContractRow; task: TaskRow }> {
  const contract = await findContract(tx, contractId)
  if (contract === undefined) throw refuse('not_found', { detail: 'no such contract' })
  const task = await requireTask(tx, contract.task_id)
  assertOwner(caller, task)
  return { contract, task }
}

/** The task of a token in a body; 404 for an unknown token, 403 `not_owner` for the task of another agent. */
export async function taskOfToken(tx: Tx, caller: TaskCaller, token: string): Promise<TaskRow> {
  const task = await findTask(tx, taskIdOf(token))
  if (task === undefined) throw refuse('not_found', { detail: 'no task has this token' })
  assertOwner(caller, task)
  return task
}
