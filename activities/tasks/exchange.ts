import type { Work } from '#domain/rails/rail.ts'
import type { TaskExceptionCode } from '#domain/tasks/exception.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import { endClaim, findExchangeOf } from '../store/work-orders/exchange.ts'

/** Exceptions by which a review or a validator ends a run: what was delivered for it is not taken. */
const notTaken: readonly TaskExceptionCode[] = [
  'operator_hold',
  'validator_failed',
  'input_invalid',
  'input_too_complex',
]

/**
 * Until when a task that could begin is kept for agents of the exchange: to the end of a claim, or else to the deadline of its
 * order. Undefined for any other task, and once a claim has delivered.
 */
export async function heldForExchange(tx: Tx, task: TaskRow): Promise<Date | undefined> {
  const { state, review_decision, input_sha256, task_id } = task
  if (state !== 'credit_funded' || review_decision === null || input_sha256 === null)
    return undefined
  const found = await findExchangeOf(tx, task_id)
  if (found === undefined || found.state === 'delivered') return undefined
  const until = found.expires_at ?? found.exchange_until
  return until !== null && until.getTime() > (await clockSeconds(tx)) * 1000 ? until : undefined
}

/** Ends an overdue claim of the order of a locked task; the timer of its workflow and every caller come here. */
export async function expireClaim(tx: Tx, task: Pick<TaskRow, 'state' | 'task_id'>): Promise<void> {
  if (task.state !== 'credit_funded') return
  const found = await findExchangeOf(tx, task.task_id)
  if (found?.state !== 'held') return
  const end = { from: 'held', to: 'expired', reason: 'nothing was delivered in time' } as const
  await endClaim(tx, found.work_order_id, end)
}

/** The delivered work that stands for the worker's, where it was made from the input that the run has now. */
export async function workDelivered(
  tx: Tx,
  { task_id, input_sha256 }: TaskRow,
): Promise<Work<unknown> | undefined> {
  const found = await findExchangeOf(tx, task_id)
  const isOfInput = found?.state === 'delivered' && found.input_sha256 === input_sha256
  return isOfInput ? found.delivery?.work : undefined
}

/** The result of a run was attested: its delivery was accepted, unless the result is of another input. */
export async function acceptDelivery(
  tx: Tx,
  { task_id, input_sha256 }: Pick<TaskRow, 'task_id' | 'input_sha256'>,
): Promise<void> {
  const found = await findExchangeOf(tx, task_id)
  const isTaken = found?.input_sha256 === input_sha256
  const end = isTaken
    ? ({ to: 'accepted', reason: 'the result was approved' } as const)
    : ({ to: 'rejected', reason: 'the input was changed' } as const)
  if (found !== undefined) await endClaim(tx, found.work_order_id, { from: 'delivered', ...end })
}

/** A stopped run does not take the delivery, if a review or a validator stopped it; a replay is the service's own work. */
export async function refuseDelivery(
  tx: Tx,
  taskId: string,
  { code, detail }: { code: TaskExceptionCode; detail: string },
): Promise<void> {
  if (!notTaken.includes(code)) return
  await endOf(tx, taskId, { from: 'delivered', to: 'rejected', reason: detail.slice(0, 500) })
}

/** The task closed: no claim of its order stays open. */
export async function closeClaim(tx: Tx, taskId: string): Promise<void> {
  const reason = 'the order ended'
  await endOf(tx, taskId, { from: 'held', to: 'released', reason })
  await endOf(tx, taskId, { from: 'delivered', to: 'rejected', reason })
}

async function endOf(tx: Tx, taskId: string, end: Parameters<typeof endClaim>[2]): Promise<void> {
  const found = await findExchangeOf(tx, taskId)
  if (found !== undefined) await endClaim(tx, found.work_order_id, end)
}
