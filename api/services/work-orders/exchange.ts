import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Check } from '#domain/tasks/terms.ts'
import type { Delivery } from '#domain/work-orders/delivery.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { accrueOrOwe, holdOrOwe } from '../../../activities/credit/fees.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { claimGrant } from '../../../activities/store/calls/calls.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { findQuote } from '../../../activities/store/credit/quotes.ts'
import { isOver, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findReceipt, issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import { liveContract } from '../../../activities/store/tasks/contracts.ts'
import { findDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import {
  type ClaimRow,
  countHeld,
  deliverClaim,
  endClaim,
  findClaim,
  findLiveClaim,
  insertClaim,
  listClaims,
  listOpenOrders,
} from '../../../activities/store/work-orders/exchange.ts'
import {
  findWorkOrder,
  listOrderedTasks,
} from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { expireClaim } from '../../../activities/tasks/exchange.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { WriteGate, Writer } from '../authority/write-gate.ts'
import { type DeliveryChecks, readDelivery, type Sent } from './delivery-checks.ts'
import {
  assertHeld,
  assertMayClaim,
  claimView,
  inputOf,
  lockExchange,
  orderOnExchange,
  ownClaim,
  referenceOf,
  reviewOf,
} from './exchange-order.ts'

type Deps = TaskDeps & {
  baseUrl: string
  gateway: Pick<TaskGateway, 'wake'>
  gate: Pick<WriteGate, 'admit'>
  deliveries: DeliveryChecks
  /** How long a claim is held. */
  claimMs: number
}
type Named = { work_order_id: string; claim_id: string }
type Asked = { agentId: string | undefined; claimId: string | undefined; rail: RailKey | undefined }

const SUMMARY_CHARS = 200
const CLAIMS_SHOWN = 25

/** Work orders that agents other than their requesters may do. */
export class ExchangeService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** What may be claimed now, and an agent's own claims; 404 for a claim that is not its own. */
  list({ agentId, claimId, rail }: Asked, page: { offset: number; limit: number }) {
    return transaction(this.deps.db, async (tx) => {
      const { rows, total } = await listOpenOrders(tx, rail, page)
      const items = rows.map(({ objective, exchange_until, ...row }) => ({
        ...row,
        rail: row.rail as RailKey,
        objective_summary: oneLine(objective, SUMMARY_CHARS),
        deadline: (exchange_until as Date).toISOString(),
        reward_note: row.reward_note ?? '',
      }))
      return { items, ...page, total, claims: await this.#claims(tx, agentId, claimId) }
    })
  }

  async #claims(tx: Tx, agentId: string | undefined, claimId: string | undefined) {
    if (agentId === undefined) {
      if (claimId === undefined) return []
      throw refuse('credential_required', { detail: 'a claim is read by its agent' })
    }
    const rows = await listClaims(tx, { agentId, claimId, most: CLAIMS_SHOWN })
    if (claimId !== undefined && rows.length === 0)
      throw refuse('not_found', { detail: 'no such claim' })
    return Promise.all(
      rows.map(async (row) => ({
        ...claimView(row),
        input: claimId === undefined ? null : await inputOf(tx, row),
      })),
    )
  }

  /** The rails of what an agent claimed; an unknown claim or one of another agent has none. */
  async railsOf(agentId: string, claimId: string): Promise<string[]> {
    const { db } = this.deps
    const claim = await findClaim(db, claimId)
    if (claim?.agent_id !== agentId) return []
    return (await listOrderedTasks(db, claim.work_order_id)).map(({ rail }) => rail)
  }

  /** One of any number of callers gets the order; a repeat by its agent finds its claim. 404, 403, 409. */
  async claim(writer: Writer, workOrderId: string, callId: string): Promise<void> {
    const { db, gateway, baseUrl } = this.deps
    const claimId = `xc_${digestOf({ claim: callId })}`
    // Most of those who lose find it here, without the lock of the order.
    await assertFree(db, await findLiveClaim(db, workOrderId), writer)
    let taskId = ''
    await answerOnce({ db }, { callId, subject: claimId, status: 201 }, async (tx) => {
      const locked = await lockExchange(tx, workOrderId)
      const { order, task } = locked
      await assertNotPaused(tx, { rail: task.rail, agentId: writer.agentId })
      taskId = task.task_id
      await expireClaim(tx, task)
      const live = await findLiveClaim(tx, workOrderId)
      await assertFree(tx, live, writer)
      const row = live ?? (await this.#insert(tx, { ...locked, writer, claimId, callId }))
      const work_order = await orderOnExchange(tx, order)
      return { work_order, claim: claimView(row), input_reference: referenceOf(baseUrl, task, row) }
    })
    // Its workflow has the timer of the claim; an overdue claim also ends when the order is next asked for.
    await gateway.wake(taskId).catch(() => undefined)
  }

  async #insert(tx: Tx, { order, task, writer, claimId, callId }: NewClaim): Promise<ClaimRow> {
    const { gate, claimMs } = this.deps
    const { agentId } = writer
    const entitlement_id = await assertMayClaim(tx, agentId, { order, task })
    if ((await countHeld(tx, agentId)) >= limits.claimsHeldMax)
      throw refuse('control_denied', {
        detail: `an agent holds at most ${limits.claimsHeldMax} claims`,
        next_action: 'Deliver or release one first.',
      })
    const write = { operationId: 'exchange-claim', writer, callbackUrl: null, callId }
    await gate.admit(tx, { ...write, rail: task.rail as RailKey, subject: claimId })
    const claim = { claim_id: claimId, work_order_id: order.work_order_id, agent_id: agentId }
    const { terms_sha256 = null } = (await liveContract(tx, task.task_id)) ?? {}
    const of = { entitlement_id, input_sha256: task.input_sha256 ?? '', terms_sha256 }
    const row = await insertClaim(tx, { ...claim, ...of }, claimMs)
    if (row !== undefined) {
      await this.#takeFee(tx, holdOrOwe, task, claimId)
      return row
    }
    throw refuse('wrong_state', { detail: 'the agent has claimed this order before' })
  }

  /** The escrow fee is the requester's: held since the claim, posted at the delivery. */
  async #takeFee(tx: Tx, take: typeof holdOrOwe, task: TaskRow, claimId: string): Promise<void> {
    if (task.agent_id === null) return
    const quote = await findQuote(tx, task.quote_id ?? '')
    const basisUsd = quote === undefined ? 0 : quote.total_usd / quote.units
    await take(this.deps, tx, 'escrow_fee', { agentId: task.agent_id, subject: claimId, basisUsd })
  }

  /** Stores what was delivered once the validator takes it; the run of the order continues with it. 404, 403, 409, 422. */
  async deliver(
    writer: Writer,
    asked: Named & Sent,
    call: { callId: string; network: ComputeNetwork },
  ) {
    const { callId, network } = call
    const { db, gateway, deliveries } = this.deps
    const { work_order_id, claim_id } = asked
    const delivery = readDelivery(asked)
    const sha256 = digestOf(delivery)
    const { row, task } = await this.#read(writer.agentId, asked)
    if (row.delivery_sha256 !== sha256) {
      assertHeld(row, task)
      const { rail, tier, task_id } = task
      const value = await findDocument(db, task_id, row.input_sha256)
      const checks = await deliveries.check(
        delivery,
        { rail: rail as RailKey, tier, value },
        network,
      )
      await transaction(db, async (tx) => {
        await claimGrant(tx, callId, claim_id)
        await this.#store(tx, { writer, asked, delivery, sha256, checks, callId })
      })
    }
    await gateway.wake(task.task_id).catch(() => undefined)
    const stored = await this.#read(writer.agentId, { work_order_id, claim_id })
    const receipt = await findReceipt(db, { receipt_id: stored.row.receipt_id ?? '' })
    if (receipt === undefined) throw new Error(`${claim_id} has no receipt`)
    return {
      work_order: stored.work_order,
      claim: claimView(stored.row),
      validation: { checks: stored.row.checks ?? [] },
      review: reviewOf(task.task_id, stored.row),
      receipt: receiptView(receipt.jws),
    }
  }

  async #store(tx: Tx, { writer, asked, delivery, sha256, checks, callId }: NewDelivery) {
    const { task } = await lockExchange(tx, asked.work_order_id)
    await assertNotPaused(tx, { rail: task.rail, agentId: writer.agentId })
    await expireClaim(tx, task)
    const row = await ownClaim(tx, writer.agentId, asked)
    if (row.delivery_sha256 === sha256) return
    assertHeld(row, task)
    const { claim_id, work_order_id, entitlement_id, input_sha256, terms_sha256 } = row
    const write = { operationId: 'exchange-deliver', writer, callbackUrl: null, callId }
    await this.deps.gate.admit(tx, { ...write, rail: task.rail as RailKey, subject: claim_id })
    await this.#takeFee(tx, accrueOrOwe, task, claim_id)
    const facts = {
      claim_id,
      work_order_id,
      agent_id: writer.agentId,
      run_id: runIdOf(task.task_id),
      entitlement_id,
      input_sha256,
      terms_sha256,
      delivery_sha256: sha256,
      work_sha256: digestOf(delivery.work),
      checks: checks.map(({ check, ok }) => ({ check, ok })),
    }
    const content = { subject: claim_id, kind: 'exchange_delivery', usage: 'operational', facts }
    const jws = await issueReceipt(this.deps, tx, content)
    const made = { delivery, delivery_sha256: sha256, checks, receipt_id: receiptId(jws) }
    await deliverClaim(tx, claim_id, made)
  }

  /** What the timer does to an overdue claim, by the claim's own agent. 404, 403, 409. */
  async release(agentId: string, { reason, ...named }: Named & { reason: string }, callId: string) {
    const act = { callId, subject: named.claim_id, status: 200 }
    await answerOnce({ db: this.deps.db }, act, async (tx) => {
      const { order, task } = await lockExchange(tx, named.work_order_id)
      await expireClaim(tx, task)
      const row = await ownClaim(tx, agentId, named)
      const ended = await endClaim(tx, named.work_order_id, {
        from: 'held',
        to: 'released',
        reason,
      })
      if (row.state !== 'held' || ended === undefined)
        throw refuse('wrong_state', { detail: `the claim is ${row.state}` })
      return { work_order: await orderOnExchange(tx, order), claim: claimView(ended) }
    })
  }

  #read(agentId: string, named: Named) {
    return transaction(this.deps.db, async (tx) => {
      const row = await ownClaim(tx, agentId, named)
      const { work_order_id } = named
      const order = await findWorkOrder(tx, { work_order_id })
      const [task] = await listOrderedTasks(tx, work_order_id)
      if (order === undefined || task === undefined) throw new Error('a claim has an order')
      return { row, task, work_order: await orderOnExchange(tx, order) }
    })
  }
}

type Writing = { writer: Writer; callId: string }
type NewClaim = Writing & Awaited<ReturnType<typeof lockExchange>> & { claimId: string }
type NewDelivery = Writing & {
  asked: Named
  delivery: Delivery
  sha256: string
  checks: Check[]
}

/** 409 `already_claimed` while another agent's claim stands. */
async function assertFree(tx: Tx, live: ClaimRow | undefined, { agentId }: Writer): Promise<void> {
  if (live === undefined || live.agent_id === agentId) return
  if (live.state === 'held' && (await isOver(tx, live.expires_at))) return
  throw refuse('already_claimed', { detail: 'another agent has the order' })
}
