import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { ReplayFile } from '#domain/runs/replay-package.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { screenFreeText } from '../../../activities/screening/free-text.ts'
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
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import { PatchError, type PatchOperation, patched } from './json-patch.ts'
import { declineTask, type RecoveryAnswer, recoverTask } from './recover-task.ts'
import {
  type DeclineRequest,
  prepareReplay,
  type RecoveryRequest,
  type ReplayRequest,
} from './recovery.ts'
import { type ReplayDeps, replayFileOf } from './replay-package.ts'
import { taskView } from './views.ts'

type Deps = TaskDeps &
  ReplayDeps & {
    gateway: Pick<TaskGateway, 'wake'>
    uploadChecks: Pick<UploadChecks, 'assertInput'>
  }
type RecoveryAsked = Omit<RecoveryRequest, 'recoveryId' | 'input'> & {
  input?: unknown
  /** Changes of the present input, in place of the whole. */
  input_patch?: readonly PatchOperation[] | undefined
}
type Recovered = { status: 202; body: RecoveryAnswer['body'] } | { status: 200 }

const PatchedInput = z.strictObject({ input: z.unknown().meta({ 'x-free-text': true }) })

/** Throws 409 `evidence_changed` where the input is not the one that a patch was applied to. */
function assertBase({ input_sha256 }: TaskRow, base: string | null): void {
  if (input_sha256 === base) return
  throw refuse('evidence_changed', {
    detail: 'the input has changed since the patch was applied to it',
    next_action: 'Send the patch again, for the present input.',
  })
}

const recoveryIdOf = (callId: string): string => `rec_${digestOf({ call: callId })}`

/** Recoveries of stopped tasks as agents and operators request them. */
export class RecoveryService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** Records a recovery and its effect in one transaction; 202 while an operator has to decide. */
  async recover(asked: RecoveryAsked, callId: string): Promise<Recovered> {
    const { input_patch, ...given } = asked
    const { taskId } = given
    const recoveryId = recoveryIdOf(callId)
    const { input, base } = await this.#readableInput(asked, recoveryId)
    const request = { ...given, input, recoveryId }
    return this.#withWorkflow(taskId, () =>
      transaction(this.deps.db, async (tx): Promise<Recovered> => {
        await claimGrant(tx, callId, taskId)
        if (base !== undefined) assertBase(await requireTask(tx, taskId), base)
        const { waits, body } = await recoverTask(this.deps, tx, request)
        if (waits) return { status: 202, body }
        await answerCall(callId, taskId, 200, body).run(tx)
        return { status: 200 }
      }),
    )
  }

  /**
   * The input of a new request, read with its uploads, and the digest of what a patch changes. A repeat of a stored request is not
   * read again: it changes nothing.
   */
  async #readableInput(
    { taskId, action, input, input_patch }: RecoveryAsked,
    recoveryId: string,
  ): Promise<{ input: unknown; base?: string | null }> {
    const { db, uploadChecks } = this.deps
    const task = await findTask(db, taskId)
    const isRead = action === 'correct_input' || action === 'supply_evidence'
    const isKnown = (await findRecoveryRequest(db, recoveryId)) !== undefined
    // What takes no input is refused with it.
    const given = input ?? input_patch
    if (task === undefined || isKnown || !isRead || given === undefined) return { input: given }
    const whole = input_patch === undefined ? input : await this.#patched(task, input_patch)
    const { agent_id: owner, rail, tier } = task
    await uploadChecks.assertInput({ owner, rail: rail as RailKey, tier, input: whole })
    return input_patch === undefined ? { input } : { input: whole, base: task.input_sha256 }
  }

  /** The present input of a task after a patch; 422 for an operation that does not fit. */
  async #patched({ task_id, input_sha256 }: TaskRow, patch: readonly PatchOperation[]) {
    const input =
      input_sha256 === null ? {} : await findDocument(this.deps.db, task_id, input_sha256)
    try {
      const changed = patched(input, patch)
      // A secret may have come in parts.
      screenFreeText(PatchedInput, { input: changed })
      return changed
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
      answerOnce(this.deps, { callId, subject: taskId, status: 200 }, (tx) =>
        declineTask(this.deps, tx, request),
      ),
    )
  }

  /** Prepares the replay of a stopped task and answers its replay package. */
  async prepareReplay(asked: Omit<ReplayRequest, 'recoveryId'>, callId: string): Promise<void> {
    const { taskId } = asked
    const request = { ...asked, recoveryId: recoveryIdOf(callId) }
    await this.#withWorkflow(taskId, () =>
      answerOnce(this.deps, { callId, subject: taskId, status: 201 }, async (tx) => {
        const receipt = receiptView(await prepareReplay(this.deps, tx, request))
        const task = await taskView(tx, await requireTask(tx, taskId))
        return { ...(await replayFileOf(this.deps, tx, taskId)), task, receipt }
      }),
    )
  }

  /** The signed replay package of a task as it is now; 409 `not_ready` while it has neither an exception nor a result. */
  replayPackage(taskId: string): Promise<ReplayFile> {
    return transaction(this.deps.db, (tx) => replayFileOf(this.deps, tx, taskId))
  }

  /** Refuses while the task's workflow cannot be notified. What was stored stays valid if the second notification fails. */
  async #withWorkflow<Result>(taskId: string, command: () => Promise<Result>): Promise<Result> {
    const { gateway } = this.deps
    await gateway.wake(taskId)
    const result = await command()
    await gateway.wake(taskId).catch(() => undefined)
    return result
  }
}
