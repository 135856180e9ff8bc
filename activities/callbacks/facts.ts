import { moneyMoved } from '#domain/payouts/payout.ts'
import { readCredentialFacts } from '../agents/access.ts'
import { requirePayout } from '../store/payouts/payouts.ts'
import { listReceipts } from '../store/receipts/receipts.ts'
import { findTaskException } from '../store/tasks/task-exceptions.ts'
import { findTask } from '../store/tasks/tasks.ts'
import type { ReadFacts } from './callback.ts'

const TASK_PREFIX = 'task-'

/**
 * The current facts of a task, a credential or a payout, for its callback. The agent fetches the return package itself, by an
 * operation that needs its credential.
 */
export const readCallbackFacts: ReadFacts = {
  task_updated: async (tx, subject) => {
    const taskId = (await findTaskException(tx, subject))?.task_id ?? subject
    const task = await findTask(tx, taskId)
    if (task === undefined) throw new Error(`${taskId} is not there`)
    return {
      task_token_sha256: taskId.slice(TASK_PREFIX.length),
      run_id: task.run_id,
      state: task.state,
      sequence: task.sequence,
      receipt_ids: (await listReceipts(tx, taskId)).map(({ receipt_id }) => receipt_id),
    }
  },
  credential_ready: readCredentialFacts,
  payout_updated: async (tx, payoutId) => {
    const { payout, transfer, receipts } = await requirePayout(tx, payoutId)
    return {
      payout_id: payoutId,
      state: payout.state,
      transfer_status: transfer?.status ?? 'none',
      transaction_hash: transfer?.transaction_hash ?? null,
      money_moved: moneyMoved(transfer),
      sequence: receipts.length,
      receipt_ids: receipts.map(({ receipt_id }) => receipt_id),
    }
  },
}
