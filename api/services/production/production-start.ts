import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { BoundRunRow } from '../../../activities/store/production/customer-runs.ts'
import { findProductionWrite } from '../../../activities/store/production/production-writes.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { WriteGate, Writer } from '../authority/write-gate.ts'
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
import { startRun } from '../runs/payment.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import { orderOfRun, storeOrderedRun } from '../work-orders/ordered-run.ts'
import { orderNames } from '../work-orders/work-orders.ts'

/** A run for the account of a customer, as its agent starts it. */
export type CustomerStart = Omit<StartAsked, 'usage' | 'callback_url' | 'customer_account'> & {
  callback_url: string
  customer_account: string
}
export type ProductionDeps = TaskDeps &
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
type StoredRun = BoundRunRow & { asked_sha256: string }
type View = Pick<Awaited<ReturnType<typeof boundView>>, 'run'>

/** An operation that starts production runs, and how it keeps them. */
export type ProductionOperation<Row extends StoredRun, Seen extends View> = {
  id: string
  path: string
  isSold: boolean
  /** Ends the objective of its order. */
  purpose?: string
  find(tx: Tx, taskId: string): Promise<Row | undefined>
  /** Throws where the run cannot be continued. */
  assertContinues?(row: Row): void
  insert(tx: Tx, run: StoredRun): Promise<void>
  view(tx: Tx, row: Row, task: TaskRow): Promise<Seen>
}
type Call = {
  writer: Writer
  given: CustomerStart
  /** What else a repeat of the call has to ask for. */
  more?: Record<string, unknown>
  callId: string
}

/**
 * Starts a run with its order, or continues one: it passes the write gate and is stored in one transaction, and is then paid. It runs
 * once the order is approved. Throws 402 `payment_required` and the refusals of the gate.
 */
export async function startProductionRun<Row extends StoredRun, Seen extends View>(
  deps: ProductionDeps,
  operation: ProductionOperation<Row, Seen>,
  { writer, given, more = {}, callId }: Call,
) {
  const { db, tokens, quotes } = deps
  const paid = await withMandate(db, { ...given, usage: 'operational' })
  const asked = { ...given, payment_reference_id: paid.payment_reference_id }
  const askedSha256 = askedDigest(asked, more)
  const taskId = taskIdOf(await tokens.statusToken('tk', callId))
  const known = await operation.find(db, taskId)
  if (known !== undefined) {
    if (known.asked_sha256 !== askedSha256)
      throw refuse('idempotency_conflict', { detail: 'this key has started another run' })
    operation.assertContinues?.(known)
  }
  const { agentId } = writer
  const buyer = { agentId, isSold: operation.isSold }
  if (known === undefined) {
    await assertNotPaused(db, { rail: asked.rail, agentId })
    await assertStartable(deps, buyer, { ...asked, usage: 'operational' })
  }
  await quotes.assertClaimable(asked.quote_id, { owner: agentId, token: asked.quote_token })
  await assertPaysQuote(deps, agentId, asked)
  const start = { writer, taskId, callId, asked, askedSha256 }
  const store = known === undefined ? await admitted(deps, operation, start) : nothing
  const starting = { agentId, taskId, asked: { ...paid, ...asked }, path: operation.path, store }
  return startRun(deps, starting, () => readStarted(deps, operation, taskId))
}

const nothing = async () => undefined

type Start = {
  writer: Writer
  taskId: string
  callId: string
  asked: CustomerStart
  askedSha256: string
}

/** What stores the run with its order, once its callback is resolved. */
async function admitted<Row extends StoredRun, Seen extends View>(
  deps: ProductionDeps,
  { id: operationId, insert, purpose }: ProductionOperation<Row, Seen>,
  { writer, taskId, callId, asked, askedSha256 }: Start,
): Promise<(tx: Tx) => Promise<undefined>> {
  const { tokens, gate } = deps
  const { ids } = await orderNames(tokens, callId)
  const { agentId } = writer
  const { rail, callback_url: callbackUrl, customer_account: customerAccount } = asked
  const callback = await gate.resolveCallback(operationId, callbackUrl)
  const write = { operationId, writer, rail, callbackUrl, callId, subject: taskId }
  return async (tx) => {
    await assertNotPaused(tx, { rail, agentId })
    const stored = await storeOrderedRun(deps, tx, {
      agentId,
      quoteId: asked.quote_id,
      quoteToken: asked.quote_token,
      customerAccount,
      order: { ...ids, ...orderOfRun(agentId, asked, purpose ?? 'for a customer account') },
      run: { taskId, eventId: callId, rail, input: asked.input },
    })
    if (stored === undefined) return
    const { auditEventId } = await gate.admit(tx, { ...write, customerAccount }, callback)
    await insert(tx, {
      task_id: taskId,
      audit_event_id: auditEventId,
      asked_sha256: askedSha256,
      customer_account: customerAccount,
    })
  }
}

function readStarted<Row extends StoredRun, Seen extends View>(
  { db, payments }: ProductionDeps,
  { find, view }: ProductionOperation<Row, Seen>,
  taskId: string,
) {
  return transaction(db, async (tx) => {
    const task = await requireTask(tx, taskId)
    const run = await find(tx, taskId)
    if (run === undefined) throw new Error(`${taskId} has no production run`)
    const { entitlement, challenge } = await payments.ofTask(tx, taskId)
    return { ...(await view(tx, run, task)), entitlement, challenge }
  })
}

/** What a production run binds, with the checks that its write passed. */
export async function boundView(deps: RunViewDeps, tx: Tx, row: BoundRunRow, task: TaskRow) {
  const run = await runView(deps, tx, task)
  const write = await findProductionWrite(tx, row.audit_event_id)
  return {
    binding: {
      customer_account: row.customer_account,
      work_order_id: run.work_order_id,
      payment_reference_id: run.payment_reference_id,
      return_package_id: run.return_package_id,
      receipt_id: run.usage_receipt_id,
      completion_state: await completionState(tx, task),
    },
    run,
    gate: { checks: write?.checks ?? [] },
    audit_event_id: row.audit_event_id,
  }
}

/** `failed` for a run that closed without completing, by its own attestation. */
async function completionState(tx: Tx, { task_id, state }: TaskRow): Promise<TaskRow['state']> {
  const closing = (await listReceipts(tx, task_id)).find(({ kind }) => kind === 'attestation')
  return closing && receiptView(closing.jws).payload['outcome'] === 'failed' ? 'failed' : state
}

/** The digest of what is ordered; what pays for it may change until it is paid. */
const askedDigest = (asked: CustomerStart, more: Record<string, unknown>): string =>
  digestOf({
    ...more,
    rail: asked.rail,
    tier: asked.tier,
    quote_id: asked.quote_id,
    on_gaps: asked.on_gaps,
    callback_url: asked.callback_url,
    customer_account: asked.customer_account,
    input_sha256: digestOf(asked.input),
  })
