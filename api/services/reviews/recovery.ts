import { refuse } from '#domain/core/errors.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { taskStanding } from '#domain/tasks/lifecycle.ts'
import { priceOf } from '../../../activities/store/credit/quotes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  countRecoveriesInReview,
  findRecoveryInReview,
  listRecoveriesInReview,
  openTaskException,
  type RecoveryInReview,
  settleRecoveryRequest,
  type TaskExceptionRow,
} from '../../../activities/store/tasks/task-exceptions.ts'
import { findDocument, findTask, requireTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { carryOut } from '../tasks/recovery.ts'
import { recoveryView, taskView } from '../tasks/views.ts'
import { unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { taskParts } from './task-evidence.ts'
import { filesOf, uploadedParts } from './uploads.ts'

const allowed: Decision[] = ['approve', 'reject']

/** Requests of agents to bring their stopped tasks home; approved, they are carried out with the decision. */
export const recoverySubject = (deps: TaskDeps): ReviewSubject => ({
  kind: 'recovery',
  list: async (tx, filter, most) =>
    (await listRecoveriesInReview(tx, filter, most)).map((request) => ({
      since: request.requested_at,
      describe: () => listed(tx, request),
    })),
  count: (tx, filter) => countRecoveriesInReview(tx, filter),
  tasksOf: async (tx, recoveryId) => {
    const request = await findRecoveryInReview(tx, recoveryId)
    return request === undefined ? [] : [request.task_id]
  },
  evidence: async (tx, recoveryId) => {
    const request = await findRecoveryInReview(tx, recoveryId)
    const task = request && (await findTask(tx, request.task_id))
    if (request === undefined || task === undefined) return undefined
    const { action, note, requested_by, requested_at, input_sha256 } = request
    const proposed = input_sha256 && (await findDocument(tx, task.task_id, input_sha256))
    const { content, uploads } = await taskParts(tx, task)
    const within = 'proposed_input'
    const requested = await uploadedParts(tx, task, { input: proposed, within })
    const asked = {
      request: {
        action,
        note,
        requested_by,
        input_sha256,
        proposed_input: proposed,
        proposed_files: (await filesOf(tx, task, proposed)) ?? null,
      },
      exception: exceptionEvidence(await openTaskException(tx, task.task_id)),
    }
    return {
      since: requested_at,
      content: { ...content, ...asked },
      uploads: [...uploads, ...requested],
    }
  },
  decide: async (tx, { subjectId: recoveryId, decision, operator }, assert) => {
    const { task_id, ...request } = await locked(tx, recoveryId)
    await assert.waitsSince(request.requested_at)
    const actor = `operator:${operator.operatorId}`
    if (request.state !== 'requested' || !allowed.includes(decision)) {
      const standing = taskStanding((await requireTask(tx, task_id)).state)
      const allowed_decisions = request.state === 'requested' ? allowed : []
      throw refuse('wrong_state', {
        detail: `the request is ${request.state}`,
        next_action: 'Approve or reject what is requested.',
        extra: { ...standing, state: request.state, allowed_decisions },
      })
    }
    await assert.evidenceSeen()
    const by = { actor, actorName: operator.name }
    const settled =
      decision === 'approve'
        ? await carryOut(deps, tx, { taskId: task_id, request, by })
        : await settleRecoveryRequest(tx, recoveryId, 'refused', actor)
    const task = await taskView(tx, await requireTask(tx, task_id))
    return { state: settled.state, view: { ...recoveryView(settled), task } }
  },
})

const exceptionEvidence = (exception: TaskExceptionRow | undefined) =>
  exception && {
    exception_id: exception.exception_id,
    code: exception.code,
    detail: exception.detail,
    declined_input: exception.declined,
    opened_at: exception.opened_at.toISOString(),
  }

/** The request as it is once its task is locked, under which alone it changes. */
async function locked(tx: Tx, recoveryId: string): Promise<RecoveryInReview> {
  const found = await findRecoveryInReview(tx, recoveryId)
  if (found !== undefined) await requireTask(tx, found.task_id)
  const request = found && (await findRecoveryInReview(tx, recoveryId))
  if (request === undefined) throw unknownSubject('no such request')
  return request
}

async function listed(tx: Tx, request: RecoveryInReview): Promise<WaitingSubject> {
  const { recovery_id, action, note, task_id, rail, quote_id, requested_at, requested_by } = request
  return {
    subject_kind: 'recovery',
    subject_id: recovery_id,
    state: 'requested',
    waiting_since: requested_at.toISOString(),
    rail,
    summary: `${requested_by} requests ${action} for ${task_id}${note === '' ? '' : `: ${note}`}`,
    evidence_links: [{ host: 'os', path: `/api/agents/tasks/${task_id}/exceptions` }],
    amount_usd: await priceOf(tx, quote_id),
    allowed_decisions: allowed,
  }
}
