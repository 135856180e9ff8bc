import { afterAll, beforeAll, expect } from 'vitest'
import { callbackDeliveryId } from '#domain/callbacks/callback.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { latestDelivery } from '../../activities/store/callbacks/callback-deliveries.ts'
import { listTaskExceptions } from '../../activities/store/tasks/task-exceptions.ts'
import { listLedger } from '../../activities/store/tasks/tasks.ts'
import { ensureCallback } from '../../temporal/callbacks.ts'
import { listAttempts } from '../support/attempts.ts'
import { quietRuntime } from '../support/quiet.ts'
import { redeliver } from '../support/redeliver.ts'
import { verifies } from '../verifies.ts'
import { startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  fixture = await startTaskWorkflows()
  await fixture.serve()
})
afterAll(() => fixture?.stop())

const hash = 'a'.repeat(64)
const reaches = (taskId: string, state: TaskState) =>
  expect.poll(async () => (await fixture.rowOf(taskId)).state, { interval: 100 }).toBe(state)
const notified = (id: string) => fixture.receiver.received.filter((one) => one.id === id)
const outcomes = async (id: string) =>
  (await listAttempts(fixture.db, id)).map(({ outcome }) => outcome)
/** A task that has to send a callback: its receipts are being issued. */
async function finished(): Promise<{ taskId: string; first: string }> {
  const { task_id } = await fixture.tasks.taskIn('attested')
  await fixture.send(task_id, 'receipts_issued', { usage_receipt_id: `rc_${hash}` })
  return { taskId: task_id, first: callbackDeliveryId(task_id, 'task_updated', 1) }
}

verifies(
  'task.callback',
  'a receiver failing twice gets the third attempt; the task closes',
  async () => {
    fixture.receiver.answers.push({ status: 503 }, { status: 503 })
    const { taskId, first } = await finished()
    for (const failures of [1, 2]) {
      await expect.poll(() => outcomes(first)).toHaveLength(failures)
      await expect.poll(() => outcomes(first)).not.toContain(null)
      await redeliver(fixture, first)
    }
    await reaches(taskId, 'closed')
    expect(await outcomes(first)).toEqual(['failed', 'failed', 'taken'])
    const { sequence } = await fixture.rowOf(taskId)
    expect(notified(first).map(({ body }) => body)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        event: 'task_updated',
        delivery_id: first,
        task_token_sha256: taskId.slice(5),
        state: 'callback_pending',
        sequence: sequence - 2,
      })),
    )
    expect(notified(first).every(({ verified }) => verified)).toBe(true)
    await fixture.client.workflow.getHandle(taskId).result()
    await fixture.replay(taskId, `callback-${first}`)
  },
)

verifies('task.callback', 'a receiver that is gone stops the task until a redelivery', async () => {
  fixture.receiver.answers.push({ status: 410 })
  const { taskId, first } = await finished()
  await reaches(taskId, 'exception_open')
  const [exception] = await listTaskExceptions(fixture.db, taskId)
  expect(exception).toMatchObject({
    code: 'callback_failed',
    resume_state: 'callback_pending',
    money_moved: 'no',
  })
  expect(await outcomes(first)).toEqual(['gone'])
  await fixture.send(taskId, 'replay_prepared', { action: 'redeliver_callback' })
  await fixture.send(taskId, 'replayed', {})
  await reaches(taskId, 'closed')
  const latest = await latestDelivery(fixture.db, taskId, 'task_updated')
  expect(latest).toMatchObject({ ordinal: 2, state: 'delivered' })
  expect((await listLedger(fixture.db, taskId)).slice(-2).map(({ event }) => event)).toEqual([
    'callback_delivered',
    'closed',
  ])
  await fixture.client.workflow.getHandle(taskId).result()
  await fixture.replay(taskId)
})

verifies(
  'task.callback',
  'a delivery continues while its task is held, and the task finds it',
  async () => {
    fixture.receiver.answers.push({ status: 503 })
    const { taskId, first } = await finished()
    await expect.poll(() => outcomes(first)).toEqual(['failed'])
    await fixture.send(taskId, 'exception_raised', { code: 'operator_hold', detail: 'held' })
    await ensureCallback(fixture.client, first)
    await expect.poll(() => outcomes(first)).toEqual(['failed', 'taken'])
    await fixture.send(taskId, 'replay_prepared', { action: 'replay' })
    await fixture.send(taskId, 'replayed', {})
    await reaches(taskId, 'closed')
    expect(notified(first)).toHaveLength(2)
    expect((await latestDelivery(fixture.db, taskId, 'task_updated'))?.delivery_id).toBe(first)
    await fixture.client.workflow.getHandle(taskId).result()
    await fixture.replay(taskId)
  },
)
