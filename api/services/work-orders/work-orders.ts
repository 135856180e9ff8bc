import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { railOf } from '#domain/rails/index.ts'
import { uploadDigestsOf } from '#domain/rails/input/uploads.ts'
import { type RailKey, usagesOf } from '#domain/rails/rail.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { claimQuote } from '../../../activities/credit/quotes.ts'
import {
  type DerivedTokens,
  secretSha256,
  taskIdOf,
} from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { listLedger } from '../../../activities/store/tasks/tasks.ts'
import {
  findWorkOrder,
  listOrderedTasks,
  type WorkOrderRow,
} from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { QuoteService } from '../credit/quotes.ts'
import { assertAllReadable, assertCallback } from '../inputs/asked-input.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import { assertQuoted } from '../runs/admission.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import { type Consent, consentedRecovery, declinedProposal, proposalViews } from './consent.ts'
import { type OrderAsked, type OrderedRun, orderView, storeOrder } from './intake.ts'
import { quoteOfOrder } from './order-payment.ts'

type Step = { rail: RailKey; input: Record<string, unknown> }
/** An order as it is sent; the `pointer` of a step is the place of its input in the body. */
export type OrderInput = Omit<
  OrderAsked,
  'workOrderId' | 'statusTokenSha256' | 'on_gaps' | 'runs'
> & {
  quote_token: string | undefined
  steps: (Step & { pointer: string })[]
}
type Deps = TaskDeps &
  RunViewDeps & {
    gateway: Pick<TaskGateway, 'advance'>
    quotes: Pick<QuoteService, 'read' | 'assertClaimable'>
    uploadChecks: Pick<UploadChecks, 'assertUploads'>
  }
type OrderCaller = { agentId?: string; workOrderId?: string }

/** Work orders: sent by any caller, decided at the review console, and completed by the tasks behind them. */
export class WorkOrderService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** Stores an order; repeated, it returns the stored one. 422 `input_rejected`, `amount_mismatch`, 404, 409 `quote_mismatch`, 410, 503 `paused`. */
  async create(asked: OrderInput, callId: string) {
    const { db, tokens, quotes, gateway } = this.deps
    const { status_token, ids } = await orderNames(tokens, callId)
    const work_order_id = ids.workOrderId
    const known = await findWorkOrder(db, { work_order_id })
    const { steps, quote_token, ...sent } = asked
    const runs = await this.#runsOf(steps, callId)
    const order = { ...sent, quote_id: known?.quote_id ?? (await quoteOfOrder(db, asked)) }
    const owner = order.agentId ?? runs[0]?.taskId ?? ''
    const claimer = { owner, token: quote_token }
    const claimed = known === undefined ? order.quote_id : null
    if (known === undefined) await this.#assertAcceptable({ ...asked, quote_id: order.quote_id })
    if (claimed !== null) await quotes.assertClaimable(claimed, claimer)
    await transaction(db, async (tx) => {
      if (claimed !== null) await claimQuote(tx, claimed, claimer)
      await storeOrder(this.deps, tx, { ...order, ...ids, on_gaps: 'report', runs })
    })
    await Promise.all(runs.map(({ taskId }) => gateway.advance(taskId)))
    const stored = await transaction(db, (tx) => this.#readStored(tx, work_order_id))
    return { ...stored, status_token }
  }

  /** 404 for an unknown order, 403 `not_owner` for a caller who neither is its agent nor holds its token. */
  read(caller: OrderCaller, work_order_id: string) {
    return transaction(this.deps.db, async (tx) => {
      const order = await ownOrder(tx, caller, work_order_id)
      return {
        work_order: await orderView(tx, order),
        proposals: await proposalViews(tx, work_order_id),
      }
    })
  }

  /** The recovery with the proposed input that the holder of the order's token accepts; 403, 404, 409. */
  consent(workOrderId: string, work_order_id: string, consent: Consent) {
    return transaction(this.deps.db, async (tx) =>
      consentedRecovery(tx, await ownerOf(tx, workOrderId, work_order_id), consent),
    )
  }

  /** The proposal that the holder of the order's token declines; 403, 404, 409. */
  decline(workOrderId: string, work_order_id: string, consent: Consent) {
    return transaction(this.deps.db, async (tx) =>
      declinedProposal(tx, await ownerOf(tx, workOrderId, work_order_id), consent),
    )
  }

  #runsOf(steps: readonly Step[], callId: string): Promise<OrderedRun[]> {
    return Promise.all(
      steps.map(async ({ rail, input }, index) => {
        const eventId = `${callId}:${index + 1}`
        const taskId = taskIdOf(await this.deps.tokens.statusToken('tk', eventId))
        return { taskId, eventId, rail, input }
      }),
    )
  }

  async #assertAcceptable(asked: OrderInput): Promise<void> {
    const { steps, quote_id, tier, agentId, callback_url } = asked
    assertCallback(this.deps.callbackHosts, callback_url, agentId === null)
    for (const { rail } of steps) {
      await assertNotPaused(this.deps.db, { rail, agentId })
      assertOperational(rail)
    }
    if (asked.exchange !== undefined) await assertExchangeable(this.deps.db, asked.exchange, steps)
    assertAllReadable(steps.map((step) => ({ ...step, tier })))
    if (agentId !== null)
      for (const step of steps)
        await this.deps.uploadChecks.assertUploads({ owner: agentId, tier, ...step })
    const [first] = steps
    if (quote_id === null || first === undefined) return
    await assertQuoted(this.deps.quotes, { quote_id, rail: first.rail, tier })
  }

  async #readStored(tx: Tx, work_order_id: string) {
    const work_order = await orderView(tx, await requireOrder(tx, work_order_id))
    const rail_runs = []
    const tasks = await listOrderedTasks(tx, work_order_id)
    for (const task of tasks) rail_runs.push(await runView(this.deps, tx, task))
    const [intake] = await listReceipts(tx, work_order_id)
    const [task] = tasks
    const [first] = task === undefined ? [] : await listLedger(tx, task.task_id, { most: 1 })
    const [rail_run] = rail_runs
    if (intake === undefined || first === undefined || rail_run === undefined)
      throw new Error('a stored order has no receipt, run or ledger')
    return {
      work_order,
      rail_run,
      rail_runs,
      receipt: receiptView(intake.jws),
      trust_ledger_record: first,
    }
  }
}

