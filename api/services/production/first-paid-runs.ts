import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import {
  type SuccessCondition,
  successConditions,
  unmetOf,
} from '#domain/production/first-paid-run.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findReceipt } from '../../../activities/store/payouts/receipts.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import {
  countFirstPaidRuns,
  type FirstPaidRunRow,
  findFirstPaidRun,
  findFirstReached,
  insertFirstPaidRun,
} from '../../../activities/store/production/first-paid-runs.ts'
import { findProductionWrite } from '../../../activities/store/production/production-writes.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import { runIdOf } from '../../../activities/task/facts.ts'
import type { CreditService } from '../credit/credit.ts'
import type { PaymentService } from '../credit/payments.ts'
import type { QuoteService } from '../credit/quotes.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import {
  assertPaysQuote,
  assertStartable,
  type StartAsked,
  withMandate,
} from '../runs/admission.ts'
import { ownRun } from '../runs/own-run.ts'
import { payForRun } from '../runs/payment.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import type { TaskCaller } from '../tasks/access.ts'
import { assertNotPaused, type TaskGateway } from '../tasks/events.ts'
import { orderOfRun, storeOrderedRun } from '../work-orders/ordered-run.ts'
import { orderNames } from '../work-orders/work-orders.ts'
import type { WriteGate, Writer } from './write-gate.ts'

/** A production run as its agent starts it. */
export type ProductionStart = Omit<StartAsked, 'usage' | 'callback_url' | 'customer_account'> & {
  callback_url: string
  customer_account: string
  publication_consent: boolean
}
type Deps = TaskDeps &
  RunViewDeps & {
    gateway: Pick<TaskGateway, 'advance'>
    gate: Pick<WriteGate, 'admit' | 'resolveCallback'>
    quotes: QuoteService
    payments: PaymentService
    credit: CreditService
    uploadChecks: Pick<UploadChecks, 'assertInput'>
    changes: Changes
    settleWaitMs: number
  }
type Start = { writer: Writer; taskId: string; callId: string; asked: ProductionStart }

const OPERATION = 'first-paid-run-execute'
const PATH = '/api/first-paid-production-run-execution'

