import { afterAll, beforeAll, expect } from 'vitest'
import { latestDelivery, listAttempts } from '../../activities/store/callback-deliveries.ts'
import { listTaskExceptions } from '../../activities/store/task-exceptions.ts'
import { listLedger } from '../../activities/store/tasks.ts'
import { ensureCallback, redeliver } from '../../temporal/callbacks.ts'
import { callbackDeliveryId } from '../../workflows/domain/callback.ts'
import type { TaskState } from '../../workflows/domain/task-lifecycle.ts'
import { quietRuntime } from '../support/quiet.ts'
import { verifies } from '../verifies.ts'
import { startTaskWorkflows } from './task-rig.ts'

quietRuntime()
let rig: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  rig = await startTaskWorkflows()
  await rig.serve()
}, 240_000)
afterAll(() => rig?.stop())

const hash = 'a'.repeat(64)
const reaches = (taskId: string, state: TaskState) =>
  expect.poll(async () => (await rig.rowOf(taskId)).state, { timeout: 40_000, interval: 100 }).toBe(state)
const told = (id: string) => rig.receiver.received.filter((one) => one.id === id)
const outcomes = async (id: string) => (await listAttempts(rig.db, id)).map(({ outcome }) => outcome)
/** A task that has to tell of itself: its receipts are being issued. */
async function finished(): Promise<{ taskId: string; first: string }> {
  const { task_id } = await rig.tasks.taskIn('attested')
  await rig.send(task_id, 'receipts_issued', { usage_receipt_id: `rc_${hash}` })
  return { taskId: task_id, first: callbackDeliveryId(task_id, 'task_updated', 1) }
}

verifies(
  'task.callback',
  'a receiver that fails twice is told at the third attempt, with the state of that moment, and the task closes',
  async () => {
    rig.receiver.answers.push({ status: 503 }, { status: 503 })
    const { taskId, first } = await finished()
    for (const failures of [1, 2]) {
      await expect.poll(() => outcomes(first), { timeout: 20_000 }).toHaveLength(failures)
      await expect.poll(() => outcomes(first)).not.toContain(null)
      await redeliver(rig.client, rig.db, first)
    }
    await reaches(taskId, 'closed')
    expect(await outcomes(first)).toEqual(['failed', 'failed', 'taken'])
    const { sequence } = await rig.rowOf(taskId)
    expect(told(first).map(({ body }) => body)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        ...{ event: 'task_updated', delivery_id: first, task_token_sha256: taskId.slice(5) },
        ...{ state: 'callback_pending', sequence: sequence - 2 },
      })),
    )
    expect(told(first).every(({ verified }) => verified)).toBe(true)
    await rig.client.workflow.getHandle(taskId).result()
    await rig.replay(taskId, `callback-${first}`)
  },
  120_000,
)

verifies(
  'task.callback',
  'a receiver that is gone stops the task, and a redelivery brings it home',
  async () => {
    rig.receiver.answers.push({ status: 410 })
    const { taskId, first } = await finished()
    await reaches(taskId, 'exception_open')
    const [exception] = await listTaskExceptions(rig.db, taskId)
    expect(exception).toMatchObject({ code: 'callback_failed', resume_state: 'callback_pending', money_moved: 'no' })
    expect(await outcomes(first)).toEqual(['gone'])
    await rig.send(taskId, 'replay_prepared', { action: 'redeliver_callback' })
    await rig.send(taskId, 'replayed', {})
    await reaches(taskId, 'closed')
    const latest = await latestDelivery(rig.db, taskId, 'task_updated')
    expect(latest).toMatchObject({ ordinal: 2, state: 'delivered' })
    expect((await listLedger(rig.db, taskId)).slice(-2).map(({ event }) => event)).toEqual([
      'callback_delivered',
      'closed',
    ])
    await rig.client.workflow.getHandle(taskId).result()
    await rig.replay(taskId)
  },
  120_000,
)

verifies(
  'task.callback',
  'a delivery goes on while its task is held, and the task finds it when it comes back',
  async () => {
    rig.receiver.answers.push({ status: 503 })
    const { taskId, first } = await finished()
    await expect.poll(() => outcomes(first), { timeout: 20_000 }).toEqual(['failed'])
    await rig.send(taskId, 'exception_raised', { code: 'operator_hold', detail: 'held' })
    await ensureCallback(rig.client, first)
    await expect.poll(() => outcomes(first), { timeout: 20_000 }).toEqual(['failed', 'taken'])
    await rig.send(taskId, 'replay_prepared', { action: 'replay' })
    await rig.send(taskId, 'replayed', {})
    await reaches(taskId, 'closed')
    expect(told(first)).toHaveLength(2)
    expect((await latestDelivery(rig.db, taskId, 'task_updated'))?.delivery_id).toBe(first)
    await rig.client.workflow.getHandle(taskId).result()
    await rig.replay(taskId)
  },
  120_000,
)
