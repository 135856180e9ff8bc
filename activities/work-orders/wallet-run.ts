import { walletAccount } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { returnPackageId } from '../../workflows/domain/return-package.ts'
import { timing } from '../../workflows/timing.ts'
import { alreadyFunded } from '../money/quotes.ts'
import { payByAllowance } from '../money/references.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import type { Tx } from '../store/db.ts'
import { findReference } from '../store/payment-references.ts'
import { listReceipts } from '../store/receipts.ts'
import { requireTask, type TaskRow } from '../store/tasks.ts'
import { findWorkOrder } from '../store/work-orders.ts'
import { agree } from '../tasks/agreement.ts'
import { requestCredit } from '../tasks/credit.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { goOn } from '../tasks/moves.ts'
import { type OrderAsked, type OrderedRun, orderView, storeOrder } from './intake.ts'

/** What a run is paid with. */
type Paying = { agentId: string; walletId: string; quoteId: string }
/** An order of one run that a wallet pays for. */
type WalletRunAsked = Paying & {
  order: Omit<OrderAsked, 'agentId' | 'quote_id' | 'runs'>
  run: OrderedRun
  customerAccount: string | null
}

/**
 * Stores a run in one transaction, once: its order and its task, which is agreed on, and the price, which leaves the balance of
 * the wallet and is earned only by the result. It waits for a review then. Throws 403 `control_denied`, 409 `wallet_underfunded`
 * with the shortfall, and what orders and payments are refused with.
 */
export async function storeWalletRun(deps: TaskDeps, tx: Tx, asked: WalletRunAsked): Promise<void> {
  const { order, run, agentId, quoteId, customerAccount: customer_account } = asked
  if (!(await storeOrder(deps, tx, { ...order, agentId, quote_id: quoteId, runs: [run] }))) return
  const { taskId, eventId: act } = run
  const goesOn = async () => goOn(deps, tx, await requireTask(tx, taskId), timing.task.limits)
  await goesOn()
  const parties = { preparedBy: order.actor, acceptedBy: order.actor }
  const acceptance = { accept_terms: true, agent_id: agentId, customer_account }
  await agree(deps, tx, { taskId, act, ...parties, criteria: order.acceptance_criteria, acceptance })
  const asksFor = await requestCredit(deps, tx, await goesOn(), quoteId)
  await goesOn()
  // All runs of a wallet wait for its row, so it is taken as late as may be.
  await pay(deps, tx, asked, asksFor)
  await goesOn()
}

type AsksFor = Awaited<ReturnType<typeof requestCredit>>

/** A quote of several runs is paid once, and the wallet that paid it has the others. */
async function pay(deps: TaskDeps, tx: Tx, { agentId, walletId }: Paying, { entitlement, challenge }: AsksFor) {
  if (challenge !== null) await payByAllowance(deps, tx, { agentId, walletId, challengeId: challenge.challenge_id })
  else if (entitlement.source !== walletAccount(walletId)) throw alreadyFunded(entitlement)
}

/** A run that a wallet paid for, with what such a run carries (agent-commerce.md § Enumerations); 404 `not_found` for any other. */
export async function walletRunView(deps: RunViewDeps, tx: Tx, task: TaskRow) {
  const run = await runView(deps, tx, task)
  const order = await findWorkOrder(tx, { work_order_id: run.work_order_id ?? '' })
  const reference = await findReference(tx, run.payment_reference_id ?? '')
  if (order === undefined || reference?.method !== 'agent_allowance')
    throw refuse('not_found', 'no wallet is bound to this run', 'Read it at GET /api/agent-use.')
  const [intake] = await listReceipts(tx, order.work_order_id)
  return {
    wallet_id: reference.payer,
    payment_intent_id: reference.payment_reference_id,
    settlement_reference: reference.settlement_receipt_id,
    receipt_id: intake?.receipt_id,
    work_order: await orderView(tx, order),
    return_package_target: { return_package_id: returnPackageId(run.run_id), url: `${deps.baseUrl}/api/agent-use` },
    run,
  }
}