/** Paid runs of agents for a customer account, and the conditions that they complete with. */
export class FirstPaidRunService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The conditions, and whether any run has met them all; its id only with the consent of its agent. */
  async describe() {
    const { db } = this.#deps
    const first = await findFirstReached(db)
    const counts = await countFirstPaidRuns(db)
    return {
      success_condition: [...successConditions],
      rails: rails.filter(({ takes }) => takes.paidAgentUse).map(({ key }) => key),
      reached: first !== undefined,
      first_run_id: first?.publication_consent === true ? runIdOf(first.task_id) : null,
      runs: counts,
    }
  }

  /** 404 for a run that is no production run, 403 `not_owner`. */
  read(caller: TaskCaller, runId: string) {
    return transaction(this.#deps.db, async (tx) => {
      const task = await ownRun(tx, caller, runId)
      const run = await findFirstPaidRun(tx, task.task_id)
      if (run === undefined) throw refuse('not_found', { detail: 'no such production run' })
      return this.#view(tx, run, task)
    })
  }

  /**
   * Starts a run with its order, or continues one: it passes the write gate and is stored in one transaction, and is then paid. It runs
   * once the order is approved. Throws 402 `payment_required`, the refusals of the gate, and 409 `conditions_unmet` with each unmet
   * condition for a repeat of a run that closed without meeting all.
   */
  async start(writer: Writer, given: ProductionStart, callId: string) {
    const { db, tokens } = this.#deps
    const paid = await withMandate(db, { ...given, usage: 'operational' })
    const asked = { ...given, payment_reference_id: paid.payment_reference_id }
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    const known = await findFirstPaidRun(db, taskId)
    if (known !== undefined) {
      assertSame(known, asked)
      assertNotUnmet(known)
    }
    const { agentId } = writer
    if (known === undefined) await this.#assertStartable(agentId, asked)
    await this.#deps.quotes.claim(agentId, asked.quote_id, asked.quote_token)
    await assertPaysQuote(this.#deps, agentId, asked)
    if (known === undefined) await this.#store({ writer, taskId, callId, asked })
    const paying = { agentId, taskId, asked: { ...paid, ...asked }, path: PATH }
    return payForRun(this.#deps, paying, () => this.#readStarted(taskId))
  }

  async #assertStartable(agentId: string, asked: ProductionStart): Promise<void> {
    await assertNotPaused(this.#deps.db)
    const isSold = railOf(asked.rail).takes.paidAgentUse
    await assertStartable(this.#deps, { agentId, isSold }, { ...asked, usage: 'operational' })
  }

  async #store({ writer, taskId, callId, asked }: Start): Promise<void> {
    const { db, tokens, gate } = this.#deps
    const { ids } = await orderNames(tokens, callId)
    const { agentId } = writer
    const { rail, callback_url: callbackUrl, customer_account, publication_consent } = asked
    const callback = await gate.resolveCallback(OPERATION, callbackUrl)
    const write = { operationId: OPERATION, writer, rail, callbackUrl, callId, subject: taskId }
    await transaction(db, async (tx) => {
      await assertNotPaused(tx)
      const stored = await storeOrderedRun(this.#deps, tx, {
        agentId,
        quoteId: asked.quote_id,
        customerAccount: customer_account,
        order: { ...ids, ...orderOfRun(agentId, asked, 'for a customer account') },
        run: { taskId, eventId: callId, rail, input: asked.input },
      })
      if (stored === undefined) return
      const { auditEventId } = await gate.admit(tx, write, callback)
      await insertFirstPaidRun(tx, {
        task_id: taskId,
        audit_event_id: auditEventId,
        asked_sha256: askedDigest(asked),
        customer_account,
        publication_consent,
      })
    })
  }

  #readStarted(taskId: string) {
    return transaction(this.#deps.db, async (tx) => {
      const task = await requireTask(tx, taskId)
      const run = await findFirstPaidRun(tx, taskId)
      if (run === undefined) throw new Error(`${taskId} has no production run`)
      const { entitlement, challenge } = await this.#deps.payments.ofTask(tx, taskId)
      return { ...(await this.#view(tx, run, task)), entitlement, challenge }
    })
  }

  async #view(tx: Tx, row: FirstPaidRunRow, task: TaskRow) {
    const run = await runView(this.#deps, tx, task)
    const write = await findProductionWrite(tx, row.audit_event_id)
    const closing = row.receipt_id && (await findReceipt(tx, { receipt_id: row.receipt_id }))
    return {
      binding: {
        customer_account: row.customer_account,
        work_order_id: run.work_order_id,
        payment_reference_id: run.payment_reference_id,
        return_package_id: run.return_package_id,
        receipt_id: run.usage_receipt_id,
        completion_state: run.state,
      },
      run,
      gate: { checks: write?.checks ?? [] },
      audit_event_id: row.audit_event_id,
      success_condition: row.conditions ?? notComputed,
      reached: row.reached,
      publication_consent: row.publication_consent,
      receipt: closing ? receiptView(closing.jws) : null,
    }
  }
}

/** The conditions of a run that has not closed. */
const notComputed: SuccessCondition[] = successConditions.map((condition) => ({
  condition,
  met: false,
  evidence_id: null,
  detail: 'it is computed when the run closes',
}))

/** The digest of what is ordered; what pays for it may change until it is paid. */
const askedDigest = (asked: ProductionStart): string =>
  digestOf({
    rail: asked.rail,
    tier: asked.tier,
    quote_id: asked.quote_id,
    on_gaps: asked.on_gaps,
    callback_url: asked.callback_url,
    customer_account: asked.customer_account,
    publication_consent: asked.publication_consent,
    input_sha256: digestOf(asked.input),
  })

function assertSame(known: FirstPaidRunRow, asked: ProductionStart): void {
  if (known.asked_sha256 !== askedDigest(asked))
    throw refuse('idempotency_conflict', { detail: 'this key has started another run' })
}

function assertNotUnmet(known: FirstPaidRunRow): void {
  const unmet = unmetOf(known.conditions ?? [])
  if (unmet.length === 0) return
  throw refuse('conditions_unmet', {
    detail: `unmet: ${unmet.map(({ condition, detail }) => `${condition} (${detail})`).join(', ')}`,
    next_action: 'Start another run with a new key and quote.',
    extra: { unmet, run_id: runIdOf(known.task_id), receipt_id: known.receipt_id },
  })
}
