import { refuse } from '#domain/core/errors.ts'
import { type Decision, loopStepDecisions } from '#domain/reviews/review.ts'
import { taskStanding } from '#domain/tasks/lifecycle.ts'
import { priceOf } from '../../../activities/store/credit/quotes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  countOpenReviews,
  findOpenReview,
  findRun,
  listOpenReviews,
  type OpenReview,
} from '../../../activities/store/runs/runs.ts'
import { findTask, requireTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { readGaps } from '../../../activities/tasks/gaps.ts'
import { recordReview } from '../runs/review.ts'
import { unknownSubject } from './evidence.ts'
import { parametersOf, type Revision, reviseRun } from './revise.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { taskParts } from './task-evidence.ts'

const next =
  'Approve the result, reject it with a note, or revise it by parameters or a corrected input.'
const allowed: Decision[] = [...loopStepDecisions]

/** Runs that have done their work and wait for a look at it, named by the id of the run. */
export const loopStepSubject = (deps: TaskDeps): ReviewSubject => ({
  kind: 'loop_step',
  list: async (tx, filter, most) =>
    (await listOpenReviews(tx, filter, most)).map((review) => ({
      since: review.started_at,
      describe: () => listed(tx, review),
    })),
  count: (tx, filter) => countOpenReviews(tx, filter),
  tasksOf: async (tx, runId) => {
    const run = await findRun(tx, runId)
    return run === undefined ? [] : [run.task_id]
  },
  evidence: async (tx, runId) => {
    const run = await findRun(tx, runId)
    const task = run && (await findTask(tx, run.task_id))
    if (run === undefined || task === undefined) return undefined
    const open = await findOpenReview(tx, runId)
    const { content, uploads } = await taskParts(tx, task)
    const parameters = await parametersOf(tx, task)
    const since = open?.started_at ?? run.changed_at
    return { since, content: { ...content, parameters }, uploads }
  },
  decide: async (tx, terms, assert) => {
    const { subjectId: runId, decision, decisionId, note, operator, revision } = terms
    const run = await findRun(tx, runId)
    if (run === undefined) throw unknownSubject('no such run')
    const { state } = await requireTask(tx, run.task_id)
    const open = await findOpenReview(tx, runId)
    await assert.waitsSince(open?.started_at)
    if (open === undefined || decision === 'hold')
      throw refuse('wrong_state', {
        detail: 'the run waits for no such decision',
        next_action: next,
        extra: {
          ...taskStanding(state),
          step: run.step,
          allowed_decisions: open === undefined ? [] : allowed,
        },
      })
    assertRevision(decision, revision)
    const judgements = await assert.evidenceSeen()
    await recordReview(tx, runId, {
      decision,
      decisionId,
      decidedBy: `operator:${operator.operatorId}`,
      note,
      judgements,
      stops: revision !== undefined,
    })
    const { task_id, attempt, round } = open
    const asked = { taskId: task_id, decisionId, note, operator }
    const input_sha256 =
      revision === undefined ? null : await reviseRun(deps, tx, { ...asked, revision })
    return {
      state: decision,
      facts: { revised_input_sha256: input_sha256 },
      view: { run_id: runId, task_id, attempt, round, step: 'review_step' },
    }
  },
})

/** Throws 400 unless a revision says what it changes, and no other decision does. */
function assertRevision(decision: Decision, revision: Revision | undefined): void {
  if ((decision === 'revise') === (revision !== undefined)) return
  const message =
    decision === 'revise'
      ? 'a revision names parameters or a corrected input'
      : `${decision} changes nothing`
  throw refuse('invalid_request', {
    detail: message,
    errors: [{ pointer: '/revision', message }],
  })
}

async function listed(
  tx: Tx,
  { run_id, task_id, rail, quote_id, round, started_at }: OpenReview,
): Promise<WaitingSubject> {
  return {
    subject_kind: 'loop_step',
    subject_id: run_id,
    state: 'review_step',
    waiting_since: started_at.toISOString(),
    rail,
    summary: `Review the result of the ${rail} run of ${task_id}${round === 0 ? '' : `, revision ${round}`}.`,
    evidence_links: [{ host: 'os', path: `/api/agents/tasks/${task_id}/ledger` }],
    amount_usd: await priceOf(tx, quote_id),
    allowed_decisions: allowed,
    gaps: await readGaps(tx, run_id),
  }
}
