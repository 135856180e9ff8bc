import { secretSha256, taskIdOf } from '../activities/keys/derived-tokens.ts'
import { receiptView } from '../activities/receipt-view.ts'
import { runView } from '../activities/runs/views.ts'
import { type Tx, transaction } from '../activities/store/db.ts'
import { listReceipts } from '../activities/store/receipts.ts'
import { listLedger } from '../activities/store/tasks.ts'
import { findWorkOrder, listOrderedTasks, type WorkOrderRow } from '../activities/store/work-orders.ts'
import { assertCallback, assertReadable } from '../activities/tasks/asked-input.ts'
import { type OrderAsked, orderView, storeOrder } from '../activities/work-orders/intake.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { railOf } from '../workflows/domain/rails/index.ts'
import { type RailKey, usagesOf } from '../workflows/domain/rails/rail.ts'
import type { RunDeskDeps } from './run-desk.ts'
import { assertPaysForIt } from './run-start.ts'
import { assertOpen } from './task-acts.ts'

type Step = { rail: RailKey; input: Record<string, unknown> }
/** An order as it is sent: `pointers` say where the inputs of its steps stand in the body. */
export type OrderInput = Omit<OrderAsked, 'workOrderId' | 'statusTokenSha256' | 'on_gaps' | 'runs'> & {
  payment_reference_id: string | undefined
  quote_token: string | undefined
  steps: (Step & { pointer: string })[]
}
export type WorkOrders = ReturnType<typeof openWorkOrders>

/** Work orders: taken from anybody, decided at the review console, and worked off by the tasks behind them. */
export function openWorkOrders(deps: RunDeskDeps) {
  return {
    /** Takes an order; repeated, it shows the one that it made. 422 `input_rejected`, 409 `quote_mismatch`, 410, 503 `paused`. */
    create: async (asked: OrderInput, callId: string) => {
      const { status_token, ids } = await orderNames(deps, callId)
      const work_order_id = ids.workOrderId
      const known = await findWorkOrder(deps.db, { work_order_id })
      const { steps, payment_reference_id: _paid, quote_token, ...order } = asked
      const runs = await Promise.all(
        steps.map(async ({ rail, input }, index) => {
          const eventId = `${callId}:${index + 1}`
          return { taskId: taskIdOf(await deps.tokens.statusToken('tk', eventId)), eventId, rail, input }
        }),
      )
      if (known === undefined) {
        await assertTakeable(deps, asked)
        const owner = order.agentId ?? runs[0]?.taskId ?? ''
        if (order.quote_id !== null) await deps.money.claimQuote(owner, order.quote_id, quote_token)
      }
      await transaction(deps.db, (tx) => storeOrder(deps, tx, { ...order, ...ids, on_gaps: 'report', runs }))
      await Promise.all(runs.map(({ taskId }) => deps.gateway.advance(taskId)))
      return { ...(await transaction(deps.db, (tx) => orderTaken(deps, tx, work_order_id))), status_token }
    },

    /** 404 without it, 403 `not_owner` for who is neither its agent nor holds its token. */
    read: (asker: { agentId?: string; workOrderId?: string }, work_order_id: string) =>
      transaction(deps.db, async (tx) => {
        const order = await requireOrder(tx, work_order_id)
        const own = asker.workOrderId === work_order_id || (asker.agentId ?? '') === order.agent_id
        if (own) return orderView(tx, order)
        throw refuse('not_owner', 'the order is of somebody else', 'Use its status token, or the key of its agent.')
      }),
  }
}

/** What an order is known by: it follows from the call that sends it. */
export async function orderNames({ tokens }: Pick<RunDeskDeps, 'tokens'>, callId: string) {
  const status_token = await tokens.statusToken('wt', callId)
  const workOrderId = `wo_${digestOf({ call: callId })}`
  return { status_token, ids: { workOrderId, statusTokenSha256: secretSha256(status_token) } }
}

async function requireOrder(tx: Tx, work_order_id: string): Promise<WorkOrderRow> {
  const order = await findWorkOrder(tx, { work_order_id })
  if (order === undefined) throw refuse('not_found', 'no such work order', 'Check the id.')
  return order
}

async function assertTakeable(deps: RunDeskDeps, asked: OrderInput): Promise<void> {
  const { steps, quote_id, tier, agentId, payment_reference_id, callback_url } = asked
  await assertOpen(deps.db)
  assertCallback(deps.callbackHosts, callback_url, agentId === null)
  for (const { rail, input, pointer } of steps) {
    assertOperational(rail)
    assertReadable(rail, input, pointer)
  }
  if (quote_id === null) return
  const { quote, state } = await deps.money.readQuote(quote_id)
  if (quote.rail !== steps[0]?.rail || quote.tier !== tier)
    throw refuse('quote_mismatch', `the quote is for ${quote.rail} ${quote.tier}`, 'Ask for a quote of this run.')
  if (state === 'expired') throw refuse('quote_expired', `the quote ended at ${quote.expires_at}`, 'Ask for a new one.')
  if (agentId !== null) await assertPaysForIt(deps, agentId, { quote_id, payment_reference_id })
}

function assertOperational(key: RailKey): void {
  if (usagesOf(railOf(key)).includes('operational')) return
  throw refuse('rail_not_allowed', `${key} takes synthetic runs only`, 'Begin one by preflight with usage synthetic.')
}

async function orderTaken(deps: RunDeskDeps, tx: Tx, work_order_id: string) {
  const work_order = await orderView(tx, await requireOrder(tx, work_order_id))
  const rail_runs = []
  const tasks = await listOrderedTasks(tx, work_order_id)
  for (const task of tasks) rail_runs.push(await runView(deps, tx, task))
  const [intake] = await listReceipts(tx, work_order_id)
  const [first] = tasks[0] === undefined ? [] : await listLedger(tx, tasks[0].task_id, { most: 1 })
  if (intake === undefined) throw new Error('an order that was taken has no receipt')
  return { work_order, rail_runs, receipt: receiptView(intake.jws), trust_ledger_record: first }
}
