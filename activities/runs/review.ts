import { refuse } from '../../workflows/domain/errors.ts'
import type { Tx } from '../store/db.ts'
import { decideReview, findRun } from '../store/runs.ts'

const verdicts = { approve: 'done', revise: 'revise', reject: 'reject' } as const
export type ReviewDecision = { decision: keyof typeof verdicts; decisionId: string; decidedBy: string; note: string }

/** Ends the open review of a run; the task is then to be woken. Throws 404 without the run, 409 `wrong_state` without a review. */
export async function recordReview(tx: Tx, runId: string, review: ReviewDecision): Promise<void> {
  const run = await findRun(tx, runId)
  if (run === undefined) throw refuse('not_found', 'no such run', 'Check the run id.')
  const { decision, decisionId, decidedBy, note } = review
  const output = { decision, decision_id: decisionId, note }
  const at = { runId, attempt: run.attempt, round: run.round }
  if (await decideReview(tx, at, { verdict: verdicts[decision], output, decidedBy })) return
  throw refuse('wrong_state', 'the run waits for no review', 'Read the run.', { extra: { step: run.step } })
}
