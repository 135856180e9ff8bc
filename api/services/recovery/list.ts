import { refuse } from '#domain/core/errors.ts'
import { recoverCommand } from '#domain/tasks/exception.ts'
import { readPayout } from '../../../activities/store/payouts/payouts.ts'
import {
  findOpenRow,
  listLate,
  type OpenRow,
} from '../../../activities/store/recovery/late-rows.ts'
import { findRun } from '../../../activities/store/runs/runs.ts'
import { findTask } from '../../../activities/store/tasks/tasks.ts'
import { wakes } from '../../../temporal/late-rows.ts'
import { isRunning, traceIdsOf } from '../../../temporal/running.ts'
import {
  asLate,
  type Explanation,
  type Line,
  LOOKED_AT_MAX,
  lateLine,
  type RecoverDeps,
} from './line.ts'
import { explainPayout, listPayouts, payoutLine } from './payouts.ts'
import { explainTask, listTasks, taskLine } from './tasks.ts'

export const isTask = (subject: string): boolean => subject.startsWith('task-')
export const isPayout = (subject: string): boolean => subject.startsWith('po_')

/** Open payouts and tasks, and every late row; what is stopped or late comes first. `stuck`: only those. */
export async function listLines({ db, ages }: RecoverDeps, stuck: boolean): Promise<Line[]> {
  const late = new Map((await listLate(db, ages, LOOKED_AT_MAX)).map((row) => [row.id, row]))
  const stored = [...(await listPayouts(db)), ...(await listTasks(db))]
  const known = new Set(stored.map(({ id }) => id))
  const others = [...late.values()].filter(({ id }) => !known.has(id))
  const lines = [
    ...stored.map((line) => (late.has(line.id) ? asLate(line) : line)),
    ...(await Promise.all(others.map((row) => lineOf(db, row)))),
  ]
  return lines
    .filter((line) => !stuck || line.needs_attention)
    .sort((one, other) => Number(other.needs_attention) - Number(one.needs_attention))
}

async function lineOf(db: RecoverDeps['db'], row: OpenRow): Promise<Line> {
  if (row.subject === 'task') return asLate(await taskLine(db, row.id))
  if (row.subject === 'payout') return asLate(await payoutLine(db, row.id))
  return lateLine(row)
}

/** Explains the payout, task or run of an id. */
export async function explain(deps: RecoverDeps, id: string): Promise<Explanation> {
  const subject = await subjectOf(deps, id)
  if (isTask(subject)) return explainTask(deps, subject)
  return isPayout(subject) ? explainPayout(deps, subject) : explainRow(deps, subject)
}

/** A row of another subject: its state, since when, and the command that wakes it. */
async function explainRow({ client, db, ages }: RecoverDeps, id: string): Promise<Explanation> {
  const row = await findOpenRow(db, ages, id)
  if (row === undefined) throw refuse('not_found', { detail: `nothing of ${id} is open` })
  const { subject, state, since, late } = row
  const { workflowId, missing } = wakes[subject]
  const runs = subject !== 'schedule' && (await isRunning(client, workflowId(id)))
  return {
    problem: late ? `it is late${runs ? '' : ', and no workflow runs'}` : null,
    id,
    subject,
    state,
    since: since.toISOString(),
    waits_for: missing,
    required_by: late ? 'operator' : null,
    required_action: late ? recoverCommand(id, 'wake') : null,
  }
}

/** The traces of the calls that reached the workflow of a payout or task, and of a task also its run; at most eight of each. */
export async function tracesOf({ client, db }: RecoverDeps, subject: string): Promise<string[]> {
  const run = isTask(subject) ? (await findTask(db, subject))?.run_id : null
  const workflows = run == null ? [subject] : [subject, run]
  const shown = await Promise.all(workflows.map((id) => traceIdsOf(client, id)))
  return [...new Set(shown.flat())]
}

/** The payout, task or open row that an id is about; a run is about its task. */
export async function subjectOf(
  { db, ages }: Pick<RecoverDeps, 'db' | 'ages'>,
  id: string,
): Promise<string> {
  if (id.startsWith('po_') && (await readPayout(db, id)) !== undefined) return id
  if (isTask(id) && (await findTask(db, id)) !== undefined) return id
  const run = id.startsWith('run_') ? await findRun(db, id) : undefined
  if (run === undefined && (await findOpenRow(db, ages, id)) !== undefined) return id
  if (run === undefined)
    throw refuse('not_found', {
      detail: `no payout, task or run ${id}, and nothing else that is open`,
      next_action: 'Check the id.',
    })
  return run.task_id
}
