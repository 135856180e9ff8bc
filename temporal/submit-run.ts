import { taskIdOf } from '../activities/keys/derived-tokens.ts'
import { transaction } from '../activities/store/db.ts'
import { provideInput } from '../activities/tasks/input.ts'
import { ownContract } from '../activities/tasks/reading.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { type TaskState, taskStanding } from '../workflows/domain/task-lifecycle.ts'
import type { Mover, TaskDeskDeps } from './task-desk.ts'

export type Submission = { task_token: string; contract_id: string; input: Record<string, unknown> }

/**
 * Stores the input of an agreed run and has its task look whether all is there; a repeat finds what the first one stored.
 * Answers the task's id. Throws 404 and 403 for a contract that is not the task's or not the caller's, 409 `wrong_state` before
 * it is accepted and after it is sealed, 422 `evidence_mismatch` for another input than was announced.
 */
export async function submitRun(
  { db, gateway }: Pick<TaskDeskDeps, 'db' | 'gateway'>,
  mover: Mover,
  { task_token, contract_id, input }: Submission,
): Promise<string> {
  const { taskId, sealed } = await transaction(db, async (tx) => {
    const { contract, task } = await ownContract(tx, mover, contract_id)
    const { task_id: taskId, state, input_sha256 } = task
    if (taskId !== taskIdOf(task_token))
      throw refuse('not_found', 'the task of this token has no such contract', 'Check token and contract id.')
    const there = input_sha256 === digestOf(input)
    if (!there && contract.state !== 'accepted') throw outOfTurn(contract.state, state)
    if (!there) await provideInput(tx, taskId, input)
    return { taskId, sealed: contract.state === 'sealed' }
  })
  if (!sealed) await gateway.advance(taskId)
  return taskId
}

const outOfTurn = (contract: string, state: TaskState) =>
  refuse('wrong_state', `the contract is ${contract}`, 'Submit once it is accepted, and until it is sealed.', {
    extra: taskStanding(state),
  })
