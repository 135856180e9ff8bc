import { refuse } from '#domain/core/errors.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { alreadyFunded } from '../../../activities/credit/quotes.ts'
import { payByAllowance } from '../../../activities/credit/references.ts'
import { findReference } from '../../../activities/store/payments/payment-references.ts'
import { listReceipts } from '../../../activities/store/payouts/receipts.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../../activities/store/work-orders/work-orders.ts'
import { makeAutomaticTransitions } from '../../../activities/task/automatic-transitions.ts'
import { requestCredit } from '../../../activities/task/credit.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import { agree } from '../tasks/agreement.ts'
import { type OrderAsked, type OrderedRun, orderView, storeOrder } from './intake.ts'

/** An order of one run that a wallet pays for. */
type WalletRunAsked = {
  agentId: string
  walletId: string
  quoteId: string
  order: Omit<OrderAsked, 'agentId' | 'quote_id' | 'runs'>
  run: OrderedRun
  customerAccount: string | null
}

/**
 * Stores a run once, in the caller's transaction: its order, its task with an accepted contract, and its price, which leaves the
 * balance of the wallet and is earned only by the result. The run then waits for a review. Throws 403 `control_denied`, 409
 * `wallet_underfunded` with the shortfall, and the refusals of orders and payments.
 */
export async function storeWalletRun(deps: TaskDeps, tx: Tx, asked: WalletRunAsked): Promise<void> {
  const { order, run, agentId, walletId, quoteId, customerAccount: customer_account } = asked
  if (!(await storeOrder(deps, tx, { ...order, agentId, quote_id: quoteId, runs: [run] }))) return
  const { taskId, eventId } = run
  const advance = async () =>
    makeAutomaticTransitions(deps, tx, { task: await requireTask(tx, taskId) })
  await advance()
  await agree(deps, tx, {
    taskId,
    command: eventId,
    preparedBy: order.actor,
    acceptedBy: order.actor,
    criteria: order.acceptance_criteria,
    acceptance: { accept_terms: true, agent_id: agentId, customer_account },
  })
  const { entitlement, challenge } = await requestCredit(deps, tx, {
    task: await advance(),
    quoteId,
  })
  await advance()
  // All runs of a wallet wait for its row, so it is locked as late as possible.
  if (challenge !== null)
    await payByAllowance(deps, tx, { agentId, walletId, challengeId: challenge.challenge_id })
  // A quote of several runs is paid once, and the wallet that paid it has the other runs.
  else if (entitlement.source !== walletAccount(walletId)) throw alreadyFunded(entitlement)
  await advance()
}

/** A run that a wallet paid for, with its order and payment; 404 for any other run. */
export async function walletRunView(deps: RunViewDeps, tx: Tx, task: TaskRow) {
  const run = await runView(deps, tx, task)
  const order = await findWorkOrder(tx, { work_order_id: run.work_order_id ?? '' })
  const reference = await findReference(tx, run.payment_reference_id ?? '')
  if (order === undefined || reference?.method !== 'agent_allowance')
    throw refuse('not_found', {
      detail: 'no wallet is bound to this run',
      next_action: 'Read it at GET /api/agent-use.',
    })
  const [intake] = await listReceipts(tx, order.work_order_id)
  const { payer, payment_reference_id, settlement_receipt_id } = reference
  if (payer === null || settlement_receipt_id === null || intake === undefined)
    throw new Error(`${order.work_order_id} has no intake receipt or was not paid by a wallet`)
  return {
    wallet_id: payer,
    payment_intent_id: payment_reference_id,
    settlement_reference: settlement_receipt_id,
    receipt_id: intake.receipt_id,
    work_order: await orderView(tx, order),
    return_package_target: {
      return_package_id: returnPackageId(run.run_id),
      url: `${deps.baseUrl}/api/agent-use`,
    },
    run,
  }
}
