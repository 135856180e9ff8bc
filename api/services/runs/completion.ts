import type { Check } from '#domain/tasks/terms.ts'
import { workChecks } from '../../../activities/run/validation.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { liveContract } from '../../../activities/store/tasks/contracts.ts'
import { findRun, latestOutput, listLoopSteps } from '../../../activities/store/tasks/runs.ts'
import { findDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/task/facts.ts'
import type { ContractTerms } from '../tasks/contract-terms.ts'

export type Completion = { criteria: { criterion: string; met: boolean }[] }

/** The criteria of a run: the validator’s checks, and those of its contract, which the reviewer of the run decides. */
export async function completionOf(tx: Tx, { task_id }: TaskRow): Promise<Completion> {
  const run = await findRun(tx, runIdOf(task_id))
  const { checks = [] } = run === undefined ? {} : await validated(tx, run)
  const reviewed =
    run !== undefined &&
    (await listLoopSteps(tx, run.run_id)).findLast(
      ({ step, attempt }) => step === 'review_step' && attempt === run.attempt,
    )?.verdict === 'done'
  const contract = await liveContract(tx, task_id)
  const terms =
    contract && ((await findDocument(tx, task_id, contract.terms_sha256)) as ContractTerms)
  return {
    criteria: [
      ...workChecks.map((name) => ({
        criterion: name,
        met: checks.some(({ check, ok }) => check === name && ok),
      })),
      ...(terms?.acceptance_criteria ?? []).map((criterion) => ({ criterion, met: reviewed })),
    ],
  }
}

async function validated(
  tx: Tx,
  { run_id, attempt }: { run_id: string; attempt: number },
): Promise<{ checks?: Check[] }> {
  return ((await latestOutput(tx, run_id, attempt, 'validator')) ?? {}) as { checks?: Check[] }
}
