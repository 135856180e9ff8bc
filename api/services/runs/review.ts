import { refuse } from '#domain/core/errors.ts'
import type { Judgement } from '#domain/reviews/evidence.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { decideReview, findRun } from '../../../activities/store/runs/runs.ts'

const verdicts = { approve: 'done', revise: 'revise', reject: 'reject' } as const
export type ReviewDecision = {
  decision: keyof typeof verdicts
  decisionId: string
  decidedBy: string
  note: string
  judgements: Judgement[]
  /** Whether the run stops, to begin again with another input. */
  stops?: boolean
}

/** Ends the open review of a run; the caller then wakes the task. Throws 404 for an unknown run, 409 `wrong_state` without a review. */
export async function recordReview(tx: Tx, runId: string, review: ReviewDecision): Promise<void> {
  const run = await findRun(tx, runId)
  if (run === undefined) throw refuse('not_found', { detail: 'no such run' })
  const { decision, decisionId, decidedBy, note, judgements, stops } = review
  const output = { decision, decision_id: decisionId, note, judgements }
  const at = { runId, attempt: run.attempt, round: run.round }
  if (
    await decideReview(tx, at, {
      verdict: stops ? 'reject' : verdicts[decision],
      output,
      decidedBy,
    })
  )
    return
  throw refuse('wrong_state', {
    detail: 'the run waits for no review',
    extra: { step: run.step },
  })
}
