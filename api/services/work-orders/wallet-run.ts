import { refuse } from '#domain/core/errors.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { alreadyFunded } from '../../../activities/credit/quotes.ts'
import { payByAllowance } from '../../../activities/credit/references.ts'
import { findReference } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import { orderView } from './intake.ts'
import { advance, type OrderedRunAsked, storeOrderedRun } from './ordered-run.ts'

type WalletRunAsked = OrderedRunAsked & {
  walletId: string
  /** Refuses a write that the production write gate does not admit. */
  admit: () => Promise<unknown>
}

/**
 * Stores a run once, in the caller's transaction: its order, its task with an accepted contract, and its price, which leaves the
 * balance of the wallet and is earned only by the result. The run then waits for a review. Throws 403 `control_denied`, 409
 * `wallet_underfunded` with the shortfall, and the refusals of orders and payments.
 */
export async function storeWalletRun(deps: TaskDeps, tx: Tx, asked: WalletRunAsked): Promise<void> {
  const { run, agentId, walletId } = asked
  const stored = await storeOrderedRun(deps, tx, asked)
  if (stored === undefined) return
  const { entitlement, challenge } = stored
  await asked.admit()
  // All runs of a wallet wait for its row, so it is locked as late as possible.
  if (challenge !== null)
    await payByAllowance(deps, tx, { agentId, walletId, challengeId: challenge.challenge_id })
  // A quote of several runs is paid once, and the wallet that paid it has the other runs.
  else if (entitlement.source !== walletAccount(walletId)) throw alreadyFunded(entitlement)
  await advance(deps, tx, run.taskId)
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
      url: run.links.return_package,
    },
    run,
  }
}
