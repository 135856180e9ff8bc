import type { Kysely } from 'kysely'
import { oneLine } from '#domain/core/plain-text.ts'
import { taskWait } from '#domain/tasks/wait.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findRun } from '../../../activities/store/runs/runs.ts'
import type { DeclinedInput } from '../../../activities/store/schema/json-columns.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import {
  listRecoveryRequests,
  openTaskException,
} from '../../../activities/store/tasks/task-exceptions.ts'
import { findTask, listOpenTasks, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { snapshotOf } from '../../../activities/tasks/snapshot.ts'
import { isRunning } from '../../../temporal/running.ts'
import type { TaskSnapshot } from '../../../workflows/tasks/activities.ts'
import { attended, endedByOthers, taskSummary } from '../../../workflows/tasks/details.ts'
import {
  type Explanation,
  explainWait,
  type Line,
  LOOKED_AT_MAX,
  lastFailure,
  notRunning,
  type RecoverDeps,
} from './line.ts'

const REASON_MAX = 500

const isStopped = ({ state, exception }: TaskSnapshot): boolean =>
  exception !== null && state !== 'evidence_partial'

const isAtWork = ({ state, hasInput, isReviewed }: TaskSnapshot): boolean =>
  state === 'credit_funded' ? hasInput && isReviewed : !endedByOthers.includes(state)

/** Tasks that are not closed, those that need attention first. */
export async function listTasks(db: Kysely<Database>): Promise<Line[]> {
  return transaction(db, async (tx) => {
    const lines: Line[] = []
    for (const row of await listOpenTasks(tx, attended, LOOKED_AT_MAX))
      lines.push(await lineOf(tx, row))
    return lines
  })
}

/** One task as it is listed; throws without it. */
export async function taskLine(db: Kysely<Database>, taskId: string): Promise<Line> {
  return transaction(db, async (tx) => lineOf(tx, await taskOf(tx, taskId)))
}

async function lineOf(tx: Tx, row: TaskRow): Promise<Line> {
  const snapshot = await snapshotOf(tx, row, [])
  const { what, action } = taskWait(snapshot)
  const { task_id, state, rail, usage, agent_id } = row
  return {
    id: task_id,
    kind: 'task',
    state,
    code: snapshot.exception?.code ?? null,
    rail,
    usage,
    agent: agent_id,
    summary: taskSummary(row),
    needs_attention: isStopped(snapshot),
    waits_for: what,
    act: action?.command ?? null,
  }
}

/** One task: its state, its exception, its wait, the last failure of its workflows, and the command that unblocks it. */
export async function explainTask(
  { client, db }: RecoverDeps,
  taskId: string,
): Promise<Explanation> {
  const { row, snapshot, run, exception, asked } = await transaction(db, async (tx) => {
    const row = await taskOf(tx, taskId)
    const [exception, snapshot] = [
      await openTaskException(tx, taskId),
      await snapshotOf(tx, row, []),
    ]
    return {
      row,
      exception,
      snapshot,
      run: row.run_id === null ? undefined : await findRun(tx, row.run_id),
      asked: exception === undefined ? [] : await listRecoveryRequests(tx, exception.exception_id),
    }
  })
  const running = await isRunning(client, taskId)
  const atWork = run !== undefined && (await isRunning(client, run.run_id))
  return {
    problem: !running && isAtWork(snapshot) ? 'its workflow is gone: a wake starts it again' : null,
    task_id: taskId,
    state: row.state,
    interrupted_in: row.resume_state,
    last_event: `${snapshot.lastEvent} (${snapshot.sequence})`,
    rail: row.rail,
    tier: row.tier,
    usage: row.usage,
    agent: row.agent_id,
    exception: exception?.exception_id ?? null,
    code: exception?.code ?? null,
    cause: exception?.detail ?? null,
    money_moved: exception?.money_moved ?? null,
    proposed_input: exception?.proposed_input_sha256 ?? null,
    declined_input: exception?.declined == null ? null : declinedText(exception.declined),
    requests:
      asked
        .map(({ action, state, requested_by }) => `${action} by ${requested_by}: ${state}`)
        .join('; ') || null,
    run:
      run === undefined
        ? null
        : `${run.run_id} at ${run.step ?? 'its end'}, attempt ${run.attempt + 1}`,
    due_at: row.due_at?.toISOString() ?? null,
    workflow: running ? 'running' : 'not running',
    last_failure:
      (atWork ? await lastFailure(client, run.run_id) : null) ??
      (running ? await lastFailure(client, taskId) : null),
    ...explainWait(!running && isAtWork(snapshot) ? notRunning(taskId) : taskWait(snapshot)),
  }
}

const declinedText = ({ input_sha256, by, reason }: DeclinedInput): string =>
  `${input_sha256} by ${by}: ${oneLine(reason, REASON_MAX)}`

async function taskOf(tx: Tx, taskId: string): Promise<TaskRow> {
  const row = await findTask(tx, taskId)
  if (row === undefined) throw new Error(`no task ${taskId}`)
  return row
}