/** An input that others work on names no uploads, which are its agent's alone. */
async function assertExchangeable(
  tx: Tx,
  { deadline }: { deadline: string },
  steps: readonly Step[],
): Promise<void> {
  const left = Date.parse(deadline) - (await clockSeconds(tx)) * 1000
  const isInTime = left > 0 && left <= limits.exchangeSecondsMax * 1000
  const isInline = steps.every(
    ({ rail, input }) => uploadDigestsOf(railOf(rail), input).length === 0,
  )
  if (isInTime && isInline) return
  const message = isInTime ? 'an input on the exchange is inline' : 'is not within 30 days'
  const pointer = isInTime ? '/exchange' : '/exchange/deadline'
  throw refuse('invalid_request', { detail: message, errors: [{ pointer, message }] })
}

/** The names of an order, which derive from the call that sends it. */
export async function orderNames(tokens: Pick<DerivedTokens, 'statusToken'>, callId: string) {
  const status_token = await tokens.statusToken('wt', callId)
  const workOrderId = `wo_${digestOf({ call: callId })}`
  return { status_token, ids: { workOrderId, statusTokenSha256: secretSha256(status_token) } }
}

async function requireOrder(tx: Tx, work_order_id: string): Promise<WorkOrderRow> {
  const order = await findWorkOrder(tx, { work_order_id })
  if (order === undefined) throw refuse('not_found', { detail: 'no such work order' })
  return order
}

/** The order of its agent, or of the holder of its token. */
async function ownOrder(
  tx: Tx,
  { agentId, workOrderId }: OrderCaller,
  work_order_id: string,
): Promise<WorkOrderRow> {
  const order = await requireOrder(tx, work_order_id)
  if (workOrderId === work_order_id || (agentId ?? '') === order.agent_id) return order
  throw refuse('not_owner', {
    detail: 'the order belongs to another caller',
  })
}

function assertOperational(key: RailKey): void {
  if (usagesOf(railOf(key)).includes('operational')) return
  throw refuse('rail_not_allowed', {
    detail: `${key} has synthetic runs only`,
    next_action: 'Begin one by preflight with usage synthetic.',
  })
}

/** The owner of an order, as the ledger names it; 403 for the token of another order. */
async function ownerOf(tx: Tx, workOrderId: string, work_order_id: string) {
  const { agent_id } = await ownOrder(tx, { workOrderId }, work_order_id)
  const actor = agent_id === null ? `work_order:${workOrderId}` : `agent:${agent_id}`
  return { workOrderId, actor }
}
