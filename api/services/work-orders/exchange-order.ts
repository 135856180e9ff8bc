import { refuse } from '#domain/core/errors.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { isOver, type Tx } from '../../../activities/store/postgres/db.ts'
import { findDocument, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { type ClaimRow, findClaim } from '../../../activities/store/work-orders/exchange.ts'
import {
  listOrderedTasks,
  lockWorkOrder,
  type WorkOrderRow,
} from '../../../activities/store/work-orders/work-orders.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { Claim } from '../../shapes/work-orders.ts'
import { viewOf } from '../../view.ts'
import { orderView } from './intake.ts'

/** An approved order on the exchange and its task, both locked; 404 for any other order. */
export async function lockExchange(tx: Tx, workOrderId: string) {
  const order = await lockWorkOrder(tx, workOrderId)
  if (order?.decision !== 'approve' || order.exchange_until === null)
    throw refuse('not_found', {
      detail: 'no such order is on the exchange',
      next_action: 'Take the id from GET /api/work-order-exchange.',
    })
  return { order, task: await requireTask(tx, await taskIdOf(tx, workOrderId)) }
}

const taskIdOf = async (tx: Tx, workOrderId: string): Promise<string> =>
  (await listOrderedTasks(tx, workOrderId))[0]?.task_id ?? ''

/** A claim of this agent and order; 404, also for the claim of another agent. */
export async function ownClaim(
  tx: Tx,
  agentId: string,
  { work_order_id, claim_id }: { work_order_id: string; claim_id: string },
): Promise<ClaimRow> {
  const row = await findClaim(tx, claim_id)
  if (row?.work_order_id === work_order_id && row.agent_id === agentId) return row
  throw refuse('not_found', { detail: 'no claim of yours has this id' })
}

export function assertHeld({ state, input_sha256 }: ClaimRow, task: TaskRow): void {
  const isSame = task.input_sha256 === input_sha256
  if (state === 'held' && task.state === 'credit_funded' && isSame) return
  throw refuse('wrong_state', {
    detail: state === 'held' ? `its task is ${task.state}` : `the claim is ${state}`,
    extra: { state },
  })
}

/** Throws 409 for an order whose work cannot begin now, and 403 for an agent of the account that asked for it. */
export async function assertMayClaim(
  tx: Tx,
  agentId: string,
  { order, task }: { order: WorkOrderRow; task: TaskRow },
): Promise<string> {
  const { state, review_decision, entitlement_id } = task
  const isOpen = order.exchange_until !== null && !(await isOver(tx, order.exchange_until))
  if (state !== 'credit_funded' || review_decision === null || entitlement_id === null || !isOpen)
    throw refuse('wrong_state', { detail: 'the order is not open', extra: { state } })
  const requester = order.agent_id === null ? undefined : await findAgent(tx, order.agent_id)
  const agent = await findAgent(tx, agentId)
  if (requester === undefined || requester.account_id !== agent?.account_id) return entitlement_id
  throw refuse('control_denied', { detail: 'an order is not done by the account that asks for it' })
}

/** An order without the name and the contact of its requester. */
export async function orderOnExchange(tx: Tx, order: WorkOrderRow) {
  const { work_order_id, state, objective } = await orderView(tx, order)
  const { acceptance_criteria, exchange_until, reward_note } = order
  const deadline = (exchange_until as Date).toISOString()
  return {
    work_order_id,
    state,
    objective,
    acceptance_criteria,
    deadline,
    reward_note: reward_note ?? '',
  }
}

export const claimView = (row: ClaimRow) => viewOf(Claim, row)

export function referenceOf(baseUrl: string, task: TaskRow, { claim_id, input_sha256 }: ClaimRow) {
  const { task_id, rail, tier } = task
  const url = `${baseUrl}/api/work-order-exchange?claim_id=${claim_id}`
  return { run_id: runIdOf(task_id), rail: rail as RailKey, tier, input_sha256, url }
}

/** The input of a claim, while it is held. */
export async function inputOf(tx: Tx, row: ClaimRow): Promise<Record<string, unknown> | null> {
  if (row.state !== 'held' || (await isOver(tx, row.expires_at))) return null
  const taskId = await taskIdOf(tx, row.work_order_id)
  return (await findDocument(tx, taskId, row.input_sha256)) as Record<string, unknown>
}

const reviewStates = { accepted: 'approved', rejected: 'rejected' } as const
/** The review of a delivery is that of the result of the run. */
export const reviewOf = (taskId: string, { state }: ClaimRow) => ({
  subject_kind: 'loop_step' as const,
  subject_id: runIdOf(taskId),
  state: state === 'accepted' || state === 'rejected' ? reviewStates[state] : ('waiting' as const),
})
