import { refuse } from '#domain/core/errors.ts'
import { readPayout } from '../../../activities/store/payouts/payouts.ts'
import { findRun } from '../../../activities/store/tasks/runs.ts'
import { findTask } from '../../../activities/store/tasks/tasks.ts'
import { notRunning as findNotRunning, traceIdsOf } from '../../../temporal/running.ts'
import { type Explanation, type Line, notRunning, type RecoverDeps } from './line.ts'
import { explainPayout, listPayouts, payoutLine } from './payouts.ts'
import { explainTask, listTasks, taskLine } from './tasks.ts'

export const isTask = (subject: string): boolean => subject.startsWith('task-')

/** Open payouts and tasks, those that need attention first; `stuck`: only those. */
export async function listLines(deps: RecoverDeps, stuck: boolean): Promise<Line[]> {
  const { db } = deps
  const stored = [...(await listPayouts(db)), ...(await listTasks(db))]
  const known = new Set(stored.map(({ id }) => id))
  const flagged = [...(await flaggedIds(deps))].filter((id) => !known.has(id))
  const lines = [
    ...stored,
    ...(await Promise.all(
      flagged.map((id) => (isTask(id) ? taskLine(db, id) : payoutLine(db, id))),
    )),
  ]
  const orphans = await orphansOf(deps, lines)
  return lines
    .map((line) => (orphans.has(line.id) ? { ...line, ...orphaned } : line))
    .filter((line) => !stuck || line.needs_attention)
    .sort((one, other) => Number(other.needs_attention) - Number(one.needs_attention))
}

/** The subjects whose running workflows are flagged, including those beyond the listed number. */
async function flaggedIds(deps: RecoverDeps): Promise<Set<string>> {
  const ids = new Set<string>()
  const query = 'NeedsAttention = true AND ExecutionStatus = "Running"'
  for await (const { workflowId } of deps.client.workflow.list({ query }))
    if (/^(po_|task-|run_)/.test(workflowId)) ids.add(await subjectOf(deps, workflowId))
  return ids
}

const orphaned = { code: 'not_running', needs_attention: true, waits_for: notRunning('').what }
const ASKED_AT_ONCE = 50

/** Lines that would advance without a caller, but whose workflow was ended. */
async function orphansOf({ client }: RecoverDeps, lines: readonly Line[]): Promise<Set<string>> {
  const ids = lines.filter(({ at_work }) => at_work).map(({ id }) => id)
  const ended: string[] = []
  for (let at = 0; at < ids.length; at += ASKED_AT_ONCE)
    ended.push(...(await findNotRunning(client, ids.slice(at, at + ASKED_AT_ONCE))))
  return new Set(ended)
}

/** Explains the payout, task or run of an id. */
export async function explain(deps: RecoverDeps, id: string): Promise<Explanation> {
  const subject = await subjectOf(deps, id)
  return isTask(subject) ? explainTask(deps, subject) : explainPayout(deps, subject)
}

/** The traces of the calls that reached the workflow of a payout or task, and of a task also its run; at most eight of each. */
export async function tracesOf({ client, db }: RecoverDeps, subject: string): Promise<string[]> {
  const run = isTask(subject) ? (await findTask(db, subject))?.run_id : null
  const workflows = run == null ? [subject] : [subject, run]
  const shown = await Promise.all(workflows.map((id) => traceIdsOf(client, id)))
  return [...new Set(shown.flat())]
}

/** The payout or task that an id is about; a run is about its task. */
export async function subjectOf({ db }: Pick<RecoverDeps, 'db'>, id: string): Promise<string> {
  if (id.startsWith('po_') && (await readPayout(db, id)) !== undefined) return id
  if (isTask(id) && (await findTask(db, id)) !== undefined) return id
  const run = id.startsWith('run_') ? await findRun(db, id) : undefined
  if (run === undefined)
    throw refuse('not_found', {
      detail: `no payout, task or run ${id}`,
      next_action: 'Check the id.',
    })
  return run.task_id
}
