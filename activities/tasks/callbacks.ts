import { refuse } from '#domain/core/errors.ts'
import {
  addDelivery,
  addRedelivery,
  latestDelivery,
} from '../store/callbacks/callback-deliveries.ts'
import type { Tx } from '../store/postgres/db.ts'
import { listTaskExceptions } from '../store/tasks/task-exceptions.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'

/** Schedules the callback of what a task waits with, once for each exception; of a failed callback there is none. */
export async function reportStop(tx: Tx, task: TaskRow): Promise<void> {
  const { task_id, agent_id, callback_url: url, contract_id, state } = task
  const isStopped = state === 'exception_open' || state === 'evidence_partial'
  if (!isStopped || url === null || contract_id === null) return
  const exceptions = await listTaskExceptions(tx, task_id)
  const open = exceptions.findLast(({ closed_at }) => closed_at === null)
  if (open === undefined || open.code === 'callback_failed') return
  const about = { event: 'task_updated', subject: open.exception_id, ordinal: 1 } as const
  await addDelivery(tx, { owner: agent_id ?? task_id, ...about, url })
}

/** Schedules the callback of a task that failed, where its address was admitted; an open one says it when it is sent. */
export async function reportFailure(tx: Tx, task: TaskRow): Promise<void> {
  const { task_id, callback_url, contract_id } = task
  if (callback_url === null || contract_id === null) return
  const latest = await latestDelivery(tx, task_id, 'task_updated')
  if (latest === undefined) await scheduleCallback(tx, task)
  else await addRedelivery(tx, latest.delivery_id)
}

/** Schedules the callback of a finished task. */
export async function scheduleCallback(
  tx: Tx,
  { task_id, agent_id, callback_url }: TaskRow,
): Promise<void> {
  if (callback_url === null)
    throw refuse('wrong_state', {
      detail: 'the task has no callback',
      next_action: 'Let it close.',
    })
  await addDelivery(tx, {
    owner: agent_id ?? task_id,
    event: 'task_updated',
    subject: task_id,
    ordinal: 1,
    url: callback_url,
  })
}

/** Schedules another delivery of a callback that was not delivered; an open delivery stays as it is. */
export async function redeliver(tx: Tx, taskId: string): Promise<void> {
  const latest = await latestDelivery(tx, taskId, 'task_updated')
  if (latest !== undefined && latest.state !== 'delivered')
    await addRedelivery(tx, latest.delivery_id)
}
