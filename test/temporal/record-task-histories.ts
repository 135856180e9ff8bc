import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { recordReview } from '../../activities/runs/review.ts'
import { transaction } from '../../activities/store/db.ts'
import { listLoopSteps } from '../../activities/store/runs.ts'
import { findTask } from '../../activities/store/tasks.ts'
import type { TaskState } from '../../workflows/domain/task-lifecycle.ts'
import { patiently, startTaskWorkflows } from './task-rig.ts'

type Rig = Awaited<ReturnType<typeof startTaskWorkflows>>

/** Drives tasks by the real steps, and saves their histories and those of their runs. */
export async function recordTaskHistories(directory: string): Promise<void> {
  const rig = await startTaskWorkflows()
  const save = async (workflowId: string, name: string) => {
    const show = ['workflow', 'show', '--workflow-id', workflowId, '--output', 'json', '--address', rig.address]
    const { stdout } = await promisify(execFile)(rig.binary, show, { maxBuffer: 1 << 26 })
    writeFileSync(join(directory, `${name}.json`), stdout)
  }
  const stop = await rig.serve()
  try {
    const reviewed = await recordReviewed(rig)
    await save(reviewed.taskId, 'task-reviewed-and-closed')
    await save(reviewed.runId, 'run-revised-once')
    const interrupted = await recordInterrupted(rig)
    await save(interrupted.taskId, 'task-interrupted-and-replayed')
    await save(interrupted.runId, 'run-after-replay')
    await save(await recordLapsed(rig), 'task-lapsed-and-abandoned')
  } finally {
    await stop()
    await rig.stop()
  }
}

async function recordReviewed(rig: Rig): Promise<{ taskId: string; runId: string }> {
  const { taskId, runId } = await atReview(rig)
  await decide(rig, taskId, runId, 'revise')
  await reviewOf(rig, runId, 1)
  await decide(rig, taskId, runId, 'approve')
  return { taskId, runId: await close(rig, taskId, runId) }
}

async function recordInterrupted(rig: Rig): Promise<{ taskId: string; runId: string }> {
  const { taskId, runId } = await atReview(rig)
  await rig.send(taskId, 'exception_raised', { code: 'operator_hold', detail: 'held' })
  await rig.send(taskId, 'replay_prepared', { action: 'replay' })
  await rig.send(taskId, 'replayed', {})
  await decide(rig, taskId, runId, 'approve')
  return { taskId, runId: await close(rig, taskId, runId) }
}

async function recordLapsed(rig: Rig): Promise<string> {
  const { task_id } = await rig.tasks.taskIn('trusted')
  const expires_at = new Date(Date.now() + 1_500).toISOString()
  await rig.send(task_id, 'quote_issued', { quote_id: 'qt_1', expires_at })
  await reached(rig, task_id, 'exception_open')
  await rig.send(task_id, 'abandoned', {})
  await rig.client.workflow.getHandle(task_id).result()
  return task_id
}

/** A task whose run waits for an operator. */
async function atReview(rig: Rig): Promise<{ taskId: string; runId: string }> {
  const { task_id, run_id } = await rig.tasks.taskIn('operating', { usage: 'operational', callback_url: null })
  await patiently(() => rig.gateway.wake(task_id))
  await reviewOf(rig, String(run_id), 0)
  return { taskId: task_id, runId: String(run_id) }
}

async function decide(rig: Rig, taskId: string, runId: string, decision: 'approve' | 'revise'): Promise<void> {
  const review = { decision, decisionId: 'rd_1', decidedBy: 'operator:alice', note: '' }
  await transaction(rig.db, (tx) => recordReview(tx, runId, review))
  await patiently(() => rig.gateway.wake(taskId))
}

async function close(rig: Rig, taskId: string, runId: string): Promise<string> {
  await reached(rig, taskId, 'attested')
  await rig.send(taskId, 'receipts_issued', { usage_receipt_id: `rc_${'a'.repeat(64)}` })
  await rig.client.workflow.getHandle(taskId).result()
  return runId
}

const reached = (rig: Rig, taskId: string, state: TaskState) =>
  until(async () => (await findTask(rig.db, taskId))?.state === state)
const reviewOf = (rig: Rig, runId: string, round: number) =>
  until(async () =>
    (await listLoopSteps(rig.db, runId)).some((step) => step.round === round && step.step === 'review_step'),
  )

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(100)
  // The workflow is told a moment after the row.
  await sleep(300)
}
