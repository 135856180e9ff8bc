import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { listLoopSteps } from '../../activities/store/runs/runs.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { reviewed } from '../support/task-evidence.ts'
import { saveHistory } from './histories.ts'
import { patiently, startTaskWorkflows } from './task-fixture.ts'

type Fixture = Awaited<ReturnType<typeof startTaskWorkflows>>

/** Drives tasks with the real steps, and saves their histories and those of their runs. */
export async function recordTaskHistories(): Promise<void> {
  const fixture = await startTaskWorkflows()
  const save = (workflowId: string, name: string) => saveHistory(fixture, workflowId, name)
  const stop = await fixture.serve()
  try {
    const reviewed = await recordReviewed(fixture)
    await save(reviewed.taskId, 'task-reviewed-and-closed')
    await save(reviewed.runId, 'run-revised-once')
    const interrupted = await recordInterrupted(fixture)
    await save(interrupted.taskId, 'task-interrupted-and-replayed')
    await save(interrupted.runId, 'run-after-replay')
    await save(await recordLapsed(fixture), 'task-lapsed-and-abandoned')
  } finally {
    await stop()
    await fixture.stop()
  }
}

async function recordReviewed(fixture: Fixture): Promise<{ taskId: string; runId: string }> {
  const { taskId, runId } = await atReview(fixture)
  await decide(fixture, taskId, runId, 'revise')
  await reviewOf(fixture, runId, 1)
  await decide(fixture, taskId, runId, 'approve')
  return { taskId, runId: await close(fixture, taskId, runId) }
}

async function recordInterrupted(fixture: Fixture): Promise<{ taskId: string; runId: string }> {
  const { taskId, runId } = await atReview(fixture)
  await fixture.send(taskId, 'exception_raised', { code: 'operator_hold', detail: 'held' })
  await fixture.send(taskId, 'replay_prepared', { action: 'replay' })
  await fixture.send(taskId, 'replayed', {})
  await decide(fixture, taskId, runId, 'approve')
  return { taskId, runId: await close(fixture, taskId, runId) }
}

async function recordLapsed(fixture: Fixture): Promise<string> {
  const { task_id } = await fixture.tasks.taskIn('trusted')
  const expires_at = new Date(Date.now() + 1_500).toISOString()
  await fixture.send(task_id, 'quote_issued', { quote_id: 'qt_1', expires_at })
  await reached(fixture, task_id, 'exception_open')
  await fixture.send(task_id, 'abandoned', {})
  await fixture.client.workflow.getHandle(task_id).result()
  return task_id
}

/** A task whose run waits for an operator. */
async function atReview(fixture: Fixture): Promise<{ taskId: string; runId: string }> {
  const { task_id, run_id } = await fixture.tasks.taskIn('operating', {
    usage: 'operational',
    callback_url: null,
  })
  await patiently(() => fixture.gateway.wake(task_id))
  await reviewOf(fixture, String(run_id), 0)
  return { taskId: task_id, runId: String(run_id) }
}

async function decide(
  fixture: Fixture,
  taskId: string,
  runId: string,
  decision: 'approve' | 'revise',
): Promise<void> {
  await reviewed(fixture.tasks.deps, runId, decision)
  await patiently(() => fixture.gateway.wake(taskId))
}

async function close(fixture: Fixture, taskId: string, runId: string): Promise<string> {
  await reached(fixture, taskId, 'attested')
  await fixture.send(taskId, 'receipts_issued', { usage_receipt_id: `rc_${'a'.repeat(64)}` })
  await fixture.client.workflow.getHandle(taskId).result()
  return runId
}

const reached = (fixture: Fixture, taskId: string, state: TaskState) =>
  until(async () => (await findTask(fixture.db, taskId))?.state === state)
const reviewOf = (fixture: Fixture, runId: string, round: number) =>
  until(async () =>
    (await listLoopSteps(fixture.db, runId)).some(
      (step) => step.round === round && step.step === 'review_step',
    ),
  )

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(100)
  // The workflow hears a moment after the row.
  await sleep(300)
}
