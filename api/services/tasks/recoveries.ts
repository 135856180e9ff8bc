import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { ReplayFile } from '#domain/runs/replay-package.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { findRecoveryRequest } from '../../../activities/store/tasks/task-exceptions.ts'
import {
  findDocument,
  findTask,
  requireTask,
  type TaskRow,
} from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import { type ReplayDeps, replayFileOf } from '../replay/replay-package.ts'
import type { TaskGateway } from './events.ts'
import { PatchError, type PatchOperation, patched } from './json-patch.ts'
import { declineTask, type RecoveryAnswer, recoverTask } from './recover-task.ts'
import {
  type DeclineRequest,
  prepareReplay,
  type RecoveryRequest,
  type ReplayRequest,
} from './recovery.ts'
import { taskView } from './views.ts'

type Deps = TaskDeps &
  ReplayDeps & {
    gateway: Pick<TaskGateway, 'wake'>
    uploadChecks: Pick<UploadChecks, 'assertUploadsReadable'>
  }
type RecoveryAsked = Omit<RecoveryRequest, 'recoveryId' | 'input'> & {
  input?: unknown
  /** Changes of the present input, in place of the whole. */
  input_patch?: readonly PatchOperation[] | undefined
}
type Recovered = { status: 202; body: RecoveryAnswer['body'] } | { status: 200 }

const recoveryIdOf = (callId: string): string => `rec_${digestOf({ call: callId })}`

/** Recoveries of stopped tasks as agents and operators request them. */
export class RecoveryService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Records a recovery and its effect in one transaction; 202 while an operator has to decide. */
  async recover(asked: RecoveryAsked, callId: string): Promise<Recovered> {
    const { input_patch, ...given } = asked
    const { taskId } = given
    const recoveryId = recoveryIdOf(callId)
    const input = await this.#readableInput(asked, recoveryId)
    const request = { ...given, input, recoveryId }
    return this.#withWorkflow(taskId, () =>
      transaction(this.#deps.db, async (tx): Promise<Recovered> => {
        await claimGrant(tx, callId, taskId)
        const { waits, body } = await recoverTask(this.#deps, tx, request)
        if (waits) return { status: 202, body }
        await answerCall(callId, taskId, 200, body).run(tx)
        return { status: 200 }
      }),
    )
  }

  /** The input of a new request, with its uploads read. A repeat of a stored request is not read again: it changes nothing. */
  async #readableInput({ taskId, input, input_patch }: RecoveryAsked, recoveryId: string) {
    const { db, uploadChecks } = this.#deps
    const task = await findTask(db, taskId)
    const known = await findRecoveryRequest(db, recoveryId)
    if (task === undefined || known !== undefined) return input
    const given = input_patch === undefined ? input : await this.#patched(task, input_patch)
    const rail = task.rail as RailKey
    if (task.agent_id !== null)
      await uploadChecks.assertUploadsReadable({
        owner: task.agent_id,
        rail,
        input: given,
        pointer: '/input',
      })
    return given
  }

  /** The present input of a task after a patch; 422 for an operation that does not fit. */
  async #patched({ task_id, input_sha256 }: TaskRow, patch: readonly PatchOperation[]) {
    const input =
      input_sha256 === null ? {} : await findDocument(this.#deps.db, task_id, input_sha256)
    try {
      return patched(input, patch)
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      throw refuse('input_rejected', {
        detail: `the patch does not fit the input: ${error.message}`,
        next_action: 'Correct the patch, or send the whole input.',
        errors: [{ pointer: `/input_patch/${error.index}`, message: error.message }],
      })
    }
  }

  /** Declines the input that an operator proposes; 409 `wrong_state` without a proposal, `evidence_changed` for another one. */
  async decline(asked: Omit<DeclineRequest, 'recoveryId'>, callId: string): Promise<void> {
    const { taskId } = asked
    const request = { ...asked, recoveryId: recoveryIdOf(callId) }
    await this.#withWorkflow(taskId, () =>
      answerOnce(this.#deps, { callId, subject: taskId, status: 200 }, (tx) =>
        declineTask(this.#deps, tx, request),
      ),
    )
  }

  /** Prepares the replay of a stopped task and answers its replay package. */
  async prepareReplay(asked: Omit<ReplayRequest, 'recoveryId'>, callId: string): Promise<void> {
    const { taskId } = asked
    const request = { ...asked, recoveryId: recoveryIdOf(callId) }
    await this.#withWorkflow(taskId, () =>
      answerOnce(this.#deps, { callId, subject: taskId, status: 201 }, async (tx) => {
        const receipt = receiptView(await prepareReplay(this.#deps, tx, request))
        const task = await taskView(tx, await requireTask(tx, taskId))
        return { ...(await replayFileOf(this.#deps, tx, taskId)), task, receipt }
      }),
    )
  }

  /** The signed replay package of a task as it is now; 409 `not_ready` while it has neither an exception nor a result. */
  replayPackage(taskId: string): Promise<ReplayFile> {
    return transaction(this.#deps.db, (tx) => replayFileOf(this.#deps, tx, taskId))
  }

  /** Refuses while the task's workflow cannot be notified. What was stored stays valid if the second notification fails. */
  async #withWorkflow<Result>(taskId: string, command: () => Promise<Result>): Promise<Result> {
    const { gateway } = this.#deps
    await gateway.wake(taskId)
    const result = await command()
    await gateway.wake(taskId).catch(() => undefined)
    return result
  }
}
