import type { Check } from '../../workflows/domain/task-terms.ts'
import { liveContract } from '../store/contracts.ts'
import type { Tx } from '../store/db.ts'
import { findRun, latestOutput, listLoopSteps } from '../store/runs.ts'
import { findDocument, type TaskRow } from '../store/tasks.ts'
import type { ContractTerms } from '../tasks/contract-terms.ts'
import { runIdOf } from '../tasks/facts.ts'
import { workChecks } from './validation.ts'

export type Completion = { criteria: { criterion: string; met: boolean }[] }

/** What the run has to meet: the validator’s checks, and the criteria of its contract, which whoever reviews the run judges. */
export async function completionOf(tx: Tx, { task_id }: TaskRow): Promise<Completion> {
  const run = await findRun(tx, runIdOf(task_id))
  const { checks = [] } = run === undefined ? {} : await validated(tx, run)
  const reviewed =
    run !== undefined &&
    (await listLoopSteps(tx, run.run_id)).findLast(
      ({ step, attempt }) => step === 'review_step' && attempt === run.attempt,
    )?.verdict === 'done'
  const contract = await liveContract(tx, task_id)
  const terms = contract && ((await findDocument(tx, task_id, contract.terms_sha256)) as ContractTerms)
  return {
    criteria: [
      ...workChecks.map((name) => ({ criterion: name, met: checks.some(({ check, ok }) => check === name && ok) })),
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
