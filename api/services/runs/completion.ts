import type { PlannedCheck } from '#domain/rails/rail.ts'
import { type Judgement, judgeAll } from '#domain/reviews/evidence.ts'
import type { Check } from '#domain/tasks/terms.ts'
import { workChecks } from '../../../activities/runs/validation.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findRun, latestOutput } from '../../../activities/store/runs/runs.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { contractOf } from '../tasks/contract-terms.ts'

export type Completion = { criteria: ({ met: boolean } & Judgement)[] }

/** The criteria of a run: the validator’s checks, and those of its contract, which the reviewer of the run judges one by one. */
export async function completionOf(tx: Tx, { task_id }: TaskRow): Promise<Completion> {
  const run = await findRun(tx, runIdOf(task_id))
  const { checks = [] } = run === undefined ? {} : await validated(tx, run)
  const planned = run === undefined ? workChecks : await plannedIn(tx, run)
  const review = run && (await latestOutput(tx, run.run_id, run.attempt, 'review_step'))
  const { judgements = [] } = (review ?? {}) as { judgements?: Judgement[] }
  const terms = await contractOf(tx, task_id)
  return {
    criteria: [
      ...planned.map((name) => checked(name, checks)),
      ...judgeAll(terms?.acceptance_criteria ?? [], judgements).map(withMet),
    ],
  }
}

const withMet = (judged: Judgement) => ({ ...judged, met: judged.verdict === 'met' })

function checked(criterion: string, checks: readonly Check[]) {
  const found = checks.find(({ check }) => check === criterion)
  if (found === undefined) return withMet({ criterion, verdict: 'not_judged', note: '' })
  return withMet({ criterion, verdict: found.ok ? 'met' : 'not_met', note: found.detail })
}

/** The checks that the planner derived; before it, those of every rail. */
async function plannedIn(
  tx: Tx,
  { run_id, attempt }: { run_id: string; attempt: number },
): Promise<string[]> {
  const plan = (await latestOutput(tx, run_id, attempt, 'planner')) as
    | { checks: PlannedCheck[] }
    | undefined
  return plan === undefined ? workChecks : plan.checks.map(({ check }) => check)
}

async function validated(
  tx: Tx,
  { run_id, attempt }: { run_id: string; attempt: number },
): Promise<{ checks?: Check[] }> {
  return ((await latestOutput(tx, run_id, attempt, 'validator')) ?? {}) as { checks?: Check[] }
}
