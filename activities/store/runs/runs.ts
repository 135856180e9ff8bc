import { type Selectable, sql } from 'kysely'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { LoopPlace, LoopStep, StepVerdict } from '#domain/tasks/controlled-loop.ts'
import type { Tx } from '../postgres/db.ts'
import {
  countOf,
  findRow,
  findValue,
  insertOnce,
  insertRow,
  now,
  requireRow,
} from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { totalOfQuote, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'

export type RunRow = Selectable<Database['runs']>
export type LoopStepRow = Selectable<Database['loop_steps']>
export type ReturnPackageRow = Selectable<Database['return_packages']>

export const findRun = (tx: Tx, runId: string) => findRow(tx, 'runs', { run_id: runId })

/** The row of an existing run. */
export const requireRun = (tx: Tx, runId: string) => requireRow(tx, 'runs', { run_id: runId })

export async function insertRun(tx: Tx, runId: string, taskId: string): Promise<void> {
  await insertRow(tx, 'runs', { run_id: runId, task_id: taskId, step: 'intake', finished_at: null })
}

/** Stores the step at which the run continues; null after it is attested. */
export async function placeRun(tx: Tx, runId: string, place: LoopPlace | null): Promise<void> {
  const set =
    place === null
      ? { step: null, finished_at: now, changed_at: now }
      : { ...place, changed_at: now }
  await tx.updateTable('runs').set(set).where('run_id', '=', runId).execute()
}

/** The task closed: a run that was not attested is at no step any more. */
export async function leaveStep(tx: Tx, taskId: string): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ step: null, changed_at: now })
    .where('task_id', '=', taskId)
    .where('step', 'is not', null)
    .execute()
}

/** Restarts the loop with another input, or after a step that ended it. */
export async function restartRun(tx: Tx, runId: string): Promise<void> {
  await tx
    .updateTable('runs')
    .set(({ eb }) => ({
      attempt: eb('attempt', '+', 1),
      round: 0,
      step: 'intake',
      changed_at: now,
    }))
    .where('run_id', '=', runId)
    .execute()
}

const runOrder = sql`coalesce(finished_at, started_at)`

/** All steps of a run, in the order in which they ran. */
export async function listLoopSteps(tx: Tx, runId: string): Promise<LoopStepRow[]> {
  return tx
    .selectFrom('loop_steps')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy(runOrder)
    .execute()
}

const stepTimes = [
  'run_id',
  'attempt',
  'round',
  'step',
  'verdict',
  'output_sha256',
  'decided_by',
  'started_at',
  'finished_at',
  'tries',
] as const
export type LoopStepTimes = Omit<LoopStepRow, 'output'>

/** The same without what they put out. */
export async function listStepTimes(tx: Tx, runId: string): Promise<LoopStepTimes[]> {
  return tx
    .selectFrom('loop_steps')
    .select(stepTimes)
    .where('run_id', '=', runId)
    .orderBy(runOrder)
    .execute()
}

/** The last steps of a run with what they put out where it has at most `bytesMax`; never that of the worker, which is the result. */
export async function listStepOutputs(
  tx: Tx,
  runId: string,
  { most, bytesMax }: { most: number; bytesMax: number },
): Promise<(LoopStepRow & { output_bytes: number | null })[]> {
  const bytes = sql<number | null>`octet_length(output::text)`
  const shown = sql<unknown>`case when step <> 'worker' and octet_length(output::text) <= ${bytesMax} then output end`
  const last = await tx
    .selectFrom('loop_steps')
    .select(stepTimes)
    .select([bytes.as('output_bytes'), shown.as('output')])
    .where('run_id', '=', runId)
    .orderBy(sql`coalesce(finished_at, started_at) desc`)
    .limit(most)
    .execute()
  return last.reverse()
}

type At = { runId: string; attempt: number } & LoopPlace

export const findLoopStep = (tx: Tx, { runId, attempt, round, step }: At) =>
  findRow(tx, 'loop_steps', { run_id: runId, attempt, round, step })

