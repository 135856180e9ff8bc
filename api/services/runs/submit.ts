import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { type TaskState, taskStanding } from '#domain/tasks/lifecycle.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import { ownContract, type TaskActor } from '../tasks/access.ts'
import { provideInput } from '../tasks/input.ts'

export type Submission = { task_token: string; contract_id: string; input: Record<string, unknown> }

type SubmitDeps = Pick<TaskDeps, 'db'> & {
  gateway: TaskGateway
  uploadChecks: Pick<UploadChecks, 'extractUploads'>
}

/**
 * Stores the input of an agreed run and advances its task; a repeat finds the stored input. Returns the task's id. Throws 404 and
 * 403 for a contract that is not the task's or not the caller's, 409 `wrong_state` before it is accepted and after it is sealed,
 * 422 `evidence_mismatch` for an input that was not announced.
 */
export async function submitRun(
  { db, gateway, uploadChecks }: SubmitDeps,
  actor: TaskActor,
  { task_token, contract_id, input }: Submission,
): Promise<string> {
  const {
    agent_id: owner,
    rail,
    tier,
  } = await transaction(db, async (tx) => (await ownContract(tx, actor, contract_id)).task)
  if (owner !== null)
    await uploadChecks.extractUploads({ owner, rail: rail as RailKey, tier, input })
  const { taskId, sealed } = await transaction(db, async (tx) => {
    const { contract, task } = await ownContract(tx, actor, contract_id)
    const { task_id: taskId, state, input_sha256 } = task
    if (taskId !== taskIdOf(task_token))
      throw refuse('not_found', {
        detail: 'the task of this token has no such contract',
      })
    const isStored = input_sha256 === digestOf(input)
    if (!isStored && contract.state !== 'accepted') throw notAccepted(contract.state, state)
    if (!isStored) await provideInput(tx, taskId, input)
    return { taskId, sealed: contract.state === 'sealed' }
  })
  if (!sealed) await gateway.advance(taskId)
  return taskId
}

const notAccepted = (contract: string, state: TaskState) =>
  refuse('wrong_state', {
    detail: `the contract is ${contract}`,
    next_action: 'Submit once it is accepted, and until it is sealed.',
    extra: taskStanding(state),
  })
