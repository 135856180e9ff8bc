import { canonicalJson, digestOf } from '../../workflows/domain/canonical-json.ts'
import type { DATA_DECLARATION } from '../../workflows/domain/data-declaration.ts'
import type { RailKey, Tier } from '../../workflows/domain/rails/rail.ts'
import { workOrderState } from '../../workflows/domain/work-order.ts'
import { timing } from '../../workflows/timing.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { storeDocument } from '../store/tasks.ts'
import type { Requester } from '../store/work-order-tables.ts'
import { insertOrderedTask, insertWorkOrder, listOrderedTasks, type WorkOrderRow } from '../store/work-orders.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { runIdOf } from '../tasks/facts.ts'
import { provideInput } from '../tasks/input.ts'
import { writeTaskReceipt } from '../tasks/receipt.ts'
import { recordTransition } from '../tasks/transition.ts'

/** One run that an order asks for; `eventId` names its submission, after which its task’s token is derived. */
export type OrderedRun = { taskId: string; eventId: string; rail: RailKey; input: unknown }

export type OrderAsked = {
  workOrderId: string
  statusTokenSha256: string
  agentId: string | null
  intake_kind: WorkOrderRow['intake_kind']
  requested_tool_id: string
  objective: string
  requester: Requester
  tier: Tier
  on_gaps: 'ask' | 'report'
  quote_id: string | null
  callback_url: string | null
  acceptance_criteria: string[]
  data_declaration: typeof DATA_DECLARATION
  actor: string
  runs: OrderedRun[]
}

const OBJECTIVE_CHARS = 500

/**
 * Stores an order with its tasks and their inputs in one transaction, once; their workflows are then to be started. False where
 * it was stored before.
 */
export async function storeOrder(deps: TaskDeps, tx: Tx, asked: OrderAsked): Promise<boolean> {
  const { workOrderId, statusTokenSha256, agentId, intake_kind, requested_tool_id, objective, quote_id } = asked
  const order = { intake_kind, requested_tool_id, objective, quote_id, agent_id: agentId }
  const fresh = await insertWorkOrder(tx, {
    ...order,
    work_order_id: workOrderId,
    status_token_sha256: statusTokenSha256,
    requester: JSON.stringify(asked.requester),
    acceptance_criteria: JSON.stringify(asked.acceptance_criteria),
  })
  if (!fresh) return false
  for (const [index, run] of asked.runs.entries()) {
    const task = await submitOrdered(deps, tx, asked, run)
    await insertOrderedTask(tx, workOrderId, index + 1, run.taskId)
    if (index > 0) continue
    const { data_declaration } = asked
    const named = { work_order_id: workOrderId, intake_kind, requested_tool_id, data_declaration }
    const facts = { ...named, objective_sha256: digestOf(objective) }
    const about = { task, subject: workOrderId, kind: 'intake', facts }
    await writeTaskReceipt(deps, tx, about, await clockSeconds(tx))
  }
  return true
}

async function submitOrdered(deps: TaskDeps, tx: Tx, asked: OrderAsked, { taskId, eventId, rail, input }: OrderedRun) {
  const { agentId: agent_id, tier, on_gaps, callback_url, workOrderId, actor } = asked
  const begin = [...asked.objective].slice(0, OBJECTIVE_CHARS).join('')
  const manifest = { name: 'input', sha256: digestOf(input), bytes: Buffer.byteLength(canonicalJson(input)) }
  const terms = {
    agent_id,
    rail,
    tier,
    callback_url,
    usage: 'operational',
    on_gaps,
    objective: `${workOrderId}: ${begin}`,
    input_manifest: [manifest],
  } as const
  const data = { terms_sha256: await storeDocument(tx, taskId, terms) }
  const submitted = { taskId, eventId, event: 'submit', actor, data } as const
  const task = await recordTransition(deps, tx, submitted, timing.task.limits)
  await provideInput(tx, taskId, input)
  return task
}

/** An order as its requester and operators see it (endpoints.md §2). */
export async function orderView(tx: Tx, order: WorkOrderRow) {
  const tasks = await listOrderedTasks(tx, order.work_order_id)
  const { work_order_id, intake_kind, requested_tool_id, objective, requester, agent_id, decision, decision_id } = order
  const standing = tasks.map(({ state, run_id, attested }) => ({ state, begun: run_id !== null, attested }))
  const run_ids = tasks.map(({ task_id }) => runIdOf(task_id))
  const rail = tasks.length === 1 ? (tasks[0]?.rail ?? null) : null
  return {
    work_order_id,
    intake_kind,
    state: workOrderState(decision, standing),
    requested_tool_id,
    rail,
    objective,
    requester,
    agent_id,
    run_id: run_ids.length === 1 ? run_ids[0] : null,
    run_ids,
    review: { state: decision === null ? 'waiting' : decision === 'approve' ? 'approved' : 'rejected', decision_id },
    created_at: order.created_at.toISOString(),
  }
}
