import { loopStepDecisions } from '#domain/reviews/review.ts'
import { reviewWait, type Wait } from '#domain/reviews/wait.ts'
import { REVISION_ROUNDS_MAX } from '#domain/tasks/controlled-loop.ts'
import { detailsOf } from '../shared/details.ts'
import type { RunSnapshot } from './activities.ts'

/** What a run waits for. The task of the run shows the same review. */
function runWait(run: RunSnapshot): Wait {
  const nothing = { waiting_for: [], since: null, gaps: [], action: null }
  if (run.next === 'review' && run.reviewSince !== null) {
    const review = { kind: 'loop_step', id: run.runId, since: run.reviewSince } as const
    return reviewWait('an operator to review the result', review, loopStepDecisions)
  }
  if (run.next === 'over') return { ...nothing, what: `nothing: its task ${run.taskId} continues` }
  return { ...nothing, what: `the step ${run.step}` }
}

/** Markdown for the Temporal UI: the steps taken, what the run waits for, the required action. */
export function runDetails(run: RunSnapshot): string {
  return detailsOf({
    title: `Run of ${run.rail} (${run.usage})`,
    rows: [
      ['task', run.taskId],
      ['attempt', `${run.attempt + 1}`],
      ['revision', `${run.round} of ${REVISION_ROUNDS_MAX}`],
    ],
    wait: runWait(run),
    more: [
      '| step | attempt | revision | ended |\n|---|---|---|---|',
      ...run.taken.map(
        ({ step, attempt, round, verdict }) =>
          `| ${step} | ${attempt + 1} | ${round} | ${verdict ?? 'waits'} |`,
      ),
    ],
  })
}
