import { refuse } from '../../workflows/domain/errors.ts'
import type { Decision } from '../../workflows/domain/review.ts'
import type { Tx } from '../store/db.ts'
import { findQuote } from '../store/quotes.ts'
import { requireTask } from '../store/tasks.ts'
import {
  countQueuedOrders,
  decideWorkOrder,
  listOrderedTasks,
  listQueuedOrders,
  lockWorkOrder,
  type WorkOrderRow,
} from '../store/work-orders.ts'
import { agree } from '../tasks/agreement.ts'
import { requestCredit } from '../tasks/credit.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { approveTask } from '../tasks/input.ts'
import { moverOf } from '../tasks/moves.ts'
import { orderView } from '../work-orders/intake.ts'
import type { DecisionTerms, ReviewSubject, WaitingSubject } from './subject.ts'

const allowed: Decision[] = ['approve', 'reject']

/** Orders that somebody sent: approved, their tasks are agreed on, trusted and reviewed, and wait for their money alone. */
export const workOrderSubject = (deps: TaskDeps): ReviewSubject => ({
  kind: 'work_order',
  list: async (tx, filter, most) => (await listQueuedOrders(tx, filter, most)).map(listed),
  count: (tx, filter) => countQueuedOrders(tx, filter),
  tasksOf: async (tx, workOrderId) => (await listOrderedTasks(tx, workOrderId)).map(({ task_id }) => task_id),
  decide: async (tx, workOrderId, terms, assertWaiting) => {
    const order = await lockWorkOrder(tx, workOrderId)
    if (order === undefined) throw refuse('not_found', 'no such work order', 'Take the id from the review console.')
    assertWaiting(order.created_at)
    const { decision, decisionId: decision_id } = terms
    if (order.decision !== null || (decision !== 'approve' && decision !== 'reject'))
      throw refuse('wrong_state', `the order is ${order.decision ?? 'queued'}`, `Allowed: ${allowed.join(', ')}.`, {
        extra: { allowed_decisions: order.decision === null ? allowed : [] },
      })
    for (const { task_id } of await listOrderedTasks(tx, workOrderId))
      await (decision === 'approve' ? approve : reject)(deps, tx, { order, taskId: task_id, terms })
    await decideWorkOrder(tx, workOrderId, { decision, decision_id })
    const view = await orderView(tx, { ...order, decision, decision_id })
    return { state: view.state, view }
  },
})

type Ordered = { order: WorkOrderRow; taskId: string; terms: DecisionTerms }

/** What an agent and operators do one by one in a run that is begun without an order; what is agreed on is only reviewed. */
async function approve(deps: TaskDeps, tx: Tx, { order, taskId, terms }: Ordered): Promise<void> {
  const { work_order_id, acceptance_criteria: criteria, quote_id, requester } = order
  const { decisionId: decision_id } = terms
  if ((await requireTask(tx, taskId)).contract_id !== null) return approveTask(tx, taskId, decision_id)
  const operator = `operator:${terms.operator.operatorId}`
  const parties = { preparedBy: operator, acceptedBy: `work_order:${work_order_id}` }
  const acceptance = { work_order_id, requester, decision_id }
  await agree(deps, tx, { taskId, act: decision_id, ...parties, criteria, acceptance })
  const move = moverOf(deps, tx, taskId, decision_id)
  await move('trust_requested', 'service', {})
  await move('trust_granted', operator, { decision_id })
  await approveTask(tx, taskId, decision_id)
  const quote = quote_id === null ? undefined : await findQuote(tx, quote_id)
  if (quote?.expired === false) await requestCredit(deps, tx, await requireTask(tx, taskId), quote.quote_id)
}

async function reject(deps: TaskDeps, tx: Tx, { taskId, terms }: Ordered): Promise<void> {
  if ((await requireTask(tx, taskId)).state === 'closed') return
  const actor = `operator:${terms.operator.operatorId}`
  const move = moverOf(deps, tx, taskId, terms.decisionId)
  await move('exception_raised', actor, { code: 'operator_hold', detail: terms.note })
  await move('abandoned', actor, {})
}

function listed({ work_order_id, requested_tool_id, objective, requester, created_at }: WorkOrderRow): WaitingSubject {
  const who = 'name' in requester ? `${requester.name} (${requester.contact})` : requester.agent_id
  return {
    subject_kind: 'work_order',
    subject_id: work_order_id,
    state: 'queued',
    waiting_since: created_at.toISOString(),
    rail: requested_tool_id,
    summary: `${who} requests ${requested_tool_id}: ${[...objective].slice(0, 200).join('')}`,
    evidence_links: [{ host: 'base', path: `/api/work-orders?work_order_id=${work_order_id}` }],
    allowed_decisions: allowed,
  }
}
