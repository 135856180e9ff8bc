import { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import { toolOf } from '#domain/work-orders/work-order.ts'
import { claimQuote } from '../../../activities/credit/quotes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import { makeAutomaticTransitions } from '../../../activities/tasks/automatic-transitions.ts'
import { refusedClaim, requestCredit } from '../../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { StartAsked } from '../runs/admission.ts'
import { agree } from '../tasks/agreement.ts'
import { type OrderAsked, type OrderedRun, storeOrder } from './intake.ts'

/** An order of one run that a quote prices. */
export type OrderedRunAsked = {
  agentId: string
  quoteId: string
  /** Of a quote that is not bound to the agent yet. */
  quoteToken?: string | undefined
  order: Omit<OrderAsked, 'agentId' | 'quote_id' | 'runs'>
  run: OrderedRun
  customerAccount: string | null
}

/**
 * Stores a run once, in the caller's transaction: it claims its quote, and has its order, its task with an accepted contract, and the credit that it needs, with
 * the challenge that funds it. Undefined where it was stored before.
 */
export async function storeOrderedRun(deps: TaskDeps, tx: Tx, asked: OrderedRunAsked) {
  const { order, run, agentId, quoteId, customerAccount: customer_account } = asked
  await claimQuote(tx, quoteId, { owner: agentId, token: asked.quoteToken })
  if (!(await storeOrder(deps, tx, { ...order, agentId, quote_id: quoteId, runs: [run] })))
    return undefined
  const { taskId, eventId } = run
  const checked = await advance(deps, tx, taskId)
  if (checked.state === 'closed') throw await refusedClaim(tx, checked, quoteId)
  await agree(deps, tx, {
    taskId,
    command: eventId,
    preparedBy: order.actor,
    acceptedBy: order.actor,
    criteria: order.acceptance_criteria,
    acceptance: { accept_terms: true, agent_id: agentId, customer_account },
  })
  const task = await advance(deps, tx, taskId)
  const credit = await requestCredit(deps, tx, { task, quoteId })
  await advance(deps, tx, taskId)
  return credit
}

/** Moves a task as far as it moves by itself. */
export const advance = async (deps: TaskDeps, tx: Tx, taskId: string) =>
  makeAutomaticTransitions(deps, tx, { task: await requireTask(tx, taskId) })

type Ordered = Pick<StartAsked, 'rail' | 'tier' | 'on_gaps' | 'callback_url'>

/** The order of one run that an agent starts for itself; `purpose` ends its objective. */
export function orderOfRun(
  agentId: string,
  { rail, tier, on_gaps, callback_url }: Ordered,
  purpose: string,
) {
  return {
    intake_kind: 'external_agent_request' as const,
    requested_tool_id: toolOf(rail),
    objective: `One ${tier} run of ${rail}, ${purpose}.`,
    requester: { agent_id: agentId },
    // The agent accepted terms that contain this declaration.
    data_declaration: DATA_DECLARATION,
    tier,
    on_gaps,
    callback_url,
    acceptance_criteria: [],
    actor: `agent:${agentId}`,
  }
}
