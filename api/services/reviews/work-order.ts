import { refuse } from '#domain/core/errors.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { findQuote, priceOf } from '../../../activities/store/credit/quotes.ts'
import { findPilot } from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findDocument, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import {
  countQueuedOrders,
  decideWorkOrder,
  findWorkOrder,
  listOrderedTasks,
  listQueuedOrders,
  lockWorkOrder,
  type WorkOrderRow,
} from '../../../activities/store/work-orders/work-orders.ts'
import { eventRecorder } from '../../../activities/tasks/automatic-transitions.ts'
import { requestCredit } from '../../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { quoteView } from '../credit/views.ts'
import { agree } from '../tasks/agreement.ts'
import { approveTask } from '../tasks/input.ts'
import { orderView } from '../work-orders/intake.ts'
import { paymentOfOrder } from '../work-orders/order-payment.ts'
import { unknownSubject } from './evidence.ts'
import type { DecisionTerms, ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'
import { filesOf, uploadedParts } from './uploads.ts'

const allowed: Decision[] = ['approve', 'reject']

/** Work orders. The tasks of an approved order have a contract, trust and a review, and wait only for their payment. */
export const workOrderSubject = (deps: TaskDeps): ReviewSubject => ({
  kind: 'work_order',
  list: async (tx, filter, most) =>
    (await listQueuedOrders(tx, filter, most)).map((order) => ({
      since: order.created_at,
      describe: () => listed(tx, order),
    })),
  count: (tx, filter) => countQueuedOrders(tx, filter),
  tasksOf: async (tx, workOrderId) =>
    (await listOrderedTasks(tx, workOrderId)).map(({ task_id }) => task_id),
  evidence: async (tx, workOrderId) => {
    const order = await findWorkOrder(tx, { work_order_id: workOrderId })
    if (order === undefined) return undefined
    const { intake_kind, requested_tool_id, objective, requester, agent_id } = order
    const quote = order.quote_id === null ? undefined : await findQuote(tx, order.quote_id)
    const tasks = await listOrderedTasks(tx, workOrderId)
    const input = await documentsOf(tx, tasks, 'input_sha256')
    const content = {
      request: { intake_kind, requested_tool_id, objective, requester, exchange: offerOf(order) },
      agent: agent_id === null ? undefined : await agentEvidence(tx, agent_id),
      criteria: order.acceptance_criteria,
      price: quote && quoteView(quote),
      payment: quote && (await paymentOfOrder(tx, quote.quote_id)),
      terms: await documentsOf(tx, tasks, 'terms_sha256'),
      input,
      files: await filesOfAll(tx, tasks, input),
      history: tasks.map(({ task_id, state, sequence, head_hash }) => ({
        task_id,
        state,
        sequence,
        head_hash,
      })),
    }
    return { since: order.created_at, content, uploads: await listsOf(tx, tasks, input) }
  },
  decide: async (tx, terms, assert) => {
    const { subjectId: workOrderId } = terms
    const order = await lockWorkOrder(tx, workOrderId)
    if (order === undefined) throw unknownSubject('no such work order')
    await assert.waitsSince(order.created_at)
    const { decision, decisionId: decision_id } = terms
    if (order.decision !== null || (decision !== 'approve' && decision !== 'reject'))
      throw refuse('wrong_state', {
        detail: `the order is ${order.decision ?? 'queued'}`,
        next_action: `Allowed: ${allowed.join(', ')}.`,
        extra: { allowed_decisions: order.decision === null ? allowed : [] },
      })
    const pilot = await findPilot(tx, { work_order_id: workOrderId })
    if (pilot?.state === 'requested' || pilot?.state === 'closed')
      throw refuse('wrong_state', {
        detail: `it belongs to ${pilot.pilot_id}, which is ${pilot.state}`,
        extra: { allowed_decisions: [] },
      })
    await assert.evidenceSeen()
    for (const { task_id } of await listOrderedTasks(tx, workOrderId))
      await (decision === 'approve' ? approve : reject)(deps, tx, { order, taskId: task_id, terms })
    await decideWorkOrder(tx, workOrderId, { decision, decision_id })
    const view = await orderView(tx, { ...order, decision, decision_id })
    return { state: view.state, view }
  },
})

/** The terms or the inputs of the tasks of an order; null for a task without an input. */
const documentsOf = (tx: Tx, tasks: readonly TaskRow[], digest: 'terms_sha256' | 'input_sha256') =>
  Promise.all(
    tasks.map(({ task_id, [digest]: sha256 }) =>
      sha256 === null ? null : findDocument(tx, task_id, sha256),
    ),
  )

/** What was read from the files of all inputs; undefined without any. */
async function filesOfAll(tx: Tx, tasks: readonly TaskRow[], inputs: readonly unknown[]) {
  const all = await Promise.all(tasks.map((task, at) => filesOf(tx, task, inputs[at])))
  const files = all.flatMap((one) => one ?? [])
  return files.length === 0 ? undefined : files
}

/** The uploaded lists of each input, named by the step of its task. */
const listsOf = async (tx: Tx, tasks: readonly TaskRow[], inputs: readonly unknown[]) =>
  (
    await Promise.all(
      tasks.map((task, at) =>
        uploadedParts(tx, task, { input: inputs[at], within: `input.${at + 1}` }),
      ),
    )
  ).flat()

type Ordered = { order: WorkOrderRow; taskId: string; terms: DecisionTerms }

/** What an agent and operators do one by one in a run that is begun without an order; what is agreed on is only reviewed. */
async function approve(deps: TaskDeps, tx: Tx, { order, taskId, terms }: Ordered): Promise<void> {
  const { work_order_id, acceptance_criteria: criteria, quote_id, requester } = order
  const { decisionId: decision_id } = terms
  if ((await requireTask(tx, taskId)).contract_id !== null)
    return approveTask(tx, taskId, decision_id)
  const operator = `operator:${terms.operator.operatorId}`
  const parties = { preparedBy: operator, acceptedBy: `work_order:${work_order_id}` }
  const acceptance = { work_order_id, requester, decision_id }
  await agree(deps, tx, { taskId, command: decision_id, ...parties, criteria, acceptance })
  const record = eventRecorder(deps, tx, { taskId, command: decision_id })
  await record('trust_requested', 'service', {})
  await record('trust_granted', operator, { decision_id })
  await approveTask(tx, taskId, decision_id)
  const quote = quote_id === null ? undefined : await findQuote(tx, quote_id)
  if (quote?.expired === false)
    await requestCredit(deps, tx, {
      task: await requireTask(tx, taskId),
      quoteId: quote.quote_id,
    })
}

async function reject(deps: TaskDeps, tx: Tx, { taskId, terms }: Ordered): Promise<void> {
  if ((await requireTask(tx, taskId)).state === 'closed') return
  const actor = `operator:${terms.operator.operatorId}`
  const record = eventRecorder(deps, tx, { taskId, command: terms.decisionId })
  await record('exception_raised', actor, { code: 'operator_hold', detail: terms.note })
  await record('abandoned', actor, {})
}

/** What approval shows to everyone and gives to other agents; undefined for an order that is for this service alone. */
const offerOf = ({ exchange_until, reward_note }: WorkOrderRow) =>
  exchange_until === null ? undefined : { deadline: exchange_until.toISOString(), reward_note }

async function listed(tx: Tx, order: WorkOrderRow): Promise<WaitingSubject> {
  const { work_order_id, requested_tool_id, objective, requester, quote_id, created_at } = order
  const [one, ...others] = await listOrderedTasks(tx, work_order_id)
  const where = order.exchange_until === null ? '' : ' on the public exchange'
  const who = 'name' in requester ? `${requester.name} (${requester.contact})` : requester.agent_id
  return {
    subject_kind: 'work_order',
    subject_id: work_order_id,
    state: 'queued',
    waiting_since: created_at.toISOString(),
    rail: one === undefined || others.length > 0 ? requested_tool_id : one.rail,
    summary: `${who} requests ${requested_tool_id}${where}: ${[...objective].slice(0, 200).join('')}`,
    evidence_links: [{ host: 'base', path: `/api/work-orders?work_order_id=${work_order_id}` }],
    amount_usd: await priceOf(tx, quote_id),
    allowed_decisions: allowed,
  }
}
