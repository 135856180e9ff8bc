import { digestOf } from '#domain/core/canonical-json.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { workOrderState } from '#domain/work-orders/work-order.ts'
import { findPilot } from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { Requester } from '../../../activities/store/schema/json-columns.ts'
import { storeDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findLiveClaim } from '../../../activities/store/work-orders/exchange.ts'
import {
  findContinuation,
  insertOrderedTask,
  insertWorkOrder,
  listOrderedTasks,
  type WorkOrderRow,
} from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import { manifestOf, provideInput } from '../tasks/input.ts'

/** One run of an order; the token of its task derives from `eventId`. */
export type OrderedRun = { taskId: string; eventId: string; rail: RailKey; input: unknown }

export type OrderAsked = {
  workOrderId: string
  statusTokenSha256: string
  agentId: string | null
  intake_kind: WorkOrderRow['intake_kind']
  requested_tool_id: WorkOrderRow['requested_tool_id']
  objective: string
  requester: Requester
  tier: Tier
  on_gaps: 'ask' | 'report'
  quote_id: string | null
  payment_reference_id?: string | undefined
  callback_url: string | null
  acceptance_criteria: string[]
  exchange?: { deadline: string; reward_note: string } | undefined
  data_declaration: typeof DATA_DECLARATION
  actor: string
  runs: OrderedRun[]
}

const OBJECTIVE_CHARS = 500

/** Stores an order once, with its tasks and their inputs, in the caller's transaction. False where it was stored before. */
export async function storeOrder(deps: TaskDeps, tx: Tx, asked: OrderAsked): Promise<boolean> {
  const { workOrderId, intake_kind, requested_tool_id, objective } = asked
  const fresh = await insertWorkOrder(tx, {
    work_order_id: workOrderId,
    status_token_sha256: asked.statusTokenSha256,
    intake_kind,
    requested_tool_id,
    objective,
    quote_id: asked.quote_id,
    agent_id: asked.agentId,
    exchange_until: asked.exchange === undefined ? null : new Date(asked.exchange.deadline),
    reward_note: asked.exchange?.reward_note ?? null,
    requester: JSON.stringify(asked.requester),
    acceptance_criteria: JSON.stringify(asked.acceptance_criteria),
  })
  if (!fresh) return false
  for (const [index, run] of asked.runs.entries()) {
    const task = await submitOrdered(deps, tx, { asked, run })
    await insertOrderedTask(tx, workOrderId, index + 1, run.taskId)
    if (index > 0) continue
    const facts = {
      work_order_id: workOrderId,
      intake_kind,
      requested_tool_id,
      data_declaration: asked.data_declaration,
      objective_sha256: digestOf(objective),
      ...paidBy(asked),
    }
    await writeTaskReceipt(deps, tx, { task, subject: workOrderId, kind: 'intake', facts })
  }
  return true
}

/** What the order was said to be paid by, in its receipt. */
const paidBy = ({ payment_reference_id, quote_id }: OrderAsked) =>
  payment_reference_id === undefined ? {} : { payment_reference_id, quote_id }

async function submitOrdered(
  deps: TaskDeps,
  tx: Tx,
  { asked, run }: { asked: OrderAsked; run: OrderedRun },
) {
  const { taskId, eventId, rail, input } = run
  const begin = [...asked.objective].slice(0, OBJECTIVE_CHARS).join('')
  const terms: TaskTerms = {
    agent_id: asked.agentId,
    rail,
    tier: asked.tier,
    callback_url: asked.callback_url,
    usage: 'operational',
    on_gaps: asked.on_gaps,
    objective: `${asked.workOrderId}: ${begin}`,
    input_manifest: manifestOf(input),
  }
  const data = { terms_sha256: await storeDocument(tx, taskId, terms) }
  const { actor } = asked
  const task = await recordTransition(deps, tx, { taskId, eventId, event: 'submit', actor, data })
  await provideInput(tx, taskId, input)
  return task
}

/** An order as its requester and operators see it. The intake of a pilot follows the order of the pilot's run. */
export async function orderView(tx: Tx, order: WorkOrderRow) {
  const next = await findContinuation(tx, order.work_order_id)
  const followed = next?.work_order_id ?? order.work_order_id
  const tasks = await listOrderedTasks(tx, followed)
  const runs = tasks.map(({ state, run_id, attested }) => ({
    state,
    begun: run_id !== null,
    attested,
  }))
  const run_ids = tasks.map(({ task_id }) => runIdOf(task_id))
  const claim = await findLiveClaim(tx, followed)
  const isSingle = tasks.length === 1
  return {
    work_order_id: order.work_order_id,
    intake_kind: order.intake_kind,
    state: workOrderState(next?.decision ?? order.decision, runs, claim?.state),
    requested_tool_id: order.requested_tool_id,
    rail: await railOfOrder(tx, order, tasks),
    objective: order.objective,
    requester: order.requester,
    agent_id: order.agent_id,
    run_id: (isSingle && run_ids[0]) || null,
    run_ids,
    review: { state: reviewStateOf(order), decision_id: order.decision_id },
    continued_by: next?.work_order_id ?? null,
    created_at: order.created_at.toISOString(),
  }
}

/** The rail of its one run, or while it has none that of its pilot. */
async function railOfOrder(
  tx: Tx,
  { work_order_id }: WorkOrderRow,
  tasks: readonly Pick<TaskRow, 'rail'>[],
): Promise<TaskRow['rail'] | null> {
  if (tasks.length === 0) return (await findPilot(tx, { work_order_id }))?.rail ?? null
  return (tasks.length === 1 && tasks[0]?.rail) || null
}

function reviewStateOf({ decision }: WorkOrderRow): 'waiting' | 'approved' | 'rejected' {
  if (decision === null) return 'waiting'
  return decision === 'approve' ? 'approved' : 'rejected'
}
