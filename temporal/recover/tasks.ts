import type { Kysely } from 'kysely'
import { type Tx, transaction } from '../../activities/store/db.ts'
import { findOpenReview, findRun } from '../../activities/store/runs.ts'
import type { Database } from '../../activities/store/schema.ts'
import { listRecoveryRequests, openTaskException } from '../../activities/store/task-exceptions.ts'
import { findTask, listOpenTasks, type TaskRow } from '../../activities/store/tasks.ts'
import { snapshotOf } from '../../activities/tasks/snapshot.ts'
import { recoverCommand } from '../../workflows/domain/recover-command.ts'
import { attended, endedByOthers, needsAttention } from '../../workflows/search-attributes.ts'
import { taskWaitsFor } from '../../workflows/task/details.ts'
import type { TaskSnapshot } from '../../workflows/task/ports.ts'
import { isRunning } from '../payments.ts'
import { type Explanation, type Line, LOOKED_AT_MAX, lastFailure, type RecoverDeps } from './line.ts'

const isAtWork = ({ state, hasInput, isReviewed }: TaskSnapshot): boolean =>
  state === 'credit_funded' ? hasInput && isReviewed : !endedByOthers.includes(state)

/** Tasks that are not closed, those that wait for somebody first. */
export async function listTasks(db: Kysely<Database>): Promise<Line[]> {
  return transaction(db, async (tx) => {
    const lines: Line[] = []
    for (const row of await listOpenTasks(tx, attended, LOOKED_AT_MAX)) lines.push(await lineOf(tx, row))
    return lines
  })
}

/** One task as it is listed; throws without it. */
export async function taskLine(db: Kysely<Database>, taskId: string): Promise<Line> {
  return transaction(db, async (tx) => lineOf(tx, await taskOf(tx, taskId)))
}

async function lineOf(tx: Tx, row: TaskRow): Promise<Line> {
  const snapshot = await snapshotOf(tx, row, [])
  const { task_id, state, rail, usage, agent_id } = row
  const { what, needs_attention } = await waitsFor(tx, row, snapshot)
  return {
    ...{ id: task_id, kind: 'task', state, code: snapshot.exception?.code ?? null, rail, usage, agent: agent_id },
    ...{ needs_attention, at_work: isAtWork(snapshot), waits_for: what },
  }
}

/** What somebody has to do; of a task at work, its run may wait for a look at it. */
async function waitsFor(tx: Tx, { run_id, state }: TaskRow, snapshot: TaskSnapshot) {
  const review = state === 'operating' && run_id !== null ? await findOpenReview(tx, run_id) : undefined
  if (review !== undefined)
    return { what: `the review of ${review.run_id}`, act: 'POST /api/loop-review-console', needs_attention: true }
  const { what, act } = taskWaitsFor(snapshot)
  const recoveries = snapshot.exception?.recoveries ?? (state === 'evidence_partial' ? ['supply_evidence'] : [])
  const typed = recoveries.length === 0 ? act : recoverCommand(snapshot.taskId, recoveries.join('|'))
  return { what, act: typed, needs_attention: needsAttention(snapshot) }
}

/** What one task is, what stopped it, what it waits for, what its workflows last failed at, and the act that unblocks it. */
export async function explainTask({ client, db }: RecoverDeps, taskId: string): Promise<Explanation> {
  const { row, snapshot, waits, run, exception, asked } = await transaction(db, async (tx) => {
    const row = await taskOf(tx, taskId)
    const [exception, snapshot] = [await openTaskException(tx, taskId), await snapshotOf(tx, row, [])]
    return {
      ...{ row, exception, snapshot, waits: await waitsFor(tx, row, snapshot) },
      run: row.run_id === null ? undefined : await findRun(tx, row.run_id),
      asked: exception === undefined ? [] : await listRecoveryRequests(tx, exception.exception_id),
    }
  })
  const running = await isRunning(client, taskId)
  const atWork = run !== undefined && (await isRunning(client, run.run_id))
  return {
    task_id: taskId,
    state: row.state,
    interrupted_in: row.resume_state,
    last_event: `${snapshot.lastEvent} (${snapshot.sequence})`,
    ...{ rail: row.rail, tier: row.tier, usage: row.usage, agent: row.agent_id },
    exception: exception?.exception_id ?? null,
    code: exception?.code ?? null,
    cause: exception?.detail ?? null,
    money_moved: exception?.money_moved ?? null,
    requests:
      asked.map(({ action, state, requested_by }) => `${action} by ${requested_by}: ${state}`).join('; ') || null,
    run: run === undefined ? null : `${run.run_id} at ${run.step ?? 'its end'}, attempt ${run.attempt + 1}`,
    due_at: row.due_at?.toISOString() ?? null,
    workflow: running ? 'running' : 'not running',
    last_failure:
      (atWork ? await lastFailure(client, run.run_id) : null) ?? (running ? await lastFailure(client, taskId) : null),
    waits_for: waits.what,
    unblocked_by: !running && isAtWork(snapshot) ? recoverCommand(taskId, 'wake') : waits.act,
  }
}

async function taskOf(tx: Tx, taskId: string): Promise<TaskRow> {
  const row = await findTask(tx, taskId)
  if (row === undefined) throw new Error(`no task ${taskId}`)
  return row
}