/** The latest output of a step in this attempt, in any round. */
export async function latestOutput(
  tx: Tx,
  runId: string,
  attempt: number,
  step: LoopStep,
): Promise<unknown> {
  const row = await tx
    .selectFrom('loop_steps')
    .select('output')
    .where('run_id', '=', runId)
    .where('attempt', '=', attempt)
    .where('step', '=', step)
    .where('verdict', 'is not', null)
    .orderBy('round', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.output ?? undefined
}

/** Stores the end of a step and its output. */
export async function insertLoopStep(
  tx: Tx,
  { runId, attempt, round, step }: At,
  ended: {
    verdict: StepVerdict
    output: unknown
    decidedBy: string | null
    startedAt?: Date | undefined
    tries?: number | undefined
  },
): Promise<void> {
  const output = canonicalJson(ended.output)
  await insertRow(tx, 'loop_steps', {
    run_id: runId,
    attempt,
    round,
    step,
    verdict: ended.verdict,
    decided_by: ended.decidedBy,
    output,
    output_sha256: sha256Hex(output),
    started_at: ended.startedAt ?? now,
    finished_at: now,
    tries: ended.tries ?? 1,
  })
}

/** Opens the review of a run that waits for a decision. */
export async function openReview(tx: Tx, { runId, attempt, round }: At): Promise<void> {
  const ended = {
    verdict: null,
    output: null,
    output_sha256: null,
    decided_by: null,
    finished_at: null,
  }
  await insertOnce(tx, 'loop_steps', {
    run_id: runId,
    attempt,
    round,
    step: 'review_step',
    ...ended,
  })
}

/** Closes an open review. Returns false if none is open. */
export async function decideReview(
  tx: Tx,
  { runId, attempt, round }: Omit<At, 'step'>,
  { verdict, output, decidedBy }: { verdict: StepVerdict; output: unknown; decidedBy: string },
): Promise<boolean> {
  const text = canonicalJson(output)
  const decided = await tx
    .updateTable('loop_steps')
    .set({
      verdict,
      output: text,
      output_sha256: sha256Hex(text),
      decided_by: decidedBy,
      finished_at: now,
    })
    .where('run_id', '=', runId)
    .where('attempt', '=', attempt)
    .where('round', '=', round)
    .where('step', '=', 'review_step')
    .where('verdict', 'is', null)
    .returning('run_id')
    .executeTakeFirst()
  return decided !== undefined
}

export const findReturnPackage = (tx: Tx, runId: string) =>
  findRow(tx, 'return_packages', { run_id: runId })

/** The id of a run's package, without the package. */
export const findPackageId = (tx: Tx, runId: string) =>
  findValue(tx, 'return_packages', { run_id: runId }, 'return_package_id')

export async function insertReturnPackage(
  tx: Tx,
  row: Omit<ReturnPackageRow, 'made_at' | 'record_kind'>,
): Promise<void> {
  await insertRow(tx, 'return_packages', { ...row, package: canonicalJson(row.package) })
}

export type OpenReview = LoopStepRow & { task_id: string; rail: string; quote_id: string | null }

/** Undecided reviews of active runs. */
const openReviews = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter = {}) =>
  tx
    .selectFrom('loop_steps')
    .innerJoin('runs', (join) =>
      join
        .onRef('runs.run_id', '=', 'loop_steps.run_id')
        .onRef('runs.attempt', '=', 'loop_steps.attempt')
        .onRef('runs.round', '=', 'loop_steps.round')
        .onRef('runs.step', '=', 'loop_steps.step'),
    )
    .innerJoin('tasks', 'tasks.task_id', 'runs.task_id')
    .where('loop_steps.step', '=', 'review_step')
    .where('loop_steps.verdict', 'is', null)
    // A run whose gaps are waived has a result, and waits for its review as any other.
    .where('tasks.state', 'in', ['operating', 'result_ready'])
    .where(
      waitingAs(waits, { since: 'loop_steps.started_at', amount: totalOfQuote('tasks.quote_id') }),
    )
    .$if(subjectId !== undefined, (query) =>
      query.where('loop_steps.run_id', '=', String(subjectId)),
    )
    .$if(state !== undefined, (query) => query.where('loop_steps.step', '=', state as LoopStep))
    .$if(rail !== undefined, (query) => query.where('tasks.rail', '=', rail as RailKey))

/** Open reviews, longest waiting first. */
export async function listOpenReviews(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<OpenReview[]> {
  return openReviews(tx, filter)
    .selectAll('loop_steps')
    .select(['tasks.task_id', 'tasks.rail', 'tasks.quote_id'])
    .orderBy('loop_steps.started_at')
    .limit(most)
    .execute()
}

export const countOpenReviews = (tx: Tx, filter: ReviewFilter): Promise<number> =>
  countOf(openReviews(tx, filter))

export async function findOpenReview(tx: Tx, runId: string): Promise<OpenReview | undefined> {
  return openReviews(tx)
    .selectAll('loop_steps')
    .select(['tasks.task_id', 'tasks.rail', 'tasks.quote_id'])
    .where('loop_steps.run_id', '=', runId)
    .executeTakeFirst()
}
