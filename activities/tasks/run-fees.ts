import { grantAccount } from '#domain/credit/credit.ts'
import { accrueOrOwe } from '../credit/fees.ts'
import { findEntitlement } from '../store/credit/entitlements.ts'
import { findLiveOf } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findProductionRun } from '../store/production/customer-runs.ts'
import { countRunReceipts } from '../store/receipts/receipts.ts'
import { findTaskCredit } from '../store/tasks/task-credits.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from './deps.ts'

/** The fees of a paid run that closes: for its receipts, and for a developer who started it for a customer; each once. */
export async function accrueRunFees(deps: TaskDeps, tx: Tx, task: TaskRow): Promise<void> {
  const { task_id, agent_id, usage } = task
  if (usage !== 'operational' || agent_id === null) return
  if (deps.fees.receipt_usd + deps.fees.developer_usd === 0) return
  const credit = await findTaskCredit(tx, task_id)
  if (credit?.state !== 'used' || (await isUnpaid(tx, credit.entitlement_id))) return
  const charge = { agentId: agent_id, subject: task_id }
  const count = await countRunReceipts(tx, task)
  if (count > 0) await accrueOrOwe(deps, tx, 'receipt_fee', { ...charge, count })
  if (await isByDeveloper(tx, task)) await accrueOrOwe(deps, tx, 'developer_fee', charge)
}

/** Whether an agent started the run for a customer: one whose account is the agent itself has no customer. */
export async function isByDeveloper(
  tx: Tx,
  { task_id, agent_id }: Pick<TaskRow, 'task_id' | 'agent_id'>,
): Promise<boolean> {
  const run = await findProductionRun(tx, task_id)
  return run !== undefined && run.customer_account !== agent_id
}

/** Whether no one pays for the runs on a credit: an operator granted it, or its payment was taken back. */
async function isUnpaid(tx: Tx, entitlementId: string): Promise<boolean> {
  if ((await findEntitlement(tx, entitlementId))?.source === grantAccount) return true
  return (await findLiveOf(tx, entitlementId))?.state === 'refunded'
}
